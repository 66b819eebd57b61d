"""The model q: the belief of a reader who knows only the message and the rules.

The rules of a message weight the categories of the places. Belief is a product of experts (Hinton 2002): the
distribution q0 of windows times these weights, normalised for each message:

    q(window | message)  ~  q0(window) * product over the places of weight[message, place, category]

The *mass* of a set of windows is the sum of the right side over them. q0 draws a window in three steps, and
the code sums over them in this order (`Belief._mass`):

    the edge                           by its share: it says which cells the window has
    which of these cells are seen      all sets of `num_seen` cells alike (`Belief._seen`); else all are seen
    the values of the cells            all that differ from each other alike (`_Values`)
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.places import Places
from spatial_game.language.counting.rows import FloatArray, distinct_rows

MOST_WEIGHTED = 5
"""Weighted cells of a window at most: a sum over windows has a term for each of their partitions, 52 of five
cells and 203 of six."""
_ROWS = 1024  # messages at a time, so that intermediate tables stay in a cache
_LEAST = 1e-12  # a sum over values: differences of sums may be rounded to less than 0


class Belief:
    """The weights of M messages at each place, and the sums over windows that they lead to.

    `weights[place]` is (M, categories), or None where no rule speaks of the place.
    """

    def __init__(self, places: Places, num_messages: int) -> None:
        self.places, self.num_messages = places, num_messages
        self.weights: list[FloatArray | None] = [None] * len(places)
        self._shown = [{*np.flatnonzero(cells).tolist()} for cells in places.shown]
        self._kinds_of_windows = functools.cache(self._edges_by_cells)

    def can_weight(self, place: int) -> bool:
        """Return whether a place may be weighted: no message may then have more than `MOST_WEIGHTED`."""
        if place == self.places.edge or not self._is_long({*self._weighted(), place}):
            return True
        cells, _ = distinct_rows(self._weighted_cells(self._weighted(), slice(None)))
        return not any(self._is_long({*np.flatnonzero(each).tolist(), place}) for each in cells)

    def around(self, place: int) -> FloatArray:
        """Return (M, categories): the mass of the windows with each category, by the other places."""
        return self.arounds([place])[0]

    def arounds(self, places: Sequence[int]) -> list[FloatArray]:
        """Return the same for several places, whose sums over windows are shared."""
        empty = [np.zeros((0, self.places.categories(place))) for place in places]
        blocks = [masses for _, masses in self.arounds_by_rows(places)]
        return [np.concatenate(each) for each in zip(empty, *blocks, strict=True)]

    def arounds_by_rows(self, places: Sequence[int]) -> Iterator[tuple[slice, list[FloatArray]]]:
        """Yield the same for some of the messages at a time."""
        for start in range(0, self.num_messages, _ROWS):
            rows = slice(start, min(start + _ROWS, self.num_messages))
            yield rows, self._arounds(places, rows)

    def masses(self) -> FloatArray:
        """Return (M, W): the mass of the windows of each edge; its sum is what normalises the belief."""
        edge = self.weights[self.places.edge]
        around = self.around(self.places.edge)
        return around if edge is None else around * edge

    def explained(self, observed: Sequence[FloatArray]) -> float:
        """Return the sum of log2 q / q0 over episodes, by their counts (M, categories) at each place."""
        bits = 0.0
        for table, weights in zip(observed, self.weights, strict=True):
            if weights is not None:
                bits += bits_of_weights(table, weights)
        return bits - float(observed[-1].sum(axis=1) @ np.log2(self.masses().sum(axis=1)))

    def _weighted(self) -> dict[int, FloatArray]:
        return {place: w for place, w in enumerate(self.weights[:-1]) if w is not None}

    def _is_long(self, cells: Collection[int]) -> bool:
        """Return whether a window has more than `MOST_WEIGHTED` of these weighted cells."""
        return any(len(shown.intersection(cells)) > MOST_WEIGHTED for shown in self._shown)

    def _weighted_cells(self, weighted: Mapping[int, FloatArray], rows: slice) -> IntArray:
        """Return (M, P), which weights of a message are not all 1: only they make a difference."""
        cells = np.zeros((len(range(*rows.indices(self.num_messages))), self.places.edge), dtype=np.int8)
        for place, weights in weighted.items():
            cells[:, place] = (weights[rows] != 1).any(axis=1)
        return cells

    def _arounds(self, places: Sequence[int], rows: slice) -> list[FloatArray]:
        number = rows.stop - rows.start
        weighted = {p: w[rows] for p, w in self._weighted().items() if [p] != [*places]}
        edge = self.weights[self.places.edge]
        edge = np.ones((number, len(self.places.edge_share))) if edge is None else edge[rows]
        if not self._is_long(weighted):
            values = _Values(weighted, self.places.num_values)
            return [self._mass(place, values, edge) for place in places]
        # Few messages speak of all of these cells: those that speak of the same ones go together.
        kinds, kind = distinct_rows(self._weighted_cells(self._weighted(), rows))
        masses = [np.empty((number, self.places.categories(place))) for place in places]
        for i, cells in enumerate(kinds):
            members = np.flatnonzero(kind == i)
            of_kind = {p: w[members] for p, w in weighted.items() if cells[p]}
            values = _Values(of_kind, self.places.num_values)
            for place, mass in zip(places, masses, strict=True):
                mass[members] = self._mass(place, values, edge[members])
        return masses

    def _mass(self, place: int, values: _Values, edge: FloatArray) -> FloatArray:
        """Return (M, categories), the mass of the windows with each category at a place, by the other places.

        `values`: the weights of the cells. `edge` (M, W): the weights of the edge.
        """
        places = self.places
        absent_here, hidden_here = places.num_values, places.num_values + 1
        if place == places.edge:
            edge = np.ones(edge.shape)
        weighted = tuple(p for p in values.cells if p != place)
        mass = np.zeros((len(edge), places.categories(place)))
        beside: dict[
            tuple[int, ...], FloatArray
        ] = {}  # weights by the cells seen beside a value at the place
        for (cells, has_place), edges in self._kinds_of_windows(place, weighted).items():
            share = edge[:, edges] * places.edge_share[edges]
            absent = math.prod(
                (values.absent[p] for p in weighted if p not in cells), start=np.ones(len(edge))
            )
            if has_place:
                for seen, weight in self._seen(cells, values, absent * share.sum(axis=1), beside=True):
                    beside[seen] = beside.get(seen, 0.0) + weight
                if places.some_hidden:
                    total = share * self._without_value(cells, values, absent, beside=False)
                    mass[:, hidden_here] += total.sum(axis=1)
            else:
                total = share * self._without_value(cells, values, absent, beside=None)
                if place == places.edge:
                    mass[:, edges] = total
                else:
                    mass[:, absent_here] += total.sum(axis=1)
        for seen, weight in beside.items():
            mass[:, : places.num_values] += weight[:, None] * values.mean_with_value(seen)
        return mass

    def _without_value(
        self, cells: tuple[int, ...], values: _Values, weight: FloatArray, beside: bool | None
    ) -> FloatArray:
        """Return (M, 1), the mass of these cells where the place itself shows no value."""
        terms = [w * values.mean(seen) for seen, w in self._seen(cells, values, weight, beside)]
        return np.asarray(np.sum(terms, axis=0)[:, None])

    def _edges_by_cells(
        self, place: int, weighted: tuple[int, ...]
    ) -> dict[tuple[tuple[int, ...], bool], list[int]]:
        """Return the edges, by the weighted cells that their windows have and whether they have the place."""
        alike: dict[tuple[tuple[int, ...], bool], list[int]] = {}
        for edge, shown in enumerate(self._shown):
            alike.setdefault((tuple(p for p in weighted if p in shown), place in shown), []).append(edge)
        return alike

    def _seen(
        self, cells: tuple[int, ...], values: _Values, weight: FloatArray, beside: bool | None
    ) -> Iterator[tuple[tuple[int, ...], FloatArray]]:
        """Yield the sets of these cells that may be seen, each with its weight (M,): all others are hidden.

        `beside`: whether another cell is seen, or is hidden; None if no other one matters.
        """
        for size, chance in self._chances(len(cells), beside).items():
            for seen in itertools.combinations(cells, size):
                hidden = (values.hidden[p] for p in cells if p not in seen)
                yield seen, math.prod(hidden, start=chance * weight)

    def _chances(self, number: int, beside: bool | None = None) -> Mapping[int, float]:
        """Return the sizes of the sets of `number` cells that may be seen, and the chance of one such set."""
        if not self.places.some_hidden:
            return {} if beside is False else {number: 1.0}
        return _chances(int(self.places.shown[-1].sum()), self.places.num_seen, number, beside)


def bits_of_weights(observed: FloatArray, weights: FloatArray) -> float:
    """Return the sum of log2 of the weights (M, C) of a place over episodes, by their counts (M, C)."""
    seen = observed > 0
    return float(observed[seen] @ np.log2(weights[seen]))


@functools.cache
def _chances(cells: int, num_seen: int, number: int, beside: bool | None) -> Mapping[int, float]:
    """Return the chances of `Belief._chances`, in a window of which `num_seen` of all its cells are seen."""
    left, room = cells - number, num_seen
    if beside is not None:
        left, room = left - 1, room - beside
    return {
        size: math.comb(left, room - size) / math.comb(cells, num_seen)
        for size in range(number + 1)
        if 0 <= room - size <= left
    }


class _Values:
    """Mean weights of cells whose K values differ from each other, by inclusion-exclusion.

    `cells` are in ascending order. All sums are over the values of some cells c1, c2, ... that differ:

        with_first(k)   the sum where k stands in c1:  weight[c1, k] * without(k) of c2, c3, ...
        without(k)      the sum where k stands nowhere:  that of all, less where k stands in c1, in c2, ...

    Written out, they have a term for each partition of the cells (`MOST_WEIGHTED`).
    """

    def __init__(self, weights: Mapping[int, FloatArray], num_values: int) -> None:
        self.cells, self._num_values = list(weights), num_values
        self.absent = {place: w[:, num_values].copy() for place, w in weights.items()}
        self.hidden = {place: w[:, -1].copy() for place, w in weights.items()}
        self._weights = {place: w[:, :num_values] for place, w in weights.items()}
        self._ones = np.ones(num_values)
        self._means: dict[tuple[int, ...], FloatArray] = {(): np.ones(1)}
        self._without: dict[tuple[int, ...], FloatArray] = {(): np.ones((1, num_values))}

    def mean(self, cells: tuple[int, ...]) -> FloatArray:
        """Return (M,), the mean weight of some cells."""
        if cells not in self._means:
            self._means[cells] = self._of_all(self._with_first(cells) @ self._ones, len(cells))
        return self._means[cells]

    def mean_with_value(self, cells: tuple[int, ...]) -> FloatArray:
        """Return (M, K), the same where value k stands in another cell, times its share there."""
        return self._of_all(self._without_value(cells), len(cells) + 1)

    def _of_all(self, sums: FloatArray, num_cells: int) -> FloatArray:
        return np.asarray(np.maximum(sums, _LEAST) / math.perm(self._num_values, num_cells))

    def _with_first(self, cells: tuple[int, ...]) -> FloatArray:
        """Return (M, K), the sums where value k stands in the first of these cells."""
        weights = self._weights[cells[0]]
        return weights * self._without_value(cells[1:]) if cells[1:] else weights

    def _without_value(self, cells: tuple[int, ...]) -> FloatArray:
        """Return (M, K), the sums where value k stands in none of these cells."""
        if cells not in self._without:
            with_first = self._with_first(cells)
            sums = (with_first @ self._ones)[:, None] - with_first
            for i in range(1, len(cells)):
                sums -= self._with_first((cells[i], *cells[:i], *cells[i + 1 :]))
            self._without[cells] = sums
        return self._without[cells]
