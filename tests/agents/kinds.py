"""Small games, and every kind of agent, for the tests of networks, players and pairs."""

import dataclasses

from spatial_agents.agent_config import AgentConfig
from spatial_game.config import GameConfig

GAME = GameConfig(12, num_integers=15, window_radius=1, num_distractors=3, vocab_size=7, message_length=2)
GRID = GameConfig(shape=(4, 3), window_radius=1, vocab_size=7, message_length=2, num_visible=3)
SOLID = GameConfig(shape=(3, 4, 3), window_radius=1, vocab_size=7, message_length=2)
SMALL = AgentConfig(hidden_size=12, embedding_size=5, inputs="embedding", scalar_reach=8.0)
AGENTS = {
    f"{network} {inputs}": dataclasses.replace(SMALL, network=network, inputs=inputs)
    for network in ("sequential", "local", "landmark")
    for inputs in ("scalars", "embedding", "one-hot")
    if (network, inputs) != ("landmark", "scalars")
} | {"sequential raw": AgentConfig(hidden_size=12)}
