"""What a person sees when a command cannot do its work: one line on stderr, and no traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

DEBUG = "SPATIAL_GAME_DEBUG"
"""Set this environment variable to anything to see the traceback of an error."""

FAILED, MISUNDERSTOOD, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


class UsageError(ValueError):
    """The command line itself cannot be understood."""


@dataclass
class Outcome:
    """How a command ended."""

    status: int = 0


@contextlib.contextmanager
def report_errors() -> Iterator[Outcome]:
    """Turn the errors that a person can mend into one line on stderr and an exit status.

    The library raises `ValueError`, `TypeError` and `OSError` with a message that names field, rule and
    value. Other exceptions are mistakes of ours and keep their traceback, as all do when DEBUG is set.
    """
    outcome = Outcome()
    try:
        yield outcome
    except KeyboardInterrupt as stop:
        outcome.status = _fail(f"interrupted{': ' if str(stop) else ''}{stop}", INTERRUPTED, label="")
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does. Python's own flush at exit must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        outcome.status = BROKEN_PIPE
    except Exception as error:
        message = _explain(error)
        if message is None or os.environ.get(DEBUG):
            raise
        outcome.status = _fail(message, MISUNDERSTOOD if isinstance(error, UsageError) else FAILED)


def _explain(error: Exception) -> str | None:
    """The error in one line; None for those that are nobody's fault but ours."""
    if isinstance(error, OSError) and error.strerror:
        return _explain_system(error)
    if isinstance(error, ModuleNotFoundError) and error.name in ("torch", "safetensors", "tensorboard"):
        return f"this command needs {error.name}; install it with: pip install 'spatial-game[agents]'"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    named = type(error).__name__ == "TrainingDiverged"  # of a module that imports torch
    if named or isinstance(error, (ValueError, TypeError, OSError)):
        return " ".join(str(error).split()) or type(error).__name__
    return None


def _explain_system(error: OSError) -> str:
    reason = "the disk is full" if error.errno == errno.ENOSPC else str(error.strerror)
    return f"{error.filename}: {reason}" if error.filename else reason


def _fail(message: str, status: int, label: str = "error: ") -> int:
    with contextlib.suppress(OSError):  # stderr may be gone as well
        print(f"spatial-game: {label}{message}", file=sys.stderr, flush=True)
    return status
