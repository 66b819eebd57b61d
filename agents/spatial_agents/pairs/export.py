"""A trained pair as two ONNX files, for programs without this package."""

from __future__ import annotations

import json
from pathlib import Path

import spatial_game
from spatial_agents.graphs import protobuf
from spatial_agents.pairs.policy import Pair
from spatial_game.files import replacing


def export_onnx(pair: Pair, folder: Path) -> list[Path]:
    """Write `sender.onnx` and `receiver.onnx`, the graphs with which the pair plays, and return their paths.

    The inputs and outputs are those of `spatial_agents.graphs.networks`. The entry `spatial_game` of their
    metadata is a JSON object with game, agent, hash of the weights and version.
    """
    about = {
        "game": pair.config.to_dict(),
        "agent": pair.agent.to_dict(),
        "weights_hash": pair.weights_hash,
        "spatial_game_version": spatial_game.__version__,
    }
    paths = [folder / "sender.onnx", folder / "receiver.onnx"]
    for path, player in zip(paths, (pair.sender, pair.receiver), strict=True):
        with replacing(path) as temporary:
            temporary.write_bytes(
                player.run.model() + protobuf.properties({"spatial_game": json.dumps(about)})
            )
    return paths
