"""The agents that play in a command, and the options that name them: a trained pair, oracle or random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

import spatial_game
from spatial_agents.pairs.names import folder_of, lexicon_path, numbered_pairs, pair_names
from spatial_game.cli.files import ReadsPairs
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
    """Load `oracle`, `random`, or a trained pair by its bundled name (or NAME/2), run folder or weights file.

    Raises `ValueError` for agents that do not exist or cannot play the game of the options.
    """
    if agents in ("oracle", "random"):
        config = game.config()
        identity: dict[str, Any] = {"policy": agents}
        if agents == "oracle":
            return Players(OracleSender(config), OracleReceiver(config), config, identity)
        ours, theirs = (np.random.default_rng(seeds) for seeds in stream(seed, "policies").spawn(2))
        return Players(RandomSender(config, ours), RandomReceiver(config, theirs), config, identity)
    name, index = one_pair(agents)
    pair = load_trained(name, index, device, beside=("oracle", "random"))
    config = game.config(pair.config)
    pair.require_playable(config)
    identity = {"policy": "pair", "name": name, "index": index, "weights_hash": pair.weights_hash}
    return Players(pair.sender, pair.receiver, config, identity, lexicon_path(name, index), pair.card)


def load_trained(name: str, index: int, device: str, beside: Sequence[str] = ()) -> Pair:
    """Load a trained pair.

    Raises `ValueError` for an unknown pair, and suggests the nearest bundled name or one of `beside`.
    """
    near = did_you_mean(name, [*beside, *pair_names()])
    if near and name not in pair_names() and not Path(name).exists():
        raise ValueError(f'there are no agents "{name}"{near}')
    from spatial_agents import load_pair

    return load_pair(name, index=index, device=device)


def with_index(name: str, index: int) -> str:
    """Return NAME/INDEX, where an option gives the index; 0 is the first pair, which NAME alone means."""
    return f"{name}/{index}" if index else name


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
        if not there or not (which == "all" or which.isdigit()):
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


AnyAgents = Annotated[str, ReadsPairs()]


@dataclass(frozen=True, kw_only=True)
class AgentsCommand(Command):
    """A command in which two agents play."""

    agents: AnyAgents = "embed-60"
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle or random."""
    index: int = 0
    """Another way to write NAME/INDEX."""

    @property
    def named(self) -> str:
        """The agents, with the index."""
        return with_index(self.agents, self.index)

    def players(self, seed: int, game: GameOptions | None = None, device: str = "cpu") -> Players:
        """Load the agents."""
        return load_players(self.named, game or GameOptions(), seed, device)
