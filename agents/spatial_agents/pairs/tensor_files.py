"""Tensors on disk: the weights of pairs, and the checkpoints of their training.

Both are safetensors files, which hold numbers and strings, so they cannot run code. The string `spatial_game`
is a JSON object, the header: `format_version`, `kind` ("pair" or "checkpoint"), the fields of the kind, and
`file_hash`, the SHA-256 of the header and the tensors. Every fault of a file is one `ValueError` that names
the file, the field, the rule and the value. Nothing here loads torch.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors
import safetensors.numpy

from spatial_agents.networks.shapes import weight_shapes
from spatial_agents.recipes import AgentConfig, require_small_tables
from spatial_game.config import GameConfig
from spatial_game.files import fault_of_file, replacing
from spatial_game.json_text import from_json
from spatial_game.tables import printable

FORMAT_VERSION = 2

HEADER_KEY = "spatial_game"

LARGEST = 1e12
"""The largest number in a file. Products of three such numbers are finite."""

Arrays = dict[str, np.ndarray[Any, Any]]


class Weights(NamedTuple):
    """A pair as it is stored."""

    tensors: Arrays  # float32, named as in PairNetwork.state_dict()
    game: GameConfig
    agent: AgentConfig
    provenance: dict[str, Any]  # command, seed, steps, version


def as_arrays(tensors: Mapping[str, Any]) -> Arrays:
    """Return tensors of NumPy, or of torch on any device, as NumPy arrays."""
    return {
        name: np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor, order="C")
        for name, tensor in tensors.items()
    }


def hash_weights(tensors: Mapping[str, Any]) -> str:
    """Return the identity of a pair: the SHA-256 of names, shapes and numbers in the order of the names."""
    digest = hashlib.sha256()
    for name, array in sorted(as_arrays(tensors).items()):
        digest.update(f"{name} {array.shape}\n".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.hexdigest()


def write_weights(path: Path, weights: Weights) -> None:
    """Write a pair's weights. Raises `ValueError`, and writes nothing, if one is not finite or too large."""
    header = {
        "kind": "pair",
        "game": weights.game.to_dict(),
        "agent": weights.agent.to_dict(),
        "provenance": weights.provenance,
    }
    write_tensors(path, weights.tensors, header)


def read_weights(path: Path) -> Weights:
    """Read the pair in a weights file. Raises `ValueError` if it is not whole, finite and consistent."""
    tensors, header = read_tensors(path, kind="pair")
    for name in ("game", "agent", "provenance"):
        require(name in header, path, f"header must have the field {name}", "none")
    try:
        game, agent = GameConfig.from_dict(header["game"]), AgentConfig.from_dict(header["agent"])
        require_small_tables(game, agent)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path}: header must hold the configs of game and agent; {error}") from None
    shapes = weight_shapes(game, agent)
    expected = {name: np.broadcast_to(np.float32(0), shape) for name, shape in shapes.items()}
    require_tensors(path, tensors, expected)
    return Weights(tensors, game, agent, header["provenance"])


def require_tensors(path: Path, tensors: Arrays, expected: Mapping[str, Any]) -> None:
    """Raise `ValueError` unless the tensors have the names, shapes and types of the expected ones."""
    for name in sorted(expected.keys() | tensors.keys()):
        require(name in tensors, path, f"a file of this config must hold {name}", "none")
        require(name in expected, path, "tensors must be those of this config", f"also {name}")
        shape, dtype = tuple(expected[name].shape), str(expected[name].dtype).removeprefix("torch.")
        found = tensors[name]
        require(found.shape == shape, path, f"{name} must have shape {shape}", found.shape)
        require(found.dtype == dtype, path, f"{name} must be {dtype}", found.dtype)


def write_tensors(path: Path, tensors: Mapping[str, Any], header: Mapping[str, Any]) -> None:
    """Write tensors and header; the old file stays until the new one is whole.

    Raises `ValueError`, and writes nothing, if a number is not finite or too large: a good file is never
    replaced by a broken one.
    """
    arrays = as_arrays(tensors)
    _require_ranges(path, arrays)
    header = {"format_version": FORMAT_VERSION, **header}
    header["file_hash"] = hash_file(header, arrays)
    content = safetensors.numpy.save(arrays, {HEADER_KEY: json.dumps(header)})
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def read_tensors(path: Path, kind: str) -> tuple[Arrays, dict[str, Any]]:
    """Read the tensors, all in range, and the header of a file of this kind, and check its hash."""
    fault = fault_of_file(path)
    if fault is not None:
        raise FileNotFoundError(f"{path}: {fault}")
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(HEADER_KEY)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: must be a whole safetensors file; {error}") from None
    header = _parse_header(path, text)
    require(header.get("kind") == kind, path, f"kind must be {kind}", repr(header.get("kind")))
    version = header.get("format_version")
    require(version == FORMAT_VERSION, path, f"format_version must be {FORMAT_VERSION}", repr(version))
    require("file_hash" in header, path, "header must have the field file_hash", "none")
    stored, found = header.pop("file_hash"), hash_file(header, tensors)
    require(found == stored, path, f"file_hash must be {stored}, as it was when written", found)
    _require_ranges(path, tensors)
    return tensors, header


def hash_file(header: Mapping[str, Any], tensors: Arrays) -> str:
    """Return the SHA-256 of a header, and of the names, types (as in torch), shapes and bytes of tensors."""
    digest = hashlib.sha256(json.dumps(header).encode())
    for name, array in sorted(tensors.items()):
        digest.update(f"\n{name} torch.{array.dtype} {array.shape}\n".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.hexdigest()


def _require_ranges(path: Path, tensors: Arrays) -> None:
    for name, array in tensors.items():
        require(bool(np.isfinite(array).all()), path, f"{name} must be finite", "nan or infinity")
        least, most = float(array.min(initial=0)), float(array.max(initial=0))
        extreme = most if most > -least else least
        require(abs(extreme) <= LARGEST, path, f"{name} must be in {-LARGEST:g}..{LARGEST:g}", f"{extreme:g}")


def _parse_header(path: Path, text: str | None) -> dict[str, Any]:
    try:
        header = from_json(text or "")
    except ValueError:
        header = None
    shown = repr(text if text is None else text[:60])
    require(isinstance(header, dict), path, f"metadata must hold {HEADER_KEY}, a JSON object", shown)
    return header


def require(holds: bool, path: Path, rule: str, value: object) -> None:
    """Raise `ValueError` with the file, the rule and the value unless the rule holds."""
    if not holds:
        raise ValueError(printable(f"{path}: {rule}; got {value}"))
