"""Messages that mean nothing, or nothing that a window shows: every entry that a reader finds is false.

Senders that were never trained are in `trained`, as their networks are those of bundled pairs.
"""

from __future__ import annotations

import numpy as np

from spatial_game.benchmark.corpus import Corpus, meanings_of
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_episodes

GAME = GameConfig()


def random(number: int, rng: np.random.Generator) -> IntArray:
    """Return messages of equally likely symbols."""
    return rng.integers(0, GAME.vocab_size, (number, GAME.message_length))


def markov(number: int, rng: np.random.Generator) -> IntArray:
    """Return messages in which each symbol depends on the one before it, and on nothing else."""
    size = GAME.vocab_size
    steps = rng.dirichlet(np.full(size, 0.1), size).cumsum(axis=1)
    steps[:, -1] = 1.0
    message = [rng.integers(0, size, number)]
    for _ in range(GAME.message_length - 1):
        message.append((rng.random(number)[:, None] > steps[message[-1]]).sum(axis=1))
    return np.column_stack(message)


def window_blind(number: int, rng: np.random.Generator) -> IntArray:
    """Return the messages of a language of 100 words with Zipfian use, which ignores the window."""
    words = rng.integers(0, GAME.vocab_size, (100, GAME.message_length))
    share = 1 / np.arange(1, 101)
    return words[rng.choice(100, number, p=share / share.sum())]


KINDS = {"random": random, "markov": markov, "window-blind": window_blind}


def make(name: str, number: int, rng: np.random.Generator) -> Corpus:
    """Return messages that mean nothing, with the windows of as many episodes."""
    of_messages, of_episodes = rng.spawn(2)
    forms = KINDS[name](number, of_messages).astype(np.int16)
    window = draw_episodes(GAME, number, of_episodes).window
    return Corpus(forms, meanings_of(GAME, window), frozenset(), forms)
