"""The agents that play in a command, and the options that name them: a trained pair, oracle or random."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import spatial_game
from spatial_agents.pairs.names import folder_of, lexicon_path, numbered_pairs, pair_names
from spatial_game.cli.options import Command, GameOptions
from spatial_game.config import GameConfig, did_you_mean
from spatial_game.game.policies import (
    OracleReceiver,
    OracleSender,
    RandomReceiver,
    RandomSender,
    Receiver,
    Sender,
)
from spatial_game.game.seeds import stream

if TYPE_CHECKING:
    from spatial_agents import Pair
    from spatial_game.game.evaluation import AgentPair


@dataclass(frozen=True)
class Players:
    """A sender, a receiver and the game that they play."""

    sender: Sender
    receiver: Receiver
    config: GameConfig
    identity: dict[str, Any]
    """The policy, or the name and the hash of a trained pair, for the provenance of recordings."""
    lexicon: Path | None = None
    """The lexicon of a trained pair, if it has one."""
    card: dict[str, Any] = field(default_factory=dict)
    """What the card says about the training of a pair."""

    @property
    def name(self) -> str:
        """Their name: the pair with its index, or the policy."""
        from spatial_game.language.probing.origin import name_of

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


def load_players(agents: str, game: GameOptions, seed: int, device: str = "cpu") -> Players:
    """Load `oracle`, `random`, agents of your own (`module:Class`), or a trained pair.

    A pair is named by its bundled name (or NAME/2), its run folder or its weights file.

    Raises `ValueError` for agents that do not exist or cannot play the game of the options.
    """
    if agents in ("oracle", "random"):
        config = game.config()
        identity: dict[str, Any] = {"policy": agents}
        if agents == "oracle":
            return Players(OracleSender(config), OracleReceiver(config), config, identity)
        ours, theirs = (np.random.default_rng(seeds) for seeds in stream(seed, "policies").spawn(2))
        return Players(RandomSender(config, ours), RandomReceiver(config, theirs), config, identity)
    if OWN.fullmatch(agents):
        config = game.config()
        made = own_agents(agents, config)
        return Players(made.sender, made.receiver, config, {"policy": agents})
    name, index = one_pair(agents)
    pair = load_trained(name, index, device, beside=("oracle", "random"))
    config = game.config(pair.config)
    pair.require_playable(config)
    identity = {"policy": "pair", "name": name, "index": index, "weights_hash": pair.weights_hash}
    return Players(pair.sender, pair.receiver, config, identity, lexicon_path(name, index), pair.card)


OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""How agents of your own are named: `module:Class`."""


def own_agents(name: str, config: GameConfig) -> AgentPair:
    """Return the agents that a class of a module, `module:Class`, makes for a game.

    The class is called with the `GameConfig`; what it makes has a `sender` and a `receiver`. Modules of the
    current folder are found. Raises `ValueError` for a module or a class that does not exist or does not fit.
    """
    module, _, attribute = name.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        made = getattr(importlib.import_module(module), attribute)(config)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ValueError(f"agents must be a class that can be imported; got {name} ({error})") from None
    finally:
        sys.path.remove(os.getcwd())
    lacking = [part for part in ("sender.send", "receiver.choose") if not _has(made, part)]
    if lacking:
        raise ValueError(f"agents must have sender.send and receiver.choose; {name} lacks {lacking[0]}")
    return cast("AgentPair", made)


def _has(made: object, path: str) -> bool:
    part, method = path.split(".")
    return callable(getattr(getattr(made, part, None), method, None))


def load_trained(name: str, index: int, device: str, beside: Sequence[str] = ()) -> Pair:
    """Load a trained pair.

    Raises `ValueError` for an unknown pair, and suggests the nearest bundled name or one of `beside`.
    """
    near = did_you_mean(name, [*beside, *pair_names()])
    if near and name not in pair_names() and not Path(name).exists():
        raise ValueError(f'there are no agents "{name}"{near}')
    from spatial_agents import load_pair

    return load_pair(name, index=index, device=device)


def one_pair(name: str) -> tuple[str, int]:
    """Return the name and index of the pair that a name means. Raises `ValueError` if it means several."""
    (_, first, number), *others = named_pairs([name])
    if others:
        raise ValueError(f"agents must be one pair; got {name}, which are {len(others) + 1}")
    return first, number


def named_pairs(names: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return (label, name, index) of each pair that the names mean, in order and without repetition.

    NAME/3 means pair 3 of a bundled name or a run, NAME/all all of its pairs, and NAME the first, pair 0. A
    path that exists means itself. Each label is unique, and is a name of its pair.
    """
    found: list[tuple[str, str, int]] = []
    for given in names:
        name, _, which = given.rpartition("/")
        there = [] if Path(given).exists() else indices_of_pairs(name)
        if not there or not (which == "all" or which.isdecimal()):
            found.append((f"{given}/0" if len(indices_of_pairs(given)) > 1 else given, given, 0))
        else:
            wanted = there if which == "all" else [int(which)]
            found += [(f"{name}/{i}" if len(there) > 1 or i else name, name, i) for i in wanted]
    return list(dict.fromkeys(found))


def indices_of_pairs(name: str) -> list[int]:
    """Return the indices of the finished pairs of a bundled name, or of a run folder with several pairs.

    Unfinished pairs have an index, too, so some indices may be missing. Any other name has none.
    """
    return list(numbered_pairs(folder_of(name))) if name else []


@dataclass(frozen=True, kw_only=True)
class AgentsCommand(Command):
    """A command in which two agents play."""

    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random, or agents
    of your own: module:Class, called with the game, has a sender and a receiver."""

    def players(self, seed: int, game: GameOptions | None = None, device: str = "cpu") -> Players:
        """Load the agents."""
        return load_players(self.agents, game or GameOptions(), seed, device)
