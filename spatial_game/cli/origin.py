"""Whether a dictionary is of the agents that play: its recordings name those that it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.policies import name_of
from spatial_game.language.dictionary import file
from spatial_game.language.dictionary.dictionary import Dictionary


def read_dictionary(
    path: Path, config: GameConfig, agents: Mapping[str, Any] | None, advice: str = ""
) -> Dictionary:
    """Return the dictionary of a file.

    Raises `ValueError` for one of another game, and for one of other agents (None: those of any will do). The
    `advice` ends this second error.
    """
    dictionary = file.read_dictionary(path)
    origin = None if agents is None else other_origin(dictionary, agents, config)
    if origin is not None:
        raise UserError(f"dictionary must be of these agents; {path} was {origin}{advice}")
    fault = dictionary.config.incompatibility(config)
    if fault is not None:
        raise UserError(f"dictionary must be of the game that is played: its {fault}")
    return dictionary


def agents_of(dictionary: Dictionary) -> list[Mapping[str, Any]]:
    """Return the agents that the dictionary's recordings name, as recordings describe them."""
    agents = [origin.get(role) for origin in dictionary.provenance for role in ("sender", "receiver")]
    return [agent for agent in agents if isinstance(agent, Mapping)]


def weights_of(dictionary: Dictionary) -> list[str]:
    """Return the hashes of the weights that the dictionary's recordings name."""
    hashes = [agent.get("weights_hash") for agent in agents_of(dictionary)]
    return list(dict.fromkeys(weights_hash for weights_hash in hashes if isinstance(weights_hash, str)))


def other_origin(dictionary: Dictionary, agents: Mapping[str, Any], config: GameConfig) -> str | None:
    """Return which other agents a dictionary is for: `made for embed-60/0, not embed-60/1`; else None.

    `agents`, who play the game `config`, are described as in a recording. A dictionary whose recordings name
    no agents fits all. The oracle's code depends on the number of integers.
    """
    for made_for in agents_of(dictionary):
        identity = "weights_hash" if "weights_hash" in made_for else "policy"
        if identity in made_for and made_for[identity] != agents.get(identity):
            theirs, ours = name_of(made_for), name_of(agents)
            return f"made for {theirs}" + (" with other weights" if theirs == ours else f", not {ours}")
        coded, played = dictionary.config.num_integers, config.num_integers
        if made_for.get("policy") == "oracle" and coded != played:
            return f"made for the oracle's code of {coded} integers, not of {played}"
    return None
