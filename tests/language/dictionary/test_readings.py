"""What is said of languages that one knows holds at three sizes of samples, and no more is said."""

import re
from functools import cache

import numpy as np
import pytest
from helpers.scripted import dictionary_of as scripted_dictionary_of
from helpers.scripted import left_of
from readings import LANGUAGES, language_of, measured

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import build_dictionary, count, message_entries
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.recording import Recording

CONFIG, SIZES, FRESH = GameConfig(20), (1_000, 4_000, 12_000), 6_000
NAMES = [
    name for name in LANGUAGES if name not in ("compositional", "holistic, noise")
]  # others are like them


@cache
def spoken(name):
    """Return windows and messages of a language: those of the largest sample, then other ones."""
    language = language_of(name, CONFIG, np.random.default_rng(1))
    window = draw_episodes(CONFIG, SIZES[-1] + FRESH, np.random.default_rng(2)).window
    return window, language.send(window), language


@cache
def dictionary_of(name, size):
    window, message, _ = spoken(name)
    return build_dictionary(count(Recording(CONFIG, window=window[:size], message=message[:size])))


@cache
def figures(name, size):
    window, message, _ = spoken(name)
    return measured(dictionary_of(name, size), window[-FRESH:], message[-FRESH:], 50)


@pytest.mark.parametrize("size", SIZES)
def test_at_most_one_reading_in_fifty_is_off_by_ten_points(size):
    each = [figures(name, size) for name in NAMES]
    readings = sum(row["readings"] for row in each)
    assert readings > 400
    assert sum(float(row["off"]) * row["readings"] for row in each) <= 0.02 * readings
    assert sum(row["false"] for row in each) <= 0.05 * sum(row["named"] for row in each)


@pytest.mark.parametrize("size", SIZES)
def test_where_no_integer_is_told_none_is_named(size):
    for name in ("edges", "sums"):
        assert figures(name, size)["named"] <= 2  # a sum excludes an integer: by chance, another seems raised
        assert message_entries(dictionary_of("edges", size)) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_range_of_messages_that_say_more_than_their_symbols_narrows(name):
    middle, large = (figures(name, size) for size in SIZES[1:])
    assert float(middle["low"]) - 0.05 <= float(large["low"])
    assert float(large["high"]) <= float(middle["high"]) + 0.05
    exact = {"by-offset": 0.8, "classes": 0.0, "edges": 0.0, "sums": 0.0}.get(name)  # 0.2 is edges
    assert exact is None or float(large["low"]) - 0.04 <= exact <= float(large["high"]) + 0.04


def test_whether_rare_messages_say_more_than_their_symbols_is_left_open():
    few, many = (figures("classes", 1_000), figures("edges", SIZES[-1]))
    assert float(few["low"]) < 0.05  # in truth, 0
    assert float(few["high"]) > 0.75  # 0.2 of the episodes are at edges
    assert float(many["high"]) == 0


@pytest.mark.parametrize("size", [*SIZES, 20_000])
def test_a_repeated_symbol_adds_nothing_to_itself(size):
    config = CONFIG.changed(message_length=2, vocab_size=3)

    def often_parity(window):
        left, wrong = left_of(config, window), np.random.default_rng(0).random(len(window)) < 0.1
        return np.where(left < 0, 2, (left + wrong) % 2)[:, None].repeat(2, axis=1)

    dictionary = scripted_dictionary_of(config, often_parity, size)
    at = config.offsets.index(-1)
    assert sum(entry.index == at for entry in interpreter(dictionary).symbols) == 4
    assert message_entries(dictionary) == []


@pytest.mark.parametrize("name", ["two-neighbours", "rarer-synonyms", "two-senses", "compositional, noise"])
def test_of_many_episodes_all_that_is_told_is_named(name):
    found = figures(name, SIZES[-1])
    assert found["raised"] >= 25
    assert found["lost"] <= 0.03 * found["raised"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["holistic", "compositional", "by-offset", "half-and-half"])
def test_integers_are_read_as_they_were_meant(name, size):
    means, said = interpreter(dictionary_of(name, size)), spoken(name)[2].sayings
    for saying, place in zip(said, ("two left", "one left", "one right", "two right"), strict=True):
        assert re.match(rf"(sent too rarely .* suggest: )?7 {place}", means.text(saying.messages[7]))


@pytest.mark.parametrize("size", SIZES[1:])
def test_synonyms_say_the_same_and_homonyms_one_of_two_things(size):
    means, said = interpreter(dictionary_of("rarer-synonyms", size)), spoken("rarer-synonyms")[2].sayings
    assert {means.text(saying.messages[3]) for saying in said} == {"3 one left"}
    means, (left, _) = interpreter(dictionary_of("two-senses", size)), spoken("two-senses")[2].sayings
    text = means.text(left.messages[3])
    assert " and " not in text
    assert {"3 one left", "4 one right"} <= {part.split(" (")[0] for part in text.split(" or ")}


