"""From a command line to a command: tyro reads the options that the dataclasses define."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import io
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Protocol, Union, cast, get_type_hints

import tyro

import spatial_game
from spatial_game.cli.errors import UsageError

PROGRAM = "spatial-game"
_STYLE = (tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone)
_DESCRIPTION = (
    "Agents invent a language for places in a sequence, and their messages are read as a dictionary.\n"
    "Begin with: spatial-game demo"
)


class Command(Protocol):
    """A command with its options as fields."""

    def run(self) -> None:
        """Do it."""
        ...


def parse(commands: Mapping[str, type[Command]], arguments: Sequence[str]) -> Command:
    """The command that the arguments ask for. Exits after `--help` and `--version`.

    Raises `UsageError` for an unknown command or option, with the nearest known one, and for options that
    are missing or have an impossible value.
    """
    arguments = arguments or ["--help"]
    name, *rest = arguments
    if name == "--version":
        print(spatial_game.__version__)
        raise SystemExit(0)
    if not name.startswith("-") and name not in commands:
        raise UsageError(f"{_unknown('command', name, commands)} (commands: {', '.join(commands)})")
    with contextlib.redirect_stderr(io.StringIO()) as complaint:
        try:
            if name.startswith("-"):  # help for all, shell completion
                return cast(Command, _parse_any(commands, arguments))
            command, unknown = tyro.cli(
                commands[name], prog=f"{PROGRAM} {name}", args=rest, config=_STYLE, return_unknown_args=True
            )
        except SystemExit as exit_:
            if exit_.code in (0, None):
                raise
            raise UsageError(f"{in_one_line(complaint.getvalue())} (see {PROGRAM} {name} --help)") from None
    if unknown:
        known = flags_of(commands[name])
        raise UsageError(f"{_unknown('option', unknown[0], known)} (see {PROGRAM} {name} --help)")
    return command


def _parse_any(commands: Mapping[str, type[Command]], arguments: Sequence[str]) -> Any:
    """What tyro makes of all commands together: each in the list with the first line of its docstring."""
    listed = tuple(
        Annotated[command, tyro.conf.subcommand(name, description=(command.__doc__ or "").split("\n")[0])]
        for name, command in commands.items()
    )
    kinds: Any = Union[listed]  # noqa: UP007  (made of a tuple)
    return tyro.cli(kinds, prog=PROGRAM, description=_DESCRIPTION, args=list(arguments), config=_STYLE)


def flags_of(command: type) -> list[str]:
    """The options of a command, those of its nested dataclasses included."""
    flags = []
    for name, kind in get_type_hints(command).items():
        nested = dataclasses.is_dataclass(kind) and isinstance(kind, type)
        flags += flags_of(kind) if nested else ["--" + name.replace("_", "-")]
    return flags


def _unknown(what: str, given: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(given, list(known), n=1)
    return f"there is no {what} {given}" + (f"; did you mean {near[0]}?" if near else "")


def in_one_line(box: str) -> str:
    """What tyro says in a box of several lines, without the box, the help texts and the pointers to help."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)
    _title, *body = [line.strip("│").rstrip() for line in plain.splitlines() if line.strip("╰─╯ ")]
    text = textwrap.dedent("\n".join(body)).strip()
    said = []
    for part in re.split(r"(?m)^ *[─-]{3,}\n", text):
        lines = [line.strip() for line in part.splitlines() if not line.startswith(" " * 8)]
        if lines and not lines[0].startswith(("For full help", "Argument help")):
            said.append(" ".join(lines))
    return "; ".join(said)
