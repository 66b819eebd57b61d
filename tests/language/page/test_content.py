"""Pages of languages that tests speak: what they must say, and what they must not say."""

import base64
import gzip
import json
import re
from dataclasses import replace
from functools import cache
from html import escape

import numpy as np
import pytest
from helpers import spoken
from helpers.scripted import counts_of, left_of
from helpers.spoken import GAME, cells, said

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import count, message_ids
from spatial_game.language.dictionary.entries import sets_of
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.page.answers import answers, table_of_slots, table_of_variables
from spatial_game.language.page.content import NOT_ASKED, make_page
from spatial_game.language.page.html import page_html
from spatial_game.language.page.messages import meaning_of
from spatial_game.language.page.sections import sections
from spatial_game.language.page.symbols import (
    ADDRESS,
    ALIKE,
    EXAMPLES,
    NOT_ALIKE,
    beginnings_of,
    slots_and_order,
)
from spatial_game.language.wording import listed
from spatial_game.recording import Recording

NOTHING, TOO_FEW = "The dictionary finds nothing", "There are too few episodes"
CLASSES = "is a class, and has the name of"
STRANGE = "data are of another game"


def by_class(window):
    """The second symbol says whether the integer two left is odd, in ten ways each."""
    (left,), (right,) = cells(window, -2), cells(window, 1)
    return said(right, left % 2 * 10 + np.random.default_rng(0).integers(0, 10, len(window)))


