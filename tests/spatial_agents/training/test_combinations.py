"""Options of training, combined at random: a pair is trained, or one line says which option cannot be."""

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spatial_agents.pairs.pair import load_pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game.config import GameConfig


def some_of(usual, **values):
    """Some of these options, each with one of its values, and the usual ones where they are left out."""
    chosen = st.fixed_dictionaries({}, optional={name: st.sampled_from(of) for name, of in values.items()})
    return chosen.map(lambda given: usual | given)


RECIPES = some_of(
    {"steps": 2, "batch_size": 4},
    recipe=["paper", "curriculum", "local", "landmark"],
    steps=[1, 51],
    batch_size=[1, 7, 32],
    schedule=["constant", "one-cycle"],
    entropy_bonus=[0.0, 0.1],
    straight_through=[True],
    hidden_size=[1, 8],
    embedding_size=[1, 4],
    inputs=["scalars", "embedding", "one-hot"],
    fixed_samples=[1, 9, 50],
    unseen=[0.1, 0.5],
    start_visible=[1, 2, 9],
)
GAMES = some_of(
    {"window_radius": 1, "num_distractors": 2},
    shape=[(3,), (5,), (12,), (3, 3), (3, 4), (3, 3, 3)],
    num_integers=[12, 20],
    window_radius=[2],
    num_distractors=[1, 4],
    vocab_size=[2, 5],
    message_length=[1, 3],
    num_visible=[1, 3],
)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(GAMES, RECIPES, st.integers(0, 8))
def test_random_options_train_or_say_what_is_wrong(game, recipe, seed):
    with tempfile.TemporaryDirectory() as folder:
        out, refused = Path(folder) / "run", ""
        try:
            where = {"seed": seed, "out": out, "evaluation_episodes": 16}
            options = TrainOptions(GameConfig(**game), Recipe(**recipe), **where)
            [trained] = train(options)
        except ValueError as fault:
            refused = str(fault)
        if refused:
            assert re.fullmatch(".* must .*", refused)
            assert not out.exists()
        else:
            assert load_pair(trained).network_config == options.recipe.network_config
            assert train(options) == [trained]
