"""The plots of the report. There are none if matplotlib is not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from spatial_game.language.counting.spans import count_files
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.grid import THRESHOLDS, TOPS
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
    """Return the plot with this size in inches; nothing if matplotlib is not installed."""
    try:
        return [Drawing(caption, figures().to_svg(draw, size, label=caption), size[0] * INCH)]
    except ModuleNotFoundError:
        return []


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
                ("most common true message", accuracy(report.usual)),
                ("the sender's message", accuracy(report.ceiling)),
            ]
    chance = next(iter(results.pairs.values())).chance
    return drawn(
        "Episodes in which the receiver finds the target, by what it is told",
        lambda axis: figures().accuracy_bars(axis, bars, chance),
        (4.6, 1.2 + 0.6 * len(bars)),
    )


def grids(results: Results) -> Iterator[Drawing]:
    """Draw how much is read and understood in each cell of the grid."""
    for name, pair in drawn_pairs(results).items():
        read = {(cell.threshold, cell.top_n): cell.coverage for cell in pair.grid["exact"]}
        yield from _grid(f"{name}: episodes that the dictionary reads, over the grid", read, "read")
        understood = {
            (cell.threshold, cell.top_n): accuracy(cell.accuracy)
            for cell in pair.thresholds["exact"].cells
            if cell.kind == "integer_at"
        }
        caption = f"{name}: phrases for integers at offsets that the receiver understands, over the grid"
        yield from _grid(caption, understood, "understood")


def _grid(caption: str, cells: Mapping[tuple[float, int], float | None], label: str) -> list[Drawing]:
    found = [[cells.get((t, n)) for t in THRESHOLDS] for n in TOPS]
    values = [[float("nan") if value is None else value for value in row] for row in found]
    return drawn(caption, lambda axis: figures().grid_map(axis, values, THRESHOLDS, TOPS, label))


def languages(results: Results, data: Path) -> Iterator[Drawing]:
    """Draw the messages and the meanings of pairs, from the recordings and lexicons in a folder."""
    for name in drawn_pairs(results):
        lexicon_path, recording = data / name / "lexicon.json", data / name / "recording.parquet"
        if lexicon_path.exists() and recording.exists():
            counts, lexicon, draw = count_files([recording]), Lexicon.read(lexicon_path), figures()
            caption = f"{name}: the most frequent messages, and what they mean"
            yield from drawn(caption, partial(draw.message_flow, counts=counts, lexicon=lexicon))
            caption = f"{name}: what whole messages mean, and the NPMI of that"
            yield from drawn(caption, partial(draw.npmi_map, lexicon=lexicon), (4.6, 6.4))
            caption = f"{name}: how often each symbol is sent in each slot"
            yield from drawn(caption, partial(draw.symbol_usage, counts=counts))
