"""The agents that a command lets play: a trained pair, the oracle pair or a random one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import spatial_game
from spatial_agents.evaluation import stream
from spatial_game.cli.options import GameOptions
from spatial_game.config import GameConfig
from spatial_game.policies import OracleReceiver, OracleSender, RandomReceiver, RandomSender, Receiver, Sender

if TYPE_CHECKING:
    from spatial_agents import Pair


@dataclass(frozen=True)
class Players:
    """A sender, a receiver and the game that they are to play."""

    sender: Sender
    receiver: Receiver
    config: GameConfig
    identity: dict[str, Any]
    """Who they are, for the provenance of a recording."""

    def provenance(self, seed: int, stream_name: str) -> dict[str, Any]:
        """What a recording says of its origin: version, seed, stream and the agents' weights."""
        return {
            "spatial_game_version": spatial_game.__version__,
            "seed": seed,
            "stream": stream_name,
            "sender": self.identity,
            "receiver": self.identity,
        }


def load_players(agents: str, index: int, options: GameOptions, seed: int, device: str = "cpu") -> Players:
    """`oracle`, `random`, or a trained pair by its bundled name, run folder or weights file.

    Raises `ValueError` for agents that are not there or cannot play the game of the options.
    """
    if agents == "oracle":
        config = options.config()
        return Players(OracleSender(config), OracleReceiver(config), config, {"policy": "oracle"})
    if agents == "random":
        config = options.config()
        ours, theirs = (np.random.default_rng(seeds) for seeds in stream(seed, "policies").spawn(2))
        identity: dict[str, Any] = {"policy": "random"}
        return Players(RandomSender(config, ours), RandomReceiver(config, theirs), config, identity)
    pair = load_trained(agents, index, device)
    config = options.config(pair.config)
    pair.require_playable(config)
    identity = {"policy": "pair", "name": agents, "index": index, "weights_hash": pair.weights_hash}
    return Players(pair.sender, pair.receiver, config, identity)


def load_trained(name: str, index: int, device: str) -> Pair:
    """A trained pair, and torch on one CPU thread: several only slow such small networks down."""
    import torch

    from spatial_agents import load_pair

    torch.set_num_threads(1)
    return load_pair(name, index=index, device=device)
