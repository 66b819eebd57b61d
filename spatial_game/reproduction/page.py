"""A report as one self-contained HTML page, and as Markdown."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from spatial_game.tables import Table, markdown_text
from spatial_game.web.page import whole_page

LONG_TABLE = 16
"""From this number of rows on, a table is folded unless its section is `open`."""


@dataclass(frozen=True)
class Drawing:
    """A plot of a report."""

    caption: str
    svg: str
    width: float
    """The smallest width, in pixels, at which its text is legible."""


@dataclass(frozen=True)
class Section:
    """A heading, a text, a table, and plots."""

    name: str
    title: str
    text: str
    table: Table
    figures: Sequence[Drawing] = ()
    open: bool = False
    """Whether the table is shown even if it is long."""


@dataclass(frozen=True)
class Report:
    """A titled sequence of sections."""

    title: str
    introduction: str
    signature: str
    sections: Sequence[Section]

    def to_markdown(self) -> str:
        """Return the report in Markdown, without plots."""
        parts = [f"# {self.title}\n", self.introduction + "\n", f"`{self.signature}`\n"]
        for section in self.sections:
            parts += [f"## {section.title}\n", markdown_text(section.text) + "\n"]
            parts.append(section.table.to_markdown())
        return "\n".join(parts)

    def to_html(self) -> str:
        """Return the report as one page without scripts or external files, for light and dark screens."""
        links = " · ".join(f'<a href="#{s.name}">{html.escape(s.title)}</a>' for s in self.sections)
        body = _BODY.format(
            style=_STYLE,
            title=html.escape(self.title),
            introduction=html.escape(self.introduction),
            signature=html.escape(self.signature),
            links=links,
            sections="\n".join(map(_html_section, self.sections)),
        )
        return whole_page(self.title, body)


def _html_section(section: Section) -> str:
    table = f'<div class="t">{section.table.to_html(grouped=True)}</div>'
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
_BODY = """<style>{style}</style>
<h1>{title}</h1>
<p>{introduction}</p>
<p><code>{signature}</code></p>
<nav>{links}</nav>
{sections}"""
