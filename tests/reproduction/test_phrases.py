"""Phrases by hand, and episodes in which they are true."""

from collections import Counter

import numpy as np
import pytest
from helpers.columns import column_meaning
from helpers.reproductions import phrases

from spatial_game.config import GameConfig
from spatial_game.game.checking import check_episodes
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.ngrams import OPEN, NGram, table_of
from spatial_game.reproduction.phrases import NOTHING, Written
from spatial_game.reproduction.true_phrases import draw_false, draw_true, make_true

CONFIG = GameConfig(7, window_radius=1, num_distractors=1, vocab_size=4)
ONE = CONFIG.num_integers  # the columns from one offset to the next
FILLER = 2


@pytest.mark.parametrize("length", [1, 3, 5])
def test_ngrams_are_written_wherever_they_may_stand(length):
    rng, slots, ngrams = np.random.default_rng(length), [None, *range(length)], []
    for size in rng.integers(1, length + 1, 8):
        symbols = tuple(rng.integers(0, 4, size).tolist())
        ngrams.append(NGram(symbols, slots[rng.integers(length + 1)]))  # a slot may be too late for it
    expected = []
    for number, ngram in enumerate(ngrams):
        own = list(ngram.symbols)
        for first in range(length - len(own) + 1):
            if ngram.slot in (None, first):
                whole = [OPEN] * first + own + [OPEN] * (length - first - len(own))
                expected.append([number, first, *whole])
    row, first, symbols = Written.of(table_of(ngrams, length))
    assert np.column_stack([row, first, symbols]).tolist() == expected


def holds(column, window):
    edge, value, offset = column_meaning(CONFIG, int(column))
    mask = window.index(-1)
    if edge:
        return CONFIG.edges[mask] == edge
    return 0 <= mask + offset < len(window) and window[mask + offset] == value


LEFT = ONE  # the column of integer 0 one to the left
RIGHT = 2 * ONE
BEGIN, END = 4 * ONE, 4 * ONE + 1
WORDS = {NGram((1,), 0): [3, 5], NGram((0, 1), None): [4]}
OFFSETS = {NGram((3,), None): [LEFT], NGram((0,), 2): [RIGHT], NGram((1, 1), 0): [RIGHT]}


def test_phrases_are_all_pairs_of_parts_that_can_stand_beside_each_other():
    table = phrases(CONFIG, WORDS, OFFSETS, FILLER)
    ways = [
        (0, {LEFT + 3, LEFT + 5}, [1, 3, FILLER], [1]),
        (0, {LEFT + 3, LEFT + 5}, [1, FILLER, 3], [2]),
        (1, {RIGHT + 3, RIGHT + 5}, [1, FILLER, 0], [2]),
        (2, {LEFT + 4}, [0, 1, 3], [2]),
        (2, {LEFT + 4}, [3, 0, 1], [0]),
        (3, {RIGHT + 4}, [0, 1, 0], [2]),
    ]
    found = []
    for phrase, message, offset in zip(table.phrase, table.message.tolist(), table.offset, strict=True):
        columns = {*table.columns[[phrase]].indices.tolist()}
        found.append((phrase, columns, message, np.flatnonzero(offset).tolist()))
    assert sorted(found, key=str) == sorted(ways, key=str)
    assert len(table) == 4


@pytest.mark.parametrize("second", [None, OFFSETS])
def test_phrases_are_true_where_they_are_asked(second):
    wholes = {NGram((0, 0, 0), 0): [BEGIN, END], NGram((1, 2, 3), 0): [LEFT + 5]}
    table, rng = phrases(CONFIG, WORDS if second else wholes, second), np.random.default_rng(0)
    episodes = draw_episodes(CONFIG, 100, rng)
    every = {*table.columns.indices.tolist()}
    true = [any(holds(column, window) for column in every) for window in episodes.window.tolist()]
    assert table.expressible(episodes.window).tolist() == true
    drawn = draw_true(table, episodes, rng)
    check_episodes(CONFIG, drawn.episodes)
    said = table.columns[table.phrase[drawn.way]].toarray()
    assert said[np.arange(len(said)), drawn.column].all()
    for column, window in zip(drawn.column, drawn.episodes.window.tolist(), strict=True):
        assert holds(column, window)


