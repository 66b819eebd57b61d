"""The files that commands read and write: which options name them, and what they must be."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_type_hints

from spatial_game.files import LEXICON_ENDS

if TYPE_CHECKING:
    from spatial_game.config import GameConfig
    from spatial_game.recording import RecordingFile

M = TypeVar("M")


class Reads:
    """Marks an option that names files, or folders of files, to read."""


class ReadsFiles(Reads):
    """Marks an option that names files to read, or patterns of them: a file must exist."""


class ReadsPairs(Reads):
    """Marks an option that names trained pairs: the lexicon next to a weights file is read, too."""


@dataclass(frozen=True)
class Writes:
    """Marks an option that names the file to write, or the folder for the files to write."""

    kind: Literal["file", "folder"] = "file"


InFile = Annotated[Path, ReadsFiles()]
InFiles = Annotated[tuple[Path, ...], ReadsFiles()]
OutFile = Annotated[Path, Writes()]
OutFolder = Annotated[Path, Writes("folder")]


def check_files(command: object) -> list[Path]:
    """Return the files to read that the options of a command name.

    Raises `ValueError` for an option that names a file which the command cannot read or write. A file to read
    must exist, and be a regular file, because a pipe or a device may never end. A file to write must be in a
    folder that exists, and it must not be one of the files to read.
    """
    read: list[Path] = []
    for name, value, reads in _marked(command, Reads):
        for path in _files(value, of_pairs=isinstance(reads, ReadsPairs)):
            if not path.is_file():
                raise ValueError(f"{name} must be a regular file; got {path}, which is a pipe or a device")
            read.append(path)
    for name, value, mark in _marked(command, Writes):
        if value.exists() and any(value.samefile(path) for path in read):
            raise ValueError(f"{name} must not be a file that is read; got {value}")
        require_writable(name, value, folder=mark.kind == "folder")
    for name, value, _ in _marked(command, ReadsFiles):
        for path in value if isinstance(value, tuple) else (value,):
            if is_missing(path):
                raise ValueError(f"{name} must name a file that exists; got {path}")
    return read


def is_missing(path: Path) -> bool:
    """Return whether a file does not exist and is no pattern of files."""
    return not path.exists() and not glob.has_magic(str(path))


def _marked(command: object, mark: type[M]) -> Iterator[tuple[str, Any, M]]:
    """Yield the name, value and mark of the options that have a mark of this kind and a value."""
    for name, hint in get_type_hints(type(command), include_extras=True).items():
        value = getattr(command, name)
        found = next((each for each in _annotations(hint) if isinstance(each, mark)), None)
        if found is not None and value is not None:
            yield name.rstrip("_"), value, found


def _annotations(hint: Any) -> Iterator[Any]:
    """Yield the annotations of a type and of the types inside it."""
    yield from getattr(hint, "__metadata__", ())
    for part in get_args(hint):
        yield from _annotations(part)


def _files(value: Any, *, of_pairs: bool) -> list[Path]:
    """Return the existing files that the value of an option names; for a run folder, its pairs."""
    if isinstance(value, tuple):
        return [path for each in value for path in _files(each, of_pairs=of_pairs)]
    folder, _, index = str(value).rpartition("/")
    path = Path(folder if index.isdigit() or index == "all" else value)  # runs/mine/2: a pair of a run
    if path.is_dir():
        ends = (".safetensors", *LEXICON_ENDS)
        patterns = (f"{place}*{end}" for place in ("", "*/") for end in ends)
        return [each for pattern in patterns for each in path.glob(pattern) if each.is_file()]
    if path.exists():
        beside = [path.with_suffix(end) for end in LEXICON_ENDS] if of_pairs else []
        return [path, *(each for each in beside if each.is_file())]
    return [Path(each) for each in glob.glob(str(path), recursive=True)]


def require_writable(name: str, path: Path, *, folder: bool = False) -> None:
    """Raise `ValueError` if a file, or a folder of files, cannot be written."""
    if not folder and path.is_dir():
        raise ValueError(f"{name} must be a file; got {path}, which is a folder")
    place = path if folder else path.parent
    if not folder and not place.exists():
        raise ValueError(f"{name} must be in a folder that exists; got {path} (run: mkdir -p {place})")
    there = next(each for each in (place, *place.absolute().parents) if each.exists())
    special = path.exists() and not path.is_file() and not path.is_dir()  # such as /dev/stdout
    if not special and not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise ValueError(f"{name} must be in a folder that can be written to; got {path}")


def open_recordings(files: Sequence[str | Path], config: GameConfig | None) -> list[RecordingFile]:
    """Open recordings of one game: their headers only.

    Raises `ValueError` if they have no episode, because no command could say anything about them.
    """
    from spatial_game.recording import recording_parts

    parts = recording_parts(files, config=config)
    if not any(part.num_rows for part in parts):
        raise ValueError(f"recording must have at least one episode; got none in {files[0]}")
    return parts
