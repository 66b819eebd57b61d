"""Trained languages, of which nobody knows the dictionary, and languages of pairs before training.

Bundled pairs are offered by installed packages, such as `spatial_agents`.
"""

from __future__ import annotations

import numpy as np

from spatial_game.benchmark.corpus import Corpus, meanings_of
from spatial_game.envs.pairs import bundled_names, find_pair, find_untrained
from spatial_game.game.episodes import draw_episodes

ASKED = 4_000
"""Episodes in which a dictionary plays; its reader does not see them."""
PAIRS = {
    "embed-60": 16,
    "paper-60": 16,
    "local-60": 16,
    "landmark-60": 3,
    "product-60": 3,
    "paper-20": 1,
    "grid-8x8": 3,
    "grid-4x4x4": 3,
    "seen-60": 4,
    "seen-8x8": 3,
}
"""The bundled pairs, and how many there are of each name."""
QUICK = ("embed-60/0", "landmark-60/0", "paper-20/0")
UNTRAINED = ("untrained-embed-60", "untrained-paper-60")


def missing() -> list[str]:
    """Return the names of the bundled pairs that no installed package offers."""
    offered = bundled_names()
    return [name for name in PAIRS if name not in offered]


def make(name: str, number: int, rng: np.random.Generator) -> Corpus:
    """Return the messages of a trained pair, such as embed-60/0, with the pair and episodes to play."""
    pair = find_pair(name)
    of_corpus, of_play = rng.spawn(2)
    window = draw_episodes(pair.config, number, of_corpus).window
    asked = draw_episodes(pair.config, ASKED, of_play)
    return Corpus(pair.sender.send(window), meanings_of(pair.config, window), pair=pair, asked=asked)


def make_untrained(name: str, number: int, rng: np.random.Generator) -> Corpus:
    """Return the messages of a pair before training: every entry that a reader finds there is false."""
    of_weights, of_episodes = rng.spawn(2)
    pair = find_untrained(name.removeprefix("untrained-"), int(of_weights.integers(1 << 31)))
    window = draw_episodes(pair.config, number, of_episodes).window
    forms = pair.sender.send(window)
    return Corpus(forms, meanings_of(pair.config, window), frozenset(), forms)