def test_a_pair_is_written_in_all_ways_equally_often_or_where_its_slots_are_given():
    offsets = {NGram((3,), None): [2 * ONE], NGram((2,), 1): [ONE]}
    table, rng = phrases(CONFIG, {NGram((1,), None): [3]}, offsets), np.random.default_rng(0)
    seen = Counter(map(tuple, table.slot[table.ways(np.zeros(6_000, int), rng)].tolist()))
    assert set(seen) == {(i, j) for i in range(3) for j in range(3) if i != j}
    assert min(seen.values()) > 0.9 * 1_000
    for part in range(2):
        slots = table.slot[table.ways(np.zeros(3, int), rng, part, np.array([2, 0, 1]))]
        assert slots[:, part].tolist() == [2, 0, 1]
    # No way has the integer where the other offset must stand.
    assert table.ways(np.array([1]), rng, 0, np.array([1])).tolist() == [NOTHING]


def test_making_true_changes_nothing_else_of_the_distribution():
    """The targets and the neighbours are as random as before, except for what is said."""
    config = GameConfig(9, num_integers=12, window_radius=1, num_distractors=2)
    episodes = draw_episodes(config, 10_000, np.random.default_rng(0))

    def told(column):
        return make_true(config, episodes, np.full(len(episodes), column), np.random.default_rng(1))

    columns = columns_of(config)
    arranged = told(columns.integer_at(config.offsets.index(1), 7))
    for values, shares in (
        (arranged.target_position, [1 / 8] * 8 + [0]),
        (arranged.target, np.where(np.arange(12) == 7, 0, 1 / 11)),
        (arranged.target_index, [1 / 3] * 3),
    ):
        found = np.bincount(values, minlength=len(shares)) / len(episodes)
        assert found == pytest.approx(shares, abs=0.015)
        assert (found[np.equal(shares, 0)] == 0).all()
    at_begin = told(columns.view(columns.edges.index("begin")))
    assert (at_begin.target_position == 0).all()
    assert np.array_equal(np.sort(at_begin.sequence), np.sort(episodes.sequence))


FALSE = {
    "another edge": ({(0, 0, 0): [BEGIN], (0, 0, 1): [BEGIN], (1, 1, 1): [END]}, True),
    "one edge": ({(0, 0, 0): [BEGIN], (0, 0, 1): [BEGIN]}, False),
    "overlapping": ({(1,) * 3: [LEFT + 4, LEFT + 5], (2,) * 3: [LEFT + 5, LEFT + 6], (3,) * 3: [LEFT]}, True),
}


@pytest.mark.parametrize(("said", "found"), FALSE.values(), ids=FALSE)
def test_shuffled_messages_say_what_is_not_true(said, found):
    table = phrases(CONFIG, {NGram(symbols, 0): columns for symbols, columns in said.items()})
    episodes = draw_episodes(CONFIG, 300, np.random.default_rng(0))
    drawn = draw_true(table, episodes, np.random.default_rng(1))
    assert {*drawn.column.tolist()} == {column for columns in said.values() for column in columns}
    rows, wrong = draw_false(table, drawn, np.random.default_rng(2))
    assert rows.tolist() == ([*range(300)] if found else [])
    for message, window in zip(wrong.tolist(), drawn.episodes.window[rows].tolist(), strict=True):
        assert not any(holds(column, window) for column in said[tuple(message)])


def test_a_message_that_says_two_things_is_no_floor_for_either():
    """The entries differ in their slots only, so both are written as one message."""
    config = GameConfig(7, window_radius=1, num_distractors=1, vocab_size=4, message_length=1)
    both = {NGram((1,), 0): [LEFT + 5], NGram((1,), None): [2 * ONE + 3]}
    table = phrases(config, both)
    drawn = draw_true(table, draw_episodes(config, 300, np.random.default_rng(0)), np.random.default_rng(1))
    assert len(draw_false(table, drawn, np.random.default_rng(2))[0]) == 0


def test_offsets_beyond_the_radius_are_counted():
    """With two neighbours on each side, only windows at an end show a cell that is three or four away."""
    config = GameConfig(20)
    columns, integers = columns_of(config), {NGram((n, n), 1): [n] for n in (1, 2)}
    offsets = {NGram((i,), 0): [columns.integer_at(i, 0)] for i in range(len(config.offsets))}
    assert list(config.offsets) == [-4, -3, -2, -1, 1, 2, 3, 4]
    assert phrases(config, integers, offsets).num_beyond == 2 * 4
    assert phrases(config, {NGram((0, 1, 2), 0): [columns.view(0)]}).num_beyond == 0
