"""The report of a reproduction: one Markdown file with training curves, and its tables and data beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from spatial_game.files import replacing, write_text
from spatial_game.json_text import to_json
from spatial_game.reproduction import paper
from spatial_game.reproduction import paper_tables as tables
from spatial_game.reproduction.claims import CLAIMS
from spatial_game.reproduction.grid import COMMON_CELL, GRID
from spatial_game.reproduction.measure_pair import settings_of
from spatial_game.reproduction.results import Results
from spatial_game.reproduction.sections import Section
from spatial_game.tables import Column, Table, markdown_text

SECTIONS: dict[str, Section] = {
    "comparison": CLAIMS,
    "play": tables.PLAY,
    "emergence": tables.EMERGENCE,
    "edges": tables.EDGES,
    "translation_brief": tables.TRANSLATION_BRIEF,
    "common_cell": COMMON_CELL,
    "effects": tables.EFFECTS,
    "hypotheses": tables.HYPOTHESES,
    "dictionary": tables.DICTIONARY,
    "lengths": tables.LENGTHS,
    "grid": GRID,
    "minimal_pairs": tables.MINIMAL_PAIRS,
    "translation": tables.TRANSLATION,
}
"""The sections in order, by the name of their CSV file."""
NAMED_CURVES = 8
"""The most training curves in a plot with a legend; a longer legend would hide them."""


def write_report(results: Results, out: Path) -> list[Path]:
    """Write report.md with its curves, results.json and a CSV file for each table; return the paths."""
    parts = [f"# {paper.TITLE}\n", paper.INTRODUCTION + "\n", f"`{results.signature}`\n"]
    settings = settings_of(results.sizes, results.seed)
    content = {"settings": settings, **results.to_dict()}
    pages = {"report.md": "", "results.json": to_json(content, indent=1) + "\n"}
    for name, section in SECTIONS.items():
        table = section.table(results)
        parts += [f"## {section.title}\n", markdown_text(section.text) + "\n", table.to_markdown()]
        if name == "play":
            parts += [f"![{caption}]({file})\n" for file, caption in training_curves(results, out).items()]
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


def training_curves(results: Results, out: Path) -> dict[str, str]:
    """Draw the training of each family; return captions by file."""
    from matplotlib.figure import Figure  # here, as it loads slowly

    captions: dict[str, str] = {}
    for family, pairs in results.families().items():
        known = [pair for pair in pairs if pair.training]
        if not known:
            continue
        file, chance = f"play-{len(captions) + 1}.png", known[0].chance
        captions[file] = f"{family}: accuracy on the full game during training, {len(known)} pairs"
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axis = figure.add_subplot()
        for pair in known:
            episodes, shares = np.transpose(pair.training)
            axis.plot(episodes / 1e6, shares, label=pair.name)
        axis.axhline(chance, color="black", linewidth=0.8, linestyle=":", label=f"chance {chance:.0%}")
        axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))
        if len(known) <= NAMED_CURVES:
            axis.legend(frameon=False, fontsize=9)
        with replacing(out / file) as temporary:
            figure.savefig(temporary, format="png", dpi=110)
    return captions
