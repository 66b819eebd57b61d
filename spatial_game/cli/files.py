"""Checks of the files that commands write."""

from __future__ import annotations

import os
from pathlib import Path

from spatial_game.files import refuse_input


def require_writable(name: str, path: Path | None, *, folder: bool = False) -> None:
    """Raise `ValueError` if a file, or a folder of files, cannot be written, or is a file that was read."""
    if path is None:
        return
    refuse_input(path)
    if not folder and path.is_dir():
        raise ValueError(f"{name} must be a file; got {path}, which is a folder")
    place = path if folder else path.parent
    if not folder and not place.exists():
        raise ValueError(f"{name} must be in a folder that exists; got {path} (run: mkdir -p {place})")
    there = next(each for each in (place, *place.absolute().parents) if each.exists())
    special = path.exists() and not path.is_file() and not path.is_dir()  # such as /dev/stdout
    if not special and not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise ValueError(f"{name} must be in a folder that can be written to; got {path}")
