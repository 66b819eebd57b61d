"""What an installation requires, by platform."""

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def required(**machine: str) -> set[str]:
    """Return the names of the libraries that every installation on a machine gets."""
    lines = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"]
    needs = [Requirement(line) for line in lines]
    return {need.name for need in needs if need.marker is None or need.marker.evaluate(machine)}


@pytest.mark.parametrize(
    ("system", "machine", "python", "there"),
    [
        ("linux", "x86_64", "3.14", True),
        ("linux", "aarch64", "3.11", True),
        ("win32", "AMD64", "3.14", True),
        ("win32", "ARM64", "3.11", True),
        ("darwin", "arm64", "3.14", True),
        ("darwin", "x86_64", "3.13", True),
        ("darwin", "x86_64", "3.14", False),
    ],
)
def test_onnx_runtime_is_required_where_it_has_wheels(
    system: str, machine: str, python: str, there: bool
) -> None:
    found = required(sys_platform=system, platform_machine=machine, python_version=python)
    assert ("onnxruntime" in found) == there
    assert {"numpy", "safetensors"} <= found
    assert not {"torch", "onnx"} & found


def test_the_onnx_runtime_that_is_named_writes_nothing_into_the_home_folder(tmp_path: Path) -> None:
    version = importlib.metadata.version("onnxruntime")
    if f"onnxruntime=={version}" not in CONSTRAINTS.read_text("utf-8").splitlines():
        pytest.skip(f"ONNX Runtime {version} is installed, which constraints.txt does not name")
    home = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", "import onnxruntime"], env=home, check=True)
    assert not list(tmp_path.rglob("*"))
