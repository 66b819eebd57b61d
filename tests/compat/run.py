"""Does each library still take the environments? Its example runs in an environment of its own, with pins.

    python tests/compat/run.py                      all libraries
    python tests/compat/run.py torchrl tianshou     some of them

For each: a new virtual environment in a temporary folder, removed afterwards; torch first, then the pins of
`<library>.txt`, then this package; then the library's example trains for its default number of steps, in an
empty folder. Fails if an example does, or if a library brought another torch than the pinned one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

EXAMPLES = {
    "stable-baselines3": "10_stable_baselines3.py",
    "sb3-contrib": "11_sb3_contrib.py",
    "cleanrl": "12_cleanrl_loop.py",
    "torchrl": "13_torchrl.py",
    "supersuit": "14_supersuit.py",
    "tianshou": "15_tianshou.py",
    "rllib": "16_rllib.py",
    "agilerl": "17_agilerl.py",
    "benchmarl": "18_benchmarl.py",
}
"""The example of each library."""


@dataclass
class Result:
    """How a library fared."""

    library: str
    passed: bool
    install_seconds: float
    run_seconds: float
    last_line: str


def run(command: list[str], folder: Path, limit: float) -> tuple[bool, str]:
    """Whether a command ended well, and what it said."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            timeout=limit,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | {"OMP_NUM_THREADS": "1"},  # networks this small gain nothing from more
        )
    except subprocess.TimeoutExpired as late:
        said = late.stdout if isinstance(late.stdout, str) else ""
        return False, f"{said}\nnot done after {limit:.0f} s"
    return done.returncode == 0, done.stdout


def install(python: str, library: str, folder: Path) -> tuple[bool, str]:
    """Install torch, the pins and this package; check that torch is still the pinned one."""
    pins = HERE / f"{library}.txt"
    torch = next(line for line in pins.read_text("utf-8").split() if line.startswith("torch=="))
    pip = [python, "-m", "pip", "install", "--quiet"]
    check = f"import torch, sys; sys.exit(torch.__version__.split('+')[0] != {torch.split('==')[1]!r})"
    for command in (
        [*pip, torch],
        [*pip, "-r", str(pins)],
        [*pip, "-r", str(pins), str(ROOT)],
        [python, "-c", check],
    ):
        passed, said = run(command, folder, 3600)
        if not passed:
            return False, f"{' '.join(command)}\n{said}"
    return True, ""


def try_library(library: str, limit: float) -> Result:
    """Install the library and run its example; print what went wrong."""
    with tempfile.TemporaryDirectory(prefix=f"compat-{library}-") as name:
        folder, start = Path(name), time.perf_counter()
        venv.create(folder / "venv", with_pip=True)
        python = str(folder / "venv" / "bin" / "python")
        passed, said = install(python, library, folder)
        installed = time.perf_counter()
        if passed:
            passed, said = run([python, str(ROOT / "examples" / EXAMPLES[library])], folder, limit)
        if not passed:
            print(said[-4000:], file=sys.stderr)
        lines = [line for line in said.splitlines() if line.strip()] or [""]
        return Result(library, passed, installed - start, time.perf_counter() - installed, lines[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", metavar="library", help=", ".join(EXAMPLES))
    parser.add_argument("--limit", type=float, default=900, help="seconds that an example may take")
    arguments = parser.parse_args()
    for library in arguments.libraries:
        if library not in EXAMPLES:
            parser.error(f"library must be one of {', '.join(EXAMPLES)}; got {library}")
    results = []
    for library in arguments.libraries or EXAMPLES:
        result = try_library(library, arguments.limit)
        results.append(result)
        print(
            f"{result.library:<18}{'passed' if result.passed else 'FAILED':<8}"
            f"installed in {result.install_seconds:4.0f} s, ran for {result.run_seconds:4.0f} s: "
            f"{result.last_line[:100]}",
            flush=True,
        )
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
