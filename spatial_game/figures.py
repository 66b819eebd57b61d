"""Plots of results: functions that draw on a matplotlib axis and return it.

figure, axis = plt.subplots()
figures.training_curve(axis, episodes, accuracy, chance=0.2)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#4c82c3", "#d9822b", "#8a8a8a", "#5aa469", "#b65fa8")
SMALL = 9
"""The smallest text, in points."""


def accuracy_bars(axis: Axes, bars: Mapping[str, Sequence[tuple[str, float | None]]], chance: float) -> Axes:
    """Draw groups of bars, `{"edge": [("random phrase", 0.83), ("sender", 0.96)], ...}`, and chance."""
    names = list(dict.fromkeys(name for group in bars.values() for name, _ in group))
    width = 0.8 / max(len(names), 1)
    for i, name in enumerate(names):
        lengths = [dict(group).get(name) or 0.0 for group in bars.values()]
        places = np.arange(len(bars)) + (i - (len(names) - 1) / 2) * width
        axis.barh(places, lengths, width * 0.9, label=name, color=COLOURS[i % len(COLOURS)])
    axis.set_yticks(range(len(bars)), list(bars), fontsize=SMALL)
    axis.set(xlim=(0, 1.02), xlabel="accuracy")
    axis.invert_yaxis()
    _chance(axis.axvline, chance)
    _legend(axis, ncols=2, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    return axis


def training_curve(
    axis: Axes, episodes: npt.ArrayLike, accuracy: npt.ArrayLike, chance: float, label: str = ""
) -> Axes:
    """Draw the accuracy over the episodes of training."""
    axis.plot(np.asarray(episodes) / 1e6, accuracy, label=label or None)
    axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))
    if len(axis.lines) == 1:
        _chance(axis.axhline, chance)
    if label:
        _legend(axis)
    return axis


def _chance(draw_line: Callable[..., Any], chance: float) -> None:
    """Draw the accuracy of a random choice."""
    draw_line(chance, color="black", linewidth=0.8, linestyle=":", label=f"chance {chance:.0%}")


def _legend(axis: Axes, **where: Any) -> None:
    """Draw the legend, chance last."""
    handles, labels = axis.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i].startswith("chance "))
    ordered = [handles[i] for i in order], [labels[i] for i in order]
    axis.legend(*ordered, frameon=False, fontsize=SMALL, **where)
