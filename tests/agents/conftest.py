import dataclasses

import pytest
import torch

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.config import GameConfig

# Six integers and one neighbour on each side: learned above chance within seconds.
TINY = GameConfig(6, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)


@pytest.fixture(autouse=True)
def _one_thread():
    """At these sizes a second thread costs more than it brings, and this machine may be shared."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tiny_options(tmp_path):
    """Options of a run of some seconds; keyword arguments replace fields of options or recipe."""

    def make(out="run", **changes):
        recipe = {"inputs": "embedding", "hidden_size": 16, "steps": 100, "batch_size": 32}
        names = {field.name for field in dataclasses.fields(Recipe)}
        recipe |= {name: changes.pop(name) for name in list(changes) if name in names}
        return TrainOptions(
            TINY, Recipe(**recipe), out=tmp_path / out, **{"evaluation_episodes": 200, **changes}
        )

    return make
