"""Processes of our programs that start at once: forks of a server that has loaded torch and the commands."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, TextIO

_LOADED = [
    "matplotlib.figure",
    "spatial_agents.training.runs",
    *(f"spatial_game.cli.{command}" for command in ("analyse", "convert", "play", "train")),
]


class QuickPopen:
    """What `subprocess.Popen` offers to those who start units, and to tests of signals.

    The words are `python -m MODULE ...` or `python -c CODE ...`. Python has already started, so this is not
    for tests of what a program loads, nor of settings that Python reads when it starts.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        stdout: TextIO | int,
        stderr: TextIO | int,
        env: Mapping[str, str] | None = None,
        **_: Any,
    ) -> None:
        assert words[0] == sys.executable
        server = multiprocessing.get_context("forkserver")
        server.set_forkserver_preload(_LOADED)
        theirs, self.stdin = server.Pipe(duplex=False)
        self.stdout, its_stdout = _stream(stdout)
        self.stderr, its_stderr = _stream(stderr)
        its = [theirs, its_stdout, its_stderr]
        arguments = (list(words[1:]), dict(os.environ if env is None else env), its)
        self._process = server.Process(target=_run, args=arguments, daemon=True)
        self._process.start()
        for end in its:
            end.close()

    def poll(self) -> int | None:
        """Return how the process has ended, None if it has not."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("spatial-game", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self._process.pid or 0, number)

    def kill(self) -> None:
        """Kill the process."""
        self.send_signal(signal.SIGKILL)


def quick_popen(words: Sequence[str], **options: Any) -> Any:
    """Start a process that signals can end, also when these tests run under nohup."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    if sys.platform == "linux":
        return QuickPopen(words, **options)
    return subprocess.Popen(words, text=True, preexec_fn=_obey_signals, **options)


def quick_run(words: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a process to its end, and return its status and what it said (at most 64 KB on stderr)."""
    running = quick_popen(words, **options)
    said = [stream.read() if stream else "" for stream in (running.stdout, running.stderr)]
    return subprocess.CompletedProcess(words, running.wait(120), *said)


def _stream(file: TextIO | int) -> tuple[TextIO | None, Connection]:
    """Return our end of a stream of the process, if that is a pipe, and its own end."""
    if file == subprocess.PIPE:
        ours, its = os.pipe()
        return open(ours, encoding="utf-8"), Connection(its, readable=False)
    if file == subprocess.DEVNULL:
        return None, Connection(os.open(os.devnull, os.O_WRONLY), readable=False)
    return None, Connection(os.dup(file if isinstance(file, int) else file.fileno()), readable=False)


def _obey_signals() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _run(words: Sequence[str], env: Mapping[str, str], streams: Sequence[Connection]) -> None:
    os.setsid()
    _obey_signals()
    os.environ.clear()
    os.environ.update(env)
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)  # the server's own were of other files
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    kind, what, *sys.argv[1:] = words
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
