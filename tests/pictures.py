"""Episodes and lexicons that the tests of pictures share."""

from __future__ import annotations

from typing import Any

import numpy as np
from lexicons import entry, lexicon_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.scene import Scene
from spatial_game.language import Lexicon
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.meaning import Meaning


def lexicon(config: GameConfig, *entries: Entry) -> Lexicon:
    return lexicon_of(config, entries)


def scene(seed: int = 7, message: Any = (3, 11, 0), choice: str | None = None, **game: Any) -> Scene:
    """An episode of the seed, with a choice that is right or wrong, or none yet."""
    config = GameConfig(**game)
    episode = draw_episodes(config, 1, np.random.default_rng(seed))
    target = int(episode.target_index[0])
    chosen = {None: None, "right": target, "wrong": (target + 1) % config.num_candidates}[choice]
    return Scene(config, episode, np.array(message), chosen)


SIXTY = GameConfig()
WORDS = lexicon(SIXTY, entry((3, 11, 0), 0, Meaning(-1, (51,))))
