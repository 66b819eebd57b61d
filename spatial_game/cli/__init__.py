"""The command line: `spatial-game COMMAND`. Each command is a dataclass, and its fields are its options."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence

from spatial_game.errors import AgentsFailed, Terminated, TrainingFailed, UserError
from spatial_game.extras import EXTRAS, how_to_install

DEBUG = "SPATIAL_GAME_DEBUG"
"""Set this environment variable to any value to see the traceback of an error."""

CALLERS = ("spatial_game", "spatial_agents", "contextlib", "importlib")
"""Packages whose calls lead to code of the user's own; its traceback begins below them."""


class UsageError(UserError):
    """The command line cannot be understood."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit status.

    0: done; 1: it failed, or nobody reads its output; 2: the command line was not understood; 130: Ctrl-C;
    143: SIGTERM.
    """
    _prepare_streams()
    try:
        _require_folder()
        _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        return report_error(error)
    finally:
        _discard_unwritable_output()
    return 0


def _prepare_streams() -> None:
    """Replace streams that the shell closed (`>&-`), and let the others write characters that they lack."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a path may have characters that its encoding lacks
            stream.reconfigure(errors="backslashreplace")


def _require_folder() -> None:
    """Raise `ValueError` if the current folder was removed: libraries ask for it."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UserError("the current folder was removed; change to another one") from None


def _run(arguments: Sequence[str]) -> None:
    # Imported here, so that Ctrl-C during the imports is reported, too.
    from spatial_game.cli.app import parse
    from spatial_game.cli.terminal import notes
    from spatial_game.threads import one_thread

    command = parse(arguments)
    if command is not None:
        with one_thread(), notes():
            command.run()


def report_error(error: BaseException) -> int:
    """Say on stderr, in one line, why a command failed, and return its exit status.

    Users can fix a `UserError`, whose message names the field, the rule and the value, and an `OSError` about
    a file. After an error of agents of their own, the traceback of their code follows. Other exceptions are
    bugs: they are raised again, as all are if the variable `DEBUG` is set.
    """
    message = _explain(error)
    if message is None or (os.environ.get(DEBUG) and not isinstance(error, KeyboardInterrupt)):
        raise error
    from spatial_game.text import printable  # here, as Ctrl-C may come while it loads

    if not isinstance(error, BrokenPipeError):
        with contextlib.suppress(OSError):  # stderr may be gone as well
            print(f"spatial-game: {printable(message)}", file=sys.stderr, flush=True)
            if isinstance(error, AgentsFailed) and error.__cause__:
                _show_own_code(error.__cause__)
    if isinstance(error, KeyboardInterrupt):
        return 128 + (signal.SIGTERM if isinstance(error, Terminated) else signal.SIGINT)
    return 2 if isinstance(error, UsageError) else 1


def _explain(error: BaseException) -> str | None:
    """Return an error as one line; None for a bug."""
    if isinstance(error, KeyboardInterrupt):
        return f"interrupted: {error}" if str(error) else "interrupted"
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        return f"error: {how_to_install(error.name, EXTRAS[error.name])}"
    # Those of torch by their names, as it must not be imported here.
    of_torch = type(error).__name__ == "OutOfMemoryError" or "DefaultCPUAllocator" in str(error)
    if isinstance(error, MemoryError) or of_torch:
        return "error: there is not enough memory for this"
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO)
    of_stream = full or isinstance(error, BrokenPipeError)
    of_file = any(getattr(each, "filename", None) is not None for each in (error, error.__cause__))
    user = isinstance(error, (AgentsFailed, TrainingFailed, UserError))
    if user or (isinstance(error, OSError) and (of_file or of_stream)):
        from spatial_game.files import error_text

        where = "standard output: " if of_stream and not of_file else ""  # whatever writes a file names it
        return f"error: {where}{' '.join(error_text(error).split()) or type(error).__name__}"
    return None


def _show_own_code(error: BaseException) -> None:
    """Show the traceback of an error in code of the user's own, without our calls that lead there."""
    trace = whole = error.__traceback__
    while trace and trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in CALLERS:
        trace = trace.tb_next
    only_text = isinstance(error, SyntaxError)  # it names the line itself
    traceback.print_exception(type(error), error, None if only_text else trace or whole)


def _discard_unwritable_output() -> None:
    """Discard what stdout or stderr cannot take: at its end, Python would try again and change the status."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
