"""The reader, and messages in words; `test_twins.py` has the sums."""

import re
from dataclasses import replace

import numpy as np
import pytest
from helpers.scripted import both_sides, dictionary_of, integers_at, left_of, silent

from spatial_agents import load_pair
from spatial_agents.pairs.names import find_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language import Reader, read_dictionary
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.readings import Reading, Sense, Statement
from spatial_game.language.dictionary.texts import UNREAD, reading_text

CONFIG = GameConfig(12, window_radius=2, num_distractors=3, vocab_size=12, message_length=2)


@pytest.fixture(scope="module")
def dictionary():
    return dictionary_of(CONFIG, both_sides(CONFIG))


def test_the_candidate_with_most_bits_is_chosen(dictionary):
    episodes = draw_episodes(CONFIG, 500, np.random.default_rng(1))
    messages = both_sides(CONFIG)(episodes.window)
    reader = Reader(dictionary)
    bits = reader.bits(messages, episodes.sequence, episodes.candidates)
    choice = reader.choose(messages, episodes.sequence, episodes.candidates)
    assert (choice == bits.argmax(axis=1)).all()
    assert (choice == episodes.target_index).mean() > 0.99


def test_a_longer_game_is_read_and_another_is_refused(dictionary):
    longer, sequence = CONFIG.changed(sequence_length=16), np.arange(16)[None]
    reader = Reader(dictionary, longer)
    assert reader.choose(np.array([[4, 6]]), sequence, np.array([[2, 5, 9, 15]])).tolist() == [1]
    with pytest.raises(ValueError, match="config must suit the dictionary: vocab_size must be 12"):
        Reader(dictionary, replace(CONFIG, vocab_size=13))
    seen = replace(CONFIG, num_visible=1)
    with pytest.raises(ValueError, match="num_visible must be 1, as in its recordings; got 2"):
        Reader(silent(seen), replace(CONFIG, num_visible=2))


@pytest.mark.parametrize("message", [[4, 15], [0, -1], [13, 13]])
def test_symbols_that_the_game_does_not_have_are_refused(dictionary, message):
    # The key of [4, 15] is that of [5, 3].
    messages, episodes = np.array([message] * 5), draw_episodes(CONFIG, 5, np.random.default_rng(1))
    assert dictionary.rows(messages).tolist() == [-1] * 5
    for read in (
        lambda: Reader(dictionary).bits(messages, episodes.sequence, episodes.candidates),
        lambda: interpreter(dictionary).read(messages),
    ):
        with pytest.raises(ValueError, match=r"^messages must be in 0\.\.11; got"):
            read()


@pytest.mark.parametrize("candidate", [9, 12, -1])
def test_candidates_that_are_not_in_their_sequence_are_refused(dictionary, candidate):
    shorter = CONFIG.changed(sequence_length=9)
    messages, sequence = np.array([[4, 6]] * 2), np.arange(9)[None].repeat(2, axis=0)
    candidates = np.array([[2, 5, 7, 8], [2, 5, candidate, 8]])
    fault = f"^candidates must be integers of the sequence; got {candidate}$"
    for read in (Reader(dictionary, shorter).bits, Reader(dictionary, shorter).choose):
        with pytest.raises(ValueError, match=fault):
            read(messages, sequence, candidates)


# --- In words -----------------------------------------------------------------------------------------------


def test_a_message_in_words_and_whether_it_is_true():
    config, window = replace(CONFIG, window_radius=1), np.array([3, MASK, 5])
    means = interpreter(dictionary_of(config, lambda window: np.maximum(window[:, [0, 2]], 0)))
    assert means.text([3, 5]) == means.text([3, 5], window) == "3 one left and 5 one right"
    assert means.text([3, 6], window.tolist()) == "3 one left and 6 one right (untrue here)"
    assert interpreter(silent(config)).text([3, 5], window) == UNREAD
    for message, other, fault in (
        ([1], window, "messages must have shape (1, 2); got (1, 1)"),
        ([1, 12], window, "messages must be in 0..11; got 12"),
        ([1, -1], window, "messages must be in 0..11; got -1"),
        ([1, 2], window[:2], "window must have 3 cells, as the dictionary's; got 2"),
    ):
        with pytest.raises(ValueError, match=re.escape(fault)):
            means.text(message, other)


