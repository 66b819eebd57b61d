"""The files of a pair: its weights, in safetensors files, which cannot run code, and its card.

The string `spatial_game` of a file is a JSON object, the header: `format_version`, `kind` ("pair"), the
configs of the game ("game") and of the networks ("agent"), where the pair comes from, and `file_hash`, the
SHA-256 of the rest of the header and of the hash of the weights. Every fault of a file is one `ValueError`
that names the file, the field, the rule and the value. Nothing here loads torch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors
import safetensors.numpy

from spatial_agents.network_config import NetworkConfig
from spatial_game.checks import (
    require,
    require_field,
    require_number,
    require_object,
    require_whole,
    within,
)
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.files import library_errors, read_json, reading, write_bytes
from spatial_game.json_text import from_json

FORMAT_VERSION = 3

HEADER_KEY = "spatial_game"

LARGEST = 1e12
"""The largest number in a file. Products of three such numbers are finite."""

Arrays = dict[str, np.ndarray[Any, Any]]


class PairWeights(NamedTuple):
    """A pair as it is stored."""

    tensors: Arrays  # float32, named as in PairNetwork.state_dict()
    config: GameConfig
    network_config: NetworkConfig | None  # None for networks that are not the package's
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


def _hash_file(header: Mapping[str, Any], tensors: Arrays) -> str:
    """Return the SHA-256 of a header and of the hash of the weights."""
    return hashlib.sha256((json.dumps(header) + hash_weights(tensors)).encode()).hexdigest()


def write_weights(path: Path, weights: PairWeights) -> None:
    """Write a pair's weights; the old file stays until the new one is whole.

    Raises `ValueError`, and writes nothing, if a number is not finite or too large: a good file is never
    replaced by a broken one.
    """
    arrays = as_arrays(weights.tensors)
    require_storable(arrays)
    header = {
        "format_version": FORMAT_VERSION,
        "kind": "pair",
        "game": weights.config.to_dict(),
        "agent": weights.network_config.to_dict() if weights.network_config else None,
        "provenance": weights.provenance,
    }
    header["file_hash"] = _hash_file(header, arrays)
    write_bytes(path, safetensors.numpy.save(arrays, {HEADER_KEY: json.dumps(header)}))


def read_weights(path: Path) -> PairWeights:
    """Read the pair in a weights file. Raises `ValueError` if it is not whole."""
    with reading(path, UserError):
        faults = safetensors.SafetensorError, ValueError, TypeError, AttributeError
        with (
            library_errors("must be a whole safetensors file", *faults),
            safetensors.safe_open(path, framework="numpy") as file,
        ):
            text = (file.metadata() or {}).get(HEADER_KEY, "null")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        header = dict(require_object(f"the metadata {HEADER_KEY}", from_json(text)))
        for name, value in (("kind", "pair"), ("format_version", FORMAT_VERSION)):
            require(header.get(name) == value, f"{name} must be {value}", repr(header.get(name)))
        fields = [require_field(header, name) for name in ("file_hash", "game", "agent", "provenance")]
        stored, game, agent, provenance = fields
        del header["file_hash"]
        computed = _hash_file(header, tensors)
        require(computed == stored, f"file_hash must be {stored}, as it was when written", computed)
        with within("game"):
            config = GameConfig.from_dict(game)
        with within("agent"):
            return PairWeights(tensors, config, NetworkConfig.from_dict(agent) if agent else None, provenance)


def require_storable(tensors: Arrays) -> None:
    """Raise `ValueError` unless all numbers are float32, finite and not too large."""
    for name, array in tensors.items():
        largest = np.abs(array).max(initial=0)  # NaN if there is one
        rule = f"{name} must be float32 in {-LARGEST:g}..{LARGEST:g}"
        fits = array.dtype == np.float32 and bool(largest <= LARGEST)
        require(fits, rule, f"{array.dtype}, with {largest:g}")


def read_card(path: Path, weights_hash: str) -> dict[str, Any]:
    """Read the model card of these weights. Raises `ValueError` if it is of others, or lacks what is read."""
    card = read_json(path)
    rule = f"{path}: weights_hash must be {weights_hash}, that of the weights beside it"
    require(card.get("weights_hash") == weights_hash, rule, repr(card.get("weights_hash")))
    with within(str(path)):
        require_whole("seed", card.get("seed"), 0)
        recipe = require_object("recipe", card.get("recipe"))
        for code in {"networks", "objective", "sampler"} & card.keys():
            require_field(require_object(code, card[code]), "name")
        require_object("objective_options", card.get("objective_options", {}))
        for name in {"unseen", "scalar_reach"} & recipe.keys():
            require_number(f"recipe.{name}", recipe[name], 0)
        evaluation = require_object("evaluation", card.get("evaluation"))
        require_number("evaluation.accuracy", evaluation.get("accuracy"), 0, 1)
        require_whole("evaluation.n", evaluation.get("n"), 1)
    return card


def by_setting(cards: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """Return the names of pairs, by their cards, in groups of the same game, recipe, networks and objective.

    Pairs without a card are alone.
    """
    groups = dict[str, list[str]]()
    for name, card in cards.items():
        parts = ("game", "recipe", "networks", "objective", "objective_options", "sampler")
        setting = [card.get(part) for part in parts]
        groups.setdefault(json.dumps(setting) if "recipe" in card else name, []).append(name)
    return list(groups.values())
