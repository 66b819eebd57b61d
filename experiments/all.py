"""The figures that the documentation stores: what makes each, how long it takes, and whether it still holds.

    python experiments/all.py                 lists the files of docs/_static, with minutes and command
    python experiments/all.py --check         makes a sample of rows again, and checks the rest (5 minutes)
    python experiments/all.py --make [FILE...]  makes files again (all: hours), and notes them in index.json

`docs/_static/index.json` has for each file the hash of its bytes, and that of both packages and its program
(without comments and docstrings) when it was made, or else the commit. `--check` fails if a file is missing,
was edited by hand or has no command, or if a row comes out differently. It lists files of older code.
"""

from __future__ import annotations

import argparse
import ast
import csv
import functools
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "docs" / "_static"
INDEX = STATIC / "index.json"
PACKAGES = ("spatial_game", "agents/spatial_agents")
NEAR = 0.03
"""Numbers of a row that is made again may differ by this share: machines round differently."""


class Made(NamedTuple):
    """How a stored file is made."""

    command: str
    """What makes the file again; its words are run one after another where `&&` stands."""
    minutes: float
    """On one idle core."""
    sample: str = ""
    """A command that prints rows of the file in less than a minute."""
    keys: int = 1
    """The number of columns that name a row."""


def study(file: str, name: str, minutes: float, sample: str = "", keys: int = 1) -> dict[str, Made]:
    """Return a table, and how a program of this folder makes it."""
    program = f"python experiments/{name}.py"
    command = f"{program} --out docs/_static/{file}"
    return {file: Made(command, minutes, sample and f"{program} {sample}", keys)}


def evaluation(name: str, minutes: float, options: str, before: str = "") -> dict[str, Made]:
    """Return a file of JSON, and how `evaluate` makes it."""
    file = f"evaluation/{name}.json"
    command = f"{before}spatial-game evaluate {options} --json > docs/_static/{file}"
    return {file: Made(command, minutes)}


FILES = {
    **study("findings/dictionaries.csv", "dictionaries", 40, "--pairs landmark-60/0", 2),
    **study("findings/untrained.csv", "untrained", 2, "--seeds 1", 2),
    **study("findings/private_order.csv", "private_order", 9),
    **study(
        "findings/composition.csv",
        "composition",
        60,
        '--networks landmark --games "60, 1 visible" --seeds 0',
        3,
    ),
    **study("findings/estimators.csv", "estimators", 10, "--pairs embed-60/0", 2),
    "findings/reproduction": Made(
        "rm -rf runs/reproduction && "
        "spatial-game reproduce --quick --pairs paper-60/all --out runs/reproduction"
        " && for file in docs/_static/findings/reproduction/*.csv;"
        " do cp runs/reproduction/$(basename $file) $file; done",
        18,
    ),
    **study("measured/known_answers.csv", "known_answers", 8, "--languages holistic", 4),
    **study("measured/nulls.csv", "nulls", 2, "--kinds constant", 3),
    **study("measured/coverage.csv", "coverage", 5, "--messages 26", 4),
    "baselines/curves.csv": Made("python experiments/baselines.py --out docs/_static/baselines", 25),
    **study("training/pairs.csv", "bundled", 0.1, " "),
    "training/full.png": Made("python experiments/bundled.py --figure docs/_static/training/full.png", 0.1),
    "training/first_curve.csv": Made(
        "python experiments/first_curve.py --out docs/_static/training/first_curve.csv"
        " && python experiments/first_curve.py --draw docs/_static/training/first_curve.csv",
        4,
    ),
    **study("training/late_reward.csv", "late_reward", 5),
    **study("training/roles.csv", "roles", 30),
    "libraries/learnt.csv": Made("python tests/compat/run.py", 20),
    "libraries/speed.csv": Made("python benchmarks/bench_vector.py --seconds 1.5 --rounds 2", 2),
    "libraries/single.csv": Made("python benchmarks/bench_env.py", 2),
    **study("evaluation/cross-play.csv", "cross_play", 2),
    **evaluation("lengths", 1, "embed-60 paper-60 paper-20 --lengths --episodes 20000 --seed 1"),
    **evaluation("noise", 0.5, "embed-60 paper-60 --noise --episodes 4000 --seed 1"),
    **evaluation(
        "held-out",
        15,
        "runs/held-out/all --held-out",
        "rm -rf runs/held-out && "
        "spatial-game train --sequence-length 20 --inputs embedding --hold-out 0.1 --steps 6000 --pairs 3"
        " --out runs/held-out && ",
    ),
}
FOLLOWING = {
    "baselines/results.csv": "baselines/curves.csv",
    "baselines/curves.png": "baselines/curves.csv",
    "training/first_curve.png": "training/first_curve.csv",
}
"""Files that the command of another one makes as well."""


