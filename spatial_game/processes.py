"""Call a function several times, in several processes of this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from spatial_game.errors import Terminated
from spatial_game.threads import one_thread

Result = TypeVar("Result")

UNGUARDED = 82
"""The exit status of a process that, while it starts, imports a main script without the usual guard."""
GUARD = (
    'a script that uses several processes must do its work below `if __name__ == "__main__":`, because each '
    "process imports the script"
)

SECONDS_TO_SAVE = 30.0
"""Seconds that a process has to save its work after SIGTERM."""


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

    An exception in a call is raised here. Then, and after Ctrl-C or SIGTERM, no other call begins, and the
    running processes get SIGTERM. They get it too if this process is killed. Raises `KeyboardInterrupt` after
    Ctrl-C, or its subclass `Terminated` after SIGTERM, once they have ended, `ChildProcessError` if a process
    is killed or cannot start, and `RuntimeError` for a script without the usual `if __name__ == "__main__":`.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # as multiprocessing itself asks
        os._exit(UNGUARDED)
    jobs = min(jobs or usable_cores(), len(arguments))
    if jobs > 1:
        return _run(function, arguments, jobs, done)
    results = []
    for each in arguments:
        results.append(function(*each))
        done(results[-1])
    return results


@contextlib.contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Let SIGTERM raise `Terminated` in the block, as Ctrl-C raises `KeyboardInterrupt`."""
    if threading.current_thread() is not threading.main_thread():  # no other thread may set handlers
        yield
        return

    def interrupt(number: int, _: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@_interrupted_by_sigterm()
def _run(
    function: Callable[..., Result],
    arguments: Sequence[tuple[Any, ...]],
    jobs: int,
    done: Callable[[Result], None],
) -> list[Result]:
    """Do what `run_in_processes` does, with a process for each call."""
    context = multiprocessing.get_context("spawn")  # a forked copy of torch or of threads may hang
    parent_open, our_end = context.Pipe(duplex=False)  # once our end is closed, the processes end
    results: list[Any] = [None] * len(arguments)
    waiting, running = list(enumerate(arguments)), dict[Any, tuple[int, Any]]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                i, each = waiting.pop(0)
                answer, its_end = context.Pipe(duplex=False)
                process = context.Process(target=_call, args=(parent_open, its_end, function, each))
                process.start()
                its_end.close()  # so that the pipe ends with the process
                running[answer] = i, process
            ready: list[Any] = multiprocessing.connection.wait([*running])
            for answer in ready:
                i, process = running[answer]
                results[i] = _received(answer, process)
                del running[answer]
                done(results[i])
    finally:
        our_end.close()
        for _, process in running.values():
            process.join()
    return results


def _received(answer: Any, process: Any) -> Any:
    """Return what a call returned, or raise what it raised, or why its process ended without a word."""
    try:
        with answer:
            result, error, trace = answer.recv()
    except EOFError:
        process.join()
        raise _why_ended(process.exitcode) from None
    process.join()
    if error is not None:
        raise error from RemoteTraceback(trace)
    return result


def _why_ended(status: int) -> Exception:
    if status == UNGUARDED:
        return RuntimeError(GUARD)
    if status < 0:
        return ChildProcessError("a process was killed, perhaps because memory was short")
    return ChildProcessError(f"a process ended with exit status {status}; its error, if any, is above")


class RemoteTraceback(Exception):
    """The traceback of an error in another process, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


# --- In the other process -----------------------------------------------------------------------------------


def _call(parent_open: Any, result: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Send into a pipe what a call returns or raises. The process ends once the parent's pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the parent
    threading.Thread(target=_end_when_closed, args=(parent_open,), daemon=True).start()
    answer: tuple[Any, Exception | None, str]
    try:
        with one_thread():
            answer = function(*arguments), None, ""
    except KeyboardInterrupt:  # after SIGTERM; its work is saved
        sys.exit(128 + signal.SIGTERM)
    except Exception as error:
        answer = None, error, traceback.format_exc()
    result.send(answer)


def _end_when_closed(parent_open: Any) -> None:
    with contextlib.suppress(EOFError, OSError):
        parent_open.recv()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_SAVE)
    os._exit(128 + signal.SIGTERM)
