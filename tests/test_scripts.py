"""Scripts that no test runs still import names that exist."""

from __future__ import annotations

import ast
import importlib
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "experiments", "examples", "maintenance", "docs")
SCRIPTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def imported_names(script: Path) -> Iterator[tuple[str, str]]:
    """Each name that a script imports from our packages, with its module."""
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spatial_"):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "__name__") for alias in node.names if alias.name.startswith("spatial_"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_names_exist(script: Path) -> None:
    for module, name in imported_names(script):
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as missing:
            if not (missing.name or "").startswith("spatial_"):
                continue  # a library that is not installed here
            raise
        if not hasattr(found, name):
            importlib.import_module(f"{module}.{name}")


def test_benchmarks_of_environments_need_mpe2_only_where_it_is_measured() -> None:
    code = (
        "import runpy, sys; sys.modules['mpe2'] = None; sys.path.insert(0, sys.argv[1].rpartition('/')[0]); "
        "runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    )
    script = str(ROOT / "benchmarks" / "bench_env.py")
    words = [sys.executable, "-c", code, script, "--seconds", "0.01", "--rounds", "1", "--only"]
    done = subprocess.run([*words, "nothing", "Sender gym.make"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "nothing raw_env, turns" in done.stdout
    assert "Sender gym.make, steps" in done.stdout
    assert "mpe2" in subprocess.run([*words, "MPE2"], capture_output=True, text=True).stderr


def test_the_tests_of_slurm_are_collected_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    runpy.run_path(str(ROOT / "tests" / "agents" / "training" / "test_slurm.py"))


@pytest.mark.program("bash")
def test_a_bare_machine_has_neither_settings_nor_programs(tmp_path: Path) -> None:
    settings = {"PIP_RETRIES": "7", "https_proxy": "http://proxy"}
    machine = {**os.environ, **settings, "DISPLAY": ":0", "LANG": "C", "SLURM_CONF": "slurm.conf"}
    line = 'env; ls "$HOME"; command -v bash || python3 -c "import venv"'
    words = ["bash", str(ROOT / ".ci" / "bare"), str(tmp_path), line]
    done = subprocess.run(words, env=machine, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    shown = set(done.stdout.split())
    settings |= {"HOME": f"{tmp_path}/home", "PATH": f"{tmp_path}/bin"}
    assert {f"{name}={value}" for name, value in settings.items()} <= shown
    assert not [each for each in shown if each.startswith(("DISPLAY", "SLURM", "LANG", "PYTHON", "/"))]
