"""Units as processes on this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from spatial_game.files import no_link
from spatial_game.units.unit import Place, Unit, UnitsFile, command_line, new_reports, usable_cores


class Processes:
    """Units as processes on this machine. They end with the driver, even if it is killed."""

    patience = 0.05
    """Seconds between two checks of the units."""

    def __init__(self, folder: Path, file: UnitsFile, place: Place) -> None:
        self.folder, self.token, self.jobs = folder, file.token, place.jobs or usable_cores()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def room(self) -> int:
        """The number of units that it can start now."""
        return self.jobs - len(self.processes)

    def start(self, units: Sequence[Unit]) -> dict[str, str]:
        """Start these units, and return notes about some of them."""
        for unit in units:
            with open(self.folder / f"{unit.name}.log", "ab", opener=no_link) as log:
                self.processes[unit.name] = subprocess.Popen(
                    command_line(unit),
                    env={**os.environ, **new_reports(self.folder, unit, self.token, leash="stdin")},
                    stdin=subprocess.PIPE,  # it ends when this is closed
                    stdout=log,
                    stderr=log,
                    start_new_session=True,  # Ctrl-C in a terminal is for the driver
                )
        return {}

    def gone(self) -> dict[str, str]:
        """Return the units whose processes have ended, with the reason as text. Each is returned once."""
        ends = {name: process.poll() for name, process in self.processes.items()}
        gone = {name: _cause(status) for name, status in ends.items() if status is not None}
        for name in gone:
            _close(self.processes.pop(name))
        return gone

    def close(self) -> str:
        """Make all units save their work and end, and return a note for the user."""
        for process in self.processes.values():
            _close(process)
        for process in self.processes.values():
            process.wait()
        return "stopped"


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()


def _cause(status: int) -> str:
    by = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return f"its process ended {by}"
