"""Signals as requests to stop, so that the step is finished and saved first."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator, Sequence

STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C; kill; the terminal was closed


@contextlib.contextmanager
def stop_signals(names: Sequence[str] = STOPPING) -> Iterator[threading.Event]:
    """Yield an event that these signals set. A second signal has its usual effect."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}

    def stop(number: int, _: object) -> None:
        stopped.set()
        signal.signal(number, before[number])

    for number in before:
        signal.signal(number, stop)
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
