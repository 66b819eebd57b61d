"""Plain arrays under the names of EGG's `Interaction` (Kharitonov et al. 2019)."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from spatial_game.checks import check_integers, shortened, within
from spatial_game.config import GameConfig
from spatial_game.files import reading, replacing
from spatial_game.json_text import from_json
from spatial_game.language.counting.counts import Source
from spatial_game.language.interchange.importing import InterchangeError, imported
from spatial_game.recording import ANALYSED, NOBODY, Recording, join
from spatial_game.recording.format import require_sizes

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
LENGTH, CONFIG, SYMBOLS = "message_length", "aux.config", "aux.symbols"
END = 0
"""EGG's symbol for the end of a message."""
_BROKEN = (ValueError, TypeError, OSError, EOFError, KeyError, RuntimeError, zlib.error, zipfile.BadZipFile)
"""What NumPy and zipfile raise for files of other kinds, and for broken ones."""


def export_tensors(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as an npz of int64 arrays named as in EGG's `Interaction`; return the episodes.

    It contains no pickle: `numpy.load(path, allow_pickle=False)` reads it, and `torch.from_numpy` makes
    tensors. `message_length` is the same for all episodes; `aux.config` is the game as JSON, and
    `aux.symbols` the letters or words of a language that was imported.
    """
    recording = join(source.blocks())
    arrays = {TENSORS[name]: column.astype(np.int64) for name, column in recording.columns().items()}
    arrays[LENGTH] = np.full(len(recording), source.config.message_length)
    arrays[CONFIG] = np.array(json.dumps(source.config.to_dict()))
    if "symbols" in source.provenance:
        arrays[SYMBOLS] = np.array(source.provenance["symbols"])
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return len(recording)


def read_tensors(path: str | os.PathLike[str], **sizes: Any) -> Recording:
    """Read an npz of arrays named as in EGG's `Interaction`, such as `export_tensors` writes.

    `sizes` are the fields of `GameConfig` that the file does not tell: without `aux.config`, at least
    `sequence_length` (unless there are sequences) and `vocab_size`. If there is a `message_length`, symbols
    behind the end of a message, which nobody heard, become 0, EGG's symbol for the end.

    Raises `InterchangeError` for any other file, and never runs code from it.
    """
    with reading(path, InterchangeError) as file:
        arrays = _arrays(file)
        for name in ANALYSED:
            if TENSORS[name] not in arrays:
                found = shortened([*arrays]) if arrays else "none of its names (as in a file of torch.save)"
                raise InterchangeError(f"there must be an array {TENSORS[name]}; got {found}")
        message = arrays[TENSORS["message"]]
        if message.ndim == 3:
            rule = "message must name symbols by their numbers, (episodes, slots)"
            raise InterchangeError(f"{rule}; these look like one-hot vectors: take argmax(-1)")
        if message.size == 0:
            raise InterchangeError("there must be at least one episode; got none")
        if LENGTH in arrays and message.ndim == 2:
            episodes, slots = message.shape
            lengths = check_integers(LENGTH, arrays[LENGTH], (episodes,), slots + 1, low=1)
            arrays[TENSORS["message"]] = np.where(np.arange(slots) < lengths[:, None], message, END)
        columns = {name: arrays[tensor] for name, tensor in TENSORS.items() if tensor in arrays}
        for name, column in columns.items():
            if column.dtype.kind == "f":
                rule = f"{TENSORS[name]} must be integers, as of .long() in torch"
                raise InterchangeError(f"{rule}; got dtype {column.dtype}")
        columns = {name: c for name, c in columns.items() if name in ANALYSED or not np.all(c == NOBODY)}
        if CONFIG in arrays:
            config = _config(str(arrays[CONFIG]))
            require_sizes(config, sizes)
            sizes = asdict(config)
        origin = {"symbols": arrays[SYMBOLS].tolist()} if SYMBOLS in arrays else {}
        return imported(columns, sizes, file, origin=origin)


def _arrays(file: Path) -> dict[str, Any]:
    """Return the arrays of an npz that this module knows."""
    known = (*TENSORS.values(), LENGTH, CONFIG, SYMBOLS)
    with file.open("rb") as opened:
        try:
            with np.load(opened, allow_pickle=False) as members:
                return {name: members[name] for name in known if name in members.files}
        except _BROKEN:  # numpy's own words would advise to read it as a pickle, which can run code
            kinds = "damaged, truncated, of another kind, or with Python objects"
            raise InterchangeError(f"not an npz of plain arrays ({kinds})") from None


def _config(text: str) -> GameConfig:
    with within(f"{CONFIG}: must be a game as JSON"):
        return GameConfig.from_dict(from_json(text))
