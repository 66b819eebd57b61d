"""Phrases against their slow twin: every phrase of a lexicon, one by one."""

import itertools
from collections import Counter

import numpy as np
from columns import column_meaning
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import entry, lexicon_of, lexicons, meanings, placements
from reproductions import table_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.meaning import Meaning
from spatial_game.language.players import NOTHING
from spatial_game.reproduction.phrases import KINDS


def phrases(listed, kind, config):
    """Every phrase of a kind: {entries: ({slots: message with None where free}, meanings)}."""
    found = {}
    pairs = [((i, NOTHING), (word, None)) for i, word in enumerate(listed) if word.kind == kind]
    if kind == "compositional":
        both = itertools.product(enumerate(listed), repeat=2)
        pairs = [((i, j), (one, other)) for (i, one), (j, other) in both]
        pairs = [pair for pair in pairs if [e.kind for e in pair[1]] == ["integer", "offset"]]
    for key, (word, mate) in pairs:
        said, ways = meanings(word.meanings[0][0], config, mate and mate.meanings[0][0]), {}
        for slot in placements(word.form, config):
            for other in [0] if mate is None else placements(mate.form, config):
                message = spell([(word, slot), *([] if mate is None else [(mate, other)])], config)
                if message:
                    ways[slot, other] = message
        if ways and said:
            found[key] = ways, said
    return found


def spell(parts, config):
    """The message of these parts, None where they overlap."""
    places = [slot + i for part, slot in parts for i in range(len(part.form.symbols))]
    message = [None] * config.message_length
    for part, slot in parts:
        message[slot : slot + len(part.form.symbols)] = part.form.symbols
    return message if len(set(places)) == len(places) else None


def holds(meaning, window, config):
    column = window.index(-1)
    if isinstance(meaning, str):
        return config.edges[column] == meaning
    value, offset = meaning
    return 0 <= column + offset < len(window) and window[column + offset] == value


@settings(max_examples=60, deadline=None)
@given(lexicons(), st.sampled_from([*KINDS]))
def test_phrases_are_those_of_the_twin(lexicon, kind):
    config, rng = lexicon.config, np.random.default_rng(0)
    fillers = np.arange(config.message_length) % config.vocab_size
    table = table_of(kind, lexicon, fillers)
    twin = phrases(table.entries, kind, config)
    assert [tuple(row) for row in table.parts.tolist()] == [*twin]
    for row, (ways, said) in enumerate(twin.values()):
        columns = table.columns.indices[table.columns.indptr[row] : table.columns.indptr[row + 1]]
        told = [column_meaning(config, int(column)) for column in columns]
        assert {edge or (value, offset) for edge, value, offset in told} == said
        written = table.write(np.full(5, row), rng)
        mate = table.parts[row, 1]
        width = 0 if mate == NOTHING else len(table.entries[mate].form.symbols)
        for message, slots, offset in zip(*map(np.ndarray.tolist, vars(written).values()), strict=True):
            wanted = ways[tuple(slots)]
            assert message == [f if s is None else s for s, f in zip(wanted, fillers, strict=True)]
            assert [i for i, inside in enumerate(offset) if inside] == [*range(slots[1], slots[1] + width)]
    window = draw_episodes(config, 30, rng).window
    every = set().union(*(said for _, said in twin.values()))
    true = [any(holds(meaning, cells, config) for meaning in every) for cells in window.tolist()]
    assert table.expressible(window).tolist() == true


def test_a_pair_is_written_in_all_ways_equally_often_or_where_its_slots_are_given():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    pair = [
        entry([1], None, Meaning(None, (3,))),
        entry([4], None, Meaning(1, ())),
        entry([2], 1, Meaning(-1, ())),
    ]
    table = table_of("compositional", lexicon_of(config, pair))
    rng = np.random.default_rng(0)
    seen = Counter(map(tuple, table.write(np.zeros(6_000, int), rng).slot.tolist()))
    assert set(seen) == {(i, j) for i in range(3) for j in range(3) if i != j}
    assert min(seen.values()) > 0.9 * 1_000
    for part in range(2):
        given_slots = np.array([2, 0, 1])
        slots = table.write(np.zeros(3, int), rng, part, given_slots).slot
        assert np.array_equal(slots[:, part], given_slots)
    blocked = table.write(np.array([1]), rng, 0, np.array([1]))  # where the other offset must stand
    assert (blocked.message == NOTHING).all()
