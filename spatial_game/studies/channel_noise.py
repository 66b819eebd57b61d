"""A noisy channel: how much does a pair still understand when symbols arrive wrong?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_batches
from spatial_game.game.evaluation import Players, Proportion
from spatial_game.game.seeds import stream
from spatial_game.tables import Column, Table

RATES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True)
class NoiseStudy:
    """A pair's accuracy over a channel that replaces symbols."""

    config: GameConfig
    by_rate: dict[float, Proportion]
    """By the probability with which each symbol is replaced by a random other one."""
    by_slot: tuple[Proportion, ...]
    """With the symbol of one slot replaced, always, and no other."""
    seed: int

    @property
    def signature(self) -> str:
        """Game, episodes, seed and version."""
        trials = self.by_slot[0].trials
        return f"{self.config.signature} | n{trials} | seed {self.seed} | {spatial_game.__version__}"

    @property
    def table(self) -> Table:
        """A row for each rate, then one for each slot."""
        columns = (
            Column("Replaced"),
            Column("Messages intact", ".1%"),
            Column("Accuracy", ".2%"),
            Column("95% interval"),
        )
        length = self.config.message_length
        noisy = [(f"each with {rate:.0%}", (1 - rate) ** length, p) for rate, p in self.by_rate.items()]
        one = [(f"that of slot {slot}", 0.0, part) for slot, part in enumerate(self.by_slot)]
        rows = tuple(
            (name, intact, part.accuracy, "{:.2%} to {:.2%}".format(*part.interval))
            for name, intact, part in [*noisy, *one]
        )
        return Table(columns, rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "by_rate": [{"rate": rate, **part.to_dict()} for rate, part in self.by_rate.items()],
            "by_slot": [part.to_dict() for part in self.by_slot],
            "chance": 1 / self.config.num_candidates,
            "signature": self.signature,
        }


def channel_noise(
    pair: Players, rates: Sequence[float] = RATES, num_episodes: int = 20_000, seed: int = 0
) -> NoiseStudy:
    """Let a pair play its game while each symbol is replaced, with these probabilities, by another one.

    All rates meet the same episodes and the same luck: a symbol that is replaced at some rate is replaced,
    by the same one, at every higher rate. Raises `ValueError` for a rate outside 0..1.
    """
    if num_episodes < 1:
        raise ValueError(f"num_episodes must be at least 1; got {num_episodes}")
    for rate in rates:
        if not 0 <= rate <= 1:
            raise ValueError(f"rates must be in 0..1; got {rate}")
    config = pair.config
    drawn, noise = (np.random.default_rng(seeds) for seeds in stream(seed, "channel noise").spawn(2))
    wins = np.zeros(len(rates) + config.message_length, dtype=np.int64)
    for episodes in draw_batches(config, num_episodes, drawn):
        sent = pair.sender.send(episodes.window)
        other = other_symbols(sent, config.vocab_size, noise)
        luck = noise.random(sent.shape)
        hit = [luck < rate for rate in rates]
        hit += [np.broadcast_to(slot, sent.shape) for slot in np.eye(config.message_length, dtype=bool)]
        for i, where in enumerate(hit):
            heard = np.where(where, other, sent)
            chosen = pair.receiver.choose(heard, episodes.sequence, episodes.candidates)
            wins[i] += np.count_nonzero(chosen == episodes.target_index)
    parts = [Proportion(int(won), num_episodes) for won in wins]
    by_rate = dict(zip(map(float, rates), parts, strict=False))
    return NoiseStudy(config, by_rate, tuple(parts[len(rates) :]), seed)


def other_symbols(messages: IntArray, vocab_size: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """For each symbol of messages (B, T) a uniform one of the others."""
    steps = rng.integers(1, vocab_size, messages.shape, dtype=np.int64)
    return ((messages + steps) % vocab_size).astype(np.int16)
