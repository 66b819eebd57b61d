"""The progress of a training: a bar for one pair in a terminal; otherwise a line for each validation."""

from __future__ import annotations

import sys
from typing import Any

import rich.console
import rich.progress

from spatial_game.json_text import printable


class Display:
    """The progress of a pair on stderr. A context manager.

    The pairs of a run of several have a name, with which their lines begin, and no bar.
    """

    def __init__(self, steps: int, name: str = "") -> None:
        console = rich.console.Console(stderr=True)
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeRemainingColumn(),
            console=console,
            disable=bool(name) or not console.is_terminal,
        )
        self._task, self._steps = self._bar.add_task("", total=steps), steps
        self._name, self._validation = name, ""

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, row: dict[str, Any]) -> None:
        """Show a row of metrics."""
        validation = row["validation_accuracy"]
        if validation is not None:
            self._validation = f"  validation {validation:.1%}"
        text = f"length {row['sequence_length']}  training {row['training_accuracy']:.1%}{self._validation}"
        self._bar.update(self._task, completed=row["step"], description=text)
        if validation is not None:
            self.say(f"step {row['step']}/{self._steps}  {row['seconds']:.0f} s  {text}")

    def say(self, text: str) -> None:
        """Print a line, unless there is a bar."""
        if self._bar.disable:
            print(printable(f"{self._name}  {text}" if self._name else text), file=sys.stderr, flush=True)
