"""Learning curves of the recipes, several seeds: trains what is missing, then draws.

    OMP_NUM_THREADS=1 python experiments/training_curves.py             (about 15 minutes on one idle thread)
    python experiments/training_curves.py --game grid --seeds 0         (as long: GRUs and local networks)
    python experiments/training_curves.py --add embed-60 RUN...         (the metrics of runs as well)

Writes `curves.csv` (a row a validation), `small.png`, `grid.png`, and `full.png` of added runs of the full
game, into docs/_static/training. Time is processor time of one thread spent in steps, without validation;
that of added runs is wall time with it. A curve that is in the file is not trained again.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from pathlib import Path

import matplotlib
import torch
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig

OUT = Path(__file__).parent.parent / "docs" / "_static" / "training"
GAMES = {
    "small": GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2),
    "grid": GameConfig(shape=(8, 8), window_radius=1),
}
TITLES = {
    "small": "Small game: 8 integers, 3 candidates, 2 symbols of 8",
    "grid": "Grid of 8 x 8 integers, 5 candidates, 3 symbols of 26",
    "full": "Full game: 60 integers, 5 candidates, 3 symbols of 26",
}
POINTS = 20
COLUMNS = ("game", "curve", "seed", "step", "episodes", "seconds", "accuracy")

# The recipes as they are, but for the number of steps (2 million episodes each in the small game), and for
# shorter first sequences in so short a game.
CURVES = {
    "small": {
        "paper (scalars)": Recipe("paper", steps=1_000),
        "curriculum (scalars)": Recipe("curriculum", steps=8_000, start_length=3),
        "curriculum (embedding)": Recipe("curriculum", inputs="embedding", steps=8_000, start_length=3),
    },
    "grid": {
        "GRUs (curriculum)": Recipe("curriculum", inputs="embedding", steps=12_000),
        "local networks": Recipe("local", steps=2_000),
    },
}
ORANGE, BLUE, GREEN, PURPLE, GREY = "#d9822b", "#4c82c3", "#2e9e6b", "#8a5fb5", "#8a8a8a"
COLOURS = dict(zip(CURVES["small"], (ORANGE, BLUE, GREEN), strict=True))
COLOURS |= dict(zip(CURVES["grid"], (BLUE, ORANGE), strict=True))
COLOURS |= {  # of added runs
    "paper-60": BLUE,
    "paper-60, linear rate": PURPLE,
    "embed-60": GREEN,
    "embedding, no curriculum": GREY,
    "local, 1,500 steps": ORANGE,
}

Rows = list[dict[str, str]]


def train(game: str, name: str, seed: int) -> Rows:
    """Train a pair; its validations."""
    recipe = CURVES[game][name]
    every = max(50, recipe.steps // POINTS // 50 * 50)
    options = TrainOptions(GAMES[game], recipe, seed=seed, validate_every=every)
    trainer, rows, seconds = Trainer([options], torch.device("cpu")), [], 0.0
    while not trainer.finished:
        start = time.process_time()
        trainer.step()
        seconds += time.process_time() - start
        if trainer.step_number % recipe.grow_every == 0:
            row = trainer.row()
            trainer.begin_interval(row["training_accuracy"])
            if row["validation_accuracy"] is not None:
                values = (game, name, seed, row["step"], row["episodes"], round(seconds, 2))
                rows.append(dict(zip(COLUMNS, map(str, (*values, row["validation_accuracy"])), strict=True)))
    return rows


def of_run(name: str, run: Path) -> Rows:
    """The validations of a run of the full game."""
    seed = json.loads((run / "config.json").read_text("utf-8"))["options"]["seed"]
    with (run / "metrics.csv").open(newline="") as file:
        found = [row for row in csv.DictReader(file) if row["validation_accuracy"]]
    parts = ("step", "episodes", "seconds", "validation_accuracy")
    return [
        dict(zip(COLUMNS, ("full", name, str(seed), *(row[part] for part in parts)), strict=True))
        for row in found
    ]


def draw(game: str, rows: Rows, path: Path, title: str, chance: float) -> None:
    """Accuracy against episodes seen and against time: a line a seed."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    curves = {(row["curve"], row["seed"]): [] for row in rows if row["game"] == game}
    for row in rows:
        if row["game"] == game:
            curves[row["curve"], row["seed"]].append(row)
    named = set()
    for (curve, _), points in curves.items():
        for axis, column in zip(axes, ("episodes", "seconds"), strict=True):
            axis.plot(
                [float(point[column]) for point in points],
                [float(point["accuracy"]) for point in points],
                color=COLOURS[curve],
                linewidth=1.2,
                alpha=0.8,
                label=None if curve in named else curve,
            )
        named.add(curve)
    for axis, label in zip(axes, ("training episodes", "time in seconds (one CPU thread)"), strict=True):
        axis.set(xscale="log", xlabel=label, ylim=(0, 1.02))
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.axhline(chance, color="grey", linewidth=0.8, linestyle=":")
        axis.grid(alpha=0.25)
    axes[0].set(ylabel="accuracy on fresh episodes")
    if named:
        axes[0].legend(loc="lower right", frameon=False, fontsize=8)
    figure.suptitle(title)
    figure.savefig(path, dpi=110)


def read(path: Path) -> Rows:
    """The rows of a file; none if there is none."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def append(path: Path, rows: Rows) -> None:
    """Add rows to a file."""
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=CURVES, default="small")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--add", nargs="+", metavar=("NAME", "RUN"), help="a name of COLOURS, and runs")
    parser.add_argument("--draw-only", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    matplotlib.use("agg")
    torch.set_num_threads(1)
    table = arguments.out / "curves.csv"
    done = {(row["curve"], row["seed"]) for row in read(table)}
    if arguments.add:
        name, *runs = arguments.add
        for rows in (of_run(name, Path(run)) for run in runs):
            if (name, rows[0]["seed"]) not in done:
                append(table, rows)
    elif not arguments.draw_only:
        for seed in arguments.seeds:
            for name in CURVES[arguments.game]:
                if (name, str(seed)) not in done:
                    append(table, train(arguments.game, name, seed))
                    print(name, seed, read(table)[-1]["accuracy"], flush=True)
    rows = read(table)
    for game in TITLES:
        if any(row["game"] == game for row in rows):
            known = GAMES.get(game, GameConfig())
            draw(game, rows, arguments.out / f"{game}.png", TITLES[game], 1 / known.num_candidates)


if __name__ == "__main__":
    main()
