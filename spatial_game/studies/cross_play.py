"""Cross-play: every sender with every receiver. Do strangers understand each other?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_batches
from spatial_game.game.evaluation import Players, Proportion
from spatial_game.game.seeds import stream
from spatial_game.tables import Column, Table, Value


@dataclass(frozen=True)
class CrossPlay:
    """How well each sender (row) is understood by each receiver (column), on the same episodes."""

    names: tuple[str, ...]
    config: GameConfig
    accuracy: tuple[tuple[Proportion, ...], ...]
    same: tuple[tuple[Proportion, ...], ...]
    """Episodes in which two senders say the very same message."""
    seed: int

    @property
    def partners(self) -> list[float]:
        """The accuracies of the pairs themselves: the diagonal."""
        return [row[i].accuracy for i, row in enumerate(self.accuracy)]

    @property
    def strangers(self) -> list[float]:
        """The accuracies of senders with the receivers of other pairs; none with one pair."""
        return [p.accuracy for i, row in enumerate(self.accuracy) for j, p in enumerate(row) if i != j]

    @property
    def signature(self) -> str:
        """Game, episodes, seed and version."""
        trials = self.accuracy[0][0].trials
        return f"{self.config.signature} | n{trials} | seed {self.seed} | {spatial_game.__version__}"

    @property
    def table(self) -> Table:
        """The matrix, a row for each sender."""
        columns = (Column("Sender"), *(Column(name, ".1%") for name in self.names))
        rows: list[tuple[Value, ...]] = [
            (name, *(part.accuracy for part in row))
            for name, row in zip(self.names, self.accuracy, strict=True)
        ]
        return Table(columns, tuple(rows))

    def __str__(self) -> str:
        """In words: how partners and strangers do."""
        said = f"partners {_spread(self.partners)}"
        if self.strangers:
            said += f"; strangers {_spread(self.strangers)}"
        return f"{said}; chance {1 / self.config.num_candidates:.0%}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        strangers = self.strangers
        return {
            "names": list(self.names),
            "game": self.config.signature,
            "accuracy": _as_json(self.accuracy),
            "same_message": _as_json(self.same),
            "partners_mean": fmean(self.partners),
            "strangers_mean": fmean(strangers) if strangers else None,
            "chance": 1 / self.config.num_candidates,
            "signature": self.signature,
        }


def cross_play(
    pairs: Mapping[str, Players],
    num_episodes: int = 4_000,
    seed: int = 0,
    config: GameConfig | None = None,
) -> CrossPlay:
    """Let every sender speak to every receiver, in the same fresh episodes.

    `config` (default: the pairs' game, where all have the same) must suit all pairs. Raises `ValueError`
    without pairs, for pairs of different games without a config, and for a pair that cannot play it.
    """
    config = config or shared_game(pair.config for pair in pairs.values())
    if num_episodes < 1:
        raise ValueError(f"num_episodes must be at least 1; got {num_episodes}")
    for name, pair in pairs.items():
        fault = pair.config.incompatibility(config)
        if fault:
            raise ValueError(f"{name} must suit the game {config.signature}: {fault}")
    size = len(pairs)
    won, same = np.zeros((size, size), dtype=np.int64), np.zeros((size, size), dtype=np.int64)
    for episodes in draw_batches(config, num_episodes, np.random.default_rng(stream(seed, "cross-play"))):
        sent = [pair.sender.send(episodes.window) for pair in pairs.values()]
        for i, messages in enumerate(sent):
            for j, pair in enumerate(pairs.values()):
                chosen = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
                won[i, j] += np.count_nonzero(chosen == episodes.target_index)
                same[i, j] += np.count_nonzero((messages == sent[j]).all(axis=1))
    return CrossPlay(tuple(pairs), config, _shares(won, num_episodes), _shares(same, num_episodes), seed)


def shared_game(configs: Iterable[GameConfig]) -> GameConfig:
    """The one game that all these are. Raises `ValueError` where they differ, or there are none."""
    games = list(dict.fromkeys(configs))
    if len(games) != 1:
        found = "; ".join(game.signature for game in games) or "none"
        raise ValueError(f"pairs must be of one game, or the game be given; got {found}")
    return games[0]


def _shares(counts: np.ndarray[Any, np.dtype[np.int64]], trials: int) -> tuple[tuple[Proportion, ...], ...]:
    return tuple(tuple(Proportion(wins, trials) for wins in row) for row in counts.tolist())


def _as_json(rows: tuple[tuple[Proportion, ...], ...]) -> list[list[dict[str, Any]]]:
    return [[part.to_dict() for part in row] for row in rows]


def _spread(values: list[float]) -> str:
    return f"{fmean(values):.1%} ({min(values):.1%} to {max(values):.1%})"
