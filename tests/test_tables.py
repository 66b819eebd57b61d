"""Tables: the same rows in every format."""

import re

import numpy as np
import pytest
from helpers.scripted import dictionary_of, left_of

from spatial_game.config import GameConfig
from spatial_game.game.oracle import OracleSender
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import bits_by_variable, dictionary_table
from spatial_game.language.measures.measuring import MeasuredValue, measure_table
from spatial_game.tables import TABLE_FORMATS, Column, Table

FRUIT = Table(
    (Column("Kind"), Column("Name"), Column("Share", ".1%"), Column("Count", ",")),
    (("sweet", "apple_1", 0.25, 12345), ("sweet", "pear|plum", None, 7), ("sour", "lime & co", 1.0, 0)),
)


def test_text_is_aligned():
    assert FRUIT.to_text() == (
        "  Kind    Name         Share    Count\n"
        "  -----------------------------------\n"
        "  sweet   apple_1      25.0%   12,345\n"
        "  sweet   pear|plum                 7\n"
        "  sour    lime & co   100.0%        0\n"
    )


def test_text_can_be_grouped():
    assert FRUIT.to_text(group_by="Kind") == (
        "  Name         Share    Count\n"
        "  ---------------------------\n"
        "\nsweet\n"
        "  apple_1      25.0%   12,345\n"
        "  pear|plum                 7\n"
        "\nsour\n"
        "  lime & co   100.0%        0\n"
    )


def test_markdown_escapes_what_would_end_a_cell_or_be_html_or_a_link():
    assert FRUIT.to_markdown().splitlines() == [
        "| Kind | Name | Share | Count |",
        "| --- | --- | ---: | ---: |",
        "| sweet | apple_1 | 25.0% | 12,345 |",
        r"| sweet | pear\|plum |  | 7 |",
        "| sour | lime & co | 100.0% | 0 |",
    ]
    texts = [r"x\|y", r"x\\|y\z", "<script>&lt;</script>", "[a](javascript:b)"]
    cells = [r"x\\\|y", r"x\\\\\|y\z", "&lt;script>&amp;lt;&lt;/script>", r"[a]\(javascript:b)"]
    lines = Table.of("a<b>", [(text,) for text in texts]).to_markdown().splitlines()
    assert lines == ["| a&lt;b> |", "| --- |", *(f"| {cell} |" for cell in cells)]


def test_html_has_classes_for_numbers_and_long_texts():
    whole = FRUIT.to_html()
    assert '<th scope="col" class=n>Share</th>' in whole
    assert '<td>lime &amp; co</td><td class="n">100.0%</td><td class="n">0</td></tr>' in whole
    assert whole.count("<tr>") == 1 + 3
    assert '<td class="w">aaa' in Table.of("Text", [("a" * 60,)]).to_html()


def test_csv_has_no_text_that_a_spreadsheet_computes():
    table = Table((Column("-5"), Column("=b")), (("=1+1", -1.5), ("@x", None), ("a-b", 2), ("＝1", "-1")))
    assert table.to_csv().splitlines() == ["-5,'=b", "'=1+1,-1.5", "'@x,", "a-b,2", "'＝1,'-1"]


@pytest.mark.parametrize("write", TABLE_FORMATS.values(), ids=TABLE_FORMATS)
def test_no_format_passes_control_characters(write):
    table = Table((Column("a\x1b[2J"), Column("b")), (("\x1b[31mred\r\n", "\u202eabc"),))
    text = write(table)
    assert text.count("\n") == len(text.splitlines())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "x1b[31mred" in text


def test_the_dictionary_has_symbols_by_slot_then_what_messages_add():
    config = GameConfig(20, window_radius=1, vocab_size=8, message_length=2)

    def say(window):
        left = left_of(config, window)
        return np.where(left[:, None] < 0, 7, np.column_stack([left % 2, left // 2 % 5]))

    means = interpreter(dictionary_of(config, say, 20_000))
    rows = dictionary_table(means).rows
    odd = "1, 3, 5, 7, 9, 11, 13, 15, 17 or 19 one left"
    assert [row[:3] for row in rows if row[1] == "[7, m2]"] == [
        ("What a symbol says in slot 1", "[7, m2]", "the target is the first")
    ]
    assert "one of 10 integers one left" in {row[2] for row in rows if row[1] == "[1, m2]"}
    assert odd in {row[2] for row in dictionary_table(means, complete=True).rows if row[1] == "[1, m2]"}
    assert {row[2] for row in rows if row[1] == "[m1, 2]"} == {"4, 5, 14 or 15 one left"}
    best = dictionary_table(means, best=1)
    assert [row[0] for row in best.rows] == sorted(row[0] for row in best.rows)
    assert len({row[1] for row in best.rows}) == 2  # whole messages add nothing
    places = [row[0] for row in bits_by_variable(means.dictionary).rows]
    assert (places[0], places[-1]) == ("one left", "the edge")
    for _, by_symbols, by_messages, possible in bits_by_variable(means.dictionary).rows:
        assert 0 < by_symbols <= by_messages + 0.01 <= possible


def test_what_is_seen_has_words():
    config = GameConfig(20, num_visible=1)
    means = interpreter(dictionary_of(config, OracleSender(config).send, 20_000))
    said = {row[2] for row in dictionary_table(means).rows}
    assert "seen: two left" in said or "seen: one left or two left" in said


def test_headings_of_numbers_break_before_texts_do():
    table = Table.of("What | Most common :.1% | Nothing here", [("a name of some length", 0.5, None)])
    assert table.to_text(width=48) == (
        "  What                       Most   Nothing here\n"
        "                           common\n"
        "  ----------------------------------------------\n"
        "  a name of some length     50.0%\n"
    )


def test_a_narrow_terminal_gets_texts_below_themselves():
    table = Table((Column("What"), Column("Number", ".1f")), (("a rather long name of it", 1.0), ("b", 22.5)))
    assert table.to_text(width=80) == table.to_text()
    assert table.to_text(width=24) == (
        "  What            Number\n"
        "  ----------------------\n"
        "  a rather long      1.0\n"
        "  name of it\n"
        "  b                 22.5\n"
    )
    assert table.to_text(width=1).splitlines()[0] == "  What            Number"  # no narrower than a word


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (0.0123, "+.1pp", "+1.2 pp"),
        (-0.158, "+.1pp", "-15.8 pp"),
        (-0.0004, "+.1pp", "0.0 pp"),
        (0.0, "+.1%", "0.0%"),
        (-0.00001, ".2%", "0.00%"),
        (-0.1, "+.1%", "-10.0%"),
        (10.13, "figure", "10.130"),
        (0.5123, "figure", "0.512"),
        (26, "figure", "26"),
        (12345.6, "figure", "12,346"),
        (float("nan"), ".1%", "nan%"),
    ],
)
def test_a_value_is_written_with_its_sign_and_unit(value, style, text):
    assert Column("Name", style).write(value) == text


def test_measures_have_equally_many_decimals():
    found = [
        MeasuredValue(name, value, "bits", "x", 0.5, 12.25) for name, value in (("a", 10.13), ("b", 0.5))
    ]
    assert [row[:3] for row in measure_table(found).cells] == [
        ["a", "10.130", "0.500"],
        ["b", "0.500", "0.500"],
    ]
