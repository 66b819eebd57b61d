"""The page of a language as one HTML file."""

from __future__ import annotations

import html

from spatial_game.tables import Table
from spatial_game.web.browse.content import Content
from spatial_game.web.page import fragment, whole_page
from spatial_game.web.play.page import PairInPage, packed_pair

LIBRARY = "libraries/tabulator-6.5.3.min"
_PLAIN_ROWS = 2_000
_PLAIN_MESSAGES = 200


def page(content: Content, pair: PairInPage | None = None) -> str:
    """Return the page. Without JavaScript, the dictionary and the messages sent most are plain tables.

    With the pair that speaks the language, the page says what it would send for a window.
    """
    header, networks = content.header, ["play/networks.js"] if pair else []
    markup = _MARKUP.format(
        title=html.escape(header["title"]),
        about="\n".join(f"<p>{html.escape(line)}</p>" for line in header["about"]),
        plain=_plain_tables(content),
    )
    return whole_page(
        header["title"],
        fragment(
            markup,
            styles=[f"{LIBRARY}.css", "common.css", "browse/browse.css"],
            scripts=[f"{LIBRARY}.js", "episode.js", *networks, "browse/language.js", "browse/browse.js"],
            data={"language": content.packed(), "pair": pair and packed_pair(pair, "sender")},
        ),
    )


def _plain_tables(content: Content) -> str:
    """Return the dictionary and the messages sent most as plain tables."""
    header, sent = content.header, content.columns["sent"].tolist()
    entries = [(e["form"], e["words"], e["confidence"], e["count"]) for e in header["entries"]]
    texts = (" ".join(map(str, message)) for message in content.columns["messages"].tolist())
    messages = [*zip(texts, header["reads"], sent, strict=False)][:_PLAIN_MESSAGES]
    heading = "Form | Meaning | Confidence :.0% | Episodes :,"
    parts = [
        _plain("Dictionary", Table.of(heading, entries[:_PLAIN_ROWS]), len(entries)),
        _plain("Messages", Table.of("Message | The dictionary says | Episodes :,", messages), len(sent)),
    ]
    return "\n".join([*parts, *(f"<p>{html.escape(line)}</p>" for line in header["legend"])])


def _plain(title: str, table: Table, total: int) -> str:
    number = len(table.rows)
    shown = "" if number == total else f" (the first {number:,} of {total:,})"
    return f"<h2>{title}{shown}</h2>\n<div class=scroll>{table.to_html()}</div>"


_MARKUP = """
<script>document.documentElement.classList.add("scripted");</script>
<div class="spatial-game language">
<header>
<h1>{title}</h1>
<details class="about"><summary>About this recording</summary>
{about}
</details>
</header>
<nav aria-label="Parts of this page" hidden></nav>
<section class="view" tabindex="-1" aria-live="off"></section>
<div class="plain">
<p class="trouble">This page needs JavaScript to sort, filter and search. These are its tables.</p>
{plain}
</div>
</div>
"""
