"""Train several pairs on a CPU, each in a process of its own, as many at a time as there are workers.

A worker is `python -m spatial_agents.training.processes FOLDER NAME`. It trains the pair of one folder
exactly as it would be trained alone. To its standard output it writes a JSON object a line:
`{"row": {...}}` for a row of metrics, and at the end
`{"end": "finished" | "stopped" | "failed", "text": ...}`.
A worker that ends without this last line has died; the others go on.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from spatial_agents.training.display import Display
from spatial_agents.training.one_pair import PairRun

_PATIENCE = 0.2  # seconds between two looks at whether to stop


class Worker:
    """A process that trains a pair, and the thread that listens to it."""

    def __init__(self, pair: PairRun, said: queue.Queue[tuple[Worker, dict[str, Any]]]) -> None:
        self.pair, self.name = pair, pair.folder.name
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed in `_listen`)
        threads = str(pair.options.threads)
        paths = [path for path in sys.path if path] or [os.getcwd()]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "spatial_agents.training.processes", str(pair.folder), pair.name],
            env={**os.environ, "OMP_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,  # Ctrl-C in a terminal is for us; we pass it on
        )
        threading.Thread(target=self._listen, args=(said,), daemon=True).start()

    def stop(self) -> None:
        """Ask it to save and end; a second time, to end at once."""
        self.process.terminate()

    def _listen(self, said: queue.Queue[tuple[Worker, dict[str, Any]]]) -> None:
        assert self.process.stdout is not None
        last: dict[str, Any] = {}
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):  # half a line of a process that was killed
                last = json.loads(line)
                if "row" in last:
                    said.put((self, last))
        status = self.process.wait()
        said.put((self, last if "end" in last else {"end": "died", "text": self._last_words(status)}))
        self._errors.close()

    def _last_words(self, status: int) -> str:
        """Why it ended without a word, as far as can be told."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        cause = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return f"its process ended {cause}" + (f" ({lines[-1]})" if lines and status >= 0 else "")


def train_in_processes(
    pairs: list[PairRun], display: Display, stopped: threading.Event, workers: int
) -> dict[str, str]:
    """Train the pairs, at most `workers` at a time; why some were not trained to the end, by their names.

    Raises `KeyboardInterrupt` when `stopped` is set, after every worker has saved and ended.
    """
    said: queue.Queue[tuple[Worker, dict[str, Any]]] = queue.Queue()
    waiting, running, faults = list(reversed(pairs)), set[Worker](), dict[str, str]()
    told = False
    try:
        while running or (waiting and not stopped.is_set()):
            while waiting and len(running) < workers and not stopped.is_set():
                running.add(Worker(waiting.pop(), said))
            if stopped.is_set() and not told:
                told = True
                for worker in running:
                    worker.stop()
            with contextlib.suppress(queue.Empty):
                _hear(*said.get(timeout=_PATIENCE), running, faults, display)
    finally:
        for worker in running:  # none, unless something else than `stopped` ends us
            worker.stop()
    if stopped.is_set():
        raise KeyboardInterrupt("stopped")
    return dict(sorted(faults.items()))


def _hear(
    worker: Worker, message: dict[str, Any], running: set[Worker], faults: dict[str, str], display: Display
) -> None:
    if "row" in message:
        return display.show(worker.name, message["row"])
    running.remove(worker)
    end, text = message["end"], message.get("text", "")
    if end in ("failed", "died"):
        faults[worker.name] = text if end == "failed" else f"{text}; {worker.pair.last_checkpoint}"
    display.say(worker.name, f"stopped: {faults[worker.name]}" if worker.name in faults else end)
    return None


def work(folder: Path, name: str) -> int:
    """Train the pair of a folder; what there is to say goes to standard output, a JSON object a line."""
    from spatial_agents.recipes import TrainOptions
    from spatial_agents.training.one_pair import train_pair
    from spatial_agents.training.stopping import stop_signals
    from spatial_agents.training.trainer import TrainingFailed

    options = TrainOptions.from_dict(json.loads((folder / "config.json").read_text("utf-8"))["options"])
    with stop_signals() as stopped:

        def say(**message: Any) -> None:
            try:
                print(json.dumps(message), flush=True)
            except BrokenPipeError:  # whoever started us is gone
                stopped.set()

        try:
            train_pair(PairRun(options, folder, name), lambda row: say(row=row), stopped)
        except KeyboardInterrupt as stop:
            say(end="stopped", text=str(stop))
            return 130
        except (TrainingFailed, ValueError, OSError) as fault:
            say(end="failed", text=str(fault))
            return 1
        say(end="finished")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until we can save
    sys.exit(work(Path(sys.argv[1]), sys.argv[2]))
