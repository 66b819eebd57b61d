"""The page of a language as one HTML file."""

from __future__ import annotations

import html

from spatial_game.web.browse.content import Content
from spatial_game.web.page import fragment, whole_page
from spatial_game.web.play.page import PairInPage, packed_pair

LIBRARY = "libraries/tabulator-6.5.3.min"


def page(content: Content, pair: PairInPage | None = None) -> str:
    """Return the page. With the pair that speaks the language, it says what it would send for a window."""
    header, networks = content.header, ["play/networks.js"] if pair else []
    markup = _MARKUP.format(
        title=html.escape(header["title"]),
        about="\n".join(f"<p>{html.escape(line)}</p>" for line in header["about"]),
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


_MARKUP = """
<div class="spatial-game language">
<header>
<h1>{title}</h1>
<details class="about"><summary>About this recording</summary>
{about}
</details>
</header>
<nav aria-label="Parts of this page" hidden></nav>
<section class="view" tabindex="-1" aria-live="off"></section>
<p class="trouble">This page needs JavaScript.</p>
</div>
"""
