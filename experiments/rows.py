"""Tables of measurements: rows as CSV that the documentation shows as it stands."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
"""The cells of a line by the names of their columns."""


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """Return the parser of a program with this docstring that makes a table."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="a CSV file for the table; none: print it")
    return parser


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
