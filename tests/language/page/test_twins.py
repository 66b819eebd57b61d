"""The array functions of the sketch, and what they do, slowly and plainly."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from lexicons import entry, lexicon_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes, mask_columns
from spatial_game.language.counting.counts import count, message_ids
from spatial_game.language.counting.places import EDGE, values_at_places
from spatial_game.language.meaning import Meaning
from spatial_game.language.measures import entropies
from spatial_game.language.page.colours import PALETTE, colours
from spatial_game.language.page.information import information
from spatial_game.language.page.map import NONE, phrasebook, usual_of
from spatial_game.language.page.words import word_lists
from spatial_game.recording import Recording

GAME = GameConfig(sequence_length=8, vocab_size=4, message_length=2)
pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=60)


def language(number, rng):
    """Return windows, and messages that tell a little of each neighbour and of both together."""
    window = draw_episodes(GAME, number, rng).window
    seen = values_at_places(GAME, window)[:, :-1]
    left, right = seen[:, GAME.offsets.index(-1)], seen[:, GAME.offsets.index(1)]
    message = np.stack([np.maximum(left, 0) // 2, (left < right) + 2 * (rng.random(number) < 0.2)], axis=1)
    return window, message.astype(np.int16)


# --- The most frequent messages -------------------------------------------------------------------------


@given(pairs)
def test_the_usual_id_of_a_group_is_its_most_frequent_one(rows):
    group, ids = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
    message, share, episodes = usual_of(group, ids, 7)
    for number in range(7):
        own = Counter(i for g, i in rows if g == number)
        best = min(own, key=lambda i: (-own[i], i)) if own else NONE
        assert message[number] == best
        assert episodes[number] == own.total()
        assert share[number] == (own[best] / own.total() if own else 0)


def test_the_share_of_the_usual_message_at_an_edge():
    window, message = language(3_000, np.random.default_rng(4))
    counts = count(Recording(GAME, window, message))
    found = phrasebook(counts, information(counts), message_ids(counts, message), window).edges
    seen, edge = values_at_places(GAME, window)[:, :-1], np.array(GAME.edges)[mask_columns(window)]
    assert {at.place is None for at in found.values()} == {True, False}
    for name, at in found.items():
        sent = defaultdict(Counter)
        for row in np.flatnonzero(edge == name).tolist():
            value = 0 if at.place is None else seen[row, at.place]
            if value >= 0:
                sent[value][tuple(message[row])] += 1
        usual_ones = sum(max(own.values()) for own in sent.values())
        assert at.by_integer.usual_share == pytest.approx(
            usual_ones / sum(own.total() for own in sent.values())
        )


# --- Words ----------------------------------------------------------------------------------------------


def test_a_form_of_several_entries_has_one_row():
    config = GameConfig(8, vocab_size=4, message_length=2)
    either = [Meaning(EDGE, ("begin",)), Meaning(2, (5,))]
    entries = [
        entry((1, 2), 0, Meaning(1, (4,)), confidence=0.5, count=50),
        entry((1, 2), 0, Meaning(-1, (3,)), confidence=0.9, count=90),
        entry((1, 2), 0, either, confidence=0.8, count=64),
        entry((3, 0), 0, Meaning(1, (5,)), confidence=1.0, count=70),
    ]
    found = word_lists(lexicon_of(config, entries))
    said = "3 one left (90%); the target is the first (40%) or 5 two right (40%); 4 one right (50%)"
    assert [(line.form, line.meaning, line.share, line.episodes) for line in found.forms] == [
        ("[1, 2]", said, 0.9, 100),
        ("[3, 0]", "5 one right", 1.0, 70),
    ]
    assert found.forms[1].named == ((config.offsets.index(1), (5,)),)
    assert (found.entries, found.homonyms) == (4, 1)
    assert [meaning.forms for meaning in found.meanings[:2]] == [(("[1, 2]", 1.0),), (("[3, 0]", 1.0),)]


# --- Colours --------------------------------------------------------------------------------------------


def slowly_coloured(message, axes):
    """The colour of each cell, message by message, the most frequent first."""
    cells = [*np.ndindex(message.shape)]
    steps = [tuple(int(axis == i) for i in range(message.ndim)) for axis in axes]
    borders = [
        (message[one], message[two])
        for one in cells
        for step in steps
        if (two := tuple(np.add(one, step).tolist())) in set(cells)
    ]
    number = Counter(message[cell] for cell in cells if message[cell] != NONE)
    chosen, used = {}, Counter()
    for name in sorted(number, key=lambda name: (-number[name], name)):
        clashes = Counter()
        for border in borders:
            if name in border and border[0] != border[1]:
                other = border[0] if border[1] == name else border[1]
                if other in chosen:
                    clashes[chosen[other]] += 1
        chosen[name] = min(range(len(PALETTE)), key=lambda colour: (clashes[colour], used[colour]))
        used[chosen[name]] += number[name]
    return [chosen.get(message[cell], NONE) for cell in cells]


@given(arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(-1, 14)))
def test_neighbours_get_different_colours_where_there_are_enough(message):
    for axes in ((0, 1), (0,)):
        assert colours(message, axes).ravel().tolist() == slowly_coloured(message, axes)


# --- Bits -----------------------------------------------------------------------------------------------


def slow_entropy(counts):
    """Chao and Shen (2003), of one list of counts."""
    n, once = sum(counts), sum(c == 1 for c in counts)
    most = math.log2(len(counts))
    if n == 0:
        return 0.0
    if once == n:
        return most
    bits = 0.0
    for c in counts:
        share = (1 - once / n) * c / n
        if 0 < share < 1:
            bits -= share * math.log2(share) / (1 - (1 - share) ** n)
    return min(max(bits, 0.0), most)


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=st.integers(0, 30)))
def test_the_entropy_of_counts(counts):
    assert entropies(counts) == pytest.approx([slow_entropy(row) for row in counts.tolist()])


def slowly_told(rows):
    """Bits that the rows of a table tell of its columns, times the counts."""
    totals = [sum(column) for column in zip(*rows, strict=True)]
    told = 0.0
    for row in rows:
        surprise = sum(
            c * -math.log2(max(t, 1) / max(sum(totals), 1)) for c, t in zip(row, totals, strict=True)
        )
        told += max(surprise - sum(row) * slow_entropy(row), 0.0)
    return told


def slow_bits(parts, values, num_values, number):
    """Bits an episode that parts of messages tell of the values beside them, beyond chance."""
    table = {part: [0] * num_values for part in sorted(set(parts))}
    for part, value in zip(parts, values, strict=True):
        if value >= 0:
            table[part][value] += 1
    rows = [*table.values()]
    totals = np.sum(rows, axis=0)
    most = slow_entropy(totals.tolist()) * totals.sum()
    told = min(slowly_told(rows), most)
    drawn = np.random.default_rng(0).multinomial([sum(row) for row in rows], totals / totals.sum())
    return max(told - slowly_told(drawn.tolist()) * (1 - told / most), 0.0) / number


def test_what_slots_tell_of_a_place():
    window, message = language(600, np.random.default_rng(3))
    found = information(count(Recording(GAME, window, message)))
    seen = values_at_places(GAME, window)[:, :-1]
    size = len(GAME.integers)
    for cell in range(len(GAME.offsets)):
        values = seen[:, cell].tolist()
        first, second = ([(row[slot],) for row in message.tolist()] for slot in (0, 1))
        whole, sorted_symbols = ([tuple(order(row)) for row in message.tolist()] for order in (tuple, sorted))
        assert found.by_slot[0, cell] == pytest.approx(slow_bits(first, values, size, 600))
        assert found.by_slot[1, cell] == pytest.approx(slow_bits(second, values, size, 600))
        assert found.by_prefix[0, cell] == found.by_slot[0, cell]
        assert found.whole[cell] == pytest.approx(slow_bits(whole, values, size, 600))
        assert found.unordered[cell] == pytest.approx(slow_bits(sorted_symbols, values, size, 600))
