"""What tests of several folders share."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from quick_processes import QuickPopen


@pytest.fixture
def quick_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units of work, as processes of this machine, start at once. Elsewhere than on Linux they load torch."""
    if sys.platform == "linux":
        names = {"Popen": QuickPopen, "PIPE": subprocess.PIPE, "TimeoutExpired": subprocess.TimeoutExpired}
        monkeypatch.setattr("spatial_game.units.processes.subprocess", SimpleNamespace(**names))