def test_the_reading_of_a_message_that_was_never_sent_says_so_and_has_no_interval():
    config = replace(CONFIG, window_radius=1)
    dictionary = dictionary_of(config, lambda window: np.maximum(window[:, [0, 2]], 0))
    assert [4, 4] not in dictionary.messages.tolist()
    text = interpreter(dictionary).text([4, 4])
    assert text.startswith("not in the dictionary; by its symbols: 4 one ")
    assert "true" not in text


@pytest.mark.parametrize(
    ("deviation", "text"),
    [
        (0.001, "7 one left (true 87%, 500 episodes)"),
        (0.01, "7 one left (true 85% to 89%, 500 episodes)"),
    ],
)
def test_an_interval_whose_rounded_ends_are_equal_is_one_figure(deviation, text):
    config = replace(CONFIG, window_radius=1)
    said = (Statement(config.offsets.index(-1), (7,)),)
    reading = Reading(config, (Sense((), said, 1.0, Belief(0.87, deviation**2)),), 500)
    classes = interpreter(silent(config)).classes
    assert reading_text(reading, classes) == text
    assert reading_text(reading, classes, measured=True) == "7 one left"
    assert reading_text(replace(reading, episodes=9), classes) == (
        "sent too rarely to say (9 episodes); these and its symbols suggest: 7 one left"
    )


def test_a_class_is_named_and_explained():
    config = GameConfig(60, window_radius=1, vocab_size=12, message_length=1)

    def parity(window):
        left = left_of(config, window)
        said = left % 2 + 2 * np.random.default_rng(0).integers(0, 4, len(left))
        return np.where(left < 0, 11, said)[:, None]

    means = interpreter(dictionary_of(config, parity, 8_000))
    assert means.text([4]) == "class 0 one left"
    even = ", ".join(map(str, range(0, 58, 2)))
    assert means.legend("class 0 one left") == [f"class 0: {even} or 58"]
    assert means.legend("7 one left") == []


def test_places_that_exclude_each_other_are_joined_by_or():
    config = GameConfig(20, num_visible=1)
    means = interpreter(dictionary_of(config, OracleSender(config).send, 8_000))
    window = draw_episodes(config, 100, np.random.default_rng(4)).window
    for reading in means.read(OracleSender(config).send(window)):
        for sense in reading.senses:
            assert len(sense.statements) <= 1


def test_an_edge_is_only_named_where_the_message_tells_it():
    # On a small grid, many edges are likelier by chance in the few episodes of a word.
    config = GameConfig(shape=(5, 6), window_radius=1, vocab_size=31, message_length=2)

    def say(window):
        found = integers_at(config, window, (-1, 0), (0, 1)).T
        return np.where(found < 0, 30, found)

    means = interpreter(dictionary_of(config, say, 10_000))
    window = draw_episodes(config, 200, np.random.default_rng(1)).window
    messages = say(window)
    of_cells = (messages < 30).all(axis=1)
    readings = means.read(messages[of_cells])
    assert np.mean([bool(sense.edges) for each in readings for sense in each.senses]) < 0.02
    true = [each.true_of(row[None])[0] for each, row in zip(readings, window[of_cells], strict=True)]
    assert np.mean([each.truth for each in readings]) == pytest.approx(np.mean(true), abs=0.05)
    [of_edge] = means.read(np.array([[30, 30]]))
    assert all(sense.edges and not sense.statements for sense in of_edge.senses)


