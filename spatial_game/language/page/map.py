"""The usual messages: what the sender says most often for what it sees. They are the map of a language.

A language has one of three maps. If its messages always name the same one or two cells, the map is a *strip*
or a *square* of integers. If a message names one cell, but not always the same, the map has a column for
each cell. If messages name no cell, the map shows the usual first *symbol* beside each integer at some cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import counts_by_place, edge_names, near_offsets, values_at_places
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.measures import entropies
from spatial_game.language.page.information import Information, told

MapKind = Literal["strip", "square", "columns", "symbols"]
ALWAYS_NAMED = 0.5
"""The map is a strip or a square of the cells that messages in at least this share of the episodes name."""
SECOND_BITS = 0.5
"""The second cell of a square, and one on which messages at an edge depend, has at least this many bits."""
OWN_SHARE = 0.5
"""An edge has a message of its own if it is sent in at least this share of its episodes."""
NONE = -1
"""No message, or no integer."""
_MOST_COLUMNS = 8


class Usual(NamedTuple):
    """The most frequent message of each of several groups of episodes."""

    message: Numbers
    """Its row in the messages of the counts (a symbol, in a map of symbols); NONE without episodes."""
    share: FloatArray
    """Its share of the episodes of the group."""
    episodes: Numbers

    @property
    def usual_share(self) -> float:
        """The share of all these episodes with the usual message of their group."""
        return float((self.share * self.episodes).sum() / max(self.episodes.sum(), 1))


@dataclass(frozen=True)
class Map:
    """The usual messages by the integers that stand at some cells."""

    kind: MapKind
    places: tuple[int, ...]
    """The cells: those of the rows and of the columns of a square; otherwise those of the columns."""
    usual: Usual
    """(K, C) each."""

    @property
    def ordered(self) -> tuple[int, ...]:
        """The axes on which neighbours are neighbours in the game: of a square both, otherwise the rows."""
        return (0, 1) if self.kind == "square" else (0,)


@dataclass(frozen=True)
class AtEdge:
    """The usual messages at an edge."""

    place: int | None
    """The cell on which they depend, if there is one."""
    by_integer: Usual
    """(K,), for each integer in that cell; without a cell, (1,), for all of these episodes."""
    message: int
    """The row of the message of all of these episodes."""


@dataclass(frozen=True)
class Phrasebook:
    """What to say: the map, and the usual messages at the edges. A sender that a person can be."""

    config: GameConfig
    messages: IntArray  # (M, T)
    map: Map
    edges: Mapping[str, AtEdge]
    """The edges at which messages differ from those of the map."""

    def text(self, row: int, *, symbol: bool = False) -> str | None:
        """Return a message as a person writes it; None for none. `symbol`: the row is a first symbol."""
        if row == NONE:
            return None
        return str(row) if symbol else " ".join(map(str, self.messages[row].tolist()))

    def to_dict(self) -> dict[str, Any]:
        """Return the messages of the map and of the edges, for JSON; null where nothing was sent."""
        edges = {
            name: {
                "place": at.place,
                "message": self.text(at.message),
                "by_integer": None if at.place is None else self._texts(at.by_integer),
            }
            for name, at in self.edges.items()
        }
        texts = self._texts(self.map.usual, symbols=self.map.kind == "symbols")
        return {"map": {"kind": self.map.kind, "places": [*self.map.places], **texts}, "edges": edges}

    def _texts(self, usual: Usual, *, symbols: bool = False) -> dict[str, Any]:
        texts = [self.text(row, symbol=symbols) for row in usual.message.ravel().tolist()]
        messages = np.array(texts, dtype=object).reshape(usual.message.shape).tolist()
        return {"message": messages, "share": usual.share.tolist(), "episodes": usual.episodes.tolist()}

    def send(self, window: IntArray) -> IntArray:
        """Return the message (B, T) that a person finds for each of the windows (B, W).

        Raises `ValueError` for a map of symbols, which has no messages.
        """
        if self.map.kind == "symbols":
            raise ValueError("send needs a map of messages; got a map of first symbols")
        found = [self._message(values) for values in values_at_places(self.config, window).tolist()]
        return self.messages[np.maximum(found, 0)]

    def _message(self, values: list[int]) -> int:
        """Return the row of the usual message where these values stand at the places."""
        at, usual = self.edges.get(edge_names(self.config)[values[-1]]), self.map.usual
        if at is not None:
            value = NONE if at.place is None else values[at.place]
            message = int(at.by_integer.message[value]) if value >= 0 else NONE
            return at.message if message == NONE else message
        cells = [values[place] for place in self.map.places]
        if self.map.kind == "square":
            return int(usual.message[cells[0], cells[1]]) if min(cells) >= 0 else NONE
        choices = [(usual.episodes[k, column], column, k) for column, k in enumerate(cells) if k >= 0]
        if not choices:
            return NONE
        _, column, value = max(choices)
        return int(usual.message[value, column])


def phrasebook(counts: Counts, bits: Information, ids: Numbers, window: IntArray) -> Phrasebook:
    """Return the usual messages of episodes: rows (B,) of the messages of the counts, and windows (B, W)."""
    config, values = counts.config, values_at_places(counts.config, window)
    edges = {}
    for number, name in enumerate(edge_names(config)[:-1]):
        rows = values[:, -1] == number
        at = _at_edge(config, ids[rows], values[rows, :-1])
        if at.place is not None or at.by_integer.share[0] >= OWN_SHARE:
            edges[name] = at
    return Phrasebook(config, counts.messages, _map(counts, bits, ids, values), edges)


def usual_of(group: Numbers, ids: Numbers, num_groups: int) -> Usual:
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
    return Usual(message, share, episodes)


def _map(counts: Counts, bits: Information, ids: Numbers, values: Numbers) -> Map:
    """Return the map that suits what messages name."""
    kind, places = _plan(counts.config, bits)
    num_integers, cells = len(counts.config.integers), values[:, places]
    seen = cells >= 0
    if kind == "square":
        both = seen.all(axis=1)
        group = cells[both, 0] * num_integers + cells[both, 1]
        found, size = usual_of(group, ids[both], num_integers**2), (num_integers, num_integers)
        parts: tuple[Any, ...] = tuple(part.reshape(size) for part in found)
        return Map(kind, places, Usual(*parts))
    if kind == "columns":
        seen &= _named_cells(counts, places)[ids]
    said = counts.messages[ids, 0].astype(np.int64) if kind == "symbols" else ids
    columns = [usual_of(cells[rows, i], said[rows], num_integers) for i, rows in enumerate(seen.T)]
    parts = tuple(np.column_stack(part) for part in zip(*columns, strict=True))
    return Map(kind, places, Usual(*parts))


def _plan(config: GameConfig, bits: Information) -> tuple[MapKind, tuple[int, ...]]:
    """Return the kind of map that suits what messages name, and its cells."""
    order = sorted(near_offsets(config), key=lambda cell: -bits.whole[cell])
    always = [cell for cell in order if bits.named_share(cell) >= ALWAYS_NAMED]
    if always:
        second = [cell for cell in order if cell != always[0] and bits.whole[cell] >= SECOND_BITS]
        return ("square", (always[0], second[0])) if second else ("strip", (always[0],))
    named = dict(bits.named)
    alone = {cell: named.get((cell,), 0.0) for cell in range(len(config.offsets))}
    if sum(alone.values()) >= ALWAYS_NAMED:
        most = sorted(alone, key=lambda cell: -alone[cell])[:_MOST_COLUMNS]
        return "columns", tuple(sorted(most))
    return "symbols", tuple(sorted(order[:_MOST_COLUMNS]))


def _named_cells(counts: Counts, cells: Sequence[int]) -> Mask:
    """Return (M, cells), which cell each message names: the one whose integers vary least."""
    tables = counts_by_place(counts.config, counts.table)
    varies = np.full((len(counts.messages), len(cells)), np.inf)
    for i, cell in enumerate(cells):
        seen = tables[cell][:, : len(counts.config.integers)]
        often = 2 * seen.sum(axis=1) >= counts.message_totals
        varies[often, i] = entropies(seen[often])
    return np.asarray((varies == varies.min(axis=1, keepdims=True)) & np.isfinite(varies))


def _at_edge(config: GameConfig, ids: Numbers, cells: Numbers) -> AtEdge:
    """Return the usual messages of the episodes at one edge: messages (B,), and integers at cells (B, O)."""
    overall = usual_of(np.zeros(len(ids), dtype=np.int64), ids, 1)
    bits = [_bits(cell, ids) for cell in cells.T]
    best = int(np.argmax(bits))
    if bits[best] < SECOND_BITS:
        return AtEdge(None, overall, int(overall.message[0]))
    seen = cells[:, best] >= 0
    by_integer = usual_of(cells[seen, best], ids[seen], len(config.integers))
    return AtEdge(best, by_integer, int(overall.message[0]))


def _bits(value: npt.NDArray[np.int64], ids: Numbers) -> float:
    """Return what messages tell of the integer at a cell, in bits an episode; 0 if it is rarely seen."""
    seen = value >= 0
    if not seen.any() or seen.mean() < 0.5:
        return 0.0
    rows = np.unique(ids[seen], return_inverse=True)[1]
    table = sp.coo_array((np.ones(len(rows)), (rows, value[seen]))).toarray()
    return float(told(table[:, table.any(axis=0)]).sum() / len(rows))
