"""Does each library still take the environments? Its example runs in an environment of its own, with pins.

    python tests/compat/run.py                      all libraries
    python tests/compat/run.py torchrl tianshou     some of them
    python tests/compat/run.py --versions newest    by the install line of the example, without pins
    python tests/compat/run.py --versions lowest    with the lowest versions that the line allows (not torch)

For each: a new virtual environment in a temporary folder, removed afterwards; torch first, then the pins of
`<library>.txt`, then this package. Then the library's example trains for its default number of steps, in an
empty folder. Fails if an example does, or if a library brought another torch than the pinned one.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

EXAMPLES = ROOT / "examples"
EXAMPLE_OF = {
    "stable-baselines3": EXAMPLES / "10_stable_baselines3.py",
    "sb3-contrib": EXAMPLES / "11_sb3_contrib.py",
    "cleanrl": EXAMPLES / "12_cleanrl_loop.py",
    "torchrl": EXAMPLES / "13_torchrl.py",
    "supersuit": EXAMPLES / "14_supersuit.py",
    "tianshou": EXAMPLES / "15_tianshou.py",
    "rllib": EXAMPLES / "16_rllib.py",
    "agilerl": EXAMPLES / "17_agilerl.py",
    "benchmarl": EXAMPLES / "18_benchmarl.py",
}
"""The example that is run for each library."""

LIMIT = 3600.0
"""Seconds that an example may take."""


def run(command: list[str], folder: Path) -> str:
    """Return what a command prints. Raises `subprocess.SubprocessError` if it fails or takes too long."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}  # networks this small gain nothing from more
    settings = {"cwd": folder, "timeout": LIMIT, "env": environment, "text": True, "check": True}
    return subprocess.run(command, stdout=subprocess.PIPE, **settings).stdout


def install(python: str, library: str, versions: str) -> None:
    """Install torch, if it is pinned, the pins and this package; check that torch is still the pinned one.

    The example has the install line. With versions that are not pinned, a library may bring another torch.
    """
    pins = HERE / f"{library}.txt"
    pip = [python, "-m", "pip"]
    line = re.search(r"^pip (install -e .*)$", EXAMPLE_OF[library].read_text("utf-8"), re.MULTILINE)
    words = shlex.split(line[1] if line else "install -e .")
    torch = re.search(r"^torch==(.*)$", pins.read_text("utf-8"), re.MULTILINE)
    if torch:
        run([*pip, "install", "--quiet", torch[0]], ROOT)
    if versions == "lowest":
        run([*pip, "install", "--quiet", "uv"], ROOT)
        uv = [python, "-m", "uv", "pip"]
        run([*uv, *words, "--quiet", "--python", python, "--resolution", "lowest-direct"], ROOT)
    elif versions == "newest":
        run([*pip, *words, "--quiet"], ROOT)
    else:
        run([*pip, "install", "--quiet", "-r", str(pins)], ROOT)
        run([*pip, *words, "--quiet", "-r", str(pins)], ROOT)
        if torch:
            check = f"import torch, sys; sys.exit(torch.__version__.split('+')[0] != {torch[1]!r})"
            run([python, "-c", check], ROOT)


def try_library(library: str, versions: str) -> str:
    """Install a library, run its example, and return what it prints, after its version.

    Raises `subprocess.SubprocessError` if something fails; it has then printed why.
    """
    with tempfile.TemporaryDirectory(prefix=f"compat-{library}-") as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = str(folder / "venv" / "bin" / "python")
        install(python, library, versions)
        frozen = run([python, "-m", "pip", "freeze"], folder)
        printed = run([python, str(EXAMPLE_OF[library])], folder)
        return f"{versions_in(frozen, library)}\n{printed}"


def versions_in(frozen: str, library: str) -> str:
    """Return what `pip freeze` says of a library and of those beneath it. It writes `_` for `-` in names."""
    names = f"{library.replace('-', '[-_]')}|ray|torch|gymnasium|pettingzoo|numpy"
    return " ".join(re.findall(rf"^(?:{names})==.*$", frozen, re.MULTILINE))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", metavar="library", help=", ".join(EXAMPLE_OF))
    parser.add_argument("--versions", choices=("pinned", "newest", "lowest"), default="pinned")
    arguments = parser.parse_args()
    for library in set(arguments.libraries) - set(EXAMPLE_OF):
        parser.error(f"library must be one of {', '.join(EXAMPLE_OF)}; got {library}")
    failed = 0
    for library in arguments.libraries or EXAMPLE_OF:
        began = time.perf_counter()
        try:
            how, printed = "passed", try_library(library, arguments.versions)
        except subprocess.SubprocessError as error:
            failed, how, printed = failed + 1, "FAILED", str(error)
        print(f"{library}: {how} in {time.perf_counter() - began:.0f} s\n{printed}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
