"""The report of a reproduction: one Markdown file with figures, and its tables and data beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from spatial_game.files import replacing, write_text
from spatial_game.json_text import to_json
from spatial_game.reproduction import paper
from spatial_game.reproduction import paper_tables as tables
from spatial_game.reproduction.comparison import COMPARISON
from spatial_game.reproduction.inference import accuracy
from spatial_game.reproduction.measuring import settings_of
from spatial_game.reproduction.results import PAPERS, Results, Section
from spatial_game.tables import Column, Table, markdown_text

SECTIONS: dict[str, Section] = {
    "comparison": COMPARISON,
    "play": tables.PLAY,
    "emergence": tables.EMERGENCE,
    "edges": tables.EDGES,
    "translation_brief": tables.TRANSLATION_BRIEF,
    "translation": tables.TRANSLATION,
    "minimal_pairs": tables.MINIMAL_PAIRS,
    "hypotheses": tables.HYPOTHESES,
    "dictionary": tables.DICTIONARY,
    "lengths": tables.LENGTHS,
}
"""The sections in order, by the name of their CSV file."""
NAMED_CURVES = 8
"""The most training curves in a plot with a legend; a longer legend would hide them."""
COLOURS = ("#4c82c3", "#d9822b", "#8a8a8a")
"""The colours of bars for a false phrase, a true one, and the sender's message."""
SMALL = 9
"""The smallest text of plots, in points."""


def write_report(results: Results, out: Path) -> list[Path]:
    """Write report.md with its figures, results.json and a CSV file for each table; return the paths."""
    drawn = {"play": training_curves(results, out), "translation": accuracy_bars(results, out)}
    parts = [f"# {paper.TITLE}\n", paper.INTRODUCTION + "\n", f"`{results.signature}`\n"]
    settings = settings_of(results.sizes, results.seed)
    content = {"settings": settings, **results.to_dict()}
    pages = {"report.md": "", "results.json": to_json(content, indent=1) + "\n"}
    for name, section in SECTIONS.items():
        table = section.table(results)
        parts += [f"## {section.title}\n", markdown_text(section.text) + "\n", table.to_markdown()]
        parts += [f"![{caption}]({file})\n" for file, caption in drawn.get(name, {}).items()]
        pages[f"{name}.csv"] = _with_signatures(table, results).to_csv()
    pages["report.md"] = "\n".join(parts)
    for name, text in pages.items():
        write_text(out / name, text)
    return [out / name for name in pages]


def _with_signatures(table: Table, results: Results) -> Table:
    """Return the table with a column that says what the numbers of each row depend on."""
    names = [column.name for column in table.columns]
    at = names.index("Pair") if "Pair" in names else 0
    signatures = {name: results.signature_of(pair) for name, pair in results.pairs.items()}
    rows = tuple((*row, signatures.get(str(row[at]), results.signature)) for row in table.rows)
    return replace(table, columns=(*table.columns, Column("Signature")), rows=rows)


# --- Figures ----------------------------------------------------------------------------------------------


def training_curves(results: Results, out: Path) -> dict[str, str]:
    """Draw the training of each family; return captions by file."""
    captions: dict[str, str] = {}
    for family, pairs in results.families().items():
        known = [pair for pair in pairs if pair.training]
        if not known:
            continue
        file = f"play-{len(captions) + 1}.png"
        captions[file] = f"{family}: accuracy on the full game during training, {len(known)} pairs"
        with plot(out / file) as axis:
            for pair in known:
                episodes, shares = np.transpose(pair.training)
                axis.plot(episodes / 1e6, shares, label=pair.name)
                if pair is known[0]:
                    draw_chance(axis.axhline, pair.chance)
            axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))
            if len(known) <= NAMED_CURVES:
                draw_legend(axis)
    return captions


def accuracy_bars(results: Results, out: Path) -> dict[str, str]:
    """Draw how well phrases are understood in the first pair of each family; return captions by file."""
    captions: dict[str, str] = {}
    for family, (pair, *_) in results.families().items():
        bars = {
            f"{kind.replace('_', ' ')}, {estimator}": (phrases.false, phrases.accuracy, phrases.own)
            for estimator, found in pair.by_estimator.items()
            for kind, phrases in found.phrases[PAPERS].items()
        }
        if not bars:
            continue
        file = f"translation-{len(captions) + 1}.png"
        what = f"share of the episodes in which the receiver of {pair.name} finds the target"
        captions[file] = f"{family}: {what}"
        names, width = ("false phrase", "random true phrase", "the sender's message"), 0.8 / 3
        with plot(out / file) as axis:
            for i, (name, parts) in enumerate(zip(names, zip(*bars.values(), strict=True), strict=True)):
                places = np.arange(len(bars)) + (i - 1) * width
                lengths = [accuracy(part) or 0.0 for part in parts]
                axis.barh(places, lengths, width * 0.9, label=name, color=COLOURS[i])
            axis.set_yticks(range(len(bars)), list(bars), fontsize=SMALL)
            axis.set(xlim=(0, 1.02), xlabel="accuracy")
            axis.invert_yaxis()
            draw_chance(axis.axvline, pair.chance)
            draw_legend(axis, ncols=2, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    return captions


def draw_chance(draw_line: Callable[..., Any], chance: float) -> None:
    """Draw the accuracy of a random choice."""
    draw_line(chance, color="black", linewidth=0.8, linestyle=":", label=f"chance {chance:.0%}")


def draw_legend(axis: Any, **where: Any) -> None:
    """Draw the legend, chance last."""
    entries = zip(*axis.get_legend_handles_labels(), strict=True)
    handles, labels = zip(*sorted(entries, key=lambda each: each[1].startswith("chance ")), strict=True)
    axis.legend(handles, labels, frameon=False, fontsize=SMALL, **where)


@contextlib.contextmanager
def plot(path: Path) -> Iterator[Any]:
    """Yield the axis of a plot, which is then written as a PNG file."""
    from matplotlib.figure import Figure  # here, as it loads slowly

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    yield figure.add_subplot()
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110)
