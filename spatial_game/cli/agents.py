"""The agents that play in a command: a trained pair, oracle, random, or agents of your own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spatial_game
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
    def recipe(self) -> dict[str, Any]:
        """What the card says about the recipe."""
        return dict(self.card.get("recipe", {}))

    @property
    def name(self) -> str:
        """Their name: the pair with its index, or the policy."""
        return name_of(self.identity)

    def provenance(self, seed: int, stream_name: str) -> dict[str, Any]:
        """Return the provenance of a recording: version, seed, stream and agents."""
        return {
            "spatial_game_version": spatial_game.__version__,
            "seed": seed,
            "stream": stream_name,
            "sender": self.identity,
            "receiver": self.identity,
        }


def load_players(agents: str, game: GameFlags, seed: int) -> Players:
    """Load the agents with this name, as `spatial_agents.load_agents` does, for the game of the options.

    Raises `ValueError` for agents that do not exist or cannot play the game of the options.
    """
    found = load_agents(agents, seed=seed, **game.given)
    pair = found.files if isinstance(found, Pair) else None
    identity: dict[str, Any] = {"policy": agents}
    if isinstance(found, Pair) and pair:  # a class of the user's own may return a pair without files
        named = {"name": pair.name, "index": pair.index, "weights_hash": found.weights_hash}
        identity = {"policy": "pair", **named}
    halves = found.sender, found.receiver, found.config
    return Players(*halves, card=found.card, identity=identity, pair_files=pair)


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
