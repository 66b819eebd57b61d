"""What tests of several folders share."""

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from quick_processes import QuickPopen


@pytest.fixture(scope="session")
def no_curves() -> Iterator[None]:
    """Runs leave no curves.png: a picture of each of many runs takes longer than the runs."""
    from spatial_agents.training import run_folder

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_folder, "draw_curves", lambda folder: None)
        yield


@pytest.fixture
def quick_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of work, as processes of this machine, start at once. Elsewhere than on Linux they load torch."""
    if sys.platform == "linux":
        names = {"Popen": QuickPopen, "PIPE": subprocess.PIPE, "TimeoutExpired": subprocess.TimeoutExpired}
        monkeypatch.setattr("spatial_game.units.processes.subprocess", SimpleNamespace(**names))
