"""Generalisation: (integer, offset) combinations that a pair never saw, and how well it speaks of them.

`held_out` chooses combinations such as *22 at -1*. A training that holds them out learns only from episodes
whose window shows none of them; every integer, and every offset, is still seen. `held_out_study` then asks
for them: in arranged episodes whose windows show a given number of them, up to all of their cells.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.episodes import MASK, Episodes, IntArray, derive, draw_batches
from spatial_game.evaluation import Players
from spatial_game.proportion import Proportion
from spatial_game.report import Column, Table
from spatial_game.seeds import stream

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Combinations of integers and offsets that a training leaves out."""

    config: GameConfig
    cells: Mask  # (offsets, integers), whether integer k at config.offsets[o] is left out

    def __post_init__(self) -> None:
        shape = (len(self.config.offsets), len(self.config.integers))
        if self.cells.shape != shape or self.cells.dtype != np.bool_:
            raise ValueError(
                f"cells must be booleans of shape {shape}; got {self.cells.dtype} {self.cells.shape}"
            )

    @property
    def combinations(self) -> list[tuple[int, int]]:
        """(integer, offset), in order of the offsets."""
        found = np.argwhere(self.cells).tolist()
        return [(value, self.config.offsets[place]) for place, value in found]

    @property
    def by_mask_column(self) -> Mask:
        """(W, W, integers), whether an integer in a cell of the window is left out, by the mask's column.

        Nothing is at the mask itself. The form in which a training looks it up.
        """
        table = np.zeros((self.config.window_size,) * 2 + (len(self.config.integers),), dtype=bool)
        for mask, cell in np.ndindex(table.shape[:2]):
            if cell != mask:
                table[mask, cell] = self.cells[self.config.offsets.index(cell - mask)]
        return table

    def number(self, window: IntArray) -> npt.NDArray[np.int64]:
        """How many of them each window (B, W) shows, (B,)."""
        mask = (window == MASK).argmax(axis=1)[:, None]
        shown = self.by_mask_column[mask, np.arange(window.shape[1]), np.maximum(window, 0)]
        return np.asarray(np.count_nonzero(shown, axis=1), dtype=np.int64)

    def shows(self, window: IntArray) -> Mask:
        """Whether windows (B, W) show any of them, (B,): episodes that a training leaves out."""
        return np.asarray(self.number(window) > 0)


def held_out(config: GameConfig, fraction: float, seed: int, apart_from: HeldOut | None = None) -> HeldOut:
    """Choose this share of the integers, at random, for each offset by itself; from the seed's own stream.

    `apart_from`: choose others than these, for a control. Raises `ValueError` unless the share is above 0
    and below 1 and leaves at least a window of integers at each offset.
    """
    number = len(config.integers)
    chosen = round(fraction * number)
    if not 0 < fraction < 1 or chosen == 0 or number - chosen < config.window_size:
        raise ValueError(
            "fraction must be above 0 and below 1 and leave at least a window of integers at each offset; "
            f"got {fraction} of {number} integers"
        )
    rng = np.random.default_rng(stream(seed, "held out" if apart_from is None else "held out: control"))
    keys = rng.random((len(config.offsets), number))
    if apart_from is not None:
        keys = np.where(apart_from.cells, np.inf, keys)
        if np.isfinite(keys).sum(axis=1).min() < chosen:
            raise ValueError(f"fraction must leave as many others for a control; got {fraction}")
    cells = np.zeros(keys.shape, dtype=bool)
    np.put_along_axis(cells, np.argsort(keys, axis=1)[:, :chosen], True, axis=1)
    return HeldOut(config, cells)


@dataclass(frozen=True)
class HeldOutStudy:
    """Accuracy by how many combinations of a kind a window shows, 0 to 2r."""

    config: GameConfig
    combinations: int
    held_out: tuple[Proportion, ...]
    """By the number of combinations shown that training left out; the other cells show ones that it had."""
    control: tuple[Proportion, ...]
    """The same with combinations, as many, that training had."""
    fraction: float
    seed: int

    @property
    def signature(self) -> str:
        """Game, share left out, episodes, seed and version."""
        size = f"held out {self.fraction:g} | n{self.held_out[0].trials}"
        return f"{self.config.signature} | {size} | seed {self.seed} | {spatial_game.__version__}"

    @property
    def table(self) -> Table:
        """A row for each number of combinations."""
        columns = (
            Column("Cells of the window from the set", "d"),
            Column("Never seen in training", ".2%"),
            Column("95% interval"),
            Column("Control: seen in training", ".2%"),
            Column("95% interval (control)"),
        )
        rows = (
            (number, a.accuracy, _interval(a), b.accuracy, _interval(b))
            for number, (a, b) in enumerate(zip(self.held_out, self.control, strict=True))
        )
        return Table(columns, tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "fraction": self.fraction,
            "combinations": self.combinations,
            "held_out": [part.to_dict() for part in self.held_out],
            "control": [part.to_dict() for part in self.control],
            "chance": 1 / self.config.num_candidates,
            "signature": self.signature,
        }


