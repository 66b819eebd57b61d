"""A trained pair as two ONNX files, for programs that know nothing of this package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import spatial_game
from spatial_agents.graphs import protobuf
from spatial_agents.graphs.session import open_session
from spatial_agents.pairs.policy import Pair
from spatial_game.files import replacing
from spatial_game.game.episodes import draw_episodes

CHECKED = 10_000
"""Episodes in which each file plays before it is kept."""


def export_onnx(pair: Pair, folder: Path) -> list[Path]:
    """Write `sender.onnx` and `receiver.onnx`, once they play as the pair does, and return their paths.

    The inputs and outputs are those of `spatial_agents.graphs.networks`. The entry `spatial_game` of their
    metadata is a JSON object with game, agent, hash of the weights and version. Raises `ValueError` if a file
    plays otherwise in more than one of `CHECKED` episodes, where rounding can explain one.
    """
    about = {
        "game": pair.config.to_dict(),
        "agent": pair.agent.to_dict(),
        "weights_hash": pair.weights_hash,
        "spatial_game_version": spatial_game.__version__,
    }
    episodes = draw_episodes(pair.config, CHECKED, np.random.default_rng(0))
    windows = pair.sender.checked(episodes.window)
    messages = pair.sender.send(episodes.window)
    arrays = messages, episodes.sequence, episodes.candidates
    heard, choices = pair.receiver.checked(*arrays), pair.receiver.choose(*arrays)
    return [
        _write(folder / "sender.onnx", pair.sender.run.model(), about, {"window": windows}, messages),
        _write(folder / "receiver.onnx", pair.receiver.run.model(), about, heard, choices),
    ]


def _write(
    path: Path, model: bytes, about: dict[str, Any], inputs: dict[str, Any], expected: np.ndarray[Any, Any]
) -> Path:
    with replacing(path) as temporary:
        temporary.write_bytes(model + protobuf.properties({"spatial_game": json.dumps(about)}))
        session = open_session(temporary.read_bytes())
        found = session.run([session.get_outputs()[0].name], inputs)[0]
        differ = np.count_nonzero((found != expected).reshape(len(expected), -1).any(axis=1))
        if differ > 1:
            raise ValueError(f"{path} must play as the pair does; it differs in {differ:,} of {CHECKED:,}")
    return path
