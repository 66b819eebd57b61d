"""The usual messages, and the bits of messages: what array functions do, slowly and plainly."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count, message_ids
from spatial_game.language.counting.places import edge_names, values_at_places
from spatial_game.language.measures import entropies
from spatial_game.language.page.information import information
from spatial_game.language.page.map import NONE, phrasebook, usual_of
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


def test_the_usual_messages_of_the_map_and_of_edges_are_those_of_their_episodes():
    rng = np.random.default_rng(4)
    window = draw_episodes(GAME, 3_000, rng).window
    values = values_at_places(GAME, window)
    message = np.maximum(values[:, [GAME.offsets.index(-1), GAME.offsets.index(1)]], 0) // 2
    message = np.where(rng.random(message.shape) < 0.2, rng.integers(0, 4, message.shape), message)
    message[values[:, -1] == 2] = [3, 0]  # both neighbours are seen from this edge, and not named
    edge = np.array(edge_names(GAME))[values[:, -1]]
    counts = count(Recording(GAME, window, message.astype(np.int16)))
    found = phrasebook(counts, information(counts), message_ids(counts, message), window)
    [pairs], edges = found.map, found.edges
    assert [len(usual.places) for usual in (pairs, *edges.values())] == [2, 1, 1, 0, 1]
    for name, usual in ((None, pairs), *edges.items()):
        sent = defaultdict(Counter)
        at_edge = np.ones(len(window), bool) if name is None else edge == name
        for row in np.flatnonzero(at_edge).tolist():
            seen = tuple(values[row, usual.places].tolist())
            if min(seen, default=0) >= 0:
                sent[seen][tuple(message[row].tolist())] += 1
        for seen, own in sent.items():
            assert usual.episodes[seen] == own.total()
            assert own[tuple(found.messages[usual.message[seen]].tolist())] == max(own.values())
            assert usual.share[seen] == max(own.values()) / own.total()
    for row, said in enumerate(found.send(window).tolist()):
        usual = edges.get(edge[row], pairs)
        assert said == found.messages[usual.message[tuple(values[row, usual.places].tolist())]].tolist()


def slowly_told(rows):
    """Bits that the rows of a table tell of its columns, times the counts."""
    totals = np.sum(rows, axis=0)
    surprise = -np.log2(np.maximum(totals, 1) / max(totals.sum(), 1))
    return sum(max(row @ surprise - row.sum() * entropies(row[None])[0], 0.0) for row in np.array(rows))


def slow_bits(parts, values, num_values, number):
    """Bits an episode that parts of messages tell of the values beside them, beyond chance."""
    table = {part: np.zeros(num_values) for part in sorted(set(parts))}
    for part, value in zip(parts, values, strict=True):
        if value >= 0:
            table[part][value] += 1
    rows = [*table.values()]
    totals = np.sum(rows, axis=0)
    most = entropies(totals[None])[0] * totals.sum()
    told = min(slowly_told(rows), most)
    drawn = np.random.default_rng(0).multinomial([int(row.sum()) for row in rows], totals / totals.sum())
    return max(told - slowly_told(drawn) * (1 - told / most), 0.0) / number


def test_what_slots_tell_of_a_place():
    window, message = language(600, np.random.default_rng(3))
    found = information(count(Recording(GAME, window, message)))
    seen = values_at_places(GAME, window)[:, :-1]
    size = GAME.num_integers
    for cell in range(len(GAME.offsets)):
        values = seen[:, cell].tolist()
        first, second = ([(row[slot],) for row in message.tolist()] for slot in (0, 1))
        whole, unordered = ([tuple(order(row)) for row in message.tolist()] for order in (tuple, sorted))
        assert found.by_slot[0, cell] == pytest.approx(slow_bits(first, values, size, 600))
        assert found.by_slot[1, cell] == pytest.approx(slow_bits(second, values, size, 600))
        assert found.by_prefix[0, cell] == found.by_slot[0, cell]
        assert found.whole[cell] == pytest.approx(slow_bits(whole, values, size, 600))
        assert found.unordered[cell] == pytest.approx(slow_bits(unordered, values, size, 600))
