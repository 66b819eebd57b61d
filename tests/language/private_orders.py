"""Senders with a known order of the integers, and small models made at random."""

from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes, mask_columns
from spatial_game.game.policies import RandomReceiver
from spatial_game.language.additive.model import AdditiveModel, num_values
from spatial_game.language.additive.prefixes import slots_of
from spatial_game.recording import record


@dataclass
class PrivateOrder:
    """A sender that adds value * weight over the places, and names the bin of each sum by a symbol."""

    config: GameConfig
    values: np.ndarray  # (K,)
    weights: np.ndarray  # (W, S)
    symbols: np.ndarray  # (S, bins), the name of each bin
    borders: np.ndarray  # (S, bins - 1)
    noise: float
    rng: np.random.Generator

    def send(self, window):
        shown = np.where(window < 0, 0.0, self.values[np.maximum(window, 0)])
        scores = shown @ self.weights + (mask_columns(window) - 2)[:, None] * 0.3
        bins = [np.searchsorted(b, z) for b, z in zip(self.borders, scores.T, strict=True)]
        message = np.stack([names[b] for names, b in zip(self.symbols, bins, strict=True)], axis=1)
        wrong = self.rng.random(message.shape) < self.noise
        return np.where(wrong, self.rng.integers(0, self.config.vocab_size, message.shape), message)


def private_order(seed, scores, noise, bins=10):
    """Return a sender with an order of its own, and a recording of 40,000 of its episodes."""
    config = GameConfig(30, window_radius=2, vocab_size=12, message_length=scores)
    rng = np.random.default_rng(seed)
    values = rng.permutation(np.linspace(-1.7, 1.7, 30))
    weights = rng.normal(size=(5, scores)) + np.eye(5)[:, :scores]
    symbols = np.stack([rng.permutation(12)[:bins] for _ in range(scores)])
    spread = np.sqrt((weights**2).sum(axis=0))[:, None]
    borders = np.linspace(-1.3, 1.3, bins - 1) * spread
    return PrivateOrder(config, values, weights, symbols, borders, noise, rng)


def recorded(sender, config, size, seed=1):
    rng = np.random.default_rng(seed)
    return record(sender, RandomReceiver(config, rng), draw_episodes(config, size, rng), config)


def random_model(seed, config=None, values=2, scores=4, messages=12):
    """Return a model with random numbers, all multiples of 1/8."""
    rng = np.random.default_rng(seed)
    config = config or GameConfig(9, window_radius=1, num_distractors=2, vocab_size=4, message_length=3)
    chosen = rng.choice(config.vocab_size**config.message_length, messages, replace=False)
    powers = config.vocab_size ** np.arange(config.message_length - 1, -1, -1)
    known = (np.sort(chosen)[:, None] // powers % config.vocab_size).astype(np.int16)
    sizes = [len(slot.symbols) for slot in slots_of(known)]

    def drawn(*shape):
        return np.rint(8 * rng.normal(size=shape)) / 8

    shape = (values, config.window_size, scores)
    slopes, heights = [drawn(n, scores) for n in sizes], [drawn(n) for n in sizes]
    names = ["values", "weights", "edges"]
    names += [f"{kind} {slot}" for slot in range(len(sizes)) for kind in ("slopes", "heights")]
    return AdditiveModel(
        config,
        known,
        rng.integers(1, 50, messages),
        drawn(values, num_values(config)),
        drawn(*shape),
        drawn(*shape[1:]),
        tuple(slopes),
        tuple(heights),
        0.03125,
        dict.fromkeys(names, 0.125),
    )
