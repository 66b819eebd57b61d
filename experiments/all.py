"""The figures that the documentation stores: what makes each file, and whether it still does.

    python experiments/all.py            lists the files of docs/_static, with minutes of one idle core
    python experiments/all.py --check    makes short files and a row of each longer one again (15 minutes);
                              --quick    only the short files

The list is docs/_static/index.csv. *Check* is a command that prints rows of the file, all of them if that
takes less than a minute. Pictures and measured speeds have none. *Commit* is the code that made the file, or
the commit that stored it.
"""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from argparse import ArgumentParser, RawTextHelpFormatter
from pathlib import Path

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "docs" / "_static"
NEAR = 0.03  # by which numbers of a row that is made again may differ: machines round differently
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
NOT_COMPARED = ("Signature", "Seconds", "seconds")


def main() -> None:
    """List the files, or check them."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="make rows again, and compare them")
    parser.add_argument("--quick", action="store_true", help="make only files of less than a minute again")
    options, faults = parser.parse_args(), list[str]()
    index = list(csv.DictReader((STATIC / "index.csv").open(encoding="utf-8")))
    for made in index:
        print(f"{made['Minutes']:>4} min  {made['File']}\n          {made['Command']}", flush=True)
        if made["Check"] and (options.check or (options.quick and float(made["Minutes"]) < 1)):
            faults += differing(made)
    faults += strangers(index) if options.check or options.quick else []
    sys.exit("\n".join(f"error: {fault}" for fault in faults) or None)


def strangers(index: list[dict[str, str]]) -> list[str]:
    """Return what is stored and not in the index, or the other way round."""
    listed = {made["File"]: set(STATIC.glob(made["File"])) for made in index}
    stored = {path for path in STATIC.rglob("*.*") if path.name not in ("index.csv", "custom.css")}
    without = stored.difference(*listed.values())
    faults = [f"{path.relative_to(STATIC)} has no line in index.csv" for path in sorted(without)]
    return faults + [f"{name} is in index.csv, and not stored" for name, paths in listed.items() if not paths]


def differing(made: dict[str, str]) -> list[str]:
    """Return the rows that come out differently from the stored ones."""
    tables = (path for path in STATIC.glob(made["File"]) if path.suffix == ".csv")
    stored = [row for table in tables for row in rows(table.read_text("utf-8"))]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(made["Check"], shell=True, cwd=ROOT, env=settings, stdout=-1, text=True)
    again = rows(done.stdout)
    if done.returncode or not again:
        return [f"{made['File']}: {made['Check']} ended with {done.returncode}, after {len(again)} rows"]
    return [f"{made['File']}: {row}" for row in again if not any(alike(row, other) for other in stored)]


def rows(text: str) -> list[str]:
    """Return the rows of a table, each cell with the name of its column."""
    cells = (row.items() for row in csv.DictReader(io.StringIO(text)))
    return [" | ".join(f"{k} = {cell}" for k, cell in row if k not in NOT_COMPARED) for row in cells]


def alike(one: str, other: str) -> bool:
    """Tell whether two rows have the same words, and nearly the same numbers."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(*(map(float, NUMBER.findall(row)) for row in (one, other)), strict=True)
    return all(abs(a - b) <= NEAR * max(abs(a), abs(b), 1) for a, b in pairs)


if __name__ == "__main__":
    main()
