"""Every kind of agent learns a small game: each of these trains for half a minute or so."""

import csv
import json

import pytest

from spatial_agents.pairs.pair import load_pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import first_length
from spatial_game.config import GameConfig

SMALL = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)

KINDS = {
    "scalars": {"inputs": "scalars"},
    "embedding": {"inputs": "embedding"},
    "one-hot": {"inputs": "one-hot"},
    "straight-through": {"inputs": "embedding", "straight_through": True},
    "fixed samples": {"recipe": "paper", "inputs": "embedding", "fixed_samples": 20_000},
    "local": {"recipe": "local"},
    "landmark": {"recipe": "landmark"},
}


@pytest.mark.slow
@pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS)
def test_every_kind_of_agent_learns_a_small_game(tmp_path, changes):
    recipe = Recipe(**{"hidden_size": 32, "steps": 3000, "batch_size": 64, "learning_rate": 5e-3, **changes})
    [folder] = train(TrainOptions(SMALL, recipe, out=tmp_path / "run"))
    result = json.loads((folder / "card.json").read_text())["evaluation"]
    assert result["low"] > 1.2 * result["chance"]
    assert load_pair(folder).agent == recipe.agent


GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=8, message_length=2)


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe("local", steps=60),
        Recipe(inputs="embedding", steps=120, hidden_size=32, learning_rate=0.02),
    ],
)
def test_pairs_learn_a_grid(tmp_path, recipe):
    """GRUs read it row by row, and begin with grids as small as the window."""
    options = TrainOptions(GRID, recipe, out=tmp_path / "run", evaluation_episodes=2000)
    [folder] = train(options)
    card = json.loads((folder / "card.json").read_text())
    assert card["evaluation"]["low"] > card["evaluation"]["chance"]
    assert card["game"]["shape"] == [3, 4]
    first = next(csv.DictReader((folder / "metrics.csv").open(newline="")))
    assert int(first["sequence_length"]) == first_length(recipe, GRID)
