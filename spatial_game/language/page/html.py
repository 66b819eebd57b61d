"""A page of a language as HTML: its sections, the map, and three look-ups."""

from __future__ import annotations

import base64
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from spatial_game.json_text import plain, printable, to_json
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.readings import (
    Sense,
    Statement,
    edges_of_views,
    edges_text,
    entry_text,
    statement_text,
)
from spatial_game.language.page.content import Page
from spatial_game.language.page.sections import LEAST_ABOUT_PLACE, Section, sections
from spatial_game.language.wording import ANY_LENGTH, SHORT, offset_text
from spatial_game.tables import Table

SHOWN = 100
"""Rows of a table that are shown at once; the others are a click away."""
MOST_PIECES = 16
"""A set of integers of at most this number of pieces is written out in the alphabet."""
MOST_MAPPED = 100
"""The most integers of a map of two places."""
STEPS = 10
"""Steps of a bit in the table of *Say it*."""
_MOST_CELLS = 1 << 21  # of that table
_MOST_ROWS = 8  # of a map of places, one row each
_LOOK_UP_AFTER = "Words"


def page_html(page: Page) -> str:
    """Return the page of a language: one HTML file that needs no internet connection."""
    shown = sections(page, MOST_PIECES)
    titles = [section.title for section in shown]
    after = titles.index(_LOOK_UP_AFTER) + 1 if _LOOK_UP_AFTER in titles else len(shown)
    return Template(_asset("page.html")).substitute(
        title=escape(f"The language of {printable(page.name)}"),
        styles=_asset("page.css"),
        before="\n".join(map(_section, shown[:after])),
        after="\n".join(map(_section, shown[after:])),
        data=as_json(None if page.says_nothing else _data(page)),
        scripts=_asset("search.js") + _asset("map.js"),
        signature=escape(page.dictionary.signature),
    )


def _asset(name: str) -> str:
    """Return the text of a file of this package, such as `page.css`."""
    return files("spatial_game.language.page").joinpath(name).read_text("utf-8")


def as_json(data: Any) -> str:
    """Return data as JSON in which texts cannot end the script element."""
    return to_json(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def _section(section: Section) -> str:
    sentences = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
    tables = "\n".join(_table(title, table) for title, table in section.tables.items())
    return f"<section><h2>{section.title}</h2>\n{sentences}\n<div class=tables>{tables}</div></section>"


def _table(title: str, table: Table) -> str:
    """Return a table of which the first rows are shown."""
    first, others = (
        f'<div class="scroll">{Table(table.columns, rows).to_html()}</div>'
        for rows in (table.rows[:SHOWN], table.rows[SHOWN:])
    )
    if len(table.rows) > SHOWN:
        first += f"\n<details><summary>{len(table.rows) - SHOWN:,} more</summary>{others}</details>"
    return f"<div><h3>{title}</h3>\n{first}</div>"


# --- The data of the scripts --------------------------------------------------------------------------------


def _data(page: Page) -> dict[str, Any]:
    """Return what the scripts of the page draw and search. What several messages say stands there once."""
    config, classes = page.config, page.interpreter.classes
    # By place (edges come last), values, and both texts, in full and in brief: the number of what is said.
    said: dict[tuple[Any, ...], int] = {}

    def statement(each: Statement) -> int:
        texts = (statement_text(each, config, classes, most) for most in (ANY_LENGTH, SHORT))
        return said.setdefault((each.index, each.values, *texts), len(said))

    def edges(each: tuple[int, ...]) -> int:
        text = edges_text(config, each)
        return said.setdefault((len(config.offsets), each, text, text), len(said))

    def sense(each: Sense) -> tuple[int, list[int]]:
        parts = [edges(each.edges)] if each.edges else []
        return round(100 * each.share * each.truth), [*parts, *map(statement, each.statements)]

    def of_symbol(entry: Entry) -> int:
        if entry.index < len(config.offsets):
            return statement(Statement(entry.index, classes.whole(entry.values)))
        texts = (entry_text(entry, config, classes, most) for most in (ANY_LENGTH, SHORT))
        return said.setdefault((entry.index, edges_of_views(config, entry.values), *texts), len(said))

    messages = [
        (
            str(each),
            [*map(sense, each.reading.senses)],
            each.is_sure,
            (each.true, each.held_out),
            each.episodes,
            each.windows,
        )
        for each in page.messages
    ]
    symbols = [
        (
            entry.ngram.pattern(config.message_length),
            of_symbol(entry),
            round(100 * entry.share),
            entry.episodes,
        )
        for entry in page.interpreter.symbols
    ]
    data: dict[str, Any] = plain(
        {
            "episodes": page.dictionary.total,
            "places": list(map(offset_text, config.offsets)),
            "edges": [
                edges_text(config, [edge]).removeprefix("the target is ")
                for edge in range(config.window_size)
            ],
            "integers": config.num_integers,
            "vocabulary": config.vocab_size,
            "length": config.message_length,
            "num_messages": page.num_messages,
            "classes": classes.members,
            "messages": messages,
            "symbols": symbols,
            "said": [(*each, *([brief] if brief != each[-1] else [])) for *each, brief in said],
            "map": map_places(page),
            "say": _say(page),
        }
    )
    return data


def _told_cells(page: Page) -> list[int]:
    return [place for place in page.dictionary.informative if place < len(page.config.offsets)]


def map_places(page: Page) -> tuple[list[int], bool]:
    """Return the cells that the map shows, and whether it has a message for each pair of integers at two.

    These two are the cells of which most is told, if most messages speak of both. Otherwise the map has a row
    for each cell.
    """
    bits = page.dictionary.bits.messages_by_variable
    cells = sorted(_told_cells(page), key=lambda cell: -bits[cell])
    both = 0
    for message in page.messages:
        of = {statement.index for sense in message.reading.senses[:1] for statement in sense.statements}
        both += message.episodes * (len(cells) > 1 and {*cells[:2]} <= of)
    if 2 * both >= page.dictionary.total and page.config.num_integers <= MOST_MAPPED:
        return sorted(cells[:2]), True
    told = [cell for cell in cells if bits[cell] >= LEAST_ABOUT_PLACE] or cells[:1]
    return sorted(told[:_MOST_ROWS]), False


def _say(page: Page) -> dict[str, Any]:
    """Return what the most frequent messages say of each cell and view: the table of `Speaker`, rounded.

    Its bytes are signed, column by column: bits times `STEPS`.
    """
    cells, of_dictionary = _told_cells(page), page.dictionary.columns
    columns, views = np.r_[*map(of_dictionary.about, cells), of_dictionary.of_views], of_dictionary.views
    kept = page.messages[: max(1, _MOST_CELLS // len(columns))]
    bits = page.dictionary.evidence(np.array([message.symbols for message in kept]))[:, columns]
    table = np.clip(np.round(bits.T * STEPS), -127, 127).astype(np.int8)
    shown = [[cells.index(cell) for cell in seen if cell in cells] for seen in views.offsets.tolist()]
    return {
        "cells": cells,
        "views": [*zip(views.edge.tolist(), shown, views.share.round(6).tolist(), strict=True)],
        "steps": STEPS,
        "bits": base64.b64encode(table.tobytes()).decode(),
    }
