"""The results that the documentation shows are those of this code: the quick suite gives the stored rows."""

import csv
from pathlib import Path

import pytest

from spatial_game.benchmark.readers import LIBRARIES, READERS
from spatial_game.benchmark.running import Limits, run
from spatial_game.benchmark.suite import tasks

STORED = Path(__file__).parents[2] / "docs" / "_static" / "measured" / "benchmark-rows.csv"
SLOW = ("csar", "ibm1")
"""Readers that take seconds for messages about windows."""
CHECKED = [
    task for task in tasks("quick") if task.track == "attributes" or task.language in ("two-bands", "random")
]


@pytest.fixture(scope="module")
def stored():
    with STORED.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    return {
        (r["track"], r["language"], int(r["episodes"]), float(r["noise"]), int(r["seed"]), r["reader"]): r
        for r in rows
    }


def test_every_quick_language_and_reader_has_a_row(stored):
    for task in tasks("quick"):
        for reader in READERS:
            assert (*task.to_dict().values(), reader) in stored


@pytest.mark.parametrize("task", CHECKED, ids=lambda task: task.name)
def test_the_quick_suite_gives_the_stored_rows(task, stored, tmp_path):
    readers = [name for name in READERS if name not in LIBRARIES]
    if task.track != "attributes":
        readers = [name for name in readers if name not in SLOW]
    for row in run([task], readers, tmp_path, Limits()):
        known = stored[(*task.to_dict().values(), row["reader"])]
        assert (row["fault"], row["entries"]) == (known["fault"], int(known["entries"]))
        for name in ("exact_f1", "fuzzy_f1", "weighted_exact_f1", "form_f1"):
            assert row[name] == pytest.approx(float(known[name]), abs=1e-3)
