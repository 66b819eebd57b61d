"""Every kind of agent learns a small game: most of these train for half a minute or so."""

import json

import pytest

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game.config import GameConfig

SMALL = GameConfig.small()
GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
LONG = {"hidden_size": 32, "steps": 3000, "batch_size": 64, "learning_rate": 5e-3}
QUICK = {"steps": 40, "batch_size": 128, "hidden_size": 16, "learning_rate": 0.03}

KINDS = {
    "scalars": {"inputs": "scalars"},
    "embedding": {"inputs": "embedding", "entropy_bonus": 0.0},
    "one-hot": {"inputs": "one-hot", "learning_rate": 0.02},
    "straight-through": {"inputs": "embedding", "straight_through": True},
    "fixed samples": {"recipe": "paper", "inputs": "embedding", "fixed_samples": 20_000},
    "local": {"recipe": "local"},
    "landmark": {"recipe": "landmark"},
}
CASES = [pytest.param(SMALL, LONG | kind, id=name, marks=pytest.mark.slow) for name, kind in KINDS.items()]
CASES += [
    pytest.param(GRID, {"recipe": "local", "steps": 30}, id="grid, local", marks=pytest.mark.slow),
    # GRUs read a grid row by row, and begin with grids as small as the window.
    pytest.param(GRID, QUICK | KINDS["embedding"], id="grid, GRUs"),
]


@pytest.mark.parametrize(("game", "recipe"), CASES)
def test_every_kind_of_agent_learns_a_small_game(tmp_path, game, recipe):
    options = TrainOptions(game, Recipe(**recipe), out=tmp_path / "run", evaluation_episodes=1000)
    [folder] = train(options)
    result = json.loads((folder / "card.json").read_text())["evaluation"]
    assert result["low"] > result["chance"] * (1.2 if game == SMALL else 1)
