"""The report of a reproduction: the paper's tables next to ours, as HTML, Markdown, CSV and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from spatial_game.files import write_text
from spatial_game.reproduction import claims, meanings, paper, playing, translation
from spatial_game.reproduction.page import Report, Section
from spatial_game.reproduction.results import Results
from spatial_game.tables import Column, Table


def write_pages(results: Results, out: Path) -> list[Path]:
    """Write report.html, report.md, results.json and a CSV file for each table; return the paths."""
    sections = sections_of(results)
    report = Report(paper.TITLE, paper.INTRODUCTION, results.signature, sections)
    pages = {
        "report.html": report.to_html(),
        "report.md": report.to_markdown(),
        "results.json": json.dumps(results.content, indent=1) + "\n",
        **{f"{section.name}.csv": _with_signatures(section.table, results).to_csv() for section in sections},
    }
    for name, text in pages.items():
        write_text(out / name, text)
    return [out / name for name in pages]


def sections_of(results: Results) -> list[Section]:
    """Return the sections in order."""
    return [
        claims.verdict(results),
        playing.play(results),
        meanings.emergence(results),
        meanings.edges(results),
        translation.brief(results),
        translation.translation(results),
        translation.minimal_pairs(results),
        translation.hypotheses(results),
        meanings.dictionary(results),
        playing.length_means(results),
    ]


def _with_signatures(table: Table, results: Results) -> Table:
    """Return the table with a column that says what the numbers of each row depend on."""
    names = [column.name for column in table.columns]
    at = names.index("Pair") if "Pair" in names else 0
    signatures = {name: pair.signature for name, pair in results.pairs.items()}
    rows = tuple((*row, signatures.get(str(row[at]), results.signature)) for row in table.rows)
    return replace(table, columns=(*table.columns, Column("Signature")), rows=rows)
