"""The program `spatial-game` and its commands.

A command's module is imported when the command is used. At its top it imports only what `--help` needs;
`execute` imports the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, cast, get_args

from cyclopts import App, ArgumentCollection, CycloptsError, Group, Parameter

import spatial_game
from spatial_game.cli import UsageError
from spatial_game.cli.options import Command
from spatial_game.cli.terminal import stdout_console


class Registered(NamedTuple):
    """A command in the register."""

    place: str
    """Its module and class."""
    summary: str
    example: str


COMMANDS = {
    "demo": Registered(
        "demo:Demo", "Watch a trained pair play the game and read its language, in some ten seconds.", "demo"
    ),
    "play": Registered(
        "play:Play",
        "Watch two agents play the game turn by turn, or take the place of one of them.",
        "play embed-60 --as receiver",
    ),
    "record": Registered(
        "record:Record",
        "Let two agents play new episodes, and write them to a recording (Parquet).",
        "record embed-60 --episodes 200000 --out play.parquet",
    ),
    "train": Registered(
        "train:Train",
        "Train pairs of agents. An interrupted run continues with --resume.",
        "train --inputs embedding --seed 0 --out runs/mine",
    ),
    "evaluate": Registered(
        "evaluate:Evaluate",
        "Measure how well trained pairs play new episodes, and run studies on them.",
        "evaluate embed-60/all --cross-play",
    ),
    "runs": Registered(
        "runs:Runs",
        "Show what was trained: one row for each pair, with the options in which the pairs differ.",
        "runs runs --format csv",
    ),
    "analyse": Registered(
        "analyse:Analyse",
        "Make the dictionary of a language: what each symbol and each message means.",
        "analyse play.parquet --out dictionary.json",
    ),
    "describe": Registered(
        "describe:Describe",
        "Describe a language on one page: what it tells, how messages are built, its messages and a map.",
        "describe play.parquet --out page.html",
    ),
    "read": Registered(
        "read:Read", "Read messages: how often each is sent, and what it means.", "read embed-60/0 9 9 20"
    ),
    "compare": Registered(
        "compare:Compare",
        "Compare two languages: what each tells, its symbols and messages, how well each reads the other.",
        "compare embed-60/0 embed-60/1",
    ),
    "measure": Registered(
        "measure:Measure",
        "Measure a language as papers do: entropy, information, disentanglement, topographic similarity.",
        "measure play.parquet",
    ),
    "npmi": Registered(
        "npmi:Npmi",
        "Make the paper's table of a language, by normalised pointwise mutual information.",
        "npmi play.parquet --estimator code",
    ),
    "probe": Registered(
        "probe:Probe",
        "Send messages to a receiver, your own or those of a dictionary: what does it understand?",
        "probe embed-60 --message 9 9 20",
    ),
    "reproduce": Registered(
        "reproduce:Reproduce",
        "Measure everything that the paper reports, and write one report. The same command continues it.",
        "reproduce --quick --out reproduction",
    ),
    "import": Registered(
        "convert:Import",
        "Convert another tool's file into a recording.",
        "import play.csv --format csv --vocab-size 26 --out play.parquet",
    ),
    "export": Registered(
        "convert:Export",
        "Convert a recording into another tool's format.",
        "export play.parquet --format csv --out play.csv",
    ),
}
"""The commands, in the order of the help."""


def shown_default(value: object) -> object:
    """Return the default that help shows; None for an empty one."""
    if isinstance(value, tuple) and len(value) == 1:  # of an option that takes several values
        return cast("object", value[0])
    return None if value is None or value is False or value == () else value


def whole_numbers(app: App, commands: Sequence[str], arguments: ArgumentCollection) -> None:
    """Refuse fractions for whole numbers, which Cyclopts would round, and take 8x8 for 8 8."""
    for argument in arguments:
        if not _of_integers(argument.hint):
            continue
        tokens, argument.tokens[:] = list(argument.tokens), []
        for token in tokens:
            if "." in token.value:
                raise UsageError(f"{argument.name} must be a whole number; got {token.value}")
            is_grid = argument.name == "--shape" and re.fullmatch(r"\d+(x\d+)+", token.value)
            values = token.value.split("x") if is_grid else [token.value]
            argument.tokens.extend(token.evolve(value=value) for value in values)


def _of_integers(hint: Any) -> bool:
    """Return whether an option takes integers: one, several or none."""
    return hint is int or any(map(_of_integers, get_args(hint)))


app = App(
    name="spatial-game",
    help="Two agents invent a language for places in a sequence, and an analyser reads it as a dictionary.",
    help_epilogue="Begin with: spatial-game demo. Options: spatial-game COMMAND --help.",
    help_format="markdown",
    version=spatial_game.__version__,
    group_parameters=Group("Options", sort_key=1),
    default_parameter=Parameter(negative=(), consume_multiple=True, show_default=shown_default),
    result_action="return_value",
    config=whole_numbers,
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,  # or Ctrl-C would end the program without a word
)
"""Parses a command line into a `Command`."""

for order, (name, entry) in enumerate(COMMANDS.items()):
    about = {"help": entry.summary, "help_epilogue": f"Example: spatial-game {entry.example}"}
    app.command(f"spatial_game.cli.commands.{entry.place}", name=name, sort_key=order, **about)


def parse(arguments: Sequence[str]) -> Command | None:
    """Return the command that the arguments describe; None after `--help` or `--version`.

    Raises `UsageError` for an unknown or missing command or option, and for a value of the wrong kind.
    """
    try:
        return cast("Command | None", app(list(arguments), console=stdout_console()))
    except CycloptsError as error:
        command = " ".join(["spatial-game", *(error.command_chain or ())])
        fault, listed, _ = str(error).partition("Available commands: ")  # Cyclopts lists only eight
        if listed:
            fault += listed + ", ".join(COMMANDS)
        raise UsageError(f"{' '.join(fault.split()).rstrip(' .')}; see {command} --help") from None
