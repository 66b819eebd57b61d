"""The report of a reproduction: one Markdown file with figures, and its tables and data beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from spatial_game import figures
from spatial_game.files import replacing, write_text
from spatial_game.json_text import to_json
from spatial_game.reproduction import paper, verdict
from spatial_game.reproduction import paper_tables as tables
from spatial_game.reproduction.inference import accuracy
from spatial_game.reproduction.results import Results
from spatial_game.tables import Column, Table, markdown_text

NAMED_CURVES = 8
"""The most training curves in a plot with a legend; a longer legend would hide them."""

SECTIONS: dict[str, tuple[str, str, Callable[[Results], Table]]] = {
    "verdict": ("Verdict", verdict.TEXT, verdict.verdict),
    "play": ("How well the pairs play", tables.PLAY, tables.play),
    "emergence": ("Emergence and coverage", tables.EMERGENCE, tables.emergence),
    "edges": ("Messages for edges, by pair", tables.EDGES, tables.edges),
    "translation_brief": (
        "Translation accuracy in brief",
        tables.BRIEF,
        tables.translation_brief,
    ),
    "translation": ("Translation accuracy, by pair", tables.TRANSLATION, tables.translation),
    "minimal_pairs": ("Do receivers compose?", tables.EXCHANGED, tables.minimal_pairs),
    "hypotheses": ("The two hypotheses", tables.HYPOTHESES, tables.hypotheses),
    "dictionary": ("Dictionary", tables.DICTIONARY, tables.dictionary),
    "lengths": ("Shorter sequences", tables.LENGTHS, tables.lengths),
}
"""Title, text and table of each section, by the name of its CSV file."""


def write_report(results: Results, out: Path) -> list[Path]:
    """Write report.md with its figures, results.json and a CSV file for each table; return the paths."""
    drawn = {"play": training_curves(results, out), "translation": accuracy_bars(results, out)}
    parts = [f"# {paper.TITLE}\n", paper.INTRODUCTION + "\n", f"`{results.signature}`\n"]
    pages = {"report.md": "", "results.json": to_json(results.to_dict(), indent=1) + "\n"}
    for name, (title, text, table_of) in SECTIONS.items():
        table = table_of(results)
        parts += [f"## {title}\n", markdown_text(text) + "\n", table.to_markdown()]
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
    for family, pairs in results.families.items():
        known = [pair for pair in pairs if pair.training]
        if not known:
            continue
        file = f"play-{len(captions) + 1}.png"
        captions[file] = f"{family}: accuracy on the full game during training, {len(known)} pairs"
        with plot(out / file) as axis:
            for pair in known:
                episodes, shares = zip(*pair.training, strict=True)
                label = pair.name if len(known) <= NAMED_CURVES else ""
                figures.training_curve(axis, episodes, shares, pair.chance, label)
    return captions


def accuracy_bars(results: Results, out: Path) -> dict[str, str]:
    """Draw how well phrases are understood in the first pair of each family; return captions by file."""
    captions: dict[str, str] = {}
    for family, (pair, *_) in results.families.items():
        bars = {
            f"{kind.replace('_', ' ')}, {estimator}": [
                ("false phrase", accuracy(phrases.false)),
                ("random true phrase", accuracy(phrases.accuracy)),
                ("the sender's message", accuracy(phrases.own)),
            ]
            for estimator, found in pair.by_estimator.items()
            for kind, phrases in found.phrases.items()
        }
        if bars:
            file = f"translation-{len(captions) + 1}.png"
            what = f"share of the episodes in which the receiver of {pair.name} finds the target"
            captions[file] = f"{family}: {what}"
            with plot(out / file) as axis:
                figures.accuracy_bars(axis, bars, pair.chance)
    return captions


@contextlib.contextmanager
def plot(path: Path) -> Iterator[Any]:
    """Yield the axis of a plot, which is then written as a PNG file."""
    from matplotlib.figure import Figure  # here, as it loads slowly

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    yield figure.add_subplot()
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110)