def by_wholes(window):
    left, right = cells(window)
    number = np.random.default_rng(0).permutation(8_000)[20 * left + right]
    return said(number // 400, number // 20 % 20, number % 20)


LANGUAGES = {
    **{name: spoken.LANGUAGES[name] for name in ("names", "random", "oracle")},
    "bands": lambda window: said(*(cells(window) // 10)),
    "apart": lambda window: said(*(cells(window) // 10 + [[0], [10]])),
    "class": by_class,
    "wholes": by_wholes,
    "one message": lambda window: said(np.full(len(window), 7)),
    "edge": lambda window: said(*[columns_of(GAME).edge_of(window)] * 3),
}


@cache
def page_of(name, number=None):
    number = number or (30_000 if name == "wholes" else 4_000)
    return make_page(counts_of(GAME, LANGUAGES[name], number), name=name)


def data_of(written):
    """Return the data of a page's script."""
    [packed] = re.findall('class="language-data">(.*?)</script>', written)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@cache
def text_of(found):
    """Return all sentences of a page."""
    return " ".join(sentence for section in sections(found) for sentence in section.sentences)


A_PART = "Each symbol tells a part"
BOTH_SIDES, NO_LANGUAGE = "The integers one left and one right", ("Nothing that was found", "Cannot say")


@pytest.mark.parametrize(
    ("name", "tells", "how", "says", "never"),
    [
        ("names", BOTH_SIDES, A_PART, "the dictionary explains 8.4 of them", (CLASSES, TOO_FEW, STRANGE)),
        ("bands", BOTH_SIDES, A_PART, "takes 4.3.", (CLASSES, TOO_FEW, STRANGE)),
        (
            "class",
            "Of 8.6 bits, 5.2 were found: the integer one right, and less of one other offset",
            A_PART,
            CLASSES,
            (STRANGE,),
        ),
        (
            "wholes",
            BOTH_SIDES,
            "An address",
            "3.3 bits by themselves, and 6.8 after those before them",
            (CLASSES, STRANGE),
        ),
        (
            "oracle",
            "The integers at four offsets, and whether the target is near an end",
            "Where and what",
            "Slot 1 tells ",
            (CLASSES, STRANGE),
        ),
        (
            "edge",
            "Whether the target is near an end",
            f"{A_PART}, some of it twice",
            "",
            (CLASSES, STRANGE),
        ),
        ("random", *NO_LANGUAGE, NOTHING, (TOO_FEW, STRANGE)),
        ("one message", *NO_LANGUAGE, NOTHING, (TOO_FEW, STRANGE)),
    ],
)
def test_a_language_is_described_as_it_is(name, tells, how, says, never):
    found = page_of(name)
    shown = answers(found)
    assert [each.answer for each in shown] == [tells, how, "Cannot say"]
    assert shown[2].sentence == "No receiver was asked."
    text = text_of(found)
    assert says in text
    assert [words for words in never if words in text] == []
    assert all(told <= most for _, told, most in table_of_variables(found).rows)


def test_the_answer_goes_from_left_to_right_and_the_table_begins_with_what_is_told_most_of():
    def much_of_one_right(window):
        left, right, far = cells(window, -1, 1, 2)
        return said(left // 2, right, far // 3)

    found = make_page(counts_of(GAME, much_of_one_right, 3_000))
    assert answers(found)[0].answer == "The integers one left, one right and two right"
    names = [name for name, *_ in table_of_variables(found).rows]
    assert names[:3] == ["one right", "one left", "two right"]


def test_little_of_many_offsets_is_in_the_answer():
    def a_little_of_many(window):
        shown = columns_of(GAME).at_offsets(window)
        rest = (shown[:, :4] >= 10) + 2 * (shown[:, 4:] >= 10)
        return said(cells(window, -1)[0], rest[:, 1] + 4 * rest[:, 2], rest[:, 3])

    answer, *_ = answers(make_page(counts_of(GAME, a_little_of_many, 6_000)))
    assert re.fullmatch("The integer one left, and less of [a-z]+ other offsets?", answer.answer)


def test_bits_that_a_dictionary_does_not_list_are_said_to_be_about_the_window_if_the_sender_says_the_same():
    found = page_of("class")
    entropy, explained = found.dictionary.bits.entropy, found.dictionary.bits.messages
    assert f"The other {entropy - explained:.1f} may be random, or about the window" in text_of(found)
    same = text_of(replace(found, combines={**NOT_ASKED, "says_the_same": True}))
    assert f"So the other {entropy - explained:.1f} are not random: they are about the window" in same
    assert "he other" not in answers(page_of("names"))[0].sentence


def test_a_symbol_in_the_first_slot_tells_as_much_after_those_before_it_as_by_itself():
    for name in ("class", "wholes", "edge"):
        (_, alone, after), *_ = table_of_slots(page_of(name)).rows
        assert alone == after


def test_a_slot_that_names_the_place_is_said_to():
    def where_and_what(window):
        shown = columns_of(GAME).at_offsets(window)
        random = np.where(shown < 0, -1, np.random.default_rng(0).random(shown.shape))
        place = random.argmax(axis=1)
        return said(shown[np.arange(len(window)), place], place)

    found = make_page(counts_of(GAME, where_and_what, 4_000))
    _, built, _ = answers(found)
    assert built.answer == "Where and what"
    assert re.search(r"Slot 2 tells (9\d|100)% of which cell a message speaks of", built.sentence)
    assert found.to_dict()["built"] == "where and what"


def test_what_stands_somewhere_is_said_before_the_slot_that_names_the_place():
    config = GameConfig(20, num_visible=1, vocab_size=20)

    def where_and_what(window):
        shown = columns_of(config).at_offsets(window)
        place = shown.argmax(axis=1)
        return said(shown.max(axis=1) // 4, place)

    found = make_page(counts_of(config, where_and_what, 6_000))
    assert found.built == "where and what"
    tables = sections(found)[1].tables
    assert tables
    for table in tables.values():
        (symbol, says), (_, then), *_ = table.rows
        band = f"{4 * int(symbol)}-{4 * int(symbol) + 3}"
        assert re.match(f"{band} at [a-z]+ offsets: ", says)
        assert then.startswith(f"{band} ")


def test_the_parts_of_a_page_have_their_order():
    titles = [section.title for section in sections(page_of("names"))]
    assert titles[:4] == ["In short", "Examples, symbol by symbol", "Messages", "Symbols"]
    assert titles[4:6] == ["Near an end", "Synonyms and homonyms"]
    assert titles[6:] == ["How often messages are sent", "Slots and order"]
    assert [section.title for section in sections(page_of("random"))] == titles[:1]


def test_examples_say_what_each_beginning_says():
    examples = sections(page_of("bands"))[1]
    assert len(examples.tables) == 2  # there are two first symbols
    assert [title.startswith("It sees ") for title in examples.tables] == [True, True]
    for title, table in examples.tables.items():
        window = title.removeprefix("It sees ").split()
        at = window.index("?")
        left, right = int(window[at - 1]), int(window[at + 1])
        for number, (sent, says) in enumerate(table.rows, 1):
            symbols = [left // 10, right // 10, 0][:number]
            assert sent == " ".join(map(str, symbols))
            assert f"{left // 10 * 10}-{left // 10 * 10 + 9} one left" in says
            assert (f"{right // 10 * 10}-{right // 10 * 10 + 9} one right" in says) == (number > 1)


def test_a_beginning_that_is_untrue_of_its_window_is_not_clear():
    found = page_of("bands")
    example = found.examples[0]
    untrue = tuple(np.where(np.array(example.window) < 10, 15, 5).tolist())
    untrue = tuple(-1 if one == -1 else other for one, other in zip(example.window, untrue, strict=True))
    for window, number in ((example.window, 0), (untrue, 1)):
        rows = beginnings_of(found, replace(example, window=window))
        assert sum(says == "nothing clear yet" for _, says in rows) == number


def test_examples_have_different_first_symbols_and_each_symbol_adds_to_them():
    for name in ("bands", "names", "oracle"):
        found = page_of(name)
        firsts = [each.message.symbols[0] for each in found.examples]
        assert len(firsts) == len(set(firsts)) > 1
        assert all(each.is_clear(each.message.reading) for each in found.examples)
    tried = page_of("wholes")._examples_of(page_of("wholes").messages[:100])
    assert min(each.steps for each in page_of("wholes").examples) == max(each.steps for each in tried) == 2


def test_an_example_is_true_or_there_is_none():
    def often(window):
        """Say the integer one left, and one symbol in four is another one."""
        left, _ = cells(window)
        noise = np.random.default_rng(1).random(len(left)) < 0.25
        return said(np.where(noise, np.random.default_rng(2).integers(0, 20, len(left)), left))

    found = make_page(counts_of(GAME, often, 4_000))
    assert found.messages[0].is_sure
    assert found.examples == []
    assert "There are none: no reading of the 100 messages" in page_html(found)
    for name in ("bands", "names", "wholes"):
        for each in page_of(name).examples:
            assert each.message.true.accuracy >= 0.9
            assert each.message.reading.true_of(np.array([each.window]))[0]


def test_a_share_that_may_be_small_or_large_is_not_said():
    sentence = "the message tells at least 0.1 bits more about an offset than its symbols"
    for name, is_said in (("names", False), ("wholes", True), ("oracle", True)):
        found = page_of(name)
        low, high = sets_of(found.dictionary).adding
        assert (sentence in text_of(found)) == (high - low <= 0.5) == is_said


def test_words_of_an_import_stand_for_symbols():
    words = [f"word{chr(97 + number)}" for number in range(20)]
    window = draw_episodes(GAME, 2_000, np.random.default_rng(1)).window
    named = Recording(GAME, window, LANGUAGES["bands"](window), provenance={"symbols": words})
    found = make_page(count(named))
    texts = {each.text for each in found.messages}
    assert {" ".join(words[symbol] for symbol in each.symbols) for each in found.messages} == texts
    [symbols] = [section for section in sections(found) if section.title == "Symbols"]
    assert {row[0] for row in symbols.tables["Slot 1"].rows} <= set(words)
    data = data_of(page_html(found))
    assert data["names"] == words
    assert data["messages"][0]["text"] in texts


def test_members_of_a_long_set_stand_behind_it():
    def odd_or_even(window):
        left, _ = cells(window)
        return said(left % 2)

    found = make_page(counts_of(GAME, odd_or_even, 4_000))
    even = next(each for each in found.messages if each.symbols == (0, 0, 0))
    assert f"one of 10 integers ({listed([str(i) for i in range(0, 20, 2)])}) one left" in meaning_of(
        found, even
    )


def test_a_message_has_one_figure_of_how_often_it_is_true():
    config = GameConfig(20, vocab_size=20, message_length=1)

    def often(window):
        left = left_of(config, window).clip(0)
        noise = np.random.default_rng(1).random(len(left)) < 0.3
        return np.where(noise, np.random.default_rng(2).integers(0, 20, len(left)), left)[:, None]

    found = make_page(counts_of(config, often, 4_000))
    unsure = [each for each in found.messages if each.reading.interval[0] < 0.9 and each.true.trials]
    assert unsure
    [about] = [section for section in sections(found) if section.title == "Messages"]
    row = {row[0]: row for row in about.tables["The messages that are sent most"].rows}
    data = {each["text"]: each for each in data_of(page_html(found))["messages"]}
    for each in unsure:
        assert "(true " in reading_text(each.reading, found.classes)
        assert "(true " not in row[each.text][1]
        assert "(true " not in data[each.text]["says"]
        assert f"({data[each.text]['ends']})" in row[each.text][2]


def test_a_message_of_few_episodes_is_too_rare_to_say_on_the_page():
    found = page_of("names", 400)
    data = {each["text"]: each for each in data_of(page_html(found))["messages"]}
    rare = [each for each in found.messages if each.reading.is_too_rare]
    assert rare
    for each in rare:
        assert meaning_of(found, each).startswith("sent too rarely to say (")
        assert data[each.text]["rare"]


def test_symbols_that_are_one_to_the_receiver_are_listed_if_it_was_asked():
    row = {"slot": 1, "symbols": (3, 5), "changed": 0.021}
    asked = (
        slots_and_order(replace(page_of("names"), combines={**NOT_ASKED, "alike": alike}))
        for alike in ([row], [])
    )
    found, nothing = asked
    assert found.tables["Symbols that are one to the receiver"].rows == ((2, "3, 5", 0.021),)
    assert found.sentences[-1] == ALIKE
    assert nothing.sentences[-1] == NOT_ALIKE
    assert not {ALIKE, NOT_ALIKE} & {*slots_and_order(page_of("names")).sentences}


def test_slots_and_order_are_tested():
    figures = r"does not know the order of symbols tells (\d\.\d\d) of (\d\.\d\d) bits"
    for name, matters in (("names", True), ("apart", False)):
        [(unordered, known)] = re.findall(figures, text_of(page_of(name)))
        assert (float(unordered) < 0.95 * float(known)) == matters
    assert "In another slot, symbols do not mean the same" in text_of(page_of("names"))


def test_an_address_is_said_to_be_one_where_its_symbols_are_shown():
    for name, is_address in (("wholes", True), ("bands", False)):
        found = page_of(name)
        assert page_html(found).count(ADDRESS) == 2 * is_address
        [symbols] = [section for section in sections(found) if section.title == "Symbols"]
        assert ("Slot 2" in symbols.tables) != is_address


def test_messages_for_an_edge_are_listed():
    def at_the_ends(window):
        edge = columns_of(GAME).edge_of(window)[:, None]
        return np.where(edge < 4, 10 + edge, LANGUAGES["bands"](window)).astype(np.int16)

    found = make_page(counts_of(GAME, at_the_ends, 2_000))
    [ends] = [section for section in sections(found) if section.title == "Near an end"]
    rows = ends.tables["The message that is sent most often"].rows
    assert [(where, message, share) for where, message, share, _ in rows[:4]] == [
        ("The target is the first", "10 10 10", 1.0),
        ("The target is the second", "11 11 11", 1.0),
        ("The target is the second last", "12 12 12", 1.0),
        ("The target is the last", "13 13 13", 1.0),
    ]


def test_the_list_of_symbols_says_what_each_one_says_in_its_slot():
    [symbols] = [section for section in sections(page_of("bands")) if section.title == "Symbols"]
    rows = {symbol: says for symbol, says, _ in symbols.tables["Slot 1"].rows}
    assert rows["0"].startswith("0-9 one left: ")
    assert "10-19 one left" in rows["1"]
    assert "Slot 3" not in symbols.tables


def test_a_language_of_few_episodes_says_so():
    assert TOO_FEW in text_of(page_of("wholes", 1_000))
    assert "These may change either way: which integers symbols and messages name" in text_of(
        page_of("wholes", 1_000)
    )
    for number, few in ((1, "1 episode"), (9, "9 episodes")):
        text = text_of(page_of("names", number))
        assert NOTHING in text
        assert f"A page of {few} cannot show that messages say nothing: take at least 1,000." in text
    assert "cannot show that" not in text_of(page_of("random"))


def test_windows_that_the_game_does_not_draw_are_noticed():
    window = draw_episodes(GAME, 2_000, np.random.default_rng(1)).window
    window = window[(window[:, 1] == 5) & (window[:, 2] == -1)]
    found = make_page(count(Recording(GAME, window, LANGUAGES["names"](window))))
    assert STRANGE in text_of(found)


def test_each_message_has_the_share_of_held_out_episodes_in_which_it_is_true():
    counts = counts_of(GAME, LANGUAGES["bands"], 1_000)
    [recording] = counts.sources
    found = make_page(counts)
    held = np.arange(len(recording)) % 10 == 9
    ids = message_ids(counts, recording.message)
    assert [each.episodes for each in found.messages] == sorted(counts.message_totals.tolist(), reverse=True)
    for each in found.messages:
        own = (recording.message == each.symbols).all(axis=1)
        [reading] = interpreter(found.dictionary).read(np.array([each.symbols]))
        assert each.true.trials == (own & held).sum()
        assert each.true.num_correct == reading.true_of(recording.window[own & held]).sum()
    assert sum(each.true.trials for each in found.messages) == held.sum()
    assert len(np.unique(ids)) == len(found.sent)


def test_a_message_that_says_nothing_is_not_an_untrue_one():
    def often_silent(window):
        says = np.random.default_rng(2).random((len(window), 1)) < 0.5
        return np.where(says, LANGUAGES["names"](window), 0).astype(np.int16)

    text = text_of(make_page(counts_of(GAME, often_silent, 3_000)))
    assert re.search(r"is true in (9\d\.\d|100\.0)% of [\d,]+ held-out episodes", text)
    assert re.search(r"1 \((49|5[0-2])\.\d% of the episodes\) have no reading", text)


def test_grids_and_hidden_cells_are_described():
    config = GameConfig(shape=(3, 4), window_radius=1, num_visible=1)
    found = make_page(counts_of(config, OracleSender(config).send, 1_000))
    text = text_of(found)
    titles = [title for section in sections(found) for title in section.tables]
    sees = next(title for title in titles if title.startswith("It sees"))
    assert re.fullmatch(r"It sees .*(\n {8}.*){2}", sees)  # its three rows
    assert NOTHING not in text
    assert "hich cells are seen" in text
    assert "<" not in text


def test_a_page_shows_what_the_terminal_shows():
    found = page_of("names")
    written = page_html(found)
    for section in sections(found)[1:]:
        assert all(escape(sentence) in written for sentence in section.sentences)
        if section.title != EXAMPLES:
            assert all(title in written for title in section.tables)
    for each in answers(found):
        assert escape(each.answer) in written
        assert escape(each.sentence) in written
    for each in found.examples:
        assert all(
            f"<dt>{symbols}</dt><dd>{says}</dd>" in written for symbols, says in beginnings_of(found, each)
        )
    assert [message["text"] for message in data_of(written)["messages"]] == [
        each.text for each in found.messages
    ]
    assert page_html(found) == written


def test_a_page_says_how_it_was_made_and_what_the_receiver_understood():
    combines = {
        "verdict": "combine",
        "sentence": "Its symbols combine fully. Of the messages, all are understood.",
        "grounds": "Of the messages, all are understood.",
        "degree": "fully",
        "scaled": (0.95, 0.9, 1.02),
        "own": {"accuracy": 0.97},
        "sent": 0.99,
        "composed": "symbol by symbol",
        "asked": {"symbol by symbol": {"accuracy": 0.951}},
        "examples": {
            "right": {"message": (3, 5, 0), "window": (1, 3, -1, 5, 2), "num_correct": 18, "trials": 20},
            "wrong": {"message": (4, 5, 0), "window": (1, 4, -1, 5, 2), "num_correct": 2, "trials": 12},
        },
    }
    found = replace(page_of("names"), combines=combines, command="spatial-game describe <this>")
    written = page_html(found)
    assert "Command: spatial-game describe &lt;this&gt;" in written
    assert found.dictionary.signature in written
    assert answers(found)[2].answer == "They combine fully"
    unsure = replace(found, combines={**combines, "perhaps": ("mostly",)})
    assert answers(unsure)[2].answer == "They combine fully, perhaps mostly"
    assert "understood: 3 5 0 (right for 18 of 20 windows), such as for</p><pre>1 3 ? 5 2</pre>" in written
    text = "Never sent, and not understood: 4 5 0 (right for 2 of 12 windows), such as for\n1 4 ? 5 2"
    assert text in text_of(found)
    assert 'style="left:90.0%;width:10.0%"' in written
    guessing = f"{1 / found.config.num_candidates:.1%}"
    assert f"<span>guessing<br>{guessing}</span>" in written
    assert ">never sent<br><b>95.1%</b></span>" in written
    assert "<span>sent<br>99.0%</span>" in written
    assert "<span>do not</span><span>in part</span>" in written  # as the answer says, "They do not combine"
    assert "class=ruler" not in page_html(page_of("names"))


def test_the_receiver_stands_beside_each_reading_where_the_recording_has_choices():
    counts = counts_of(GAME, LANGUAGES["bands"], 4_000)
    [recording] = counts.sources
    is_failed = (recording.message[:, :2] == [0, 1]).all(axis=1)
    target = recording.target_index
    choice = np.where(is_failed, (target + 1) % GAME.num_candidates, target)
    found = make_page(count(replace(recording, choice=choice)))
    for each in found.messages:
        assert each.right.trials == each.episodes
        assert each.right.accuracy == (each.symbols != (0, 1, 0))
        assert each.is_missed == (each.symbols == (0, 1, 0))
    [about] = [section for section in sections(found) if section.title == "Messages"]
    accuracy = f"{np.mean(~is_failed):.1%}"
    assert f"The receiver is right in {accuracy} of 4,000 episodes" in text_of(found)
    assert f"The receiver finds the target in {accuracy} of the episodes" in text_of(found)
    sent_most, missed = about.tables.values()
    [[message, *_, right, episodes]] = missed.rows
    assert (message, episodes) == ("0 1 0", is_failed.sum())
    assert right.endswith("% (low)")
    receiver = {each["text"]: each["receiver"] for each in data_of(page_html(found))["messages"]}
    assert receiver["0 1 0"] == right
    assert receiver["1 1 0"] == "100%"
    without = make_page(counts)
    assert "these episodes have no choices" in text_of(without)
    [without_choices] = sections(without)[2].tables.values()
    assert len(without_choices.columns) == len(sent_most.columns) - 1
    assert found.to_dict()["receiver"]["num_correct"] == 4_000 - is_failed.sum()


def test_a_large_recording_is_read_once_more_than_for_its_dictionary():
    [recording] = counts_of(GAME, LANGUAGES["bands"], 2_000).sources

    class OnDisk:
        reads, config, provenance = 0, GAME, {}

        def blocks(self, *, columns=None):
            self.reads += 1
            return recording.blocks(columns=columns)

    source = OnDisk()
    found = make_page(count(source))
    assert source.reads == 2
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_counts_without_episodes_are_refused():
    counts = counts_of(GAME, LANGUAGES["names"], 100)
    counts.sources = ()
    with pytest.raises(ValueError, match="needs the episodes; got counts without sources"):
        make_page(counts)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["embed-60/0", "paper-60/0", "landmark-60/0", "local-60/0", "grid-8x8/0"])
def test_pages_give_the_same_answers_at_every_size_or_say_that_there_are_too_few_episodes(name):
    pair = load_pair(name)
    episodes = draw_episodes(pair.config, 200_000, np.random.default_rng(3))
    message = pair.sender.send(episodes.window)
    found_at = []
    for number in (5_000, 20_000, 200_000):
        found = make_page(count(Recording(pair.config, episodes.window[:number], message[:number])))
        if not found.too_few:
            found_at.append([each.answer for each in answers(found)])
    assert found_at[1:] == found_at[:-1]


def test_a_symbol_has_the_held_out_episodes_in_which_it_is_true_as_they_were_counted():
    counts = counts_of(GAME, LANGUAGES["bands"], 2_000)
    [symbols] = [section for section in sections(make_page(counts)) if section.title == "Symbols"]
    [shown] = counts.episodes("this test needs")
    left = columns_of(GAME).at_offsets(shown.window)[:, GAME.offsets.index(-1)]
    for symbol, says, _ in symbols.tables["Slot 1"].rows:
        sent = counts.messages[shown.message, 0] == int(symbol)
        number = int((sent & shown.held_out & (left >= 0)).sum())
        assert re.search(rf"^[-0-9]+ one left: {number} of {number} \(\d+% to 100%\)", says)
