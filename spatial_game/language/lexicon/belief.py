"""What a reader believes of the window who knows the message and the rules, and nothing else: the model q.

The rules of a message weight the categories of the places. Belief is a product of experts (Hinton 2002): the
distribution q0 of windows times these weights, normalised for each message:

    q(window | message)  ~  q0(window) * product over the places of weight[message, place, category]

The integers of a window do not repeat, so its cells are not independent. The sums over all windows without
repetition are exact, by inclusion-exclusion over set partitions: the windows without integer k are all
windows less the ones in which k stands in a weighted cell.
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

MOST_TERMS = 64
"""Terms of a sum over windows, written out: five weighted cells of a whole window have 52 partitions, six
have 203."""
_ROWS = 1024  # messages at a time, so that intermediate tables stay in a cache
_LEAST = 1e-12


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
        """Return whether a place may be weighted: no sum may then have more than `MOST_TERMS`."""
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
                seen = table > 0
                bits += float(table[seen] @ np.log2(weights[seen]))
        return bits - float(observed[-1].sum(axis=1) @ np.log2(self.masses().sum(axis=1)))

    def _weighted(self) -> dict[int, FloatArray]:
        return {place: w for place, w in enumerate(self.weights[:-1]) if w is not None}

    def _is_long(self, cells: Collection[int]) -> bool:
        """Return whether a sum with these weighted cells has more than `MOST_TERMS`."""
        numbers = {len(shown.intersection(cells)) for shown in self._shown}
        return any(_num_terms(self._seen_sizes(number), number) > MOST_TERMS for number in numbers)

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
            sums = _Sums(weighted, self.places)
            return [self._mass(place, sums, edge) for place in places]
        # Few messages speak of all of these cells: those that speak of the same ones go together.
        kinds, kind = distinct_rows(self._weighted_cells(self._weighted(), rows))
        masses = [np.empty((number, self.places.categories(place))) for place in places]
        for i, cells in enumerate(kinds):
            members = np.flatnonzero(kind == i)
            sums = _Sums({p: w[members] for p, w in weighted.items() if cells[p]}, self.places)
            for place, mass in zip(places, masses, strict=True):
                mass[members] = self._mass(place, sums, edge[members])
        return masses

    def _mass(self, place: int, sums: _Sums, edge: FloatArray) -> FloatArray:
        """Return (M, categories) for messages with these weights of the edge, without those of the place."""
        places = self.places
        if place == places.edge:
            edge = np.ones(edge.shape)
        weighted = [p for p in sums.cells if p != place]
        mass = np.zeros((len(edge), places.categories(place)))
        beside: dict[tuple[int, ...], FloatArray] = {}  # where the place shows, by what is seen beside it
        for (others, is_shown), alike in self._kinds_of_windows(place, tuple(weighted)).items():
            share = edge[:, alike] * places.edge_share[alike]
            absent = math.prod(
                (sums.absent[p] for p in weighted if p not in others), start=np.ones(len(edge))
            )
            if is_shown:
                for seen, weight in self._seen(others, sums, absent * share.sum(axis=1), True):
                    beside[seen] = beside.get(seen, 0.0) + weight
            if not is_shown or places.some_hidden:
                unseen = self._seen(others, sums, absent, *[False] * is_shown)
                total = (
                    share * np.sum([weight * sums.total(seen) for seen, weight in unseen], axis=0)[:, None]
                )
                if place == places.edge:
                    mass[:, alike] = total
                else:
                    mass[:, places.num_values + is_shown] += total.sum(axis=1)
        for seen, weight in beside.items():
            mass[:, : places.num_values] += weight[:, None] * sums.with_value(place, seen)
        return mass

    def _edges_by_cells(
        self, place: int, weighted: tuple[int, ...]
    ) -> dict[tuple[tuple[int, ...], bool], list[int]]:
        """Return the edges, by the weighted cells that their windows have and whether they have the place."""
        alike: dict[tuple[tuple[int, ...], bool], list[int]] = {}
        for edge, shown in enumerate(self._shown):
            alike.setdefault((tuple(p for p in weighted if p in shown), place in shown), []).append(edge)
        return alike

    def _seen(
        self, cells: tuple[int, ...], sums: _Sums, weight: FloatArray, *place: bool
    ) -> Iterator[tuple[tuple[int, ...], FloatArray]]:
        """Yield the sets of the weighted cells that may be seen, with the weight (M,) of all others hidden.

        `place`: whether one cell more, without weights, is seen, if there is one.
        """
        for size, chance in self._seen_sizes(len(cells), *place).items():
            for seen in itertools.combinations(cells, size):
                hidden = (sums.hidden[p] for p in cells if p not in seen)
                yield seen, math.prod(hidden, start=chance * weight)

    def _seen_sizes(self, number: int, *place: bool) -> Mapping[int, float]:
        if not self.places.some_hidden:
            return {number: 1.0} if all(place) else {}
        return _seen_sizes(int(self.places.shown[-1].sum()), self.places.num_seen, number, *place)


def prior_at(places: Places, place: int) -> FloatArray:
    """Return (C,), how often each category stands at a place, whatever is said."""
    prior: FloatArray = Belief(places, 1).around(place)[0]
    return prior


@functools.cache
def _seen_sizes(cells: int, num_seen: int, number: int, *place: bool) -> Mapping[int, float]:
    """Return the sizes of the sets of weighted cells that may be seen, with the share of one such set.

    Of the window's cells, `number` are weighted; with `place`, one more is seen, or is not.
    """
    left = cells - number - len(place)
    return {
        size: math.comb(left, num_seen - size - sum(place)) / math.comb(cells, num_seen)
        for size in range(number + 1)
        if 0 <= num_seen - size - sum(place) <= left
    }


def _num_terms(sizes: Mapping[int, float], number: int) -> int:
    """Return the number of partitions of all of these subsets of `number` things."""
    return sum(math.comb(number, size) * _num_partitions(size) for size in sizes)


@functools.cache
def _num_partitions(size: int) -> int:
    """Return the number of partitions of a set of this size (Bell's numbers)."""
    return sum(math.comb(size - 1, i) * _num_partitions(i) for i in range(size)) if size else 1


class _Sums:
    """Sums of products of weights over windows whose values are distinct, divided by their number."""

    def __init__(self, weights: Mapping[int, FloatArray], places: Places) -> None:
        num_values = places.num_values
        self.cells, self.places = list(weights), places
        self.absent = {place: w[:, num_values].copy() for place, w in weights.items()}
        self.hidden = {place: w[:, -1].copy() for place, w in weights.items()}
        self._weights = {place: w[:, :num_values] for place, w in weights.items()}
        self._ones = np.ones(num_values)
        self._totals: dict[tuple[int, ...], FloatArray] = {(): np.ones(1)}
        self._apart: dict[tuple[int, ...], FloatArray] = {(): np.ones((1, num_values))}

    def total(self, cells: tuple[int, ...]) -> FloatArray:
        """Return (M,): the mean weight of the windows in these cells, in ascending order."""
        if cells not in self._totals:
            self._totals[cells] = self._mean(self._at_first(cells) @ self._ones, len(cells))
        return self._totals[cells]

    def with_value(self, place: int, cells: tuple[int, ...]) -> FloatArray:
        """Return (M, K): the same of the windows with value k at another place, times its share there."""
        return self._mean(self._sums_without(cells), len(cells) + 1)

    def _mean(self, sums: FloatArray, cells: int) -> FloatArray:
        return np.asarray(np.maximum(sums, _LEAST) / math.perm(self.places.num_values, cells))

    def _at_first(self, cells: tuple[int, ...]) -> FloatArray:
        """Return (M, K), the sums over the windows with value k in the first of these cells."""
        weights = self._weights[cells[0]]
        return weights * self._sums_without(cells[1:]) if cells[1:] else weights

    def _sums_without(self, cells: tuple[int, ...]) -> FloatArray:
        """Return (M, K), the sums over the windows in which value k stands in none of these cells."""
        if cells not in self._apart:
            at_first = self._at_first(cells)
            sums = (at_first @ self._ones)[:, None] - at_first
            for i in range(1, len(cells)):
                sums -= self._at_first((cells[i], *cells[:i], *cells[i + 1 :]))
            self._apart[cells] = sums
        return self._apart[cells]
