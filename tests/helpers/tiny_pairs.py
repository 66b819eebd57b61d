"""Small games, and every kind of agent, for the tests of networks, agents and pairs."""

import dataclasses

from spatial_agents.network_config import NetworkConfig
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.config import GameConfig

GAME = GameConfig(12, num_integers=15, window_radius=1, num_distractors=3, vocab_size=7, message_length=2)
GRID = GameConfig(shape=(4, 3), window_radius=1, vocab_size=7, message_length=2, num_visible=3)
SOLID = GameConfig(shape=(3, 4, 3), window_radius=1, vocab_size=7, message_length=2)
SMALL = NetworkConfig(hidden_size=12, embedding_size=5, inputs="embedding", scalar_reach=8.0)
AGENTS = {
    f"{network} {inputs}": dataclasses.replace(SMALL, network=network, inputs=inputs)
    for network in ("sequential", "local", "landmark")
    for inputs in ("scalars", "embedding", "one-hot")
    if (network, inputs) != ("landmark", "scalars")
} | {"sequential raw": NetworkConfig(hidden_size=12)}

# Six integers and one neighbour on each side: learned above chance within seconds.
TINY = GameConfig(6, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)


def tiny(out, **changes):
    """Options of a run of a second; keyword arguments replace fields of options or recipe."""
    recipe = {"inputs": "embedding", "hidden_size": 16, "steps": 55, "batch_size": 16}
    names = {field.name for field in dataclasses.fields(Recipe)}
    recipe |= {name: changes.pop(name) for name in list(changes) if name in names}
    return TrainOptions(TINY, Recipe(**recipe), out=out, **{"evaluation_episodes": 200, **changes})
