"""Which trainings learn raw numbers: accuracy of the training episodes against their number.

    OMP_NUM_THREADS=1 python experiments/raw_numbers.py --out docs/_static/training/raw_numbers.csv (5 hours)
    OMP_NUM_THREADS=1 python experiments/raw_numbers.py --runs 20-256-0.001-1       (prints a row; 8 minutes)

A run is `spatial-game train --recipe paper` with a sequence length, a batch size, a rate and a seed. It is
kept in runs/raw, and goes on where it was stopped.
"""

import csv
from pathlib import Path
from statistics import fmean

from rows import make_rows

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train
from spatial_game.config import GameConfig

RUNS = [
    *(f"20-{batch}-{rate}-{seed}" for batch, rate in ((256, 0.001), (512, 0.001)) for seed in (1, 2)),
    *(f"20-{batch}-{rate}-{seed}" for batch, rate in ((512, 0.00025), (2048, 0.001)) for seed in (1, 2)),
    *(f"20-2048-0.004-{seed}" for seed in (1, 2)),
    *(f"20 of 60-512-0.001-{seed}" for seed in (1, 2)),
    "40-256-0.001-1",
    "60-256-0.002-1",
]
"""Sequence length (with the number of integers if it is another), batch size, rate and seed."""
MILLIONS = {"20": 6.4, "20 of 60": 6.4, "40": 15.36, "60": 23.04}
"""Training episodes of the runs, by their sequences."""
SHOWN = (2.0, 4.0, 6.4, 10.0, 15.36, 23.04)
"""Millions of training episodes after which a row has an accuracy."""
WINDOW = 0.128
"""Millions of episodes before, of which an accuracy is the mean."""


def rows_of(run):
    """Train, or go on, and return the row of a run."""
    sequence, batch, rate, seed = run.split("-")
    length, _, integers = sequence.partition(" of ")
    steps = round(MILLIONS[sequence] * 1e6 / int(batch))
    options = TrainOptions(
        GameConfig(int(length), num_integers=int(integers or length)),
        Recipe("paper", batch_size=int(batch), steps=steps, learning_rate=float(rate)),
        seed=int(seed),
        out=Path("runs/raw") / run,
        evaluation_episodes=2_000,
    )
    train(options, jobs=1)
    return [row_of(run, options.out)]


def row_of(run, folder):
    """Return the row of a run by its metrics."""
    names = ("sequence", "batch_size", "rate", "seed")
    rows = list(csv.DictReader((folder / "metrics.csv").open(encoding="utf-8")))
    row = dict(zip(names, run.split("-"), strict=True))
    for shown in SHOWN:
        last = (row for row in rows if shown - WINDOW < int(row["episodes"]) / 1e6 <= shown + 0.01)
        accuracies = [float(row["training_accuracy"]) for row in last]
        whole = int(rows[-1]["episodes"]) / 1e6 >= shown
        row[f"at_{shown:g}_million"] = f"{fmean(accuracies):.3f}" if whole else ""
    validations = [float(each["validation_accuracy"]) for each in rows if each["validation_accuracy"]]
    return row | {"validation_best": f"{max(validations):.3f}", "validation_last": f"{validations[-1]:.3f}"}


if __name__ == "__main__":
    make_rows(__doc__, rows_of, RUNS, "runs")
