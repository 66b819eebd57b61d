"""The agents that play in a command: a trained pair, oracle, random, or agents of your own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spatial_agents.agents import load_agents
from spatial_agents.pairs.names import PairFiles
from spatial_agents.pairs.pair import Pair
from spatial_game.cli.options import Command, GameFlags
from spatial_game.game.policies import Agents


@dataclass(frozen=True, kw_only=True)
class Players(Agents):
    """Agents with their identity, and the files of a trained pair."""

    identity: dict[str, Any]
    """The policy, or the name and the hash of a trained pair, for the provenance of recordings."""
    pair_files: PairFiles | None = None
    """The files of a trained pair."""

    @property
    def lexicon(self) -> Path | None:
        """The lexicon of a trained pair, if it has one."""
        return self.pair_files.lexicon if self.pair_files else None

    @property
    def files(self) -> list[Path]:
        """The files of a trained pair, which a command must not write."""
        return [self.pair_files.weights, self.pair_files.card] if self.pair_files else []

    @property
    def name(self) -> str:
        """Their name: the pair with its index, or the policy."""
        return name_of(self.identity)


def load_players(agents: str, game: GameFlags, seed: int) -> Players:
    """Load the agents with this name, as `spatial_agents.load_agents` does, for the game of the options.

    Raises `ValueError` for agents that do not exist or cannot play the game of the options.
    """
    loaded, files = load_agents(agents, seed=seed, **game.given), None
    identity: dict[str, Any] = {"policy": agents}
    if isinstance(loaded, Pair) and loaded.files:  # a class of the user's own may return a pair without files
        files = loaded.files
        named = {"name": files.name, "index": files.index, "weights_hash": loaded.weights_hash}
        identity = {"policy": "pair", **named}
    sender, receiver, config = loaded.sender, loaded.receiver, loaded.config
    return Players(sender, receiver, config, card=loaded.card, identity=identity, pair_files=files)


def name_of(agents: Mapping[str, Any]) -> str:
    """Return the name of agents that a recording describes: `embed-60/0`, or `oracle`."""
    name = str(agents.get("name", agents.get("policy", "agents without a name")))
    return f"{name}/{agents['index']}" if "index" in agents else name


@dataclass(frozen=True, kw_only=True)
class AgentsCommand(Command):
    """A command in which two agents play."""

    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random, or agents
    of your own: module:Class has a sender and a receiver, or the methods send and choose."""