def main() -> None:
    """List, check or make."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--make", nargs="*", metavar="FILE", help="names as in the list; none: all files")
    parser.add_argument("--note", nargs="+", metavar="FILE", help="note files that were made just now")
    options = parser.parse_args()
    if options.check:
        sys.exit("\n".join(f"error: {fault}" for fault in check()) or None)
    elif options.make is not None:
        for name in options.make or FILES:
            print(name, FILES[name].command, sep="\n    ", flush=True)
            make(name)
    elif options.note:
        note(options.note)
    else:
        for name, made in FILES.items():
            print(f"{made.minutes:5g} min  {name}\n           {made.command}")


def make(name: str) -> None:
    """Make a file again, and note it. If its command only prints, the figures are to be copied by hand."""
    command, folder = FILES[name].command, Path("docs/_static", name).parent.as_posix()
    if folder not in command:
        print(run(command), f"copy these figures to docs/_static/{name}, then: --note {name}")
        return
    if (STATIC / name).is_file():
        (STATIC / name).unlink()  # programs keep the rows of a file that is there
    run(command)
    note([name])


def check() -> list[str]:
    """Return what does not hold; print what was done."""
    noted = json.loads(INDEX.read_text("utf-8"))
    stored = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file()}
    listed = {name for file in (*FILES, *FOLLOWING) for name in parts(file)}
    faults = [
        f"docs/_static/{name} has no command" for name in stored - listed - {"custom.css", "index.json"}
    ]
    older = []
    for file in (*FILES, *FOLLOWING):
        made = FILES[FOLLOWING.get(file, file)]
        if file not in noted or not (STATIC / file).exists():
            faults.append(f"docs/_static/{file} is not there, or not in index.json: make it")
            continue
        if digest(file) != noted[file]["content"]:
            faults.append(f"docs/_static/{file} is not as its command left it")
        if version(made) != noted[file]["code"]:
            older.append(file)
        if made.sample and file in FILES:
            found = differing(file, made)
            print(f"{file}: {made.sample}: {'differs' if found else 'as stored'}", flush=True)
            faults += found
    print(f"made by older code: {', '.join(older) or 'none'}")
    return faults


def differing(file: str, made: Made) -> list[str]:
    """Return the rows of a sample that are not as they are stored, made again."""
    stored = rows_by_key((STATIC / file).read_text("utf-8"), made.keys)
    again = rows_by_key(run(made.sample), made.keys)
    return [
        f"docs/_static/{file}, {' '.join(key)}: {row} is stored as {stored.get(key)}"
        for key, row in again.items()
        if key not in stored or not alike(row, stored[key])
    ]


def rows_by_key(text: str, keys: int) -> dict[tuple[str, ...], list[str]]:
    """Return the rows of a table by their first columns."""
    _, *rows = csv.reader(io.StringIO(text))
    return {tuple(row[:keys]): row for row in rows}


def alike(one: list[str], other: list[str]) -> bool:
    """Tell whether two rows have the same words, and nearly the same numbers."""
    number = re.compile(r"-?\d[\d,]*\.?\d*")
    if [number.sub("#", cell) for cell in one] != [number.sub("#", cell) for cell in other]:
        return False
    pairs = zip(number.findall(" ".join(one)), number.findall(" ".join(other)), strict=True)
    values = [(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs]
    return all(abs(a - b) <= NEAR * max(abs(a), abs(b), 1) for a, b in values)


def note(names: Iterable[str]) -> None:
    """Write into the index that these files were made by today's code."""
    noted = json.loads(INDEX.read_text("utf-8")) if INDEX.exists() else {}
    for name in names:
        for file in (name, *(following for following, first in FOLLOWING.items() if first == name)):
            noted[file] = {"content": digest(file), "code": version(FILES[name])}
    kept = {file: noted[file] for file in sorted(noted) if file in FILES or file in FOLLOWING}
    INDEX.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def parts(file: str) -> list[str]:
    """Return a file, or all files of a folder."""
    folder = STATIC / file
    inside = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
    return [path.relative_to(STATIC).as_posix() for path in inside if path.is_file()]


def digest(file: str) -> str:
    """Return a hash of what a stored file, or the files of a folder, hold."""
    return hashed((STATIC / part).read_bytes() for part in parts(file))


def version(made: Made) -> str:
    """Return a hash of both packages, with their data, and of a file's own program; comments do not count."""
    programs = re.findall(r"python (\S+\.py)", made.command)
    return hashed([package_code(), *(code_of(ROOT / path) for path in programs)])


@functools.cache
def package_code() -> bytes:
    """Return a hash of both packages, with their data."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*")) if path.is_file()]
    return hashed(code_of(path) for path in paths if "__pycache__" not in path.parts).encode()


def code_of(path: Path) -> bytes:
    """Return a module without comments and docstrings; other files as they are."""
    if path.suffix != ".py":
        return path.read_bytes()
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return ast.unparse(tree).encode()


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def hashed(contents: Iterable[bytes]) -> str:
    """Return 16 digits that depend on all of the contents."""
    found = hashlib.sha256()
    for content in contents:
        found.update(hashlib.sha256(content).digest())
    return found.hexdigest()[:16]


def run(command: str) -> str:
    """Run a command line in the repository, on one thread; return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, shell=True, cwd=ROOT, env=settings, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"error: {command} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
