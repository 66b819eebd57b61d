"""The agents that play in a command: a trained pair, oracle, random, or agents of your own."""

from __future__ import annotations

import importlib
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spatial_game
from spatial_agents import load_pair
from spatial_agents.pairs.names import PairFiles
from spatial_game.cli.options import Command, GameOptions
from spatial_game.config import GameConfig
from spatial_game.game.policies import SCRIPTED, Receiver, Sender, scripted_pair

OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""How agents of your own are named: `module:Class`."""


@dataclass(frozen=True)
class Players:
    """A sender, a receiver and the game that they play."""

    sender: Sender
    receiver: Receiver
    config: GameConfig
    identity: dict[str, Any]
    """The policy, or the name and the hash of a trained pair, for the provenance of recordings."""
    pair: PairFiles | None = None
    """The files of a trained pair."""
    card: dict[str, Any] = field(default_factory=dict)
    """What the card says about the training of a pair."""

    @property
    def lexicon(self) -> Path | None:
        """The lexicon of a trained pair, if it has one."""
        return self.pair.lexicon if self.pair else None

    @property
    def files(self) -> list[Path]:
        """The files of a trained pair, which a command must not write."""
        return [self.pair.weights, self.pair.card] if self.pair else []

    @property
    def recipe(self) -> dict[str, Any]:
        """What the card says about the recipe."""
        return dict(self.card.get("recipe", {}))

    @property
    def name(self) -> str:
        """Their name: the pair with its index, or the policy."""
        from spatial_game.cli.origin import name_of

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


def load_players(agents: str, game: GameOptions, seed: int) -> Players:
    """Load `oracle`, `random`, agents of your own (`module:Class`), or a trained pair.

    A pair is named by its bundled name (or NAME/2), its run folder or its weights file.

    Raises `ValueError` for agents that do not exist or cannot play the game of the options.
    """
    if agents in SCRIPTED:
        scripted = scripted_pair(agents, game.config(), seed)
        return Players(scripted.sender, scripted.receiver, scripted.config, {"policy": agents})
    if OWN.fullmatch(agents):
        sender, receiver = _own_agents(agents, game.config())
        return Players(sender, receiver, game.config(), {"policy": agents})
    pair = load_pair(agents)
    config, files = game.config(pair.config), pair.files
    if fault := pair.incompatibility(config):
        raise ValueError(f"agents must suit the game: {fault}")
    assert files is not None  # it was loaded
    named = {"name": files.name, "index": files.index, "weights_hash": pair.weights_hash}
    return Players(pair.sender, pair.receiver, config, {"policy": "pair", **named}, files, pair.card)


def _own_agents(name: str, config: GameConfig) -> tuple[Sender, Receiver]:
    """Return the agents that a class of a module, `module:Class`, makes for a game.

    The class is called with the `GameConfig`; what it makes has a `sender` and a `receiver`. Modules of the
    current folder are found. Raises `ValueError` for a module or a class that does not exist or does not fit.
    """
    module, _, attribute = name.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        made = getattr(importlib.import_module(module), attribute)(config)
    except (ModuleNotFoundError, AttributeError, TypeError) as error:
        raise ValueError(
            f"agents must be a class that can be imported and called with the game; got {name} ({error})"
        ) from error
    finally:
        sys.path.remove(os.getcwd())
    for role, protocol, method in (("sender", Sender, "send"), ("receiver", Receiver, "choose")):
        if not isinstance(getattr(made, role, None), protocol):
            raise ValueError(
                f"agents must have sender.send and receiver.choose; {name} lacks {role}.{method}"
            )
    return made.sender, made.receiver


@dataclass(frozen=True, kw_only=True)
class AgentsCommand(Command):
    """A command in which two agents play."""

    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random, or agents
    of your own: module:Class, called with the game, has a sender and a receiver."""
