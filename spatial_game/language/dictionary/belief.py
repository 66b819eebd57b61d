"""What a reader believes of the window who knows the message and a dictionary, and nothing else: the model q.

A window has *places*: one for each offset, and one for the edge. At an offset stands one of K integers, or
no cell at all (category K); at the edge, one of W mask columns. The entries of a dictionary weight the
categories of a place; q is the game's own distribution of windows times these weights, normalised for each
message:

    q(window | message)  ~  q0(window) * product over the places of weight[message, place, category]

Integers do not repeat in a window, so the places are not independent. The sums over all windows without
repetition are exact: those without integer k are all, less those with k at one of the weighted offsets. In
games with hidden cells, a seen offset has one category more, "not seen" (K + 1), and the sums go over which
cells show.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.columns import edge_prior, middle_column, num_shown
from spatial_game.language.counting.rows import FloatArray, distinct_rows

MOST_TERMS = 64
"""Terms of a sum over windows, written out: five weighted offsets of a whole window have 52 partitions, six
have 203."""
_ROWS = 1024  # messages at a time, so that intermediate tables stay in a cache
_LEAST = 1e-12


def edge_columns(config: GameConfig) -> list[int]:
    """Return the mask columns in the order of the categories of the edge: the middle, which is none, last."""
    middle = middle_column(config)
    return [column for column in range(config.window_size) if column != middle] + [middle]


def window_prior(config: GameConfig) -> FloatArray:
    """Return (W,), the share of the targets whose window has its mask in each of the `edge_columns`."""
    return edge_prior(config)[edge_columns(config)]


class Belief:
    """The weights of M messages at each place, and the sums over windows that they lead to.

    `weights[place]` is (M, categories), or None where no entry speaks of the place. The last place is the
    edge.
    """

    def __init__(self, config: GameConfig, num_messages: int) -> None:
        self.config, self.num_messages = config, num_messages
        self.prior, self._columns = window_prior(config), edge_columns(config)
        numbers = offset_numbers(config).tolist()
        self._shown = [{number for number in row if number >= 0} for row in numbers]
        self.weights: list[FloatArray | None] = [None] * (len(config.offsets) + 1)
        self.edge = len(config.offsets)
        self._cells, self._num_shown = config.window_size - 1, num_shown(config)
        self._alike = functools.cache(self._categories_alike)

    def categories(self, place: int) -> int:
        """Return the number of categories of a place: W for the edge, otherwise `offset_categories`."""
        return self.config.window_size if place == self.edge else offset_categories(self.config)

    def can_activate(self, place: int) -> bool:
        """Return whether a place may be weighted: no sum may then have more than `MOST_TERMS`."""
        if place == self.edge or not self._is_long({*self._active(), place}):
            return True
        spoken, _ = distinct_rows(self._spoken(self._active(), slice(None)))
        return not any(self._is_long({*np.flatnonzero(each).tolist(), place}) for each in spoken)

    def _active(self) -> dict[int, FloatArray]:
        return {place: w for place, w in enumerate(self.weights[:-1]) if w is not None}

    def _is_long(self, places: Collection[int]) -> bool:
        """Return whether a sum with these weighted offsets has more than `MOST_TERMS`."""
        numbers = {len(those.intersection(places)) for those in self._shown}
        return any(_num_terms(self._subsets(number), number) > MOST_TERMS for number in numbers)

    def _spoken(self, active: Mapping[int, FloatArray], rows: slice) -> IntArray:
        """Return (M, offsets), which weights of a message are not all 1: only they make a difference."""
        spoken = np.zeros((len(range(*rows.indices(self.num_messages))), self.edge), dtype=np.int8)
        for place, weights in active.items():
            spoken[:, place] = (weights[rows] != 1).any(axis=1)
        return spoken

    def around(self, place: int) -> FloatArray:
        """Return (M, categories): the mass of the windows with each category, by the other places."""
        return self.arounds([place])[0]

    def arounds(self, places: Sequence[int]) -> list[FloatArray]:
        """Return the same for several places, whose sums over windows are shared."""
        empty = [np.zeros((0, self.categories(place))) for place in places]
        blocks = [found for _, found in self.arounds_by_rows(places)]
        return [np.concatenate(each) for each in zip(empty, *blocks, strict=True)]

    def arounds_by_rows(self, places: Sequence[int]) -> Iterator[tuple[slice, list[FloatArray]]]:
        """Yield the same for some of the messages at a time."""
        for start in range(0, self.num_messages, _ROWS):
            rows = slice(start, min(start + _ROWS, self.num_messages))
            yield rows, self._arounds(places, rows)

    def masses(self) -> FloatArray:
        """Return (M, W): the mass of the windows of each mask column; its sum over the columns is Z."""
        edge = self.weights[self.edge]
        around = self.around(self.edge)
        return around if edge is None else around * edge

    def explained(self, observed: Sequence[FloatArray]) -> float:
        """Return the sum of log2 q / q0 over episodes, given by their counts at each place."""
        told = 0.0
        for table, weights in zip(observed, self.weights, strict=True):
            if weights is not None:
                seen = table > 0
                told += float(table[seen] @ np.log2(weights[seen]))
        return told - float(observed[-1].sum(axis=1) @ np.log2(self.masses().sum(axis=1)))

    def _subsets(self, number: int, *place: bool) -> Mapping[int, float]:
        return _subsets(self._cells, self._num_shown, number, *place)

    def _arounds(self, places: Sequence[int], rows: slice) -> list[FloatArray]:
        number = rows.stop - rows.start
        active = {p: w[rows] for p, w in self._active().items() if [p] != [*places]}
        edge = self.weights[self.edge]
        edge = np.ones((number, self.config.window_size)) if edge is None else edge[rows]
        if not self._is_long(active):
            sums = _Sums(active, len(self.config.integers))
            return [self._mass(place, sums, edge) for place in places]
        # Few messages speak of all of these offsets: those that speak of the same ones go together.
        spoken, kind = distinct_rows(self._spoken(self._active(), rows))
        masses = [np.empty((number, self.categories(place))) for place in places]
        for i, those in enumerate(spoken):
            members = np.flatnonzero(kind == i)
            sums = _Sums({p: w[members] for p, w in active.items() if those[p]}, len(self.config.integers))
            for place, mass in zip(places, masses, strict=True):
                mass[members] = self._mass(place, sums, edge[members])
        return masses

    def _mass(self, place: int, sums: _Sums, edge: FloatArray) -> FloatArray:
        """Return (M, categories) for messages with these weights of the edge, without those of the place."""
        if place == self.edge:
            edge = np.ones(edge.shape)
        active = [p for p in sums.places if p != place]
        num_integers = len(self.config.integers)
        mass = np.zeros((len(edge), self.categories(place)))
        beside: dict[tuple[int, ...], FloatArray] = {}  # where the place shows, by what is seen beside it
        for (others, is_shown), alike in self._alike(place, tuple(active)).items():
            share = edge[:, alike] * self.prior[alike]
            told = math.prod((sums.absent[p] for p in active if p not in others), start=np.ones(len(edge)))
            if is_shown:
                for seen, weight in self._seen(others, sums, told * share.sum(axis=1), True):
                    beside[seen] = beside.get(seen, 0.0) + weight
            if not is_shown or self.config.num_hidden:
                unseen = self._seen(others, sums, told, *[False] * is_shown)
                total = (
                    share * np.sum([weight * sums.total(seen) for seen, weight in unseen], axis=0)[:, None]
                )
                if place == self.edge:
                    mass[:, alike] = total
                else:
                    mass[:, num_integers + is_shown] += total.sum(axis=1)
        for seen, weight in beside.items():
            mass[:, :num_integers] += weight[:, None] * sums.without(seen)
        return mass

    def _categories_alike(
        self, place: int, active: tuple[int, ...]
    ) -> dict[tuple[tuple[int, ...], bool], list[int]]:
        """Return the categories of the edge, by the weighted offsets that show and whether the place does."""
        alike: dict[tuple[tuple[int, ...], bool], list[int]] = {}
        for category, column in enumerate(self._columns):
            shown = self._shown[column]
            alike.setdefault((tuple(p for p in active if p in shown), place in shown), []).append(category)
        return alike

    def _seen(
        self, offsets: tuple[int, ...], sums: _Sums, weight: FloatArray, *place: bool
    ) -> Iterator[tuple[tuple[int, ...], FloatArray]]:
        """Yield the sets of the weighted offsets that may be seen, with the weight (M,) of all others hidden.

        `place`: whether one offset more, without weights, is seen, if there is one.
        """
        for size, chance in self._subsets(len(offsets), *place).items():
            for seen in itertools.combinations(offsets, size):
                hidden = (sums.hidden[p] for p in offsets if p not in seen)
                yield seen, math.prod(hidden, start=chance * weight)


def offset_categories(config: GameConfig) -> int:
    """Return the number of things that may stand at an offset: K integers, no cell, perhaps one not seen."""
    return len(config.integers) + 1 + bool(config.num_hidden)


@functools.cache
def _subsets(cells: int, visible: int, number: int, *place: bool) -> Mapping[int, float]:
    """Return the sizes of the sets of weighted offsets that may be seen, with the share of one such set.

    Of the window's cells, `number` are weighted offsets; with `place`, one more is seen, or is not.
    """
    left = cells - number - len(place)
    return {
        size: math.comb(left, visible - size - sum(place)) / math.comb(cells, visible)
        for size in range(number + 1)
        if 0 <= visible - size - sum(place) <= left
    }


def _num_terms(subsets: Mapping[int, float], number: int) -> int:
    """Return the number of partitions of all of these subsets of `number` things."""
    return sum(math.comb(number, size) * _num_partitions(size) for size in subsets)


@functools.cache
def _num_partitions(size: int) -> int:
    """Return the number of partitions of so many things (Bell's numbers)."""
    return sum(math.comb(size - 1, i) * _num_partitions(i) for i in range(size)) if size else 1


class _Sums:
    """Sums of products of weights over distinct integers, divided by the number of choices."""

    def __init__(self, weights: Mapping[int, FloatArray], num_integers: int) -> None:
        self.places = list(weights)
        self.absent = {place: w[:, num_integers].copy() for place, w in weights.items()}
        self.hidden = {place: w[:, -1].copy() for place, w in weights.items()}
        self._weights = {place: w[:, :num_integers] for place, w in weights.items()}
        self._num_integers, self._ones = num_integers, np.ones(num_integers)
        self._totals: dict[tuple[int, ...], FloatArray] = {(): np.ones(1)}
        self._apart: dict[tuple[int, ...], FloatArray] = {(): np.ones((1, num_integers))}

    def total(self, places: tuple[int, ...]) -> FloatArray:
        """Return (M,): the mean weight of the windows at these places, in ascending order."""
        if places not in self._totals:
            self._totals[places] = self._mean(self._at_first(places) @ self._ones, len(places))
        return self._totals[places]

    def without(self, places: tuple[int, ...]) -> FloatArray:
        """Return (M, K): the same, times 1/K, of the windows that show none of them as integer k."""
        return self._mean(self._sums_without(places), len(places) + 1)

    def _mean(self, sums: FloatArray, cells: int) -> FloatArray:
        return np.maximum(sums, _LEAST) / math.perm(self._num_integers, cells)

    def _at_first(self, places: tuple[int, ...]) -> FloatArray:
        """Return (M, K), the sums over the windows with integer k at the first of these places."""
        weights = self._weights[places[0]]
        return weights * self._sums_without(places[1:]) if places[1:] else weights

    def _sums_without(self, places: tuple[int, ...]) -> FloatArray:
        if places not in self._apart:
            at_first = self._at_first(places)
            sums = (at_first @ self._ones)[:, None] - at_first
            for i in range(1, len(places)):
                sums -= self._at_first((places[i], *places[:i], *places[i + 1 :]))
            self._apart[places] = sums
        return self._apart[places]
