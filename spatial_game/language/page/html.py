"""A sketch of a language as HTML: its sections, the map, and three look-ups."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from spatial_game.json_text import plain, printable, to_json
from spatial_game.language.counting.places import edge_names
from spatial_game.language.lexicon.wording import edge_in_words
from spatial_game.language.page.sections import SketchSection, sections
from spatial_game.language.page.sketch import Sketch
from spatial_game.tables import Table

SHOWN = 20
"""Rows of a table that are shown at once; the others are a click away."""


def page(sketch: Sketch) -> str:
    """Return the page of a language: one HTML file that needs no internet connection."""
    told, *others = map(_section, sections(sketch))
    return Template(_asset("page.html")).substitute(
        title=escape(f"The language of {printable(sketch.name)}"),
        styles=_asset("page.css"),
        told=told,
        others="\n".join(others),
        data=as_json(None if sketch.says_nothing else _data(sketch)),
        scripts=_asset("search.js") + _asset("map.js"),
    )


def _asset(name: str) -> str:
    """Return the text of a file of this package, such as `page.css`."""
    return files("spatial_game.language.page").joinpath(name).read_text("utf-8")


def as_json(data: Any) -> str:
    """Return data as JSON in which texts cannot end the script element."""
    return to_json(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def _section(section: SketchSection) -> str:
    sentences = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
    tables = "\n".join(_table(title, table) for title, table in section.tables.items())
    return f"<section><h2>{section.title}</h2>\n{sentences}\n{tables}</section>"


def _table(title: str, table: Table) -> str:
    """Return a table of which the first rows are shown, and the others are a click away."""
    first, others = (
        f'<div class="scroll">{Table(table.columns, rows).to_html()}</div>'
        for rows in (table.rows[:SHOWN], table.rows[SHOWN:])
    )
    more = len(table.rows) - SHOWN
    if more > 0:
        first += f"\n<details><summary>{more:,} more</summary>{others}</details>"
    return f"<h3>{title}</h3>\n{first}"


def _data(sketch: Sketch) -> dict[str, Any]:
    """Return what the scripts of the page draw and search. What several messages say stands there once."""
    said = {each: None for reading in (*sketch.words.entries, *sketch.readings) for each in reading.says}
    number = {each: i for i, each in enumerate(said)}
    words, messages = (
        [{**vars(reading), "says": [number[each] for each in reading.says]} for reading in rows]
        for rows in (sketch.words.entries, sketch.readings)
    )
    config = sketch.config
    data: dict[str, Any] = plain(
        {
            "episodes": sketch.episodes,
            "places": sketch.places,
            "edge_names": [edge_in_words(name).removeprefix("the target is ") for name in edge_names(config)],
            "integers": config.num_integers,
            "symbols": config.vocab_size,
            "length": config.message_length,
            "num_messages": sketch.num_messages,
            "said": [*said],
            "words": words,
            "messages": messages,
            "map": sketch.phrasebook.to_dict()["map"],
            "example": sketch.places[int(sketch.information.whole[:-1].argmax())],
        }
    )
    return data
