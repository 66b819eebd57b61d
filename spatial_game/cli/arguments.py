"""From a command line to a command: tyro reads the options that the dataclasses define."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import io
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, get_type_hints

import tyro
from rich.text import Text

import spatial_game
from spatial_game.cli.errors import UsageError
from spatial_game.cli.terminal import Output

PROGRAM = "spatial-game"
_STYLE = (tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone)
_DESCRIPTION = "Agents invent a language for places in a sequence; their messages are read as a dictionary."


class Command(Protocol):
    """A command with its options as fields."""

    def run(self) -> None:
        """Do it."""
        ...


def parse(
    commands: Mapping[str, type[Command]], about: Mapping[str, str], arguments: Sequence[str]
) -> Command:
    """The command that the arguments ask for; `about` says of each what it is for.

    Exits after `--help` and `--version`.

    Raises `UsageError` for an unknown command or option, with the nearest known one, and for options that
    are missing or have an impossible value.
    """
    arguments = arguments or ["--help"]
    name, *rest = arguments
    if name == "--version":
        print(spatial_game.__version__)
        raise SystemExit(0)
    if name in ("-h", "--help"):
        Output().say(*help_for_all(about))
        raise SystemExit(0)
    if name.startswith("-"):
        raise UsageError(f"{_unknown('option', name, ['--help', '--version'])} (see {PROGRAM} --help)")
    if name not in commands:
        raise UsageError(f"{_unknown('command', name, commands)} (commands: {', '.join(commands)})")
    with _plain_if_asked(), contextlib.redirect_stderr(io.StringIO()) as complaint:
        try:
            command, unknown = tyro.cli(
                commands[name], prog=f"{PROGRAM} {name}", args=rest, config=_STYLE, return_unknown_args=True
            )
        except SystemExit as exit_:
            if exit_.code in (0, None):
                raise
            said = in_our_words(in_one_line(complaint.getvalue()))
            raise UsageError(f"{said} (see {PROGRAM} {name} --help)") from None
    if unknown:
        raise UsageError(f"{_not_taken(name, unknown[0], commands)} (see {PROGRAM} {name} --help)")
    return command


class _NoTerminal(io.StringIO):
    """Text in memory, in the encoding of stdout."""

    encoding = sys.stdout.encoding if sys.stdout else None  # type: ignore[assignment]


@contextlib.contextmanager
def _plain_if_asked() -> Iterator[None]:
    """No colours in what tyro prints where NO_COLOR is set: it knows terminals, but not that variable."""
    if not os.environ.get("NO_COLOR"):
        yield
        return
    stdout = sys.stdout
    with contextlib.redirect_stdout(_NoTerminal()) as said:
        try:
            yield
        finally:
            print(said.getvalue(), end="", file=stdout)


def help_for_all(about: Mapping[str, str]) -> list[Text]:
    """The list of commands, as wide as the terminal; none of them is imported."""
    size, width = max(map(len, about)) + 2, Output().width
    lines = [
        Text.assemble("Usage: ", (f"{PROGRAM} COMMAND", "bold"), " [OPTIONS]"),
        Text(),
        *map(Text, textwrap.wrap(_DESCRIPTION, width)),
        Text(),
    ]
    for name, text in about.items():
        first, *others = textwrap.wrap(text, max(width - size - 2, 20))
        lines.append(Text.assemble("  ", (f"{name:<{size}}", "cyan"), first))
        lines += [Text(" " * (size + 2) + line) for line in others]
    return [
        *lines,
        Text(),
        Text.assemble("Begin:   ", (f"{PROGRAM} demo", "bold")),
        Text.assemble("Options: ", (f"{PROGRAM} COMMAND --help", "bold")),
    ]


def flags_of(command: type) -> list[str]:
    """The options of a command, those of its nested dataclasses included."""
    flags = []
    for name, kind in get_type_hints(command).items():
        nested = dataclasses.is_dataclass(kind) and isinstance(kind, type)
        flags += flags_of(kind) if nested else ["--" + name.rstrip("_").replace("_", "-")]
    return flags


def _not_taken(name: str, given: str, commands: Mapping[str, type[Command]]) -> str:
    if given.startswith("-"):
        return _unknown("option", given, flags_of(commands[name]))
    return f"{name} does not take this argument; got {given}"


def _unknown(what: str, given: str, known: Iterable[str]) -> str:
    return f"there is no {what} {given}{did_you_mean(given, known)}"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """`; did you mean ...?` with the nearest known name; nothing if none is near."""
    near = difflib.get_close_matches(given, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def in_our_words(complaint: str) -> str:
    """What tyro says of a value as field, rule and value, with the nearest choice; the rest as it is."""
    choice = re.match(r"invalid choice '(.*)' for argument '(.*)'\. Expected one of \((.*)\)\.$", complaint)
    if choice:
        given, flag, expected = choice.groups()
        choices = re.findall(r"'(.*?)'", expected)
        rule = f"{flag} must be one of {', '.join(choices)}"
        return f"{rule}; got {given}{did_you_mean(given, choices)}"
    number = re.match(
        r"Error parsing (--[\w-]+): (invalid literal for int|could not convert)\b.*?'(.*)'$", complaint
    )
    if number:
        flag, said, given = number.groups()
        kind = "whole number" if said.endswith("int") else "number"
        return f"{flag} must be a {kind}; got {given}"
    return complaint


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
