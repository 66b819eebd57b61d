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
from spatial_game.game.episodes import Episodes, IntArray, derive, draw_batches
from spatial_game.game.evaluation import Players, Proportion
from spatial_game.game.held_out import HeldOut, held_out
from spatial_game.game.seeds import stream
from spatial_game.tables import Column, Table


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
