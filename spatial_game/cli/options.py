"""What commands have in common: how they run, and options that several of them take."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, get_args, get_origin, get_type_hints

from cyclopts import Group, Parameter
from docstring_parser import parse_from_object  # Cyclopts reads the help of commands with it

from spatial_game.cli.report import Report
from spatial_game.config import GAMES, GameConfig, GameOptions
from spatial_game.errors import UserError
from spatial_game.json_text import to_json
from spatial_game.tables import TABLE_FORMATS

SHOWN = 10
"""Rows of a long table that text shows, the most frequent first; other formats show all."""


def group(title: str, about: str = "") -> Parameter:
    """Return the mark of a class whose fields are options, with a title in the help."""
    return Parameter(name="*", group=Group(title, help=about, sort_key=2))


def names_in(register: Mapping[str, tuple[Any, str]]) -> Parameter:
    """Return the mark of an option that takes names in a register, which says what each of them is."""
    about = "; ".join(f"{name}: {about}" for name, (_, about) in register.items())
    return Parameter(choices=tuple(register), help=about if about.endswith("?") else f"{about}.")


# --- Commands -----------------------------------------------------------------------------------------------


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
            raise UserError(f"--format must be given without --json; got {self.format}")
        super().run()

    def show(self, report: Report) -> None:
        """Print a report as text, or its complete table."""
        if self.format == "text":
            report.show()
        elif report.complete is not None:
            print(TABLE_FORMATS[self.format](report.complete), end="")


AgentsName = Annotated[
    str,
    Parameter(
        help="A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random, "
        "or agents of your own: module:Class has a sender and a receiver, or the methods send and choose."
    ),
]
"""The name of agents, as `load_agents` takes it."""


SamplerName = Annotated[
    str | None,
    Parameter(help="A function of your own, module:function, that draws the episodes: f(n, rng) returns n."),
]
"""The name of a sampler."""


# --- The options of the game --------------------------------------------------------------------------------


def options_of(kind: type, *, several: bool = False) -> dict[str, Any]:
    """Return the fields of a dataclass as options that need not be given; their docstrings are the help.

    With `several`, an option takes one or more values, except flags and shapes. Given twice, it is refused.
    """
    about = {each.arg_name: each.description or "" for each in parse_from_object(kind).params}
    hints, options = get_type_hints(kind), dict[str, Any]()
    for each in (each for each in fields(kind) if each.init):
        hint = hints[each.name]
        if get_origin(hint) is UnionType:  # with None
            hint = get_args(hint)[0]
        if several and hint is not bool and get_origin(hint) is not tuple:
            hint = tuple[hint, ...]  # type: ignore[valid-type]
        about_it = about[each.name].partition("Default:")[0]
        options[each.name] = Annotated[hint, Parameter(help=about_it, allow_repeating=False)]
    return options


def game_options(*, several: bool = False) -> dict[str, Any]:
    """Return the options of the game: a named game, and the fields of `GameConfig`.

    Their help is the documentation of the fields, but for the defaults: commands have their own.
    """
    sizes = (
        f"{name}: {game.sequence_length} integers, {game.num_candidates} candidates, {game.message_length} "
        f"symbols of {game.vocab_size}."
        for name, game in GAMES.items()
    )
    about = f"A game with a name. {' '.join(sizes)} The other options change its sizes."
    kind: Any = tuple[str, ...] if several else str
    name = Annotated[kind, Parameter(choices=tuple(GAMES), help=about, allow_repeating=False)]
    return {"game": name, **options_of(GameConfig, several=several)}


if TYPE_CHECKING:
    GameFlags = GameOptions
else:
    GameFlags = TypedDict("GameFlags", game_options(), total=False)


@dataclass(frozen=True, kw_only=True)
class GameCommand(Command):
    """A command with the options of the game."""

    game: Annotated[
        GameFlags,
        group(
            "Game",
            "Default: the game that the file names, or that the agents were made for. With another length or "
            "shape, the game has as many integers as cells unless --num-integers is given.",
        ),
    ] = field(default_factory=GameFlags)


def sizes_of(game: GameOptions) -> dict[str, Any]:
    """Return the sizes that options give: with a named game, all of them."""
    return asdict(GameConfig().changed(**game)) if "game" in game else dict(game)


# --- Files --------------------------------------------------------------------------------------------------


def require_writable(path: Path | None, read: Iterable[str | Path | None] = ()) -> None:
    """Raise `ValueError` if a file, or a folder of files, cannot be written, or is one of those to `read`."""
    if path is None:
        return
    if path.exists() and any(os.path.exists(file) and path.samefile(file) for file in read if file):
        raise UserError(f"{path} must not be written: it is a file that is read")
    existing = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not os.access(existing, os.W_OK) or (existing.is_file() and existing != path):
        raise UserError(f"{path} must be a place that can be written to")
