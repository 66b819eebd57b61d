"""The figures in the sentences of pages come from the stored results."""

from __future__ import annotations

import re
import sys
from functools import reduce
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import figures  # noqa: E402
import results  # noqa: E402

PAGES = [page for page in sorted((ROOT / "docs").glob("**/*.md")) if "_generated" not in page.parts]
KNOWN = figures.figures()

TYPED = {
    "estimators.md": {"99.6%"},
    "evaluation.md": {"0.9%", "0.2%", "86.23%", "0.7%", "1.6%"},
    "findings.md": {"5.9 bits", "99.6%"},
    "training.md": {"93.0%", "99.3%", "94.0%", "95.0%", "99.6%"},
}
"""Figures that are typed: the paper's, thresholds, bounds of intervals, and trials that left no results."""


def test_what_is_said_of_a_column() -> None:
    said = figures.told({"a/0": 0.5, "a/1": 0.75, "b": float("nan")}, ".0%")
    assert said["mean"] == "62%"
    assert (said["least"], said["most"], said["number"]) == ("50%", "75%", "2")
    assert (said["least_at"], said["most_at"], said["a/1"]) == ("`a/0`", "`a/1`", "75%")


def test_figures_are_those_of_the_stored_results() -> None:
    rows = {row["pair"]: row for row in results.read_csv(results.STATIC / "findings" / "dictionaries.csv")}
    share = float(rows["paper-60/9"]["held_out_bits"]) / float(rows["paper-60/9"]["message_bits"])
    assert KNOWN["dictionaries"]["explained"]["paper-60/9"] == f"{share:.1%}"
    assert KNOWN["dictionaries"]["explained"]["number"] == str(len(rows))
    accuracies = [card["evaluation"]["accuracy"] for card in results.cards("paper-60").values()]
    assert KNOWN["pairs"]["paper-60"]["accuracy"]["mean"] == f"{sum(accuracies) / len(accuracies):.1%}"


def test_the_groups_of_pairs_on_the_page_of_findings_are_as_large_as_it_says() -> None:
    sizes = {
        name: [len(numbers(group["pairs"])) for group in KNOWN["bits"][name].values()]
        for name in KNOWN["bits"]
    }
    assert sizes == {"embed-60": [8, 8], "paper-60": [5, 11]}


def numbers(text: str) -> list[int]:
    """Return the numbers that `results.ranges` wrote."""
    runs = [[int(number) for number in run.split(" to ")] for run in text.split(", ")]
    return [number for run in runs for number in range(run[0], run[-1] + 1)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_figure_that_a_page_asks_for_is_known(page: Path) -> None:
    for asked in re.findall(r"{{(.*?)}}", page.read_text("utf-8")):
        keys = [key or name for key, name in re.findall(r'\["(.*?)"\]|(\w+)', asked)]
        assert isinstance(reduce(lambda found, key: found[key], keys, KNOWN), str), asked


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_no_measured_figure_is_typed_into_a_sentence(page: Path) -> None:
    text = re.sub(
        r"```.*?```|{{.*?}}|`[^`]*`|^\|.*?$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    typed = set(re.findall(r"\d+\.\d+%|\d+\.\d+ bits", text)) - TYPED.get(page.name, set())
    assert not typed, f"{typed}: store the figures, and let docs/figures.py name them"
