"""The base class of commands, the options of the game, and checks of values and files."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from cyclopts import Group, Parameter

from spatial_game.cli.terminal import Output
from spatial_game.config import GameConfig

C = TypeVar("C", bound="type[Command]")


def group(title: str, about: str = "") -> Parameter:
    """Return the mark of a dataclass whose fields are options, with a title in the help."""
    return Parameter(name="*", group=Group(title, help=about, sort_key=2))


def positional(command: C) -> C:
    """Turn the fields of a command that are not keyword-only into positional arguments."""
    signature = inspect.signature(command)
    parameters = [
        p.replace(kind=p.POSITIONAL_ONLY) if p.kind is p.POSITIONAL_OR_KEYWORD else p
        for p in signature.parameters.values()
    ]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command. Its fields are its options, and their docstrings are the help."""

    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Do the work, and print its result: as text, or as one JSON object."""
        output = Output(self.json)
        output.result(self.execute(output))

    def execute(self, output: Output) -> dict[str, Any]:
        """Do the work, show it, and return the result for JSON."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """The fields of `GameConfig`, each optional."""

    sequence_length: int | None = None
    """Integers in the hidden sequence (L)."""
    num_integers: int | None = None
    """A sequence is a random choice of the integers 0..num_integers-1. With --sequence-length or --shape, the
    default is the length of the sequence."""
    window_radius: int | None = None
    """Cells that the sender sees on each side of the target (r)."""
    num_distractors: int | None = None
    """Number of wrong candidates."""
    vocab_size: int | None = None
    """Number of symbols (V)."""
    message_length: int | None = None
    """Symbols in each message (T)."""
    shape: tuple[int, ...] | None = None
    """Cells on each axis of a grid, the first axis downwards; use it instead of --sequence-length."""
    num_visible: int | None = None
    """Neighbours of the target that the sender sees, drawn at random for each episode."""

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    def config(self, own: GameConfig | None = None) -> GameConfig:
        """Return the game with these options; `own` (default: the paper's full game) has the other sizes."""
        return (own or GameConfig()).changed(**self.given)

    @property
    def of_files(self) -> GameConfig | None:
        """The game to read files with; if no option is given, None: the files name their game."""
        return self.config() if self.given else None


AgentsGame = Annotated[GameOptions, group("Game", "Default: the game that the agents were made for.")]
FilesGame = Annotated[GameOptions, group("Game", "Needed only for files that do not name their game.")]


def require_at_least(least: int, **values: int) -> None:
    """Raise `ValueError` for the first option whose value is too small."""
    for name, value in values.items():
        if value < least:
            raise ValueError(f"{name} must be at least {least}; got {value}")


def require_writable(
    name: str, path: Path | None, read: Iterable[str | Path | None] = (), *, folder: bool = False
) -> None:
    """Raise `ValueError` if a file, or a folder of files, cannot be written, or is one of those to `read`."""
    if path is None:
        return
    if any(path.exists() and os.path.exists(each) and path.samefile(each) for each in read if each):
        raise ValueError(f"{path} must not be written: it is a file that is read")
    if not folder and path.is_dir():
        raise ValueError(f"{name} must be a file; got {path}, which is a folder")
    place = path if folder else path.parent
    if not folder and not place.exists():
        raise ValueError(f"{name} must be in a folder that exists; got {path} (run: mkdir -p {place})")
    there = next(each for each in (place, *place.absolute().parents) if each.exists())
    special = path.exists() and not path.is_file() and not path.is_dir()  # such as /dev/stdout
    if not special and not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise ValueError(f"{name} must be in a folder that can be written to; got {path}")
