"""The usual messages: what the sender says most often for what it sees. They are the map of a language.

A language has one of three maps. If its messages always name the same one or two cells, the map is a *strip*
or a *square* of integers. If a message names one cell, but not always the same, the map has a column for
each cell. If messages name no cell, the map shows the usual first symbol beside each integer at some cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, Offset
from spatial_game.game.episodes import IntArray, mask_columns
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import integers_at_offsets, middle_column, near_offsets
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.page.information import Information, entropies

Kind = Literal["strip", "square", "columns", "symbols"]
ALWAYS_NAMED = 0.5
"""The map is a strip or a square of the cells that messages in at least this share of the episodes name."""
SECOND_BITS = 0.5
"""The second cell of a square has at least this number of bits."""
OWN_SHARE = 0.5
"""An edge has a message of its own if it is sent in at least this share of its episodes."""
NONE = -1
"""No message, or no integer."""
_MOST_EPISODES = 400_000
_MOST_COLUMNS = 8


class Usual(NamedTuple):
    """The most frequent message of some episodes."""

    message: int
    """Its row in the messages of the counts (a symbol, in a map of symbols); NONE without episodes."""
    share: float
    """Its share of the episodes."""
    episodes: int


@dataclass(frozen=True)
class Map:
    """The usual messages by the integers that stand at some cells."""

    kind: Kind
    offsets: tuple[Offset, ...]
    """The cells: those of the rows and of the columns of a square; otherwise those of the columns."""
    message: npt.NDArray[np.int64]
    """(K, C), rows in the messages of the counts; NONE where nothing was sent."""
    share: FloatArray
    """(K, C), of these episodes, with the message."""
    episodes: Numbers
    """(K, C)."""

    @property
    def ordered(self) -> tuple[int, ...]:
        """The axes on which neighbours are neighbours in the game: of a square both, otherwise the rows."""
        return (0, 1) if self.kind == "square" else (0,)

    @property
    def usual_share(self) -> float:
        """The share of all these episodes with the usual message."""
        return float((self.share * self.episodes).sum() / max(self.episodes.sum(), 1))


@dataclass(frozen=True)
class AtEdge:
    """The usual messages at an edge, by the integer at one cell, if the messages name one."""

    edge: str
    offset: Offset | None
    by_integer: tuple[Usual, ...]
    """For each integer at the cell; empty without a cell."""
    usual: Usual

    @property
    def usual_share(self) -> float:
        """The share of these episodes with the usual message, by the integer where messages name one."""
        rows = self.by_integer or (self.usual,)
        return sum(row.share * row.episodes for row in rows) / max(sum(row.episodes for row in rows), 1)


@dataclass(frozen=True)
class Phrasebook:
    """What to say: the map, and the usual messages at the edges. A sender that a person can be."""

    config: GameConfig
    messages: IntArray  # (M, T)
    map: Map
    edges: Mapping[str, AtEdge]
    """The edges at which messages differ from those of the map."""

    def send(self, window: IntArray) -> IntArray:
        """Return the message (B, T) that a person finds for each of the windows (B, W).

        Raises `ValueError` for a map of symbols, which has no messages.
        """
        if self.map.kind == "symbols":
            raise ValueError("send needs a map of messages; got a map of first symbols")
        seen = integers_at_offsets(self.config, window)
        names = np.array(self.config.edges)[mask_columns(window)]
        found = np.array(
            [self._one(row, str(name)) for row, name in zip(seen, names, strict=True)], dtype=np.int64
        )
        return self.messages[np.maximum(found, 0)]

    def _one(self, seen: Numbers, edge: str) -> int:
        """Return the row of the usual message where these integers (O,) stand around the target."""
        at = self.edges.get(edge)
        if at is not None:
            value = NONE if at.offset is None else int(seen[self.config.offsets.index(at.offset)])
            own = at.by_integer[value] if value >= 0 else at.usual
            return own.message if own.message != NONE else at.usual.message
        values = [int(seen[self.config.offsets.index(offset)]) for offset in self.map.offsets]
        if self.map.kind == "square":
            cell = (values[0], values[1])
            return int(self.map.message[cell]) if min(cell) >= 0 else NONE
        choices = [(self.map.episodes[k, c], c, k) for c, k in enumerate(values) if k >= 0]
        if not choices:
            return NONE
        _, column, value = max(choices)
        return int(self.map.message[value, column])


def phrasebook(counts: Counts, told: Information) -> Phrasebook:
    """Return the usual messages of a language, from its first 400,000 episodes.

    Raises `ValueError` for counts without episodes.
    """
    ids, window = first_episodes(counts)
    seen, config = integers_at_offsets(counts.config, window), counts.config
    columns = mask_columns(window)
    edges = [
        _at_edge(counts, column, ids[columns == column], seen[columns == column])
        for column in range(config.window_size)
        if column != middle_column(config)
    ]
    own = {at.edge: at for at in edges if at.offset is not None or at.usual.share >= OWN_SHARE}
    return Phrasebook(config, counts.messages, _map(counts, told, ids, seen), own)


def first_episodes(counts: Counts) -> tuple[Numbers, IntArray]:
    """Return the rows of the messages (B,) and the windows (B, W) of the first 400,000 episodes."""
    ids, windows, read = [], [], 0
    for number, window in counts.episodes("the page of a language needs"):
        ids.append(np.asarray(number))
        windows.append(window)
        read += len(number)
        if read >= _MOST_EPISODES:
            break
    return np.concatenate(ids), np.concatenate(windows)


class Plan(NamedTuple):
    """The kind of a map, and its cells."""

    kind: Kind
    cells: tuple[int, ...]
    """Numbers of offsets, as in `Map.offsets`."""


def map_plan(counts: Counts, told: Information) -> Plan:
    """Return the kind of map that suits what messages name."""
    near = near_offsets(counts.config)
    naming = {cell: sum(share for cells, share in told.named.items() if cell in cells) for cell in near}
    order = sorted(near, key=lambda cell: -told.whole[cell])
    always = [cell for cell in order if naming[cell] >= ALWAYS_NAMED]
    if always:
        second = next((cell for cell in order if cell != always[0] and told.whole[cell] >= SECOND_BITS), None)
        return Plan("strip", (always[0],)) if second is None else Plan("square", (always[0], second))
    cells = range(len(counts.config.offsets))
    alone = dict.fromkeys(cells, 0.0)
    for places, share in told.named.items():
        here = [place for place in places if place in alone]
        if len(here) == 1:
            alone[here[0]] += share
    if sum(alone.values()) >= ALWAYS_NAMED:
        return Plan("columns", tuple(sorted(sorted(cells, key=lambda cell: -alone[cell])[:_MOST_COLUMNS])))
    return Plan("symbols", tuple(sorted(order[:_MOST_COLUMNS])))


def usual_map(
    config: GameConfig,
    plan: Plan,
    seen: Numbers,
    ids: Numbers,
    named: npt.NDArray[np.bool_] | None = None,
) -> Map:
    """Return the map of a plan.

    `seen` (B, O): the integers at each of `config.offsets`. `ids` (B,): the messages, or first symbols in a
    map of symbols. `named` (B, cells): which episodes count for each cell; by default, all count.
    """
    num_integers, offsets = len(config.integers), tuple(config.offsets[cell] for cell in plan.cells)
    if plan.kind == "square":
        row, column = (seen[:, cell] for cell in plan.cells)
        shown = (row >= 0) & (column >= 0)
        size = (num_integers, num_integers)
        said, share, number = usual(row[shown] * num_integers + column[shown], ids[shown], num_integers**2)
        return Map(plan.kind, offsets, said.reshape(size), share.reshape(size), number.reshape(size))
    parts = []
    for i, cell in enumerate(plan.cells):
        shown = seen[:, cell] >= 0
        if named is not None:
            shown &= named[:, i]
        parts.append(usual(seen[shown, cell], ids[shown], num_integers))
    message, share, episodes = (np.column_stack(column) for column in zip(*parts, strict=True))
    return Map(plan.kind, offsets, message, share, episodes)


def _map(counts: Counts, told: Information, ids: Numbers, seen: Numbers) -> Map:
    """Return the map that suits what messages name."""
    plan = map_plan(counts, told)
    named = _named_cells(counts, plan.cells)[ids] if plan.kind == "columns" else None
    said = counts.messages[ids, 0].astype(np.int64) if plan.kind == "symbols" else ids
    return usual_map(counts.config, plan, seen, said, named)


def _named_cells(counts: Counts, cells: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return (M, cells), which cell each message names: the one whose integers vary least."""
    num_integers = len(counts.config.integers)
    varies = np.full((len(counts.messages), len(cells)), np.inf)
    for i, cell in enumerate(cells):
        table = counts.integers_at[:, cell * num_integers : (cell + 1) * num_integers].toarray()
        n = table.sum(axis=1)
        share = table / np.maximum(n, 1)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = -np.where(share > 0, share * np.log2(share), 0.0).sum(axis=1)
        varies[:, i] = np.where(2 * n >= counts.message_totals, bits, np.inf)
    least = varies == varies.min(axis=1, keepdims=True)
    return np.asarray(least & np.isfinite(varies))


