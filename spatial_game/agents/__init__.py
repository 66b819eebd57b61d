"""Who plays: the door through which names, classes, objects and models become agents."""

from spatial_game.agents.loading import OWN, Found, evaluate, find_agents, load_agents

__all__ = ["OWN", "Found", "evaluate", "find_agents", "load_agents"]
