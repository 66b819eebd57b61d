"""The plots of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from spatial_game.reproduction.page import Drawing
from spatial_game.reproduction.results import PairResults, Results
from spatial_game.reproduction.summaries import accuracy

DRAWN_PAIRS = 3
"""The most pairs whose language is drawn: the first of each family."""
NAMED_CURVES = 8
"""The most training curves in a plot with a legend; a longer legend would hide them."""
INCH = 75.0
"""Pixels for each inch of a plot that make its smallest text legible."""

Draw = Callable[[Any], Any]


def figures() -> Any:
    """Return the module of plots, which is loaded only if something is drawn."""
    from spatial_game import figures

    return figures


def drawn(caption: str, draw: Draw, size: tuple[float, float] = (4.6, 3.2)) -> list[Drawing]:
    """Return the plot with this size in inches."""
    return [Drawing(caption, figures().to_svg(draw, size, label=caption), size[0] * INCH)]


def drawn_pairs(results: Results) -> dict[str, PairResults]:
    """Return the pairs whose language is drawn."""
    first = [next(iter(pairs.items())) for pairs in results.families().values()]
    return dict(first[:DRAWN_PAIRS])


def training_curves(results: Results) -> Iterator[Drawing]:
    """Draw the training of each family."""
    for family, pairs in results.families().items():
        known = {name: pair for name, pair in pairs.items() if pair.training.episodes}
        if known:
            caption = f"{family}: accuracy on the full game during training"
            caption += f", {len(known)} pairs" if len(known) > NAMED_CURVES else ""
            yield from drawn(caption, partial(_training, pairs=known))


def _training(axis: Any, pairs: Mapping[str, PairResults]) -> Any:
    for name, pair in pairs.items():
        label = name if len(pairs) <= NAMED_CURVES else ""
        curve = pair.training
        figures().training_curve(axis, curve.episodes, curve.accuracy, pair.chance, label)
    return axis


def accuracy_bars(results: Results) -> list[Drawing]:
    """Draw how well phrases of each type are understood, with floor and ceiling."""
    bars = {}
    for name, pair in drawn_pairs(results).items():
        for kind, chosen in pair.thresholds["exact"].chosen.items():
            report = chosen.report
            bars[f"{name}\n{kind.replace('_', ' ')}"] = [
                ("false phrase", accuracy(report.floors.get("shuffled"))),
                ("random true phrase", accuracy(chosen.reported)),
                ("the sender's message", accuracy(report.ceiling)),
            ]
    chance = next(iter(results.pairs.values())).chance
    return drawn(
        "Share of the episodes in which the receiver finds the target, by message",
        lambda axis: figures().accuracy_bars(axis, bars, chance),
        (4.6, 1.2 + 0.6 * len(bars)),
    )
