"""The command line: `spatial-game COMMAND`. Each command is a dataclass with a `run` method."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from spatial_game.cli.errors import ending_by_signal, report_errors


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status: 0, 1 (it failed), 2 (misunderstood), 130 (Ctrl-C), 143 (SIGTERM)."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    with report_errors() as outcome, ending_by_signal():
        # Here, so that Ctrl-C while they load is reported like any other.
        from spatial_game.cli.arguments import parse
        from spatial_game.cli.commands import ABOUT, COMMANDS

        parse(COMMANDS, ABOUT, given).run()
        sys.stdout.flush()
    return outcome.status
