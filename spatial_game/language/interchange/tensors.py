"""Recordings as plain arrays under the names of EGG's `Interaction` (Kharitonov et al. 2019)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.language.counting.counts import Source
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import InterchangeError, not_empty, reading
from spatial_game.recording import ANALYSED, Recording, join

TENSORS = {
    "window": "sender_input",
    "candidates": "receiver_input",
    "target_index": "labels",
    "message": "message",
    "choice": "receiver_output",
    "sequence": "aux_input.sequence",
    "target_position": "aux_input.target_position",
}
"""The names in the file of a recording's columns."""
LENGTH, CONFIG = "message_length", "aux.config"


def export_tensors(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as an npz of int64 arrays named as in EGG's `Interaction`; return the episodes.

    It contains no pickle: `numpy.load(path, allow_pickle=False)` reads it, and `torch.from_numpy` makes
    tensors. `message_length` is the same for all episodes; `aux.config` is the game as JSON.
    """
    recording = join(source.blocks())
    arrays = {TENSORS[name]: column.astype(np.int64) for name, column in recording.columns().items()}
    arrays[LENGTH] = np.full(len(recording), source.config.message_length)
    arrays[CONFIG] = np.array(json.dumps(source.config.to_dict()))
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return len(recording)


def read_tensors(path: str | os.PathLike[str], config: GameConfig | None = None) -> Recording:
    """Read an npz from `export_tensors`. `config` is for a file that does not name its game.

    Raises `InterchangeError` for any other file, and never runs code from it.
    """
    with reading(path) as file:
        arrays = _arrays(file)
        if CONFIG in arrays:
            config = _config(str(arrays[CONFIG]), config)
        if config is None:
            raise InterchangeError(f"the game must be given where there is no {CONFIG}; got none")
        for name in ANALYSED:
            if TENSORS[name] not in arrays:
                raise InterchangeError(f"there must be an array {TENSORS[name]}; got {shortened([*arrays])}")
        columns = {name: arrays[tensor] for name, tensor in TENSORS.items() if tensor in arrays}
        return not_empty(Recording(config, **columns, provenance={"imported_from": file.name}))


def _arrays(file: Path) -> dict[str, Any]:
    """Return the arrays of an npz that this module knows."""
    try:
        with np.load(file, allow_pickle=False) as members:
            return {name: members[name] for name in (*TENSORS.values(), CONFIG) if name in members.files}
    except Exception:  # numpy's own words would advise to read it as a pickle, which can run code
        kinds = "damaged, truncated, of another kind, or with Python objects"
        raise InterchangeError(f"not an npz of plain arrays ({kinds})") from None


def _config(text: str, given: GameConfig | None) -> GameConfig:
    try:
        config = GameConfig.from_dict(json.loads(text))
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InterchangeError(f"{CONFIG}: must be a game as JSON; {error}") from None
    if given is not None and given != config:
        raise InterchangeError(f"{CONFIG}: the game must be {given.signature}; got {config.signature}")
    return config
