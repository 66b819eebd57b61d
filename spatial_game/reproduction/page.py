"""A report as one HTML page that needs nothing else, and as Markdown."""

from __future__ import annotations

import html
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from spatial_game.tables import Table, markdown_text

LONG_TEXT = 48
"""Characters from which a cell may take several lines."""
LONG_TABLE = 16
"""Rows from which a page folds the table of a section that is not `open`."""


@dataclass(frozen=True)
class Drawing:
    """A figure of a report."""

    caption: str
    svg: str
    width: float
    """The least width in pixels at which its text is legible."""


@dataclass(frozen=True)
class Section:
    """A heading, a text, a table, and figures."""

    name: str
    title: str
    text: str
    table: Table
    figures: Sequence[Drawing] = ()
    open: bool = False
    """Whether the table is shown however long it is."""


@dataclass(frozen=True)
class Report:
    """A titled sequence of sections."""

    title: str
    introduction: str
    signature: str
    sections: Sequence[Section]

    def to_markdown(self) -> str:
        """Return the report in Markdown, without the figures."""
        parts = [f"# {self.title}\n", self.introduction + "\n", f"`{self.signature}`\n"]
        for section in self.sections:
            parts += [f"## {section.title}\n", markdown_text(section.text) + "\n"]
            parts.append(section.table.to_markdown())
        return "\n".join(parts)

    def to_html(self) -> str:
        """Return the report as one page without scripts or network, for light and dark screens."""
        links = " · ".join(f'<a href="#{s.name}">{html.escape(s.title)}</a>' for s in self.sections)
        return _PAGE.format(
            style=_STYLE,
            title=html.escape(self.title),
            introduction=html.escape(self.introduction),
            signature=html.escape(self.signature),
            links=links,
            body="\n".join(map(_html_section, self.sections)),
        )


def _html_section(section: Section) -> str:
    table = _html_table(section.table)
    if len(section.table.rows) >= LONG_TABLE and not section.open:
        table = f"<details><summary>{len(section.table.rows):,} rows</summary>{table}</details>"
    parts = [
        f'<h2 id="{section.name}">{html.escape(section.title)}</h2>',
        f"<p>{html.escape(section.text)}</p>",
        table,
    ]
    if section.figures:
        parts.append(f'<div class="figures">{"".join(map(_html_figure, section.figures))}</div>')
    return "\n".join(parts)


def _html_figure(drawing: Drawing) -> str:
    picture = f'<div class="t"><div style="min-width: {drawing.width:.0f}px">{drawing.svg}</div></div>'
    return f"<figure>{picture}<figcaption>{html.escape(drawing.caption)}</figcaption></figure>"


def _html_table(table: Table) -> str:
    """Return a table. Where rows one after another have the same first cell, that cell is their heading."""
    firsts = [row[0] for row in table.cells]
    grouped = any(one == other for one, other in itertools.pairwise(firsts))
    columns, numeric = table.columns[grouped:], table.numeric[grouped:]
    head = "".join(
        f"<th{' class=n' if number else ''}>{html.escape(column.name)}</th>"
        for column, number in zip(columns, numeric, strict=True)
    )
    rows = []
    for i, (row, cells) in enumerate(zip(table.rows, table.cells, strict=True)):
        if grouped and (i == 0 or firsts[i] != firsts[i - 1]):
            rows.append(f'<th class="g" colspan="{len(columns)}"><span>{html.escape(firsts[i])}</span></th>')
        rows.append("".join(map(_html_cell, row[grouped:], cells[grouped:])))
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    kind = "" if any(table.numeric) else ' class="texts"'
    return f'<div class="t"><table{kind}><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


def _html_cell(value: object, text: str) -> str:
    """Return a cell: numbers to the right, long texts in several lines."""
    kind = "n" if isinstance(value, (int, float)) else "w" if len(text) > LONG_TEXT else ""
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
.texts td { white-space: normal; min-width: 0; }
@media (max-width: 40rem) { .texts th, .texts td { padding: .3rem .2rem; } }
.figures { display: grid; gap: 1rem; }
.figures { grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); }
figure { margin: 1rem 0; min-width: 0; }
figcaption { font-size: .8rem; opacity: .75; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
<p>{introduction}</p>
<p><code>{signature}</code></p>
<nav>{links}</nav>
{body}
</body>
</html>
"""
