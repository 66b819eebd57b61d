"""Who plays: names, classes, objects and models become agents."""

from spatial_game.agents.loading import Playable, evaluate, find_partners, load_agents
from spatial_game.agents.own import OWN

__all__ = ["OWN", "Playable", "evaluate", "find_partners", "load_agents"]
