"""Options of training, combined at random: a pair is trained, or one line says which option cannot be."""

import random
import re

import pytest

from spatial_agents.pairs.pair import load_pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game.config import GameConfig

RECIPES = {
    "recipe": ["paper", "curriculum", "local", "landmark"],
    "steps": [1, 2, 51],
    "batch_size": [1, 2, 7, 32],
    "learning_rate": [1e-4, 1e-2],
    "schedule": ["constant", "one-cycle", "linear"],
    "entropy_bonus": [0.0, 0.1],
    "temperature": [0.3, 1.0, 2],
    "straight_through": [False, True],
    "hidden_size": [1, 2, 8],
    "embedding_size": [1, 4],
    "inputs": ["scalars", "embedding", "one-hot"],
    "fixed_samples": [0, 1, 9, 50],
    "hold_out": [0.0, 0.1, 0.5],
    "start_visible": [0, 1, 2, 9],
}
GAMES = {
    "sequence_length": [3, 5, 6, 12],
    "num_integers": [None, 12, 20],
    "window_radius": [1, 2],
    "num_distractors": [1, 2, 4],
    "vocab_size": [2, 5],
    "message_length": [1, 3],
    "shape": [None, None, (3, 3), (3, 4), (3, 3, 3)],
    "num_visible": [None, None, 1, 3],
}


def some_of(values, chance):
    """Each option with a chance of one in two."""
    return {name: chance.choice(of) for name, of in values.items() if chance.random() < 0.5}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_random_options_train_or_say_what_is_wrong(tmp_path, part):
    chance, trained = random.Random(part), 0
    for number in range(300):
        game = {"sequence_length": 6, "window_radius": 1, "num_distractors": 2, **some_of(GAMES, chance)}
        recipe, out = {"steps": 2, "batch_size": 4, **some_of(RECIPES, chance)}, tmp_path / f"run{number}"
        if game.get("shape") is not None:
            del game["sequence_length"]
        seed = chance.randrange(9)
        try:
            where = {"seed": seed, "out": out, "evaluation_episodes": 16}
            options = TrainOptions(GameConfig(**game), Recipe(**recipe), **where)
            [folder] = train(options)
            refused = ""
        except ValueError as error:
            refused = str(error)
        if refused:
            assert re.fullmatch(".* must .*", refused)
            assert not out.exists(), f"{game} {recipe}: {refused}"
            continue
        assert load_pair(folder).agent == options.recipe.agent, f"{game} {recipe}"
        assert train(options) == [folder]
        trained += 1
    assert trained > 60
