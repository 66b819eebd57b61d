"""Does each library still take the environments? Its scripts run in an environment of their own, with pins.

    python tests/compat/run.py                      all libraries
    python tests/compat/run.py torchrl tianshou     some of them
    python tests/compat/run.py --versions newest    by the install line of the example, without pins
    python tests/compat/run.py --versions lowest    with the lowest versions that the extra allows (needs uv)

For each: a new virtual environment in a temporary folder, removed afterwards; torch first, then the pins of
`<library>.txt`, then this package. Then a program, if there is one, makes the calls of the library's own
tutorials, and the library's example trains for its default number of steps, in an empty folder. Fails if a
script does, or if a library brought another torch than the pinned one.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

EXAMPLES, PROGRAMS = ROOT / "examples", HERE / "programs"
SCRIPTS = {
    "stable-baselines3": [EXAMPLES / "10_stable_baselines3.py"],
    "sb3-contrib": [EXAMPLES / "11_sb3_contrib.py"],
    "cleanrl": [PROGRAMS / "cleanrl_calls.py", EXAMPLES / "12_cleanrl_loop.py"],
    "pettingzoo": [PROGRAMS / "pettingzoo_tutorials.py"],
    "torchrl": [EXAMPLES / "13_torchrl.py"],
    "supersuit": [PROGRAMS / "supersuit_wrappers.py", EXAMPLES / "14_supersuit.py"],
    "tianshou": [EXAMPLES / "15_tianshou.py"],
    "rllib": [EXAMPLES / "16_rllib.py"],
    "agilerl": [EXAMPLES / "17_agilerl.py"],
    "benchmarl": [EXAMPLES / "18_benchmarl.py"],
}
"""What is run for each library: its example, after a program with the calls of its tutorials."""


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
        said = late.stdout or b""  # bytes, for all that was asked for is text
        said = said.decode(errors="replace") if isinstance(said, bytes) else said
        return False, f"{said}\nnot done after {limit:.0f} s"
    return done.returncode == 0, done.stdout


def install(python: str, library: str, folder: Path, versions: str) -> tuple[bool, str]:
    """Install torch, if it is pinned, the pins and this package; check that torch is still the pinned one.

    The example names the extras of this package. With versions that are not pinned, torch may change.
    """
    pins = HERE / f"{library}.txt"
    pip = [python, "-m", "pip", "install", "--quiet"]
    extras = re.search(r"pip install -e '\.(\[.+\])'", SCRIPTS[library][-1].read_text("utf-8"))
    package = f"{ROOT}{extras[1] if extras else ''}"
    commands = [[*pip, "-r", str(pins)], [*pip, "-r", str(pins), package]]
    if versions == "newest":
        commands = [[*pip, package]]
    elif versions == "lowest":
        uv = ["uv", "pip", "install", "--quiet", "--python", python, "--resolution", "lowest-direct"]
        commands = [[*uv, package]]
    for line in pins.read_text("utf-8").split():
        if line.startswith("torch=="):
            version = line.removeprefix("torch==")
            check = f"import torch, sys; sys.exit(torch.__version__.split('+')[0] != {version!r})"
            commands = [[*pip, line], *commands]
            if versions == "pinned":
                commands.append([python, "-c", check])
    for command in commands:
        passed, said = run(command, folder, 3600)
        if not passed:
            return False, f"{' '.join(command)}\n{said}"
    return True, ""


def try_library(library: str, limit: float, versions: str) -> Result:
    """Install the library and run its scripts; print what went wrong."""
    with tempfile.TemporaryDirectory(prefix=f"compat-{library}-") as name:
        folder, start = Path(name), time.perf_counter()
        venv.create(folder / "venv", with_pip=True)
        python = str(folder / "venv" / "bin" / "python")
        passed, said = install(python, library, folder, versions)
        installed = time.perf_counter()
        for script in SCRIPTS[library]:
            if passed:
                passed, said = run([python, str(script)], folder, limit)
        if not passed:
            print(said[-4000:], file=sys.stderr)
        lines = [line for line in said.splitlines() if line.strip()] or [""]
        return Result(library, passed, installed - start, time.perf_counter() - installed, lines[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", metavar="library", help=", ".join(SCRIPTS))
    parser.add_argument("--limit", type=float, default=900, help="seconds that a script may take")
    parser.add_argument("--versions", choices=("pinned", "newest", "lowest"), default="pinned")
    arguments = parser.parse_args()
    for library in arguments.libraries:
        if library not in SCRIPTS:
            parser.error(f"library must be one of {', '.join(SCRIPTS)}; got {library}")
    results = []
    for library in arguments.libraries or SCRIPTS:
        result = try_library(library, arguments.limit, arguments.versions)
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
