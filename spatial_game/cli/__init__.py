"""The command line: `spatial-game COMMAND`. Each command is a dataclass with a `run` method."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from spatial_game.cli.analyse import Analyse
from spatial_game.cli.arguments import Command, parse
from spatial_game.cli.demo import Demo
from spatial_game.cli.errors import report_errors
from spatial_game.cli.play import Play
from spatial_game.cli.record import Record
from spatial_game.cli.train import Evaluate, Train

COMMANDS: dict[str, type[Command]] = {
    "demo": Demo,
    "play": Play,
    "record": Record,
    "train": Train,
    "evaluate": Evaluate,
    "analyse": Analyse,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status: 0, or 1 (it failed), 2 (misunderstood), 130 (Ctrl-C)."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    with report_errors() as outcome:
        parse(COMMANDS, given).run()
        sys.stdout.flush()
    return outcome.status
