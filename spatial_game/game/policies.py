"""The protocols of senders and receivers, the random ones, and the scripted agents by name.

Trained pairs, reinforcement-learning models, scripts, readers of a dictionary and people all satisfy the two
protocols. Policies are batched: they take and return arrays of integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.seeds import random_stream

SCRIPTED = ("oracle", "random")
"""The scripted agents: `oracle`, which never fails, and `random`."""


@runtime_checkable
class Sender(Protocol):
    """Sees the window around the target and sends a message.

    A class whose messages depend on the window alone may say so with `fixed = True`. Environments then ask it
    about many episodes at once, before these are played, which is about five times as fast.
    """

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) of symbols in 0..vocab_size-1 for windows (B, W)."""
        ...


@runtime_checkable
class Receiver(Protocol):
    """Reads the message, sees the whole sequence, and picks one of the candidates."""

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,), indices into candidates (B, C), for messages (B, T) and sequences (B, L)."""
        ...


def incompatibility(agent: Any, config: GameConfig) -> str | None:
    """Return why a policy or agents cannot play this game; None if it can, or does not tell.

    Its method `incompatibility` tells, or else its `config`, the game that it was made for.
    """
    own: Any = getattr(agent, "config", None)
    judge = agent if hasattr(agent, "incompatibility") else own
    fault: str | None = judge.incompatibility(config) if hasattr(judge, "incompatibility") else None
    return fault


class RandomSender:
    """Sends uniformly random symbols, whatever it sees. They do not depend on the sizes of batches."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self.config = config
        self._rng = rng

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        shape = (len(window), self.config.message_length)
        return _uniform(self.config.vocab_size, shape, self._rng)


class RandomReceiver:
    """Picks a candidate uniformly at random. Its choices do not depend on the sizes of batches."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self.config = config
        self._rng = rng

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        return _uniform(candidates.shape[1], (len(candidates),), self._rng)


def _uniform(bound: int, shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """Return integers in 0..bound-1. (Drawn as int16, they would depend on the sizes of the calls.)"""
    return rng.integers(0, bound, shape, dtype=np.int32).astype(np.int16)


@dataclass(frozen=True)
class Agents:
    """A sender, a receiver and the game that they play."""

    sender: Sender
    receiver: Receiver
    config: GameConfig
    card: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False)
    """What is known of their training; empty if nothing is."""
    assumes_game: bool = field(default=False, kw_only=True)
    """Whether the agents name no game and none was given, so that `config` is the paper's full game."""
    label: str = field(default="", kw_only=True)
    """The name by which they were loaded; empty without one."""

    @property
    def identity(self) -> dict[str, Any]:
        """The label, or the name and the hash of a trained pair, for the provenance of recordings."""
        return {"policy": self.label} if self.label else {}

    @property
    def name(self) -> str:
        """Their name for people: the pair with its index, or the label."""
        return name_of(self.identity)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of a trained pair, which nobody may overwrite."""
        return ()

    @property
    def population(self) -> Path | None:
        """The folder of the population that a trained pair is of, if it is of one."""
        return population_of(self.card, self.paths[0].parent) if self.paths else None

    @property
    def dictionary_file(self) -> Path | None:
        """The dictionary of a trained pair, if it has one."""
        return None


def population_of(card: Mapping[str, Any], folder: Path) -> Path | None:
    """Return the folder of the population that the pair in a folder is of, by its card; None if of none.

    The pairs of a population share senders and receivers: they are one training, and no sample of several.
    """
    recipe = card.get("recipe", {})
    alone = recipe.get("senders", 1) == recipe.get("receivers", 1) == 1
    return None if alone else folder.resolve().parent


def name_of(identity: Mapping[str, Any]) -> str:
    """Return the name of agents with this identity: `embed-60/0`, or `oracle`."""
    name = str(identity.get("name", identity.get("policy", "agents without a name")))
    return f"{name}/{identity['index']}" if "index" in identity else name


def scripted_agents(name: str, config: GameConfig, seed: int = 0) -> Agents:
    """Return the agents `oracle` or `random`. Raises `ValueError` for a game that has no oracle."""
    if name == "oracle":
        return Agents(OracleSender(config), OracleReceiver(config), config)
    of_sender, of_receiver = map(np.random.default_rng, random_stream(seed, "policies").spawn(2))
    return Agents(RandomSender(config, of_sender), RandomReceiver(config, of_receiver), config)
