"""The progress of training: a bar for each pair in a terminal; elsewhere, a line for each validation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import rich.console
import rich.progress

from spatial_game.tables import printable
from spatial_game.units import say

Tell = Callable[[str, "dict[str, Any] | str"], None]
"""A function of the name of a pair, and a row of metrics or a line of text about it."""

_MANY = 20  # up to this number of pairs, a terminal also shows finished ones


class Display:
    """The progress of pairs that train, on stderr. A context manager."""

    def __init__(self, pairs: int = 1) -> None:
        self._console = rich.console.Console(stderr=True)
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, rich.progress.TaskID] = {}
        self._pairs, self._prefix = pairs, "{}  ".format if pairs > 1 else (lambda _: "")
        self._validation: dict[str, str] = {}

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, name: str, what: dict[str, Any] | str) -> None:
        """Show a row of metrics of a pair, or a line of text about it. A unit reports it to its driver."""
        name = printable(name)
        what = {"text": what} if isinstance(what, str) else what
        say(what)
        if "training_accuracy" in what:
            self._show_row(name, what)
        elif "text" in what:
            self._show_text(name, what["text"])

    def _show_row(self, name: str, row: dict[str, Any]) -> None:
        validation = row["validation_accuracy"]
        if validation is not None:
            self._validation[name] = f"  validation {validation:.1%}"
        text = f"length {row['sequence_length']}  training {row['training_accuracy']:.1%}"
        text += self._validation.get(name, "")
        task, done, steps = self._task(name), row["step"], row["steps"]
        self._bar.update(task, completed=done, total=steps, description=f"{name}  {text}")
        if validation is not None:
            self._print(name, f"step {row['step']}/{row['steps']}  {row['seconds']:.0f} s  {text}")

    def _show_text(self, name: str, text: str) -> None:
        text = printable(text) + self._validation.get(name, "")
        self._bar.update(self._task(name), description=f"{name}  {text}", visible=self._pairs <= _MANY)
        self._print(name, text)

    def _task(self, name: str) -> rich.progress.TaskID:
        """Return the bar of a pair, which begins with its first row or text."""
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task(name, total=None)
        return self._tasks[name]

    def _print(self, name: str, text: str) -> None:
        """Print a line, unless there is a terminal."""
        if not self._console.is_terminal:
            print(f"{self._prefix(name)}{text}", file=sys.stderr, flush=True)
