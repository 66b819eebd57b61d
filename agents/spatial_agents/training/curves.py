"""The plot of a training: the metrics against steps and against minutes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from spatial_game.files import replacing
from spatial_game.tables import printable

_BLUE, _ORANGE, _GREEN = "#4c82c3", "#d9822b", "#2e9e6b"


def draw_curves(folder: Path) -> None:
    """Draw a run's metrics.csv to curves.png. Does nothing without metrics or without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return
    with (folder / "metrics.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        return
    columns = {name: [float(row[name] or "nan") for row in rows] for name in rows[0]}
    columns["minutes"] = [seconds / 60 for seconds in columns["seconds"]]
    figure = Figure(figsize=(10, 7.5), layout="constrained")
    axes = figure.subplots(3, 2, sharex="col", sharey="row")
    for (accuracy, loss, length), along in zip(axes.T, ("step", "minutes"), strict=True):
        _draw_column(accuracy, loss, length, columns, along)
    labels = ("accuracy", "loss in training (nats)", "sequence length")
    for axis, label in zip(axes[:, 0], labels, strict=True):
        axis.set_ylabel(label)
    axes[0, 0].legend(loc="lower right", frameon=False, fontsize=8)
    axes[2, 0].legend(loc="center right", frameon=False, fontsize=8)
    validated = [row for row in rows if row["validation_accuracy"]]
    if validated:
        at, accuracy = validated[-1]["step"], float(validated[-1]["validation_accuracy"])
        title = f"{printable(folder.resolve().name)}: {accuracy:.1%} at step {int(at):,}"
        figure.suptitle(title, parse_math=False)
    with replacing(folder / "curves.png") as path:
        figure.savefig(path, format="png", dpi=110)


def _draw_column(accuracy: Any, loss: Any, length: Any, columns: dict[str, list[float]], along: str) -> None:
    """Draw accuracies, loss, and sequence length with the learning rate."""
    x = columns[along]
    accuracy.plot(x, columns["training_accuracy"], color=_BLUE, linewidth=1, label="training")
    points = [point for point in zip(x, columns["validation_accuracy"], strict=True) if point[1] == point[1]]
    accuracy.plot(
        [at for at, _ in points], [y for _, y in points], "o-", color=_ORANGE, ms=3, label="validation"
    )
    accuracy.set(ylim=(0, 1.02))
    loss.plot(x, columns["loss"], color=_BLUE, linewidth=1)
    loss.set(ylim=(0, None))
    length.plot(x, columns["sequence_length"], color=_GREEN, drawstyle="steps-pre", label="sequence length")
    rate = length.twinx()
    rate.plot(x, columns["learning_rate"], color=_ORANGE, linewidth=1)
    rate.set(ylim=(0, None))
    length.plot([], [], color=_ORANGE, label="learning rate (right)")
    length.set(ylim=(0, None), xlabel={"step": "steps"}.get(along, along))
    length.locator_params(axis="x", nbins=6)
    for axis in (accuracy, loss, length):
        axis.grid(alpha=0.25)
