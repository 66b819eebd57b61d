"""The page of a language as one HTML file."""

from __future__ import annotations

import html

from spatial_game.language.sketch import Sketch
from spatial_game.web.browse.content import Content
from spatial_game.web.page import fragment, whole_page
from spatial_game.web.play.page import PairInPage, packed_pair
from spatial_game.web.sketch import page as sketch

LIBRARY = "libraries/tabulator-6.5.3.min"
_SCRIPTS = ("browse/language.js", "browse/browse.js")


def page(content: Content, described: Sketch, pair: PairInPage | None = None) -> str:
    """Return the page, with the sketch of the language as its first view.

    With the pair that speaks the language, it says what it would send for a window.
    """
    header, networks = content.header, ["play/networks.js"] if pair else []
    markup = _MARKUP.format(
        title=html.escape(header["title"]),
        about="\n".join(f"<p>{html.escape(line)}</p>" for line in header["about"]),
        sketch=sketch.body(described),
    )
    return whole_page(
        header["title"],
        fragment(
            markup,
            styles=[f"{LIBRARY}.css", "common.css", *sketch.STYLES, "browse/browse.css"],
            scripts=[f"{LIBRARY}.js", "episode.js", *networks, *sketch.SCRIPTS, *_SCRIPTS],
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
<template class="first">{sketch}</template>
<p class="trouble">This page needs JavaScript.</p>
</div>
"""
