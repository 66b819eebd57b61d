"""The paper's tables in LaTeX, with rules of booktabs: by the estimator of its program, and at its cell."""

from __future__ import annotations

import re
from typing import NamedTuple

from spatial_game.reproduction.results import PAPERS_CELL, Results
from spatial_game.reproduction.tables.minimal_pairs import EFFECTS
from spatial_game.reproduction.tables.play import DICTIONARY, LENGTHS
from spatial_game.reproduction.tables.report_table import ReportTable
from spatial_game.reproduction.tables.table_1 import EMERGENCE
from spatial_game.reproduction.tables.table_2 import TRANSLATION_BRIEF
from spatial_game.tables import Table


class LatexTable(NamedTuple):
    """The columns of a table of the report that LaTeX has room for."""

    report_table: ReportTable
    columns: tuple[str, ...]
    """Those without a value in any row are left out."""
    estimator: str = ""
    """Of NPMI; empty if the table needs none."""


TABLES = {
    "table_1": LatexTable(
        EMERGENCE,
        ("Type", "Family", "Share of the", "Mean", "Smallest", "Largest", "Paper: mean"),
        "code",
    ),
    "table_2": LatexTable(
        TRANSLATION_BRIEF,
        ("Type", "Family", "Pairs with it", "Paper: mean", "Ours: mean", "Low", "High", "Phrases", "False"),
        "code",
    ),
    "table_3": LatexTable(DICTIONARY, ("Pair", "Message", "Type", "Meaning", "NPMI", "Confidence"), "exact"),
    "table_7": LatexTable(LENGTHS, ("Family", "Integers", "Whole", "-5", "-10", "-20", "-40")),
    "minimal_pairs": LatexTable(
        EFFECTS, ("Family", "Part exchanged", "Pairs asked", "Effect", "Low", "High", "Ceiling"), "code"
    ),
}
"""By the name of their file; the paper has no table of minimal pairs."""


def latex_tables(results: Results) -> dict[str, str]:
    """Return the text of each of the `TABLES`, after a comment with their signature and the estimator."""
    texts = {}
    for name, (report_table, columns, estimator) in TABLES.items():
        wanted = {"Estimator": estimator, "Cell": PAPERS_CELL}
        rows = [
            row
            for row in report_table.rows(results)
            if all(row.get(column, value) == value for column, value in wanted.items())
        ]
        filled = [column for column in columns if any(row.get(column) is not None for row in rows)]
        table = report_table.table_of(rows, filled or columns)
        how = f" | NPMI by the estimator {estimator}" if estimator else ""
        texts[name] = f"% {results.signature}{how}\n{to_latex(table)}"
    return texts


def to_latex(table: Table) -> str:
    r"""Return a `tabular`, with dashes for missing values; it needs `\usepackage{booktabs}`."""
    heading, *rows = (
        " & ".join(escaped(cell) or "--" for cell in cells) + r" \\"
        for cells in ([column.name for column in table.columns], *table.cells)
    )
    aligned = "".join("r" if column.style else "l" for column in table.columns)
    lines = [rf"\begin{{tabular}}{{{aligned}}}", r"\toprule", heading, r"\midrule", *rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def escaped(text: str) -> str:
    """Return a text in which no character has a meaning of its own in LaTeX."""
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return re.sub(r"[\\~^&%$#_{}]", lambda match: named.get(match[0], f"\\{match[0]}"), text)