@pytest.mark.parametrize("size", SIZES[1:])
def test_a_message_for_one_of_three_things_is_read_as_one_of_them(size):
    means, said = interpreter(dictionary_of("three-senses", size)), spoken("three-senses")[2].sayings
    readings = means.read(said[0].messages)
    assert np.mean([len(each.senses) == 3 and each.truth > 0.9 for each in readings]) > 0.9
    text = means.text(said[0].messages[3]).partition(" (true")[0]
    texts = {part.split(" (")[0] for part in re.split(", | or ", text)}
    thing = [int(np.flatnonzero((each.messages == said[0].messages[3]).all(axis=1))[0]) for each in said]
    expected = zip(thing, ("one left", "one right", "two left"), strict=True)
    assert texts == {f"{integer} {offset}" for integer, offset in expected}


def test_a_reading_that_is_nearly_always_true_says_that_something_else_is_rare():
    def one_left_or_seldom_one_right(window):
        left, right = (columns_of(CONFIG).at_offsets(window)[:, CONFIG.offsets.index(o)] for o in (-1, 1))
        rare = (np.random.default_rng(0).random(len(window)) < 0.08) & (right >= 0)
        said = np.where(rare, (right + 7) % 20, left)
        return np.where(said < 0, 20, said)[:, None]

    config = CONFIG.changed(message_length=1, vocab_size=21)
    means = interpreter(scripted_dictionary_of(config, one_left_or_seldom_one_right, 40_000))
    assert means.text([10]) == "10 one left, rarely something else"
    assert reading_text(means.read(np.array([[10]]))[0], means.classes, measured=True) == "10 one left"


def test_a_thing_that_is_said_at_two_edges_is_one_sense():
    def right_of_the_first_two(window):
        edge, integers = columns_of(CONFIG).edge_of(window), columns_of(CONFIG).at_offsets(window)
        right = integers[:, CONFIG.offsets.index(1)]
        said = np.where(edge < 2, right, 20)
        return np.stack([said, said], axis=1)

    dictionary = scripted_dictionary_of(
        CONFIG.changed(message_length=2, vocab_size=21), right_of_the_first_two, 8_000
    )
    assert interpreter(dictionary).text([7, 7]) == "the target is the first or the second and 7 one right"


def test_what_other_cells_leave_is_not_said():
    config = GameConfig(6, window_radius=1, vocab_size=7, message_length=1)
    means = interpreter(scripted_dictionary_of(config, lambda window: left_of(config, window)[:, None] % 7))
    assert max(len(entry.values) for entry in means.symbols) < 5  # one left of 3, no 3 stands elsewhere
    for reading in means.read(np.arange(6)[:, None]):
        assert {statement.index for sense in reading.senses for statement in sense.statements} == {
            config.offsets.index(-1)
        }


def test_an_integer_of_a_message_that_was_sent_once_is_not_sure():
    language = language_of("rarer-synonyms", GameConfig(), np.random.default_rng(1))
    window = draw_episodes(language.config, 600, np.random.default_rng(2)).window
    counts = count(Recording(language.config, window=window, message=language.send(window)))
    means = interpreter(build_dictionary(counts))
    once = means.dictionary.messages[means.dictionary.episodes == 1]
    stated = [each for each in means.read(once) if any(sense.statements for sense in each.senses)]
    assert stated
    assert all(
        each.interval[0] < 0.5 and "1 episode)" in reading_text(each, means.classes) for each in stated
    )


def test_an_interval_spans_what_the_episodes_leave_open():
    few, many = Belief.of(0.9, 10), Belief.of(0.9, 1000)
    assert few.interval[0] < many.interval[0] < 0.9 < many.interval[1] < few.interval[1]
    both = many & many
    assert both.interval[0] < 0.8 < 0.81 < 0.9 < both.interval[1]  # they may exclude each other, or coincide
    assert Belief.mixed([(0.5, few), (0.5, few)]) == few


@pytest.mark.parametrize("size", [*SIZES[1:], 40_000])
def test_a_class_has_the_same_name_at_every_size(size):
    config = CONFIG.changed(message_length=1, vocab_size=9)

    def parity(window):
        left = left_of(config, window)
        said = left % 2 + 2 * np.random.default_rng(0).integers(0, 4, len(left))
        return np.where(left < 0, 8, said)[:, None]

    means = interpreter(scripted_dictionary_of(config, parity, size))
    assert means.text([3]).startswith("class 1 one left")
    assert means.legend("class 1 one left") == ["class 1: 1, 3, 5, 7, 9, 11, 13, 15, 17 or 19"]