def held_out_study(
    pair: Players, fraction: float, training_seed: int, num_episodes: int = 20_000, seed: int = 0
) -> HeldOutStudy:
    """Let a pair play windows that show 0, 1, ... 2r combinations of `held_out(config, fraction, seed)`.

    `training_seed` is that of the training which left them out. Beside it stands the same of as many other
    combinations: what is lost there is the arranging, not the novelty.
    """
    if num_episodes < 1:
        raise ValueError(f"num_episodes must be at least 1; got {num_episodes}")
    never = held_out(pair.config, fraction, training_seed)
    seen = held_out(pair.config, fraction, training_seed, apart_from=never)
    by_number = [
        [_played(pair, chosen, never, number, num_episodes, seed) for number in _numbers(pair.config)]
        for chosen in (never, seen)
    ]
    return HeldOutStudy(
        pair.config, int(never.cells.sum()), tuple(by_number[0]), tuple(by_number[1]), fraction, seed
    )


def _numbers(config: GameConfig) -> range:
    """How many cells beside the target a window may show of a set."""
    return range(2 * config.window_radius + 1)


def _played(
    pair: Players, chosen: HeldOut, never: HeldOut, number: int, num_episodes: int, seed: int
) -> Proportion:
    seeds = stream(seed, "held-out study").spawn(2)
    drawn, placing = (np.random.default_rng(each) for each in seeds)
    wins = plays = 0
    others = dataclasses.replace(chosen, cells=~(chosen.cells | never.cells))
    for ordinary in draw_batches(pair.config, num_episodes, drawn):
        episodes = arrange(ordinary, chosen, others, number, placing)
        messages = pair.sender.send(episodes.window)
        choices = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
        wins += int(np.count_nonzero(choices == episodes.target_index))
        plays += len(episodes)
    return Proportion(wins, plays)


def arrange(
    episodes: Episodes, chosen: HeldOut, others: HeldOut, number: int, rng: np.random.Generator
) -> Episodes:
    """Episodes whose windows show `number` combinations of `chosen`, in random cells, and else of `others`.

    Integers change places, and nothing else: the target and the candidates' places stay what they were. An
    episode in which a cell finds no integer left is dropped: rare, unless there are few of them.
    """
    config = chosen.config
    size, width = episodes.window.shape
    mask = episodes.mask_column.astype(np.intp)
    start = episodes.target_position.astype(np.intp) - mask
    rank = rng.random((size, width))
    rank[np.arange(size), mask] = np.inf
    from_chosen = rank.argsort(axis=1).argsort(axis=1) < number
    tables = np.stack([others.by_mask_column, chosen.by_mask_column])
    sequence = episodes.sequence.copy()
    free = np.ones((size, len(config.integers)), dtype=bool)
    free[np.arange(size), episodes.target] = False
    arranged = np.ones(size, dtype=bool)
    # The chosen come first: where they are few, they must find their integers free.
    order = rank.argsort(axis=1)
    for cell in order[:, : width - 1].T:
        rows = np.arange(size)
        fitting = tables[from_chosen[rows, cell].astype(np.intp), mask, cell] & free
        arranged &= fitting.any(axis=1)
        value = np.where(fitting, rng.random(fitting.shape), -1.0).argmax(axis=1)
        free[rows, value] = False
        _swap_in(sequence, start + cell, value)
    positions = (episodes.sequence[:, None, :] == episodes.candidates[:, :, None]).argmax(axis=2)
    kept = positions[arranged]
    return derive(config, sequence[arranged], kept, episodes.target_index[arranged])


def _swap_in(sequence: IntArray, place: npt.NDArray[np.intp], value: npt.NDArray[np.intp]) -> None:
    """Bring integers to their places, each by changing places with what stands there."""
    rows = np.arange(len(sequence))
    there = sequence == value[:, None]
    present = np.flatnonzero(there.any(axis=1))  # a sequence shorter than num_integers may lack it
    sequence[present, there[present].argmax(axis=1)] = sequence[present, place[present]]
    sequence[rows, place] = value


def _interval(part: Proportion) -> str:
    return "{:.2%} to {:.2%}".format(*part.interval)
