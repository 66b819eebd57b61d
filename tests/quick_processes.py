"""Processes of `python -m spatial_game.cli` that start at once: forks of a server that has loaded torch."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any

_LOADED = ["spatial_agents.training.runs", "spatial_game.cli.train", "matplotlib.figure"]


class QuickPopen:
    """What `subprocess.Popen` offers to those who start units, and to tests of signals."""

    def __init__(
        self, words: Sequence[str], *, env: Mapping[str, str], stdout: Any, stderr: Any, **_: Any
    ) -> None:
        assert list(words[:3]) == [sys.executable, "-m", "spatial_game.cli"]
        server = multiprocessing.get_context("forkserver")
        server.set_forkserver_preload(_LOADED)
        theirs, self.stdin = server.Pipe(duplex=False)
        files = [os.readlink(f"/proc/self/fd/{file.fileno()}") for file in (stdout, stderr)]
        self._process = server.Process(target=_run, args=(words[3:], dict(env), theirs, files), daemon=True)
        self._process.start()
        theirs.close()

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


def _run(words: Sequence[str], env: Mapping[str, str], stdin: Connection, files: Sequence[str]) -> None:
    os.setsid()
    os.environ.clear()
    os.environ.update(env)
    os.dup2(stdin.fileno(), 0)
    for number, path in enumerate(files, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND), number)
    sys.argv[1:] = words
    runpy.run_module("spatial_game.cli", run_name="__main__", alter_sys=True)
