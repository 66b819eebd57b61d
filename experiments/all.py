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
NEAR = 0.03  # the share by which numbers that are made again may differ: machines round differently
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.(\d+))?(?:e-?\d+)?")
FIGURES = re.compile("#%?(?: \\(#%? to #%?\\))?")
"""Cells of numbers alone, such as `0.81` or `50.8% (47.3% to 54.5%)`; all others are names."""
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
    different = [row for row in again if not any(alike(row, other) for other in stored)]
    return [f"{made['File']}: {' | '.join(f'{k} = {cell}' for k, cell in row.items())}" for row in different]


def rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a table by column, without those that are not compared."""
    table = csv.DictReader(io.StringIO(text))
    return [{k: cell for k, cell in row.items() if k not in NOT_COMPARED} for row in table]


def alike(one: dict[str, str], other: dict[str, str]) -> bool:
    """Tell whether two rows have the same names, and nearly the same figures."""
    return one.keys() == other.keys() and all(near(one[k], other[k]) for k in one)


def near(one: str, other: str) -> bool:
    """Tell whether two cells are the same; of figures, nearly, or but for a unit of the last decimal."""
    form = NUMBER.sub("#", one)
    if one == other or form != NUMBER.sub("#", other) or not FIGURES.fullmatch(form):
        return one == other
    for a, b in zip(NUMBER.finditer(one), NUMBER.finditer(other), strict=True):
        x, y = (float(each[0].replace(",", "")) for each in (a, b))
        unit = 1.01 * 10.0 ** -len(a[1]) if a[1] and "e" not in a[0] else 0.0
        if abs(x - y) > max(NEAR * max(abs(x), abs(y)), unit):
            return False
    return True


if __name__ == "__main__":
    main()
