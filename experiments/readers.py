"""Tables and figure of the page *Benchmark of readers*, from the results of the full suite.

    spatial-game benchmark --suite full --out runs/benchmark
    python experiments/readers.py runs/benchmark

Reads the rows that are there, so that it can be used before the suite has finished: then it says how many
languages each track has. Writes to `docs/_static/measured`:

- `benchmark-rows.csv`, a row for each language and reader: everything else is made from these, also later, by
  `python experiments/readers.py` without a folder;
- `benchmark-known.csv`, `benchmark-trained.csv` and `benchmark-nothing.csv`, as the command shows them;
- `benchmark-spatial.csv` and `benchmark-attributes.csv`, where each reader finds most and least;
- `benchmark-bits.png`, bits explained against kilobits.
"""

import argparse
import csv
import json
import statistics
from collections import Counter
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from spatial_game.benchmark.readers import READERS
from spatial_game.benchmark.results import false_positives, grouped, known_answers, played
from spatial_game.benchmark.running import path_of
from spatial_game.benchmark.suite import task_of, tasks
from spatial_game.tables import Table

MEASURED = Path(__file__).parent.parent / "docs" / "_static" / "measured"
NOT_STORED = {"weighted_exact_precision", "weighted_exact_recall", "weighted_fuzzy_precision",
              "weighted_fuzzy_recall", "form_precision", "form_recall"}  # fmt: skip
"""Figures that no table needs."""
KINDS = {
    "all": "",
    "single words": "!mixed",
    "words for groups": "mixed",
    "one symbol a word": "!longest",
    "up to four symbols a word": "longest",
    "words in order": "!shuffled",
    "words in any order": "shuffled",
    "three synonyms": "synonyms",
    "15% polysemy": "polysemy",
    "symbols without a meaning": "extra",
    "sets of things": "sparse",
    "50 messages": "-n50-",
    "500 messages": "-n500-",
}
"""Parts of the attribute languages: what their names have, or have not."""
LEAST_DRAWN = -4.0
"""Dictionaries that explain less than this (they are too sure) are drawn at the edge."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b2912f", "#000000", "#888888")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="what the command wrote with --out")
    options = parser.parse_args()
    stored = MEASURED / "benchmark-rows.csv"
    if options.folder:
        store([*collected(options.folder)], stored)
    full = set(tasks("full"))
    rows = [row for row in read(stored) if task_of(row) in full]
    print(Counter((row["track"], row["reader"]) for row in rows))
    for name, table in {
        "known": known_answers(rows),
        "trained": played(rows),
        "nothing": false_positives(rows),
        "spatial": by_language(rows),
        "attributes": by_parameter(rows),
    }.items():
        write(table, MEASURED / f"benchmark-{name}.csv")
    draw(rows, MEASURED / "benchmark-bits.png")


def collected(folder):
    """Yield the rows that all readers have, in the order of the suite."""
    for task in dict.fromkeys([*tasks("quick"), *tasks("full")]):
        paths = [path_of(folder, task, reader) for reader in READERS]
        if all(path.is_file() for path in paths):
            yield from (json.loads(path.read_text("utf-8")) for path in paths)


def store(rows, path):
    """Write rows with three decimals of each figure."""
    names = dict.fromkeys(name for row in rows for name in row if name not in NOT_STORED)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()})


def read(path):
    """Return the rows as the benchmark's tables take them."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            {name: None if value == "" and name != "fault" else value for name, value in row.items()}
            for row in csv.DictReader(file)
        ]


def by_language(rows):
    """Return the exact F1 of each reader for each spatial language: the mean over sizes, noises and seeds."""
    parts = grouped([row for row in rows if row["track"] == "spatial"], "language")
    return _by_part({name: own for (name,), own in parts.items()}, "Language")


def by_parameter(rows):
    """Return the exact F1 of each reader for parts of the attribute languages."""
    own = [row for row in rows if row["track"] == "attributes"]
    parts = {
        kind: [
            row
            for row in own
            if (word.strip("!") in f"-{row['language']}-n{row['episodes']}-") != word.startswith("!")
        ]
        for kind, word in KINDS.items()
    }
    return _by_part(parts, "Part")


def _by_part(parts, heading):
    found = []
    for name, own in parts.items():
        means = {
            r: statistics.fmean(float(row["exact_f1"]) for row in of)
            for (r,), of in grouped(own, "reader").items()
        }
        found.append((name, *(means[reader] for reader in READERS)))
    return Table.of(f"{heading} | " + " | ".join(f"{reader} :.2f" for reader in READERS), found)


def write(table, path):
    """Write a table as it is shown. A line does not break before an interval."""
    rows = [
        [
            c.write(value).replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")
            for c, value in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([[c.name for c in table.columns], *rows])


def draw(rows, path):
    """Draw the held-out bits of each reader's dictionaries of trained pairs against their length."""
    matplotlib.use("agg")
    figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
    trained = grouped([row for row in rows if row["track"] == "trained"], "reader")
    for (reader,), own in trained.items():
        own = [row for row in own if row["held_out_bits"] is not None]
        bits = [max(float(row["held_out_bits"]), LEAST_DRAWN) for row in own]
        kilobits = [max(float(row["kilobits"]), 0.1) for row in own]
        axis.scatter(kilobits, bits, s=11, color=COLOURS[[*READERS].index(reader)], alpha=0.75, label=reader)
    axis.axhline(0, color="0.6", linewidth=0.8, linestyle=":")
    axis.set(xscale="log", xlabel="kilobits of the dictionary", ylabel="held-out bits an episode")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, ncols=2, loc="lower left")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
