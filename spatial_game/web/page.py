"""Put styles, scripts and data together in one HTML file that needs no internet connection."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from spatial_game.json_text import to_json

_PAGE = """<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
</head>
<body class="spatial-game-page">
<main>
{body}
</main>
</body>
</html>
"""


def whole_page(title: str, body: str) -> str:
    """Return a page with this title (plain text) and this body (an HTML fragment)."""
    return _PAGE.format(title=html.escape(title), body=body)


def fragment(markup: str, *, styles: Sequence[str], scripts: Sequence[str], data: Any) -> str:
    """Return an HTML fragment: styles, markup, data and scripts, in this order.

    `styles` and `scripts` are files of this package, such as `common.css`. Scripts find the data, as JSON, in
    the last element of the class `spatial-game-data`.
    """
    parts = [f"<style>\n{asset(name)}</style>" for name in styles]
    parts += [markup, f'<script type="application/json" class="spatial-game-data">{as_json(data)}</script>']
    parts += [f"<script>\n{asset(name)}</script>" for name in scripts]
    return "\n".join(parts)


def asset(name: str) -> str:
    """Return the text of a file of this package, such as `common.css`."""
    return files("spatial_game.web").joinpath(*name.split("/")).read_text("utf-8")


def as_json(data: Any) -> str:
    """Return data as JSON in which texts cannot end the script element."""
    return to_json(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
