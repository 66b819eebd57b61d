"""The scripted pairs by name: `oracle`, which never fails, and `random`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import RandomReceiver, RandomSender, Receiver, Sender
from spatial_game.game.seeds import stream

SCRIPTED = ("oracle", "random")


@dataclass(frozen=True)
class ScriptedPair:
    """A sender and a receiver that no training made."""

    sender: Sender
    receiver: Receiver
    config: GameConfig


def scripted_pair(name: str, config: GameConfig, seed: int = 0) -> ScriptedPair:
    """Return the pair `oracle` or `random`. Raises `ValueError` for a game that has no oracle."""
    if name == "oracle":
        return ScriptedPair(OracleSender(config), OracleReceiver(config), config)
    ours, theirs = (np.random.default_rng(seeds) for seeds in stream(seed, "policies").spawn(2))
    return ScriptedPair(RandomSender(config, ours), RandomReceiver(config, theirs), config)
