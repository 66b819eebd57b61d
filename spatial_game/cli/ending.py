"""When a command fails, the user sees one line on stderr, and no traceback."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator

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


@contextlib.contextmanager
def ending_by_signal() -> Iterator[None]:
    """Exit at SIGTERM and SIGHUP (a closed terminal), so that temporary files are removed first."""

    def end(number: int, _: object) -> None:
        sys.exit(128 + number)

    ours = []
    if threading.current_thread() is threading.main_thread():  # no other thread may set handlers
        signals = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
        ours = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def report(error: BaseException) -> int:
    """Say on stderr, in one line, why a command failed, and return its exit status.

    Users can fix a `ValueError`, `TypeError` or `OSError`, whose message names the field, the rule and the
    value. Other exceptions are bugs: they are raised again, as all are if the variable `DEBUG` is set.
    """
    if isinstance(error, BrokenPipeError):  # the reader of our output has gone
        return BROKEN_PIPE
    status = INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED
    status = MISUNDERSTOOD if isinstance(error, UsageError) else status
    message = _explain(error)
    if message is None or (os.environ.get(DEBUG) and status != INTERRUPTED):
        raise error
    from spatial_game.json_text import printable  # here, as Ctrl-C may come while it loads

    with contextlib.suppress(OSError):  # stderr may be gone as well
        print(f"spatial-game: {printable(message)}", file=sys.stderr, flush=True)
    return status


def discard_unwritable_output() -> None:
    """Discard what stdout or stderr cannot take: at its end, Python would try again and change the status."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _explain(error: BaseException) -> str | None:
    """Return an error as one line; None for a bug."""
    if isinstance(error, KeyboardInterrupt):
        return f"interrupted: {error}" if str(error) else "interrupted"
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        extra = EXTRAS[error.name]
        return (
            f"error: {error.name} is not installed; install it in the clone with: pip install -e '.[{extra}]'"
        )
    kinds = {kind.__name__ for kind in type(error).__mro__}  # by name, as torch must not be imported here
    says_so = isinstance(error, RuntimeError) and any(text in str(error) for text in TORCH_LACKS_MEMORY)
    if kinds & {"MemoryError", "OutOfMemoryError"} or says_so:
        return "error: there is not enough memory for this"
    if kinds & {"TrainingFailed", "ValueError", "TypeError", "OSError"}:
        return f"error: {' '.join(in_words(error).split()) or type(error).__name__}"
    return None
