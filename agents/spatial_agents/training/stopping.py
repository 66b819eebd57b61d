"""Signals as requests to stop: the step is finished and saved first.

An exception in the middle of a step could leave the locks of torch's and TensorBoard's threads taken.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C; kill, or the end of the parent; a closed terminal


@contextlib.contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Yield an event that these signals set. A second signal has its usual effect."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # no other thread may set handlers
        yield stopped
        return
    numbers = [getattr(signal, name) for name in STOPPING if hasattr(signal, name)]
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
