"""Run a function for several tasks in worker processes, and hear from them.

    for done in run_tasks(count, {"a": (file_a,), "b": (file_b,)}, workers=2):
        print(done.name, done.result())

A worker is `python -m spatial_game.workers`. It reads pickled tasks from its standard input, does one after
another, and writes pickled messages to its standard output. It ends when its standard input is closed, so no
worker outlives the process that started it. Ctrl-C in a terminal does not reach workers.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

_PATIENCE = 0.2  # seconds between two looks at whether to stop
_FAREWELL = 10.0  # seconds that a worker has to end when its task is given up


def usable_cores() -> int:
    """Return how many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDied(RuntimeError):
    """A worker process ended before its task did, for example because memory ran out."""


@dataclass(frozen=True)
class Done:
    """The end of a task: the value that the function returned, or the error that it raised."""

    name: str
    value: Any
    error: BaseException | None

    def result(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def run_tasks(
    function: Callable[..., Any],
    tasks: Mapping[str, tuple[Any, ...]],
    workers: int,
    *,
    hear: Callable[[str, Any], None] | None = None,
    stopped: threading.Event | None = None,
    threads: int | None = None,
) -> Iterator[Done]:
    """Call `function(*arguments)` for each task, `workers` at a time, and yield each end as it comes.

    `function` must be importable by name; arguments, values and errors must pickle. With `hear`, the function
    is called as `function(*arguments, say)`: `say(content)` in the worker calls `hear(name, content)` here.
    Once `stopped` is set, no further task starts and each worker receives SIGTERM; tasks that handle it still
    yield their end. `threads` limits the threads of numerical libraries in each worker.

    An error in one task leaves the others alone. Closing the iterator, or an error in the block that uses it,
    ends all workers.
    """
    waiting, inbox = list(tasks.items())[::-1], _Inbox()
    busy, idle = set[Worker](), list[Worker]()
    stopping = (stopped or threading.Event()).is_set
    try:
        while busy or (waiting and not stopping()):
            while waiting and len(busy) < workers and not stopping():
                worker = idle.pop() if idle else Worker(inbox, threads)
                name, arguments = waiting.pop()
                worker.give(name, function, arguments, hear is not None)
                busy.add(worker)
            if stopping():
                for worker in busy:
                    worker.close()
            with contextlib.suppress(queue.Empty):
                worker, message = inbox.get(timeout=_PATIENCE)
                if isinstance(message, _Said):
                    assert hear is not None
                    hear(worker.name, message.content)
                elif message is not None:
                    busy.remove(worker)
                    idle.append(worker)
                    yield Done(worker.name, message.value, message.error)
                elif worker in busy:
                    busy.remove(worker)
                    yield Done(worker.name, None, WorkerDied(worker.last_words()))
    finally:
        for worker in (*idle, *busy):
            worker.end(at_once=worker in busy)


@dataclass(frozen=True)
class _Said:
    """A message that a task sends before its end."""

    content: Any


@dataclass(frozen=True)
class _Ended:
    """The end of a task."""

    value: Any
    error: BaseException | None


class Worker:
    """A worker process, and the thread that listens to it. Its end is None in the inbox."""

    def __init__(self, inbox: _Inbox, threads: int | None) -> None:
        self.name = ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the worker)
        limits = {} if threads is None else {"OMP_NUM_THREADS": str(threads)}
        paths = os.pathsep.join([path for path in sys.path if path] or [os.getcwd()])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "spatial_game.workers"],
            env={**os.environ, **limits, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C in a terminal is for the process that started it
        )
        threading.Thread(target=self._listen, args=(inbox,), daemon=True).start()

    def give(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...], hears: bool) -> None:
        """Send it a task."""
        self.name = name
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died: `_listen` says so
            pickle.dump(pickle.dumps((function, arguments, hears)), self.process.stdin)
            self.process.stdin.flush()

    def close(self) -> None:
        """Send it no further task; a task that it is at receives SIGTERM."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def end(self, at_once: bool) -> None:
        """Wait until it has ended, or end it."""
        self.close()
        if at_once:
            self.process.terminate()
        try:
            self.process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def last_words(self) -> str:
        """Say why it ended, as far as that can be told."""
        status = self.process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        cause = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return f"its process ended {cause}" + (f" ({lines[-1]})" if lines and status >= 0 else "")

    def _listen(self, inbox: _Inbox) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(Exception):  # the end of its output, or half a message of a killed process
            while True:
                inbox.put((self, pickle.load(self.process.stdout)))
        self.process.wait()
        inbox.put((self, None))


_Inbox = queue.SimpleQueue[tuple[Worker, _Said | _Ended | None]]


# --- In the worker --------------------------------------------------------------------------------------


def serve() -> None:
    """Do the tasks that standard input names, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a task prints is no message
    tasks, busy = queue.SimpleQueue[bytes | None](), threading.Event()
    threading.Thread(target=_read_tasks, args=(tasks, busy), daemon=True).start()
    while (task := tasks.get()) is not None:
        ended = _do(task, output)
        busy.clear()
        _send(ended, output)


def _read_tasks(tasks: queue.SimpleQueue[bytes | None], busy: threading.Event) -> None:
    with contextlib.suppress(EOFError), os.fdopen(os.dup(0), "rb") as source:
        while True:
            task = pickle.load(source)
            busy.set()
            tasks.put(task)
    tasks.put(None)
    if busy.is_set():
        signal.raise_signal(signal.SIGTERM)


def _do(task: bytes, output: IO[bytes]) -> _Ended:
    """Do a task; its end."""
    try:
        function, arguments, hears = pickle.loads(task)
        say = [lambda content: _send(_Said(content), output)] if hears else []
        return _Ended(function(*arguments, *say), None)
    except BaseException as error:
        return _Ended(None, _sendable(error))


def _sendable(error: BaseException) -> BaseException:
    """The error, with its traceback as a note, or one of its text where it does not pickle."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(message: _Said | _Ended, output: IO[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody listens any more
        pickle.dump(message, output)
        output.flush()


if __name__ == "__main__":
    from spatial_game import workers  # messages name their classes by this module, not by __main__

    workers.serve()
