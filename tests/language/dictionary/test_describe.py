"""From counts to rules."""

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary import describe as module
from spatial_game.language.dictionary.describe import describe
from spatial_game.language.known import LANGUAGES
from spatial_game.recording import record


def test_only_promising_compositions_are_followed(monkeypatch):
    config = GameConfig(20)
    language = LANGUAGES["compositional"](config, np.random.default_rng(0))
    counts = count(record(language, None, draw_episodes(config, 50_000, np.random.default_rng(1)), config))
    assert describe(counts).composition is not None
    monkeypatch.setattr(module, "LEAST_COMPOSED", 1.0)  # words and offsets alone leave the edges unsaid
    assert describe(counts).composition is None
