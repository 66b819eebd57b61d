"""Phrases against their slow twin, one by one, and episodes in which they are true."""

import itertools
from collections import Counter

import numpy as np
import pytest
from columns import column_meaning
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import entry, lexicon_of, lexicons, meanings, placements
from reproductions import entries_of, phrases_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.rules import check_episodes
from spatial_game.language.counting.places import EDGE, column_of, edge_names
from spatial_game.language.meaning import Meaning
from spatial_game.reproduction.phrases import KINDS, NOTHING, ask, make_true, shuffled


def phrases(kind, lexicon):
    """Every phrase of a kind: {entries: ({slots: message with None where free}, meanings)}."""
    found, config, (first, second) = {}, lexicon.config, entries_of(kind, lexicon)
    mates = second if kind == "compositional" else [None]
    for (i, word), (j, mate) in itertools.product(enumerate(first), enumerate(mates)):
        said, ways = meanings(word.meanings[0][0], config, mate and mate.meanings[0][0]), {}
        for slot in placements(word.form, config):
            for other in [0] if mate is None else placements(mate.form, config):
                message = spell([(word, slot), *([] if mate is None else [(mate, other)])], config)
                if message:
                    ways[slot, other] = message
        if ways and said:
            found[i, j] = ways, said
    return found


def spell(parts, config):
    """The message of these parts, None where they overlap."""
    places = [slot + i for part, slot in parts for i in range(len(part.form.symbols))]
    message = [None] * config.message_length
    for part, slot in parts:
        message[slot : slot + len(part.form.symbols)] = part.form.symbols
    return message if len(set(places)) == len(places) else None


def meant(config, column):
    edge, value, offset = column_meaning(config, int(column))
    return edge or (value, offset)


def holds(meaning, window, config):
    column = window.index(-1)
    if isinstance(meaning, str):
        return config.edges[column] == meaning
    value, offset = meaning
    return 0 <= column + offset < len(window) and window[column + offset] == value


@settings(max_examples=80, deadline=None)
@given(lexicons(), st.sampled_from([*KINDS]), st.integers(0, 2**32 - 1))
def test_phrases_are_those_of_the_twin_and_true_where_they_are_asked(lexicon, kind, seed):
    config, rng = lexicon.config, np.random.default_rng(seed)
    fillers = np.arange(config.message_length) % config.vocab_size
    table = phrases_of(kind, lexicon, fillers)
    twin, mates = phrases(kind, lexicon), entries_of(kind, lexicon)[1]
    assert [tuple(row) for row in table.parts.tolist()] == [*twin]
    for row, (ways, said) in enumerate(twin.values()):
        columns = table.columns.indices[table.columns.indptr[row] : table.columns.indptr[row + 1]]
        assert {meant(config, column) for column in columns} == said
        width = len(mates[table.parts[row, 1]].form.symbols) if mates else 0
        own = np.flatnonzero(table.phrase == row)
        assert {tuple(slots) for slots in table.slot[own].tolist()} == {*ways}
        for way in own:
            wanted, start = ways[tuple(table.slot[way].tolist())], table.slot[way, 1]
            assert table.message[way].tolist() == [
                f if s is None else s for s, f in zip(wanted, fillers, strict=True)
            ]
            assert np.flatnonzero(table.offset[way]).tolist() == [*range(start, start + width)]
    episodes = draw_episodes(config, 40, rng)
    every = set().union(*(said for _, said in twin.values()))
    true = [any(holds(meaning, cells, config) for meaning in every) for cells in episodes.window.tolist()]
    assert table.expressible(episodes.window).tolist() == true
    if twin:
        asked = ask(table, episodes, rng)
        check_episodes(config, asked.episodes)
        rows = zip(table.phrase[asked.way], asked.column, asked.episodes.window.tolist(), strict=True)
        for phrase, column, window in rows:
            assert meant(config, column) in [*twin.values()][phrase][1]
            assert holds(meant(config, column), window, config)


def test_a_pair_is_written_in_all_ways_equally_often_or_where_its_slots_are_given():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    pair = [
        entry([1], None, Meaning(None, (3,))),
        entry([4], None, Meaning(1, ())),
        entry([2], 1, Meaning(-1, ())),
    ]
    table, rng = phrases_of("compositional", lexicon_of(config, pair)), np.random.default_rng(0)
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
    episodes = draw_episodes(config, 30_000, np.random.default_rng(0))

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
        assert found == pytest.approx(shares, abs=0.01)
        assert (found[np.equal(shares, 0)] == 0).all()
    at_begin = told(len(config.offsets), edge_names(config).index("begin"))
    assert (at_begin.target_position == 0).all()
    assert np.array_equal(np.sort(at_begin.sequence), np.sort(episodes.sequence))


BEGIN, END = Meaning(EDGE, ("begin",)), Meaning(EDGE, ("end",))
FALSE = {
    "another edge": ("edge", {(0, 0, 0): BEGIN, (0, 0, 1): BEGIN, (1, 1, 1): END}, True),
    "one edge": ("edge", {(0, 0, 0): BEGIN, (0, 0, 1): BEGIN}, False),
    "sets that overlap": (
        "integer_at",
        {(1, 1, 1): Meaning(-1, (5, 6, 7)), (2, 2, 2): Meaning(-1, (6, 7, 8)), (3, 3, 3): Meaning(-1, (0,))},
        True,
    ),
}


@pytest.mark.parametrize(("kind", "said", "found"), FALSE.values(), ids=FALSE)
def test_shuffled_messages_say_what_is_not_true(kind, said, found):
    config = GameConfig(12, num_distractors=1, vocab_size=12)
    table = phrases_of(kind, lexicon_of(config, [entry(symbols, 0, said[symbols]) for symbols in said]))
    episodes = draw_episodes(config, 300, np.random.default_rng(0))
    asked = ask(table, episodes, np.random.default_rng(1))
    rows, wrong = shuffled(table, asked, np.random.default_rng(2))
    assert rows.tolist() == ([*range(300)] if found else [])
    for message, window in zip(wrong, asked.episodes.window[rows], strict=True):
        assert not said[tuple(message.tolist())].holds(config, window[None])[0]


def test_a_message_that_says_two_things_is_no_floor_for_either():
    config = GameConfig(12, num_distractors=1, vocab_size=12)
    both = [entry([1, 2, 3], 0, Meaning(-1, (5,))), entry([1, 2, 3], 0, Meaning(1, (9,)))]
    table = phrases_of("integer_at", lexicon_of(config, both))
    asked = ask(table, draw_episodes(config, 300, np.random.default_rng(0)), np.random.default_rng(1))
    assert len(shuffled(table, asked, np.random.default_rng(2))[0]) == 0
