"""The usual messages: what the sender says most often for what it sees. They are the map of a language.

If messages always name the same two cells, the map has a message for each pair of integers there. Otherwise
it has messages for each integer at one cell, or at several cells of which a message names one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import edge_names, near_offsets, values_at_places
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.page.information import Information, cells_named, told

ALWAYS_NAMED = 0.5
"""Messages always name a cell if they do so in at least this share of the episodes."""
SECOND_BITS = 0.5
"""The second cell of a map, and one on which messages at an edge depend, has at least this many bits."""
OWN_SHARE = 0.5
"""An edge has a message of its own if it is sent in at least this share of its episodes."""
NONE = -1
"""No message, or no integer."""
_MOST_MAPPED = 8


@dataclass(frozen=True)
class Usual:
    """The message that is sent most often for the integers at some cells: at none, at one or at two."""

    places: tuple[int, ...]
    message: Numbers
    """Its row in the messages of the counts, with an axis for each place; NONE without episodes."""
    share: FloatArray
    """Its share of the episodes with these values."""
    episodes: Numbers

    @classmethod
    def of(cls, config: GameConfig, places: tuple[int, ...], ids: Numbers, values: Numbers) -> Usual:
        """Return the usual messages of episodes: rows of messages (B,), and values at places (B, P)."""
        size = (config.num_integers,) * len(places)
        at = values[:, places]
        seen = (at >= 0).all(axis=1)
        group = np.zeros(np.count_nonzero(seen), dtype=np.int64)
        for value in at[seen].T:
            group = group * config.num_integers + value
        message, share, episodes = usual_of(group, ids[seen], math.prod(size))
        return cls(places, message.reshape(size), share.reshape(size), episodes.reshape(size))

    def at(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """Return the messages for values at places (B, P), (B,) or NONE, and their episodes, (B,)."""
        at = values[:, self.places]
        seen, cell = (at >= 0).all(axis=1), tuple(np.maximum(at, 0).T)
        return np.where(seen, self.message[cell], NONE), np.where(seen, self.episodes[cell], 0)


def usual_share(parts: Sequence[Usual]) -> float:
    """Return the share of all episodes of these parts with the usual message."""
    usual = sum(float((part.share * part.episodes).sum()) for part in parts)
    return usual / max(sum(int(part.episodes.sum()) for part in parts), 1)


@dataclass(frozen=True)
class Phrasebook:
    """What to say: the map, and the usual messages at the edges. A sender that a person can be."""

    config: GameConfig
    messages: IntArray  # (M, T)
    map: tuple[Usual, ...]
    """By the integers at two cells, or by the integer at each of several cells."""
    edges: Mapping[str, Usual]
    """Edges with messages of their own: by the integer at a cell if they depend on one, or a single one."""

    def text(self, row: int) -> str | None:
        """Return a message as a person writes it; None for none."""
        return None if row == NONE else " ".join(map(str, self.messages[row].tolist()))

    def to_dict(self) -> dict[str, Any]:
        """Return the messages of the map and of the edges, for JSON; null where nothing was sent."""
        return {
            "map": [self._texts(part) for part in self.map],
            "edges": {name: self._texts(part) for name, part in self.edges.items()},
        }

    def _texts(self, usual: Usual) -> dict[str, Any]:
        texts = np.array([self.text(row) for row in usual.message.ravel().tolist()], dtype=object)
        return {
            "cells": usual.places,
            "message": texts.reshape(usual.message.shape).tolist(),
            "share": usual.share.tolist(),
            "episodes": usual.episodes.tolist(),
        }

    def send(self, window: IntArray) -> IntArray:
        """Return the message (B, T) that a person finds for each of the windows (B, W)."""
        values = values_at_places(self.config, window)
        of_map, episodes = map(np.array, zip(*(part.at(values) for part in self.map), strict=True))
        message: Numbers = of_map[episodes.argmax(axis=0), np.arange(len(window))]
        for name, usual in self.edges.items():
            here = np.flatnonzero(values[:, -1] == edge_names(self.config).index(name))
            own, _ = usual.at(values[here])
            message[here] = np.where(own == NONE, message[here], own)
        return self.messages[np.maximum(message, 0)]


def phrasebook(counts: Counts, bits: Information, ids: Numbers, window: IntArray) -> Phrasebook:
    """Return the usual messages of episodes: rows (B,) of the messages of the counts, and windows (B, W)."""
    config, values = counts.config, values_at_places(counts.config, window)
    edges = {}
    for number, name in enumerate(edge_names(config)[:-1]):
        here = values[:, -1] == number
        usual = _at_edge(config, ids[here], values[here])
        if usual.places or usual.share >= OWN_SHARE:
            edges[name] = usual
    return Phrasebook(config, counts.messages, _map(counts, bits, ids, values), edges)


def usual_of(group: Numbers, ids: Numbers, num_groups: int) -> tuple[Numbers, FloatArray, Numbers]:
    """Return the most frequent id, its share and the episodes of each group: (G,) each.

    `group` and `ids` are (B,). Of equally frequent ids, the smallest; NONE for a group without episodes.
    """
    width = int(ids.max(initial=0)) + 1
    keys, number = np.unique(group.astype(np.int64) * width + ids, return_counts=True)
    of_group, of_id = np.divmod(keys, width)
    order = np.lexsort([-of_id, number, of_group])
    best = order[np.flatnonzero(np.diff(of_group[order], append=-1))]
    message, share = np.full(num_groups, NONE), np.zeros(num_groups)
    episodes = np.bincount(group, minlength=num_groups)
    message[of_group[best]] = of_id[best]
    share[of_group[best]] = number[best] / episodes[of_group[best]]
    return message, share, episodes


def _map(counts: Counts, bits: Information, ids: Numbers, values: Numbers) -> tuple[Usual, ...]:
    """Return the map of the cells that messages name."""
    config = counts.config
    near = sorted(near_offsets(config), key=lambda cell: -bits.whole[cell])
    always = [cell for cell in near if bits.named_share(cell) >= ALWAYS_NAMED][:1]
    second = [cell for cell in near if cell not in always and bits.whole[cell] >= SECOND_BITS]
    if always and second:
        return (Usual.of(config, (always[0], second[0]), ids, values),)
    alone = {cells[0]: share for cells, share in bits.named if len(cells) == 1}
    several = sorted(range(len(config.offsets)), key=lambda cell: (-alone.get(cell, 0), -bits.whole[cell]))
    cells = always or sorted(several[:_MOST_MAPPED])
    named = cells_named(counts)[:, cells][ids]
    return tuple(
        Usual.of(config, (cell,), ids[rows], values[rows]) for cell, rows in zip(cells, named.T, strict=True)
    )


def _at_edge(config: GameConfig, ids: Numbers, values: Numbers) -> Usual:
    """Return the usual message of the episodes at one edge, by the integer of which messages tell most."""
    bits = [_bits(values[:, cell], ids) for cell in range(len(config.offsets))]
    best = int(np.argmax(bits))
    return Usual.of(config, (best,) if bits[best] >= SECOND_BITS else (), ids, values)


def _bits(value: Numbers, ids: Numbers) -> float:
    """Return what messages tell of the integer at a cell, in bits an episode; 0 if it is rarely seen."""
    seen = value >= 0
    if not seen.any() or seen.mean() < 0.5:
        return 0.0
    rows = np.unique(ids[seen], return_inverse=True)[1]
    table = sp.coo_array((np.ones(len(rows)), (rows, value[seen]))).toarray()
    return float(told(table[:, table.any(axis=0)]).sum() / len(rows))
