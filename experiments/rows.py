"""Tables of measurements: rows as CSV that the documentation shows as it stands."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from spatial_agents.pairs.names import bundled_names, numbered_pairs

Row = Mapping[str, Any]
"""The cells of a line by the names of their columns."""


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """Return the parser of a program with this docstring that makes a table."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="a CSV file for the table; none: print it")
    return parser


def pairs_of(*families: str) -> list[str]:
    """Return the bundled pairs of these families, or of all, such as `embed-60/0`."""
    return [f"{name}/{i}" for name in families or bundled_names() for i in numbered_pairs(name)]


def family_of(pair: str) -> str:
    """Return the name that a pair shares with pairs of other seeds."""
    return pair.partition("/")[0]


def make_rows(
    doc: str | None, rows_of: Callable[[str], Iterable[Row]], every: Sequence[str], option: str = "pairs"
) -> None:
    """Run a program whose table has rows for each of these names, or for those that an option asks for."""
    parser = parser_of(doc)
    about = f"make only the rows of these {option}"
    parser.add_argument(f"--{option}", nargs="+", choices=every, default=every, help=about, metavar="NAME")
    options = parser.parse_args()
    names = getattr(options, option)
    save([row for name in names for row in rows_of(name)], options.out)


def resumed(
    path: Path | None, wanted: Iterable[dict[str, str]], make: Callable[..., Iterable[Row]]
) -> list[Row]:
    """Return a table with the rows that `make(**key)` returns for each wanted key, in their order.

    The table begins with what the file holds, and keys that it has are not made again. With a file, it is
    saved after each key, so a program that was stopped goes on from there.
    """
    rows: list[Row] = [*read(path)] if path and path.exists() else []
    for key in wanted:
        if not any(key.items() <= row.items() for row in rows):
            made = [key | row for row in make(**key)]
            rows += made
            if path:
                save(rows, path)
                print(*made[-1].values(), file=sys.stderr, flush=True)
    return rows


def save(rows: Sequence[Row], path: Path | None) -> None:
    """Write rows to a CSV file, or print them if there is none; the first row names the columns."""
    with path.open("w", newline="", encoding="utf-8") if path else nullcontext(sys.stdout) as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
