"""Phrases against their slow twin, one by one, and episodes in which they are true."""

import itertools
from collections import Counter

import numpy as np
import pytest
from columns import column_meaning
from hypothesis import given, settings
from hypothesis import strategies as st
from reproductions import phrases

from spatial_game.config import GameConfig
from spatial_game.game.checking import check_episodes
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import column_of, edge_names
from spatial_game.reproduction.phrases import NOTHING, ask, make_true, shuffled

CONFIG = GameConfig(7, window_radius=1, num_distractors=1, vocab_size=4)
ONE = CONFIG.num_integers  # the columns from one offset to the next
FILLER = 2


@st.composite
def parts(draw, columns, lengths):
    """Forms of these lengths, at a slot or at any, with the columns that each says."""
    found = {}
    for _ in range(draw(st.integers(0, 6))):
        length = draw(lengths)
        slots = st.integers(0, CONFIG.message_length - length)
        slot = draw(slots if length == CONFIG.message_length else st.none() | slots)
        symbols = draw(st.tuples(*[st.integers(0, CONFIG.vocab_size - 1)] * length))
        found[Form(symbols, slot)] = draw(st.lists(columns, min_size=1, max_size=3, unique=True))
    return found


WHOLE = parts(st.integers(0, 4 * ONE + 1), st.just(3))  # integers at the four offsets, and two edges
WORDS = parts(st.integers(0, ONE - 1), st.integers(1, 2))
OFFSETS = parts(st.integers(0, 3).map(lambda number: number * ONE), st.integers(1, 2))


def twin(first, second):
    """Every phrase: ({slots: message}, columns, the length of the offset)."""
    for (one, said), (other, beside) in itertools.product(first.items(), second.items()):
        ways = {}
        for at, at_other in itertools.product(range(3), repeat=2):
            symbols = [*enumerate(one.symbols, at), *enumerate(other.symbols, at_other)]
            message = dict(symbols)
            fits = one.slot in (None, at) and other.slot in (None, at_other)
            if fits and len(message) == len(symbols) and max(message) < 3:
                ways[at, at_other] = [message.get(slot, FILLER) for slot in range(3)]
        if ways:
            yield ways, {column + beside[0] for column in said}, len(other.symbols)


def holds(column, window):
    edge, value, offset = column_meaning(CONFIG, int(column))
    mask = window.index(-1)
    if edge:
        return CONFIG.edges[mask] == edge
    return 0 <= mask + offset < len(window) and window[mask + offset] == value


@settings(max_examples=25, deadline=None)
@given(st.tuples(WHOLE, st.none()) | st.tuples(WORDS, OFFSETS), st.integers(0, 2**32 - 1))
def test_phrases_are_those_of_the_twin_and_true_where_they_are_asked(said, seed):
    first, second = said
    table, rng = phrases(CONFIG, first, second, FILLER), np.random.default_rng(seed)
    wanted = list(twin(first, {Form((), 0): [0]} if second is None else second))
    assert len(table) == len(wanted)
    for row, (ways, columns, width) in enumerate(wanted):
        assert {*table.columns.indices[slice(*table.columns.indptr[row : row + 2])].tolist()} == columns
        own = np.flatnonzero(table.phrase == row)
        assert [*map(tuple, table.slot[own].tolist())] == [*ways]
        assert table.message[own].tolist() == [*ways.values()]
        for slot, offset in zip(table.slot[own, 1], table.offset[own], strict=True):
            assert np.flatnonzero(offset).tolist() == [*range(slot, slot + width)]
    episodes = draw_episodes(CONFIG, 40, rng)
    every = set().union(*(columns for _, columns, _ in wanted))
    true = [any(holds(column, window) for column in every) for window in episodes.window.tolist()]
    assert table.expressible(episodes.window).tolist() == true
    if wanted:
        asked = ask(table, episodes, rng)
        check_episodes(CONFIG, asked.episodes)
        rows = zip(table.phrase[asked.way], asked.column, asked.episodes.window.tolist(), strict=True)
        for phrase, column, window in rows:
            assert column in wanted[phrase][1]
            assert holds(column, window)


def test_a_pair_is_written_in_all_ways_equally_often_or_where_its_slots_are_given():
    offsets = {Form((3,), None): [2 * ONE], Form((2,), 1): [ONE]}
    table, rng = phrases(CONFIG, {Form((1,), None): [3]}, offsets), np.random.default_rng(0)
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

    def told(place, value):
        column = np.full(len(episodes), column_of(config, place, value))
        return make_true(config, episodes, column, np.random.default_rng(1))

    arranged = told(config.offsets.index(1), 7)
    for values, shares in (
        (arranged.target_position, [1 / 8] * 8 + [0]),
        (arranged.target, np.where(np.arange(12) == 7, 0, 1 / 11)),
        (arranged.target_index, [1 / 3] * 3),
    ):
        found = np.bincount(values, minlength=len(shares)) / len(episodes)
        assert found == pytest.approx(shares, abs=0.015)
        assert (found[np.equal(shares, 0)] == 0).all()
    at_begin = told(len(config.offsets), edge_names(config).index("begin"))
    assert (at_begin.target_position == 0).all()
    assert np.array_equal(np.sort(at_begin.sequence), np.sort(episodes.sequence))


BEGIN, END = 4 * ONE, 4 * ONE + 1
LEFT = ONE  # the column of integer 0 one to the left
FALSE = {
    "another edge": ({(0, 0, 0): [BEGIN], (0, 0, 1): [BEGIN], (1, 1, 1): [END]}, True),
    "one edge": ({(0, 0, 0): [BEGIN], (0, 0, 1): [BEGIN]}, False),
    "overlapping": ({(1,) * 3: [LEFT + 4, LEFT + 5], (2,) * 3: [LEFT + 5, LEFT + 6], (3,) * 3: [LEFT]}, True),
}


@pytest.mark.parametrize(("said", "found"), FALSE.values(), ids=FALSE)
def test_shuffled_messages_say_what_is_not_true(said, found):
    table = phrases(CONFIG, {Form(symbols, 0): columns for symbols, columns in said.items()})
    episodes = draw_episodes(CONFIG, 300, np.random.default_rng(0))
    asked = ask(table, episodes, np.random.default_rng(1))
    assert {*asked.column.tolist()} == {column for columns in said.values() for column in columns}
    rows, wrong = shuffled(table, asked, np.random.default_rng(2))
    assert rows.tolist() == ([*range(300)] if found else [])
    for message, window in zip(wrong.tolist(), asked.episodes.window[rows].tolist(), strict=True):
        assert not any(holds(column, window) for column in said[tuple(message)])


def test_a_message_that_says_two_things_is_no_floor_for_either():
    """The entries differ in their slots only, so both are written as one message."""
    config = GameConfig(7, window_radius=1, num_distractors=1, vocab_size=4, message_length=1)
    both = {Form((1,), 0): [LEFT + 5], Form((1,), None): [2 * ONE + 3]}
    table = phrases(config, both)
    asked = ask(table, draw_episodes(config, 300, np.random.default_rng(0)), np.random.default_rng(1))
    assert len(shuffled(table, asked, np.random.default_rng(2))[0]) == 0
