"""A noisy channel: how often does a receiver understand messages with wrong symbols?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_batches
from spatial_game.game.evaluation import AgentPair, Proportion
from spatial_game.game.seeds import stream
from spatial_game.studies.study import ACCURACY, Study, accuracy_cells, count_wins, require_episodes
from spatial_game.tables import Table

RATES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True)
class NoiseStudy(Study):
    """A pair's accuracy over a channel that replaces symbols."""

    config: GameConfig
    by_rate: dict[float, Proportion]
    """By the probability that another random symbol replaces each symbol."""
    by_slot: tuple[Proportion, ...]
    """With only the symbol of one slot replaced, always."""
    seed: int

    @property
    def size(self) -> str:
        """The number of episodes."""
        return f"n{self.by_slot[0].trials}"

    @property
    def table(self) -> Table:
        """A row for each rate, then one for each slot."""
        length = self.config.message_length
        noisy = [(f"each with {rate:.0%}", (1 - rate) ** length, p) for rate, p in self.by_rate.items()]
        one = [(f"that of slot {slot}", 0.0, part) for slot, part in enumerate(self.by_slot)]
        rows = ((what, whole, *accuracy_cells(part)) for what, whole, part in [*noisy, *one])
        return Table.of(f"Replaced | Messages intact :.1% | {ACCURACY}", rows)

    def results(self) -> dict[str, Any]:
        """The accuracies by rate and by slot, and chance."""
        return {
            "by_rate": [{"rate": rate, **part.to_dict()} for rate, part in self.by_rate.items()],
            "by_slot": [part.to_dict() for part in self.by_slot],
            "chance": self.chance,
        }


def channel_noise(
    pair: AgentPair, rates: Sequence[float] = RATES, num_episodes: int = 20_000, seed: int = 0
) -> NoiseStudy:
    """Let a pair play its game while other symbols replace each symbol with these probabilities.

    All rates use the same episodes and the same random numbers: if a symbol is replaced at one rate, the same
    symbol replaces it at every higher rate. Raises `ValueError` for a rate outside 0..1.
    """
    require_episodes(num_episodes)
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
        wins += [count_wins(pair.receiver, np.where(where, other, sent), episodes) for where in hit]
    parts = [Proportion(won, num_episodes) for won in wins.tolist()]
    by_rate = dict(zip(map(float, rates), parts, strict=False))
    return NoiseStudy(config, by_rate, tuple(parts[len(rates) :]), seed)


def other_symbols(messages: IntArray, vocab_size: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return a random other symbol for each symbol of messages (B, T)."""
    steps = rng.integers(1, vocab_size, messages.shape, dtype=np.int64)
    return ((messages + steps) % vocab_size).astype(np.int16)
