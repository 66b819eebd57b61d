"""The command line: `spatial-game COMMAND`. Each command is a dataclass, and its fields are its options."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from spatial_game.cli.ending import discard_unwritable_output, ending_by_signal, report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit status.

    0: done; 1: it failed; 2: the command line was not understood; 130: Ctrl-C. A signal such as SIGTERM ends
    the program with 128 and its number.
    """
    _prepare_streams()
    try:
        with ending_by_signal():
            from spatial_game.cli.app import parse  # here, so that Ctrl-C during the imports is reported, too

            command = parse(sys.argv[1:] if arguments is None else arguments)
            if command is not None:
                command.run()
            sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        return report(error)
    finally:
        discard_unwritable_output()
    return 0


def _prepare_streams() -> None:
    """Let stdout and stderr accept any character, and discard everything if they are closed.

    A path may contain characters that the encoding of a stream lacks; a command must not fail because of it.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before we began
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
