"""The progress of a training: a bar for one pair in a terminal; otherwise a line for each validation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import rich.console
import rich.progress

from spatial_game.tables import printable

Tell = Callable[[str, "dict[str, Any] | str"], None]
"""A function of the name of a pair, and a row of metrics or a line of text about it."""


class Display:
    """The progress of a pair on stderr. A context manager. If `named`, its lines begin with its name."""

    def __init__(self, named: bool = True) -> None:
        console = rich.console.Console(stderr=True)
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeRemainingColumn(),
            console=console,
            disable=named or not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None)
        self._named, self._validation = named, ""

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, name: str, what: dict[str, Any] | str) -> None:
        """Show a row of metrics of a pair, or a line of text about it."""
        if isinstance(what, str):
            self._print(name, what)
            return
        validation = what["validation_accuracy"]
        if validation is not None:
            self._validation = f"  validation {validation:.1%}"
        text = f"length {what['sequence_length']}  training {what['training_accuracy']:.1%}{self._validation}"
        self._bar.update(self._task, completed=what["step"], total=what["steps"], description=text)
        if validation is not None:
            self._print(name, f"step {what['step']}/{what['steps']}  {what['seconds']:.0f} s  {text}")

    def _print(self, name: str, text: str) -> None:
        """Print a line, unless there is a bar."""
        if self._bar.disable:
            print(printable(f"{name}  {text}" if self._named else text), file=sys.stderr, flush=True)
