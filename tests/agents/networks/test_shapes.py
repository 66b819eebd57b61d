import itertools

import pytest
from slow_twin import GAME, GRID, SOLID

from spatial_agents.networks.pair import new_pair
from spatial_agents.networks.shapes import weight_shapes
from spatial_agents.recipes import AgentConfig

NETWORKS, INPUTS = ("sequential", "local", "landmark"), ("scalars", "embedding", "one-hot")


@pytest.mark.parametrize(
    ("network", "inputs"),
    sorted(set(itertools.product(NETWORKS, INPUTS)) - {("landmark", "scalars")}),
)
@pytest.mark.parametrize("game", [GAME, GRID, SOLID], ids=["sequence", "grid", "solid"])
def test_shapes_are_those_of_the_modules(network, inputs, game):
    agent = AgentConfig(hidden_size=6, embedding_size=5, network=network, inputs=inputs)
    of_modules = {name: tuple(weight.shape) for name, weight in new_pair(game, agent).state_dict().items()}
    assert weight_shapes(game, agent) == of_modules
