"""What commands have in common: how they run, the options of the game, and the check of files to write."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

from spatial_game.cli.report import Report
from spatial_game.config import GameConfig, GameName
from spatial_game.errors import UserError
from spatial_game.json_text import to_json
from spatial_game.tables import FORMATS


def group(title: str, about: str = "") -> Parameter:
    """Return the mark of a dataclass whose fields are options, with a title in the help."""
    return Parameter(name="*", group=Group(title, help=about, sort_key=2))


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command. Its fields are its options, and their docstrings are the help."""

    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Print the text of each report as it comes, or at the end one JSON object of all data."""
        data: dict[str, Any] = {}
        try:
            for report in self.execute():
                data |= report.data
                if not self.json:
                    self.show(report)
        finally:  # what was done before an error, too
            if self.json and data:
                print(to_json(data, indent=2))

    def execute(self) -> Iterator[Report]:
        """Do the work, and yield what is to be shown."""
        raise NotImplementedError

    def show(self, report: Report) -> None:
        """Print a report for people."""
        report.show()


@dataclass(frozen=True, kw_only=True)
class TableCommand(Command):
    """A command whose whole result is also one table."""

    format: Literal["text", "markdown", "csv"] = "text"
    """How to print the result. Markdown and CSV print one table and nothing else; it has every row and every
    member of a set."""

    def run(self) -> None:
        """Print the result in the chosen format."""
        if self.json and self.format != "text":
            raise UserError(f"format must be given without --json; got {self.format}")
        super().run()

    def show(self, report: Report) -> None:
        """Print a report as text, or its complete table."""
        if self.format == "text":
            report.show()
        elif report.complete is not None:
            print(FORMATS[self.format](report.complete), end="")


@dataclass(frozen=True, kw_only=True)
class GameFlags:
    """A named game and the fields of `GameConfig`, each optional. Commands have their own defaults."""

    game: GameName | None = None
    """A game with a name. small: 8 integers, 3 candidates, 2 symbols of 8. tiny: 4 integers, 2 candidates,
    2 symbols of 4. The other options change its sizes."""
    sequence_length: int | None = None
    """Integers in the hidden sequence (L); in a grid, its number of cells."""
    num_integers: int | None = None
    """A sequence is a random choice, in random order, from the integers 0..num_integers-1."""
    window_radius: int | None = None
    """Cells that the sender sees on each side of the target (r); the window has 2r+1 cells on each axis."""
    num_distractors: int | None = None
    """Number of wrong candidates."""
    vocab_size: int | None = None
    """Number of symbols (V): 0..vocab_size-1."""
    message_length: int | None = None
    """Symbols in each message (T)."""
    shape: tuple[int, ...] | None = None
    """Cells on each of the 1 to 4 axes of a grid, the first axis downwards."""
    num_visible: int | None = None
    """Neighbours of the target that the sender sees, drawn at random for each episode."""

    @property
    def given(self) -> dict[str, Any]:
        """The sizes that were given: with a named game, all of them."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        return asdict(GameConfig().changed(**given)) if "game" in given else given


@dataclass(frozen=True, kw_only=True)
class AgentsCommand(Command):
    """A command in which two agents play."""

    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random, or agents
    of your own: module:Class has a sender and a receiver, or the methods send and choose."""


ShownGame = Annotated[
    GameFlags,
    group(
        "Game",
        "Default: the game that the agents were made for. With another length or shape, the game has as many "
        "integers as cells unless --num-integers is given.",
    ),
]
"""The options of the game, which the help of the command lists."""
UnlistedGame = Annotated[GameFlags, Parameter(name="*", show=False)]
"""The options of the game, which the last lines of the help only name."""


def require_writable(path: Path | None, read: Iterable[str | Path | None] = ()) -> None:
    """Raise `ValueError` if a file, or a folder of files, cannot be written, or is one of those to `read`."""
    if path is None:
        return
    if path.exists() and any(os.path.exists(file) and path.samefile(file) for file in read if file):
        raise UserError(f"{path} must not be written: it is a file that is read")
    existing = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not os.access(existing, os.W_OK) or (existing.is_file() and existing != path):
        raise UserError(f"{path} must be a place that can be written to")
