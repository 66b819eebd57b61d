"""The report of a reproduction: one Markdown file with figures, and its tables and data beside it.

The text of the report is in report.md of this package, with `$NAME` where the table of that name stands.
Figures that cannot be drawn are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Template

from spatial_game.files import write_text
from spatial_game.json_text import to_json
from spatial_game.reproduction.figures import drawings
from spatial_game.reproduction.kept_results import settings_of
from spatial_game.reproduction.latex import latex_tables
from spatial_game.reproduction.results import Results
from spatial_game.reproduction.tables import TABLES
from spatial_game.tables import Column, Table

_FIGURE = re.compile(r"!\[.*\]\((\w+)\.png\)")


def write_report(results: Results, out: Path) -> list[Path]:
    """Write report.md with its figures, results.json and a CSV file for each table; return the paths."""
    figures = drawings(results)
    for figure in figures:
        figure.write(out, "png")
    tables = {name: report_table.table(results) for name, report_table in TABLES.items()}
    content = {"settings": settings_of(results.sizes, results.seed), **results.to_dict()}
    pages = {
        "report.md": _text(results.signature, tables, {figure.name for figure in figures}),
        "results.json": to_json(content, indent=1) + "\n",
        **{f"{name}.csv": _with_signatures(table, results).to_csv() for name, table in tables.items()},
    }
    for name, page in pages.items():
        write_text(out / name, page)
    return [out / name for name in pages]


def _text(signature: str, tables: Mapping[str, Table], figures: Collection[str]) -> str:
    """Return the text of the report with its tables, and with those of its figures that are drawn."""
    text = files("spatial_game.reproduction").joinpath("report.md").read_text("utf-8")
    shown = [
        paragraph
        for paragraph in text.split("\n\n")
        if not (figure := _FIGURE.fullmatch(paragraph.strip())) or figure[1] in figures
    ]
    in_markdown = {name: table.to_markdown().rstrip() for name, table in tables.items()}
    return Template("\n\n".join(shown)).substitute(in_markdown, signature=signature)


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