def test_a_message_that_only_tells_edges_says_all_of_them():
    config, longer = replace(CONFIG, vocab_size=5), GameConfig(60, message_length=2)

    def at_edges(window):
        return (window == MASK).argmax(axis=1)[:, None].repeat(2, axis=1)

    def at_begin(window):
        return (window[:, :1] == MASK).astype(int).repeat(2, axis=1)

    means = interpreter(dictionary_of(config, at_edges))
    assert means.text([2, 2]) == "the target is not near an end"
    means = interpreter(dictionary_of(config, lambda window: at_edges(window) // 3))
    assert means.text([1, 1]) == "the target is the second last or the last"
    means = interpreter(dictionary_of(longer, at_begin))
    assert means.text([1, 1]) == "the target is the first"
    assert means.text([0, 0]) == UNREAD  # of 98% of all targets: less than a tenth of a bit


def test_what_is_seen_in_part_near_an_edge_first_says_the_edge_that_all_episodes_share():
    config = GameConfig(shape=(5, 6), window_radius=1, num_visible=1, vocab_size=12, message_length=1)
    columns = columns_of(config)
    at_bottom = [number for number, name in enumerate(columns.edges) if name.startswith("bottom")]
    left, right = (config.offsets.index(offset) for offset in ((-2, -1), (-2, 1)))

    def say(window):
        integers = columns.at_offsets(window)
        near, any_seen = np.isin(columns.edge_of(window), at_bottom), integers.max(axis=1)
        said = np.where(near, 0, 4 + any_seen % 8)
        said[near & (integers[:, left] >= 0)] = 1
        said[near & (integers[:, right] >= 10)] = 1
        return np.where(near & (integers[:, right] >= 0) & (integers[:, right] < 10), 2, said)[:, None]

    means = interpreter(dictionary_of(config, say, 40_000))
    bottom = "the target is at the bottom left, bottom or bottom right"
    assert means.text([0]) == bottom
    two = "the target is at the bottom left or bottom"
    assert means.text([2]) == f"{two} (100%), with 0-9 two above one right"
    text = means.text([1])
    assert text.startswith(f"{bottom} (100%), with any integer two above one left (")
    assert "-29 two above one right (" in text
    window = draw_episodes(config, 4_000, np.random.default_rng(3)).window
    sent = say(window)[:, 0]
    for message, reading in enumerate(means.read(np.arange(3)[:, None])):
        assert reading.true_of(window[sent == message]).mean() == pytest.approx(reading.truth, abs=0.02)
        assert not reading.true_of(window[sent >= 4]).any()
    at_corner = np.array([name == "bottom right" for name in columns.edges] + [False])[
        columns.edge_of(window)
    ]
    no_cell = at_corner & (columns.at_offsets(window)[:, left] < 0)  # and there is none two above one right
    assert no_cell.any()
    assert not means.read(np.array([[1]]))[0].true_of(window[no_cell]).any()


def test_each_of_several_senses_has_the_share_in_which_it_is_true():
    config = GameConfig(13, num_visible=2, vocab_size=13, message_length=1)
    means = interpreter(dictionary_of(config, lambda window: window.max(axis=1)[:, None]))
    [reading] = means.read(np.array([[12]]))
    shares = re.findall(r"\((\d+)%\)", reading_text(reading, means.classes))
    assert len(shares) > 1
    assert sum(map(int, shares)) == pytest.approx(100 * reading.truth, abs=2)


def test_the_readings_of_a_bundled_pair_are_as_often_true_as_they_say():
    pair, dictionary = load_pair("embed-60"), read_dictionary(find_pair("embed-60").dictionary)
    window = draw_episodes(pair.config, 200, np.random.default_rng(5)).window
    distinct, which = np.unique(pair.sender.send(window), axis=0, return_inverse=True)
    readings = interpreter(dictionary).read(distinct)
    true = [each.true_of(window[which.reshape(-1) == row]) for row, each in enumerate(readings)]
    said = [each.truth * len(found) for each, found in zip(readings, true, strict=True)]
    assert np.concatenate(true).mean() == pytest.approx(sum(said) / len(window), abs=0.05)
