"""Call a function several times, in several processes of this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from spatial_game.threads import one_thread

Result = TypeVar("Result")

UNGUARDED = 82
"""The exit status of a process that, while it starts, imports a main script without the usual guard."""
GUARD = (
    'a script that uses several processes must do its work below `if __name__ == "__main__":`, because each '
    "process imports the script"
)

SECONDS_TO_SAVE = 30.0
"""Seconds that a process has to save its work after SIGTERM, when this one has ended."""

_calls: list[Callable[..., Any]] = []
"""The function that this process of a pool is calling; empty between calls."""


def usable_cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_processes(
    function: Callable[..., Result],
    arguments: Sequence[tuple[Any, ...]],
    jobs: int = 0,
    done: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Return `function(*each)` for each tuple of arguments, with `jobs` processes at a time (0: one a core).

    With one job or one tuple, all happens in this process. Otherwise `function` is importable by its name,
    and arguments and results can be pickled. `done` is called here with each result, as they come.

    An exception in a call is raised here. Then, and after Ctrl-C, no other call begins, and the running
    processes get SIGTERM. They get it too if this process is killed. Raises `ChildProcessError` if a
    process is killed or cannot start, and `RuntimeError` for a script without the usual
    `if __name__ == "__main__":`.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # as multiprocessing itself asks
        os._exit(UNGUARDED)
    jobs = min(jobs or usable_cores(), len(arguments))
    if jobs > 1:
        return _run_in_pool(function, arguments, jobs, done)
    results = []
    for each in arguments:
        results.append(function(*each))
        done(results[-1])
    return results


def _run_in_pool(
    function: Callable[..., Result],
    arguments: Sequence[tuple[Any, ...]],
    jobs: int,
    done: Callable[[Result], None],
) -> list[Result]:
    """Do what `run_in_processes` does, with several processes."""
    results: list[Any] = [None] * len(arguments)
    context = multiprocessing.get_context("spawn")  # a forked copy of torch or of threads may hang
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_watch, initargs=(reader,))
    processes = set[Any]()
    with reader, writer, pool:
        try:
            for i, result in _results(pool, function, arguments, jobs, processes):
                results[i] = result
                done(result)
        except BrokenProcessPool:
            writer.close()  # ends a process that has just begun, too; the pool knows only those before
            pool.shutdown()  # waits: a process that is just ending has no exit status yet
            raise _why_broken({0, *(process.exitcode or 0 for process in processes)}) from None
        except BaseException:
            writer.close()  # ends the processes; the block waits for them
            raise
    return results


def _results(
    pool: ProcessPoolExecutor,
    function: Callable[..., Result],
    arguments: Sequence[tuple[Any, ...]],
    jobs: int,
    processes: set[Any],
) -> Iterator[tuple[int, Result]]:
    """Yield the number and result of each call, as they come. Processes of the pool are added to the set."""
    waiting, running = list(enumerate(arguments)), dict[Future[Result], int]()
    while waiting or running:
        while waiting and len(running) < jobs:  # the pool itself would begin more
            i, each = waiting.pop(0)
            running[pool.submit(_call, function, *each)] = i
            # The pool watches only the processes that it had when the last call came. One more call, which
            # does nothing, makes it watch the newest process, too.
            pool.submit(int)
            processes |= set(multiprocessing.active_children())
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future.result()


def _why_broken(statuses: set[int]) -> Exception:
    """Return why a pool is broken, by the exit statuses of its processes. It ends the others by SIGTERM."""
    if UNGUARDED in statuses:
        return RuntimeError(GUARD)
    if max(statuses) > 0 and min(statuses - {-signal.SIGTERM}) >= 0:
        ended = f"a process ended with exit status {max(statuses)}"
        return ChildProcessError(f"{ended}; if it could not start, its error is above")
    return ChildProcessError("a process was killed, perhaps because memory was short")


def _call(function: Callable[..., Result], *arguments: Any) -> Result:
    _calls.append(function)
    try:
        with one_thread():
            return function(*arguments)
    finally:
        _calls.clear()


def _watch(reader: Any) -> None:
    """End this process when the other end of the pipe is closed. Ctrl-C in a terminal is for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_when_closed, args=(reader,), daemon=True).start()


def _end_when_closed(reader: Any) -> None:
    with contextlib.suppress(EOFError, OSError):
        reader.recv()
    if _calls:  # one that waits for a call holds the pool's lock, and ends with the pool
        os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_SAVE)
    os._exit(128 + signal.SIGTERM)