def usual(group: Numbers, ids: Numbers, num_groups: int) -> tuple[Numbers, FloatArray, Numbers]:
    """Return the most frequent id, its share and the episodes of each group: (G,) each.

    `group` and `ids` are (B,). Of equally frequent ids, the smallest; NONE for a group without episodes.
    """
    width = int(ids.max(initial=0)) + 1
    keys, number = np.unique(group.astype(np.int64) * width + ids, return_counts=True)
    of_group, of_id = np.divmod(keys, width)
    order = np.lexsort([-of_id, number, of_group])
    last = np.flatnonzero(np.diff(of_group[order], append=-1))
    best = order[last]
    message, share = np.full(num_groups, NONE), np.zeros(num_groups)
    episodes = np.bincount(group, minlength=num_groups)
    message[of_group[best]] = of_id[best]
    share[of_group[best]] = number[best] / episodes[of_group[best]]
    return message, share, episodes


def _at_edge(counts: Counts, column: int, ids: Numbers, seen: Numbers) -> AtEdge:
    """Return the usual messages of the episodes at one edge."""
    config = counts.config
    overall = _rows(*usual(np.zeros(len(ids), dtype=np.int64), ids, 1))[0]
    bits = {cell: _bits(seen[:, cell], ids) for cell in range(len(config.offsets))}
    best = max(bits, key=lambda cell: bits[cell])
    if bits[best] < SECOND_BITS:
        return AtEdge(config.edges[column], None, (), overall)
    shown = seen[:, best] >= 0
    by_integer = _rows(*usual(seen[shown, best], ids[shown], len(config.integers)))
    return AtEdge(config.edges[column], config.offsets[best], tuple(by_integer), overall)


def _rows(message: Numbers, share: FloatArray, episodes: Numbers) -> list[Usual]:
    return [Usual(*row) for row in zip(message.tolist(), share.tolist(), episodes.tolist(), strict=True)]


def _bits(value: Numbers, ids: Numbers) -> float:
    """Return what messages tell of the integer at a cell, in bits an episode in which it is seen."""
    shown = value >= 0
    if shown.sum() < 0.5 * len(value) or not shown.any():
        return 0.0
    value, ids = value[shown], ids[shown]
    rows, columns = (np.unique(keys, return_inverse=True)[1] for keys in (ids, value))
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    before, after = entropies(table.sum(axis=0)[None])[0], entropies(table)
    return float(np.maximum(before - after, 0) @ table.sum(axis=1) / len(value))
