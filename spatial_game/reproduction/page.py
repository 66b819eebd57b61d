"""A report of sections as one HTML page that needs nothing else, and as Markdown."""

from __future__ import annotations

import html
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from spatial_game.tables import Table

LONG = 48
"""Characters from which a cell of a page may take several lines."""


@dataclass(frozen=True)
class Section:
    """A heading, what is to be said of a table, the table, and drawings by their labels."""

    name: str
    title: str
    text: str
    table: Table
    figures: Sequence[tuple[str, str]] = ()
    """(label, inline SVG)"""
    folded: bool = False
    """Whether the page shows the table only when asked: it is long."""


def to_markdown(sections: Sequence[Section], signature: str) -> str:
    """The report in Markdown, without the figures."""
    parts = ["# Reproduction\n", f"`{signature}`\n"]
    for section in sections:
        parts += [f"## {section.title}\n", section.text + "\n", section.table.to_markdown()]
    return "\n".join(parts)


def to_html(sections: Sequence[Section], signature: str) -> str:
    """The report as one page that needs nothing else: no script, no network; light or dark as the reader."""
    body = []
    for section in sections:
        body += [
            f'<h2 id="{section.name}">{html.escape(section.title)}</h2>',
            f"<p>{html.escape(section.text)}</p>",
        ]
        table = _html_table(section.table)
        if section.folded:
            rows = f"{len(section.table.rows):,} rows"
            table = f"<details><summary>{rows}</summary>{table}</details>"
        body.append(table)
        drawn = [
            f'<figure><div class="t">{svg}</div><figcaption>{html.escape(label)}</figcaption></figure>'
            for label, svg in section.figures
        ]
        if drawn:
            body.append(f'<div class="figures">{"".join(drawn)}</div>')
    links = " · ".join(f'<a href="#{s.name}">{html.escape(s.title)}</a>' for s in sections)
    return _PAGE.format(style=_STYLE, links=links, signature=html.escape(signature), body="\n".join(body))


def _html_table(table: Table) -> str:
    """A table; rows with the same first cell one after another stand under it as their heading."""
    firsts = [row[0] for row in table.cells]
    grouped = any(one == other for one, other in itertools.pairwise(firsts))
    columns = table.columns[1:] if grouped else table.columns
    numeric = [
        any(isinstance(value, (int, float)) for value in values) for values in zip(*table.rows, strict=True)
    ]
    head = "".join(
        f'<th class="n">{html.escape(column.name)}</th>' if number else f"<th>{html.escape(column.name)}</th>"
        for column, number in zip(columns, numeric[grouped:] or [False] * len(columns), strict=True)
    )
    rows = []
    for i, (row, cells) in enumerate(zip(table.rows, table.cells, strict=True)):
        if grouped and (i == 0 or firsts[i] != firsts[i - 1]):
            rows.append(f'<th class="g" colspan="{len(columns)}"><span>{html.escape(firsts[i])}</span></th>')
        shown = zip(row[grouped:], cells[grouped:], strict=True)
        rows.append("".join(_html_cell(value, cell) for value, cell in shown))
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return f'<div class="t"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


def _html_cell(value: object, text: str) -> str:
    """A cell: numbers to the right, long texts in several lines."""
    kind = "n" if isinstance(value, (int, float)) else "w" if len(text) > LONG else ""
    return f'<td class="{kind}">{html.escape(text)}</td>' if kind else f"<td>{html.escape(text)}</td>"


_STYLE = """
:root { color-scheme: light dark; --line: #8884; --link: #2a6fb5; }
@media (prefers-color-scheme: dark) { :root { --link: #7db4ec; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; }
a { color: var(--link); }
code { overflow-wrap: anywhere; }
.t { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { vertical-align: bottom; }
th.g { padding-top: .9rem; }
th.g span { position: sticky; left: .6rem; }
tbody td:first-child { position: sticky; left: 0; background: Canvas; }
td { white-space: nowrap; }
summary { cursor: pointer; color: var(--link); }
td.n, th.n { text-align: right; }
td.w { white-space: normal; min-width: 20rem; }
.figures { display: grid; gap: 1rem; }
.figures { grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); }
figure { margin: 1rem 0; min-width: 0; }
figure svg { min-width: 30rem; }
figcaption { font-size: .8rem; opacity: .75; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Speaking your language: a reproduction</title>
<style>{style}</style>
</head>
<body>
<h1>Speaking your language: a reproduction</h1>
<p>The tables of Lipinski, Sobey, Cerutti and Norman (NeurIPS 2024), measured on other pairs of agents by
spatial-game, beside the numbers that the paper prints.</p>
<p><code>{signature}</code></p>
<nav>{links}</nav>
{body}
</body>
</html>
"""
