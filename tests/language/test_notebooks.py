"""What a notebook shows of counts, dictionaries and comparisons."""

from dataclasses import replace

from helpers.spoken import built, counted

from spatial_game.language import compare


def test_counts_show_the_messages_that_are_sent_most():
    counts = counted("bands", 2_000)
    shown = counts._repr_html_()
    assert "<b>Counts</b> of 16 messages, 2,000 episodes: L20 w2 c5 | v20x3<table>" in shown
    most = " ".join(map(str, counts.messages[counts.message_totals.argmax()].tolist()))
    assert shown.index(f"<td>{most}</td>") < shown.index(f">{counts.message_totals.max()}</td>")
    assert shown.count("<tr>") == 11
    words = [f"word {number}" for number in range(20)]
    source = replace(counts.sources[0], provenance={"symbols": words})
    assert "<td>word " in replace(counts, sources=(source,))._repr_html_()


def test_a_dictionary_shows_how_much_it_explains():
    shown = built("bands")._repr_html_()
    assert "<b>Dictionary</b> of 16 messages, 10,000 episodes: L20 w2 c5" in shown
    assert built("bands").bits.text in shown


def test_a_comparison_shows_its_tables():
    comparison = compare(counted("bands", 2_000), counted("names", 2_000))
    shown = comparison._repr_html_()
    assert shown == comparison.table.to_html()
