"""Count recordings on disk in several processes; each counts a span of the row groups into a file."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.language.counting.columns import num_columns
from spatial_game.language.counting.counts import Counts, count
from spatial_game.recording import Paths, RecordingFile, recording_parts
from spatial_game.units import Hear, Place, Unit, run_units, usable_cores, words_of

ONE = Place(jobs=1)
_PARTS = ("data", "indices", "indptr")  # of a sparse table


def count_files(
    paths: Paths,
    *,
    config: GameConfig | None = None,
    place: Place = ONE,
    folder: Path | None = None,
    hear: Hear = lambda name, report: None,
) -> Counts:
    """Count recordings on disk in constant memory, in this process or in several jobs.

    The jobs share the row groups, and the result does not depend on their number. Their files are in `folder`
    (default: a temporary one), where the same call finds finished ones. Raises `RecordingError` for
    files that cannot be read, and `UnitsFailed` if a job fails.
    """
    files = recording_parts(paths, config=config)
    most = usable_cores() if place.on == "local" else len(files)
    jobs = min(place.jobs or most, sum(len(file.row_groups) for file in files))
    if jobs == 0 or (place.on == "local" and jobs == 1):
        return count(files)
    with tempfile.TemporaryDirectory() as temporary:
        folder = folder or Path(temporary)
        done = [folder / f"{_key(files)}-{i}-of-{jobs}.npz" for i in range(jobs)]
        units = [_unit(files, config, f"{i}/{jobs}", path) for i, path in enumerate(done)]
        run_units(units, folder, place, hear)
        counts = reduce(Counts.__add__, (read_counts(path, files[0].config) for path in done))
    return replace(counts, sources=tuple(files))


def span(files: Sequence[RecordingFile], part: int, parts: int) -> list[RecordingFile]:
    """Return the row groups of one of several equal parts of recordings."""
    groups = [(file, group) for file in files for group in file.row_groups]
    first, end = len(groups) * part // parts, len(groups) * (part + 1) // parts
    chosen = [tuple(group for own, group in groups[first:end] if own is file) for file in files]
    return [replace(file, row_groups=own) for file, own in zip(files, chosen, strict=True) if own]


def write_counts(counts: Counts, path: Path) -> None:
    """Write tables of counts, completely or not at all."""
    arrays: dict[str, Any] = {"messages": counts.messages}
    for name, table in (("all", counts.table), ("held_out", counts.held_out)):
        arrays |= {f"{name}_{part}": getattr(table, part) for part in _PARTS}
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)


def read_counts(path: Path, config: GameConfig) -> Counts:
    """Read tables of counts of this game."""
    with np.load(path, allow_pickle=False) as arrays:
        messages = arrays["messages"]
        shape = len(messages), num_columns(config)
        table, held_out = (
            sp.csr_array(tuple(arrays[f"{name}_{part}"] for part in _PARTS), shape=shape)
            for name in ("all", "held_out")
        )
        return Counts(config, messages, table, held_out=held_out)


def _unit(files: Sequence[RecordingFile], config: GameConfig | None, part: str, out: Path) -> Unit:
    paths = [os.path.abspath(file.path) for file in files]
    words = words_of({**(config.to_dict() if config else {}), "part": part, "out": out.resolve()})
    return Unit(out.stem, ("analyse", *paths, *words), done=out.exists())


def _key(files: Sequence[RecordingFile]) -> str:
    """Return a name for these contents of these files."""
    stats = [(str(file.path.resolve()), file.path.stat()) for file in files]
    facts = [(path, stat.st_size, stat.st_mtime_ns) for path, stat in stats]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
