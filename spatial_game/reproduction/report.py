"""The report of a reproduction: one Markdown file with figures, and its tables and data beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from spatial_game.files import write_text
from spatial_game.json_text import to_json
from spatial_game.reproduction import paper
from spatial_game.reproduction.claims import CLAIMS
from spatial_game.reproduction.effects import EFFECTS, MINIMAL_PAIRS
from spatial_game.reproduction.figures import drawings
from spatial_game.reproduction.grid import COMMON_CELL, GRID
from spatial_game.reproduction.hypotheses import HYPOTHESES
from spatial_game.reproduction.latex import latex_tables
from spatial_game.reproduction.measure_pair import settings_of
from spatial_game.reproduction.play import DICTIONARY, LENGTHS, PLAY
from spatial_game.reproduction.results import Results
from spatial_game.reproduction.sections import Section
from spatial_game.reproduction.table_1 import EDGES, EMERGENCE
from spatial_game.reproduction.table_2 import TRANSLATION, TRANSLATION_BRIEF
from spatial_game.tables import Column, Table, markdown_text

SECTIONS: dict[str, Section] = {
    "comparison": CLAIMS,
    "play": PLAY,
    "emergence": EMERGENCE,
    "edges": EDGES,
    "translation_brief": TRANSLATION_BRIEF,
    "common_cell": COMMON_CELL,
    "effects": EFFECTS,
    "hypotheses": HYPOTHESES,
    "dictionary": DICTIONARY,
    "lengths": LENGTHS,
    "grid": GRID,
    "minimal_pairs": MINIMAL_PAIRS,
    "translation": TRANSLATION,
}
"""The sections in order, by the name of their CSV file."""
FIGURE_OF = {"play": "training", "translation_brief": "phrases", "lengths": "lengths"}
"""The figures that stand in sections."""


def write_report(results: Results, out: Path) -> list[Path]:
    """Write report.md with its figures, results.json and a CSV file for each table; return the paths."""
    parts = [f"# {paper.TITLE}\n", paper.INTRODUCTION + "\n", f"`{results.signature}`\n"]
    settings = settings_of(results.sizes, results.seed)
    content = {"settings": settings, **results.to_dict()}
    pictures = {each.name: each for each in drawings(results)}
    pages = {"report.md": "", "results.json": to_json(content, indent=1) + "\n"}
    for name, section in SECTIONS.items():
        table = section.table(results)
        parts += [f"## {section.title}\n", markdown_text(section.text) + "\n", table.to_markdown()]
        if picture := pictures.get(FIGURE_OF.get(name, "")):
            picture.write(out, "png")
            parts.append(f"![{picture.caption}]({picture.name}.png)\n")
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


def write_figures(results: Results, folder: Path) -> list[Path]:
    """Write the paper's tables as LaTeX, and each figure as PDF and PNG; return the paths."""
    texts = {folder / f"{name}.tex": text for name, text in latex_tables(results).items()}
    for path, text in texts.items():
        write_text(path, text)
    return [*texts, *(path for each in drawings(results) for path in each.write(folder, "pdf", "png"))]
