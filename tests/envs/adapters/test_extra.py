"""Adapters whose library is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spatial_game.envs.adapters.extra import needs


@pytest.mark.parametrize(
    ("adapter", "missing", "extra"),
    [
        ("sb3", "stable_baselines3", "sb3"),
        ("torchrl", "torch", "torchrl"),
        ("features", "torch", "agents"),
    ],
)
def test_the_error_names_the_extra(adapter: str, missing: str, extra: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import spatial_game.envs.adapters.{adapter}"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert said.splitlines()[-1].startswith("ModuleNotFoundError: this adapter needs ")
    assert said.rstrip().endswith(f"install it in the clone with: pip install -e '.[{extra}]'")


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), needs("nothing", "none"):
        _ = 1 / 0
