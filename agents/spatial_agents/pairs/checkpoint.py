"""Tensors on disk: the weights of a pair, and the checkpoints of its training.

Both are safetensors files, which hold numbers and one string and so cannot run code. The string, under the
key `spatial_game`, is a JSON object: `format_version`, `kind` ("pair" or "checkpoint"), the two configs and
whatever else belongs to the kind. Every fault of a file is one `ValueError` that names file, field, rule and
value.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from spatial_agents.networks.gru import empty_pair
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.files import replacing

FORMAT_VERSION = 1
HEADER_KEY = "spatial_game"


class Weights(NamedTuple):
    """A pair as it is stored."""

    tensors: dict[str, Tensor]  # float32, named as in PairNetwork.state_dict()
    game: GameConfig
    agent: AgentConfig
    provenance: dict[str, Any]  # command, seed, steps, version


def hash_weights(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of names, shapes and numbers in the order of the names: the identity of a pair."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().to(torch.float32).contiguous()
        digest.update(f"{name} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.numpy().astype("<f4", copy=False).tobytes())
    return digest.hexdigest()


def write_weights(path: Path, weights: Weights) -> None:
    """Write a pair's weights. Raises `ValueError`, and writes nothing, if one of them is not finite."""
    header = {
        "kind": "pair",
        "game": weights.game.to_dict(),
        "agent": weights.agent.to_dict(),
        "provenance": weights.provenance,
        "weights_hash": hash_weights(weights.tensors),
    }
    write_tensors(path, weights.tensors, header)


def read_weights(path: Path) -> Weights:
    """The pair in a weights file. Raises `ValueError` if it is not whole, finite and consistent."""
    tensors, header = read_tensors(path, kind="pair")
    for name in ("game", "agent", "provenance", "weights_hash"):
        _require(name in header, path, f"header must have the field {name}", "none")
    game, agent = configs_from_header(path, header)
    check_weights(path, tensors, game, agent)
    found = hash_weights(tensors)
    _require(found == header["weights_hash"], path, f"weights_hash must be {header['weights_hash']}", found)
    return Weights(tensors, game, agent, header["provenance"])


def configs_from_header(path: Path, header: Mapping[str, Any]) -> tuple[GameConfig, AgentConfig]:
    """The two configs of a file's header."""
    try:
        return GameConfig.from_dict(header["game"]), AgentConfig.from_dict(header["agent"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path}: header must hold the configs of game and agent; {error}") from None


def check_weights(path: Path, tensors: Mapping[str, Tensor], game: GameConfig, agent: AgentConfig) -> None:
    """Raise `ValueError` unless these are the weights that a pair of these configs has."""
    require_tensors(path, tensors, empty_pair(game, agent).state_dict())


def require_tensors(path: Path, tensors: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Raise `ValueError` unless the tensors have the names, shapes and types of the expected ones."""
    for name in sorted(expected.keys() | tensors.keys()):
        _require(name in tensors, path, f"a file of this config must hold {name}", "none")
        _require(name in expected, path, "tensors must be those of this config", f"also {name}")
        shape, found = tuple(expected[name].shape), tuple(tensors[name].shape)
        _require(found == shape, path, f"{name} must have shape {shape}", found)
        dtype, found = expected[name].dtype, tensors[name].dtype
        _require(found == dtype, path, f"{name} must be {str(dtype).removeprefix('torch.')}", found)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], header: Mapping[str, Any]) -> None:
    """Write tensors and header; the old file stays until the new one is whole.

    Raises `ValueError`, and writes nothing, if a number is not finite: a good file is never replaced by a
    broken one.
    """
    _require_finite(path, tensors)
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps({"format_version": FORMAT_VERSION, **header})
    content = safetensors.torch.save(plain, metadata={HEADER_KEY: text})
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def read_tensors(path: Path, kind: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors, all finite, and the header of a file of this kind."""
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        with safetensors.safe_open(path, framework="pt", device="cpu") as file:
            text = (file.metadata() or {}).get(HEADER_KEY)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path}: must be a whole safetensors file; {error}") from None
    header = _parse_header(path, text)
    _require(header.get("kind") == kind, path, f"kind must be {kind}", repr(header.get("kind")))
    version = header.get("format_version")
    _require(version == FORMAT_VERSION, path, f"format_version must be {FORMAT_VERSION}", repr(version))
    _require_finite(path, tensors)
    return tensors, header


def _require_finite(path: Path, tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        # In double precision: torch does not know whether numbers of eight bits are finite.
        finite = not tensor.is_floating_point() or bool(tensor.to(torch.float64).isfinite().all())
        _require(finite, path, f"{name} must be finite", "nan or infinity")


def _parse_header(path: Path, text: str | None) -> dict[str, Any]:
    try:
        header = json.loads(text or "")
    except ValueError:
        header = None
    _require(isinstance(header, dict), path, f"metadata must hold {HEADER_KEY}, a JSON object", repr(text))
    return header


def _require(holds: bool, path: Path, rule: str, value: object) -> None:
    if not holds:
        raise ValueError(f"{path}: {rule}; got {value}")
