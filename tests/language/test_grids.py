"""What the analyser says of games that it cannot read."""

from __future__ import annotations

import re

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.language import count
from spatial_game.language.measures import all_measures
from spatial_game.recording import record


@pytest.mark.parametrize("game", [GameConfig(num_visible=1), GameConfig(shape=(3, 4), window_radius=1)])
def test_grids_and_hidden_cells_are_refused_in_one_line(game: GameConfig) -> None:
    recording = record(OracleSender(game), None, draw_episodes(game, 500, np.random.default_rng(0)), game)
    said = f"seen in full; got {re.escape(game.signature)}$"
    with pytest.raises(ValueError, match=said):
        count(recording)
    with pytest.raises(ValueError, match=said):
        all_measures(recording, np.random.default_rng(0))
