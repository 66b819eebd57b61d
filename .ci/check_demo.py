"""Does the demo print what README shows? `python .ci/check_demo.py OUTPUT`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
SHOWN = re.compile(r"<!-- from the output of: spatial-game demo -->\n```text\n(.*?)\n```", re.DOTALL)
FIGURES = re.compile(r"\d+\.\d+%?|\d+%")
"""Figures of the sketch: they may differ by an episode from machine to machine."""


def missing(output: str) -> list[str]:
    """Return the lines of README's blocks that the output of the demo lacks, without their figures."""
    said = set(map(_comparable, output.splitlines()))
    shown = [line for block in SHOWN.findall(README.read_text("utf-8")) for line in block.splitlines()]
    assert len(shown) > 25, "README must show the output of the demo"
    return [line for line in map(_comparable, shown) if line not in said]


def _comparable(line: str) -> str:
    return " ".join(FIGURES.sub("#", line).split())


if __name__ == "__main__" and (lines := missing(Path(sys.argv[1]).read_text("utf-8"))):
    sys.exit("\n  ".join(["error: README shows lines that the demo does not print:", *lines]))
