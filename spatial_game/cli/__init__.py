"""The command line: `spatial-game COMMAND`. Each command is a dataclass with a `run` method."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from spatial_game.cli.errors import ending_by_signal, report_errors


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status: 0, 1 (it failed), 2 (misunderstood), 130 (Ctrl-C), 143 (SIGTERM)."""
    _prepare_streams()
    given = sys.argv[1:] if arguments is None else list(arguments)
    with report_errors() as outcome, ending_by_signal():
        # Here, so that Ctrl-C while they load is reported like any other.
        from spatial_game.cli.arguments import parse
        from spatial_game.cli.commands import ABOUT, COMMANDS

        try:
            parse(COMMANDS, ABOUT, given).run()
        except SystemExit:  # --help and --version, whose reader may have gone as well
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    return outcome.status


def _prepare_streams() -> None:
    """Let stdout and stderr take whatever is written: nothing if they are closed, and any character.

    A path may hold what their encoding has not; that is no reason to fail.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before we began
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
