"""What a reader believes of the window who knows the message and a dictionary, and nothing else: the model q.

A window has *places*: one for each offset, and one for the edge. At an offset stands one of K integers, or
no cell at all (category K); at the edge, one of W mask columns. The entries of a dictionary weight the
categories of a place; q is the game's own distribution of windows times these weights, normalised for each
message:

    q(window | message)  ~  q0(window) * product over the places of weight[message, place, category]

Integers do not repeat in a window, so the places are not independent. The sums over all windows without
repetition are exact, by inclusion and exclusion over the partitions of the weighted offsets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.columns import edge_prior, middle_column

FloatArray = npt.NDArray[np.float64]

MOST_ACTIVE = 5
"""Weighted offsets that one window can show at the same time: six would need 203 partitions."""
_ROWS = 2048  # messages at a time, so that intermediate tables stay small
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
        self._offset_numbers = offset_numbers(config).tolist()
        self.weights: list[FloatArray | None] = [None] * (len(config.offsets) + 1)
        self.edge = len(config.offsets)

    def categories(self, place: int) -> int:
        """Return the number of categories of a place: W for the edge, K + 1 for an offset."""
        return self.config.window_size if place == self.edge else len(self.config.integers) + 1

    def can_activate(self, place: int) -> bool:
        """Return whether a place may be weighted: no window may then show more than `MOST_ACTIVE` of them."""
        active = {p for p, w in enumerate(self.weights[:-1]) if w is not None} | {place}
        return all(len(active & set(self._shown(column))) <= MOST_ACTIVE for column in self._columns)

    def around(self, place: int) -> FloatArray:
        """Return (M, categories): the mass of the windows with each category, by the other places."""
        blocks = [self._around(place, rows) for rows in self._blocks()]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.categories(place)))

    def masses(self) -> FloatArray:
        """Return (M, W): the mass of the windows of each mask column; its sum over the columns is Z."""
        edge = self.weights[self.edge]
        around = self.around(self.edge)
        return around if edge is None else around * edge

    def _blocks(self) -> Iterator[slice]:
        for start in range(0, self.num_messages, _ROWS):
            yield slice(start, min(start + _ROWS, self.num_messages))

    def _shown(self, column: int) -> list[int]:
        """Return the places of the offsets that a window with its mask in this column shows."""
        return [number for number in self._offset_numbers[column] if number >= 0]

    def _around(self, place: int, rows: slice) -> FloatArray:
        size, num_integers = rows.stop - rows.start, len(self.config.integers)
        mass = np.zeros((size, self.categories(place)))
        active = {p: w[rows] for p, w in enumerate(self.weights[:-1]) if w is not None and p != place}
        edge = None if place == self.edge else self.weights[self.edge]
        sums = _Sums(active, num_integers)
        for category, (column, share) in enumerate(zip(self._columns, self.prior, strict=True)):
            here = np.full(size, share) if edge is None else share * edge[rows, category]
            shown = self._shown(column)
            for absent in active.keys() - set(shown):
                here = here * active[absent][:, num_integers]
            others = [p for p in shown if p in active]
            if place == self.edge:
                mass[:, category] = here * sums.total(others)
            elif place in shown:
                mass[:, :num_integers] += here[:, None] * sums.without(others)
            else:
                mass[:, num_integers] += here * sums.total(others)
        return np.maximum(mass, 0.0)


class _Sums:
    """Sums of products of weights over distinct integers, divided by the number of choices."""

    def __init__(self, weights: dict[int, FloatArray], num_integers: int) -> None:
        self._weights = {place: w[:, :num_integers] for place, w in weights.items()}
        self._num_integers = num_integers
        self._products: dict[tuple[int, ...], tuple[FloatArray, FloatArray]] = {}
        self._found: dict[tuple[bool, tuple[int, ...]], FloatArray] = {}

    def total(self, places: Sequence[int]) -> FloatArray:
        """Return (M,): the mean weight of the windows at these places."""
        if not places:
            return np.ones(1)
        return self._sum(tuple(sorted(places)), without=False)

    def without(self, places: Sequence[int]) -> FloatArray:
        """Return (M, K): the same, times 1/K, of the windows that show none of them as integer k."""
        if not places:
            return np.full((1, self._num_integers), 1 / self._num_integers)
        return self._sum(tuple(sorted(places)), without=True)

    def _sum(self, places: tuple[int, ...], *, without: bool) -> FloatArray:
        if (without, places) not in self._found:
            total: FloatArray = np.zeros(1)
            for sign, groups in _partitions(len(places)):
                term: FloatArray = np.full(1, float(sign))
                for group in groups:
                    product, summed = self._product(tuple(places[i] for i in group))
                    term = term * (summed[:, None] - product if without else summed)
                total = total + term
            choices = math.perm(self._num_integers, len(places) + without)
            self._found[without, places] = np.maximum(total, _LEAST) / choices
        return self._found[without, places]

    def _product(self, places: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        """Return (M, K), the product of the weights at these places, and its sums (M,)."""
        if places not in self._products:
            first, rest = places[:1], places[1:]
            product = self._weights[first[0]]
            if rest:
                product = product * self._product(rest)[0]
            self._products[places] = product, product.sum(axis=1)
        return self._products[places]


def _partitions(size: int) -> list[tuple[int, list[tuple[int, ...]]]]:
    """Return the partitions of `size` things, each with the sign and size of its term."""
    if size not in _PARTITIONS:
        _PARTITIONS[size] = [
            (math.prod((-1) ** (len(g) - 1) * math.factorial(len(g) - 1) for g in groups), groups)
            for groups in _set_partitions(tuple(range(size)))
        ]
    return _PARTITIONS[size]


_PARTITIONS: dict[int, list[tuple[int, list[tuple[int, ...]]]]] = {}


def _set_partitions(things: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not things:
        yield []
        return
    first, rest = things[0], things[1:]
    for groups in _set_partitions(rest):
        for i, group in enumerate(groups):
            yield [*groups[:i], (first, *group), *groups[i + 1 :]]
        yield [(first,), *groups]
