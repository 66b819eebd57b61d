"""What a person sees when a command cannot do its work: one line on stderr, and no traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

DEBUG = "SPATIAL_GAME_DEBUG"
"""Set this environment variable to anything to see the traceback of an error."""

FAILED, MISUNDERSTOOD, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


class UsageError(ValueError):
    """The command line itself cannot be understood."""


class Terminated(BaseException):
    """A signal asks the program to end. Like `KeyboardInterrupt`, so that what is half written is removed."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def ending_by_signal() -> Iterator[None]:
    """Raise `Terminated` at SIGTERM and SIGHUP (a closed terminal), which would else end it at once."""
    signals = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
    if threading.current_thread() is not threading.main_thread():
        signals = []  # only the main thread may set handlers
    ours = [number for number in signals if signal.getsignal(number) == signal.SIG_DFL]

    def end(number: int, _: object) -> None:
        raise Terminated(number)

    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


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
    except Terminated as end:
        outcome.status = _fail(f"ended by {signal.Signals(end.number).name}", 128 + end.number, label="")
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
    names = [kind.__name__ for kind in type(error).__mro__]
    named = "TrainingFailed" in names  # of a module that imports torch
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
