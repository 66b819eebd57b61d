"""Agents on sequences that are shorter than in training: the paper's table 7.

The paper shortens sequences by 5, 10, 20 or 40 to n integers and keeps the integers 0..n-1, so both the
length and the integers change. With `integers="any"`, only the length changes: a sequence is then a random
choice of all integers.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Agents
from spatial_game.game.seeds import random_stream
from spatial_game.proportions import Proportion, interval_of_difference
from spatial_game.studies.study import ACCURACY, Study, accuracy_cells
from spatial_game.tables import Table
from spatial_game.text import between

SHORTER = (0, 5, 10, 20, 40)
"""The numbers of integers by which the paper shortens sequences."""

KeptIntegers = Literal["first", "any"]


def other_lengths(
    agents: Agents, num_episodes: int = 20_000, seed: int = 0, integers: KeptIntegers = "first"
) -> Study:
    """Let agents play their game on shortened sequences, with the same number of candidates.

    Each length has its own episodes; lengths too short for the window or the candidates are left out.
    `integers`: the "first" ones, as in the paper, or "any".
    """
    accuracy = accuracy_by_length(agents, num_episodes, seed, integers)
    whole, rows, by_length = accuracy[0], [], {}
    for less, part in accuracy.items():
        change = part.accuracy - whole.accuracy
        ends = interval_of_difference(part.accuracy, part.interval, whole.accuracy, whole.interval)
        cells = (change, between(ends, "+.2pp")) if less else (None, None)
        rows.append((less, agents.config.sequence_length - less, *accuracy_cells(part), *cells))
        by_length[str(less)] = {**part.to_dict(), "difference": change}
        by_length[str(less)]["difference_interval"] = ends if less else None
    heading = f"Shortened by :d | Length :d | {ACCURACY} | Difference :+.2pp | 95% interval of it"
    results = {"integers": integers, "shortened_by": by_length}
    return Study(agents.config, f"n{num_episodes}", seed, Table.of(heading, rows), results)


def other_lengths_of_any_integers(agents: Agents, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Shorten sequences, but not the range of the integers: `other_lengths` with `integers="any"`."""
    return other_lengths(agents, num_episodes, seed, "any")


def accuracy_by_length(
    agents: Agents, num_episodes: int, seed: int, integers: KeptIntegers
) -> dict[int, Proportion]:
    """Return the accuracy by the number of integers that are left out: see `other_lengths`."""
    if integers not in ("first", "any"):
        raise UserError(f"integers must be first or any; got {integers!r}")
    accuracy = {}
    for less in SHORTER:
        game = shorter_game(agents.config, less, integers)
        if game is not None:
            rng = np.random.default_rng(random_stream(seed, f"length {less}"))
            in_game = Agents(agents.sender, agents.receiver, game)
            accuracy[less] = evaluate_agents(in_game, num_episodes, rng).overall
    return accuracy


def shorter_game(config: GameConfig, less: int, integers: KeptIntegers = "first") -> GameConfig | None:
    """Return the game on sequences shorter by `less`; None if window or candidates would not fit."""
    if len(config.shape) > 1:
        raise UserError(f"shape must have one axis to be shortened; got {config.shape}")
    length = config.sequence_length - less
    if length < max(config.window_size, config.num_candidates):
        return None
    fewer = config.num_integers if integers == "any" else config.num_integers - less
    return config.changed(sequence_length=length, num_integers=fewer)
