"""Cross-play of every sender with every receiver: do strangers understand each other?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_batches
from spatial_game.game.evaluation import AgentPair, Proportion
from spatial_game.game.seeds import stream
from spatial_game.studies.study import Study, count_wins, require_episodes
from spatial_game.tables import Column, Table, spread

Matrix = tuple[tuple[Proportion, ...], ...]
"""A row for each sender, a column for each receiver."""


@dataclass(frozen=True)
class CrossPlay(Study):
    """How well each receiver (column) understands each sender (row), on the same episodes."""

    names: tuple[str, ...]
    config: GameConfig
    accuracy: Matrix
    same: Matrix
    """Episodes in which two senders send the same message."""
    seed: int

    @property
    def partners(self) -> list[float]:
        """The accuracies of the pairs: the diagonal."""
        return [row[i].accuracy for i, row in enumerate(self.accuracy)]

    @property
    def strangers(self) -> list[float]:
        """The accuracies of senders with the receivers of other pairs; none with one pair."""
        return [p.accuracy for i, row in enumerate(self.accuracy) for j, p in enumerate(row) if i != j]

    @property
    def size(self) -> str:
        """The number of episodes."""
        return f"n{self.accuracy[0][0].trials}"

    @property
    def table(self) -> Table:
        """The matrix, a row for each sender."""
        columns = (Column("Sender"), *(Column(name, ".1%") for name in self.names))
        rows = zip(self.names, self.accuracy, strict=True)
        return Table(columns, tuple((name, *(part.accuracy for part in row)) for name, row in rows))

    def __str__(self) -> str:
        """Accuracies of partners and strangers, and chance."""
        groups = {"partners": self.partners, "strangers": self.strangers}
        said = [f"{who} {spread(fmean(v), min(v), max(v))}" for who, v in groups.items() if v]
        return "; ".join([*said, f"chance {self.chance:.0%}"])

    def results(self) -> dict[str, Any]:
        """Return the matrices, the means of partners and of strangers, and chance."""
        return {
            "names": list(self.names),
            "game": self.config.signature,
            "accuracy": _as_json(self.accuracy),
            "same_message": _as_json(self.same),
            "partners_mean": fmean(self.partners),
            "strangers_mean": fmean(self.strangers) if self.strangers else None,
            "chance": self.chance,
        }


def cross_play(
    pairs: Mapping[str, AgentPair],
    num_episodes: int = 4_000,
    seed: int = 0,
    config: GameConfig | None = None,
) -> CrossPlay:
    """Let every sender speak to every receiver, in the same fresh episodes.

    `config` (default: the pairs' game, if all have the same) must suit all pairs. Raises `ValueError` without
    pairs, for pairs of different games without a config, and for a pair that cannot play it.
    """
    require_episodes(num_episodes)
    config = config or shared_game(pair.config for pair in pairs.values())
    for name, pair in pairs.items():
        fault = pair.config.incompatibility(config)
        if fault:
            raise ValueError(f"{name} must suit the game {config.signature}: {fault}")
    won, same = np.zeros((2, len(pairs), len(pairs)), dtype=np.int64)
    for episodes in draw_batches(config, num_episodes, np.random.default_rng(stream(seed, "cross-play"))):
        sent = [pair.sender.send(episodes.window) for pair in pairs.values()]
        for i, messages in enumerate(sent):
            for j, pair in enumerate(pairs.values()):
                won[i, j] += count_wins(pair.receiver, messages, episodes)
                same[i, j] += np.count_nonzero((messages == sent[j]).all(axis=1))
    accuracy, equal = (
        tuple(tuple(Proportion(count, num_episodes) for count in row) for row in counts.tolist())
        for counts in (won, same)
    )
    return CrossPlay(tuple(pairs), config, accuracy, equal, seed)


def shared_game(configs: Iterable[GameConfig]) -> GameConfig:
    """Return the game of all these configs. Raises `ValueError` if they differ, or if there are none."""
    games = list(dict.fromkeys(configs))
    if len(games) != 1:
        found = "; ".join(game.signature for game in games) or "none"
        raise ValueError(f"pairs must be of one game, or the game be given; got {found}")
    return games[0]


def _as_json(matrix: Matrix) -> list[list[dict[str, Any]]]:
    return [[part.to_dict() for part in row] for row in matrix]
