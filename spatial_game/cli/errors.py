"""When a command fails, the user sees one line on stderr, and no traceback."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from spatial_game.files import in_words

DEBUG = "SPATIAL_GAME_DEBUG"
"""Set this environment variable to any value to see the traceback of an error."""

TORCH_LACKS_MEMORY = ("DefaultCPUAllocator:", "CUDA error: out of memory")
"""Parts of the messages with which torch raises a plain `RuntimeError` when memory is short."""

EXTRAS = {
    "cyclopts": "analysis",
    "matplotlib": "analysis",
    "pyarrow": "analysis",
    "pygame": "window",
    "rich": "analysis",
    "scipy": "analysis",
    "submitit": "cluster",
    "tensorboard": "agents",
    "torch": "agents",
}
"""The extra that installs a module."""

FAILED, MISUNDERSTOOD, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


class UsageError(ValueError):
    """The command line cannot be understood."""


class Terminated(BaseException):
    """A signal asks the program to end; like `KeyboardInterrupt`, it lets temporary files be removed."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def ending_by_signal() -> Iterator[None]:
    """Raise `Terminated` at SIGTERM and SIGHUP (a closed terminal), which would end the program at once."""

    def end(number: int, _: object) -> None:
        raise Terminated(number)

    signals = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
    if threading.current_thread() is not threading.main_thread():
        signals = []  # only the main thread may set handlers
    ours = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@dataclass
class Ending:
    """How a command ended."""

    status: int = 0
    text: str = ""
    """Why it failed; None if it did not."""

    def fail(self, message: str, status: int) -> None:
        """Say why on stderr."""
        from spatial_game.tables import printable  # here, as Ctrl-C may come while it loads

        self.status, self.text = status, printable(message).removeprefix("error: ")
        with contextlib.suppress(OSError):  # stderr may be gone as well
            print(f"spatial-game: {printable(message)}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def report_errors() -> Iterator[Ending]:
    """Turn the errors that a user can fix into one line on stderr and an exit status.

    These are `ValueError`, `TypeError` and `OSError`, whose messages name the field, the rule and the value.
    Other exceptions are bugs and keep their traceback, as all do if the environment variable `DEBUG` is set.
    """
    outcome = Ending()
    try:
        yield outcome
    except KeyboardInterrupt as stop:
        outcome.fail(f"interrupted: {stop}" if str(stop) else "interrupted", INTERRUPTED)
    except Terminated as end:
        outcome.fail(f"ended by {signal.Signals(end.number).name}", 128 + end.number)
    except BrokenPipeError:  # the reader of our output has gone
        outcome.status = BROKEN_PIPE
    except Exception as error:
        message = _explain(error)
        if message is None or os.environ.get(DEBUG):
            raise
        status = MISUNDERSTOOD if isinstance(error, UsageError) else FAILED
        outcome.fail(f"error: {message}", status)
    finally:
        _discard_unwritable_output()


def _discard_unwritable_output() -> None:
    """Discard what stdout or stderr cannot take: at its end, Python would try again and change the status."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _explain(error: Exception) -> str | None:
    """Return an error as one line; None for a bug."""
    if isinstance(error, OSError) and error.strerror:
        return in_words(error)
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        extra = EXTRAS[error.name]
        return f"{error.name} is not installed; install it in the clone with: pip install -e '.[{extra}]'"
    kinds = {kind.__name__ for kind in type(error).__mro__}  # by name, as torch must not be imported here
    says_so = isinstance(error, RuntimeError) and any(text in str(error) for text in TORCH_LACKS_MEMORY)
    if kinds & {"MemoryError", "OutOfMemoryError"} or says_so:
        return "there is not enough memory for this"
    if "TrainingFailed" in kinds or isinstance(error, (ValueError, TypeError, OSError)):
        return " ".join(str(error).split()) or type(error).__name__
    return None
