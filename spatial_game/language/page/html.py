"""A sketch of a language as HTML: bars in the shape of the window, tables, the map, and two look-ups."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from spatial_game.json_text import to_json
from spatial_game.language.counting.places import edge_names
from spatial_game.language.dictionary.words import edge_in_words, place_in_words
from spatial_game.language.page.colours import PALETTE, colours
from spatial_game.language.page.map import NONE, OWN_SHARE, AtEdge, Map
from spatial_game.language.page.search import Named, Reading
from spatial_game.language.page.sentences import (
    SketchSection,
    about,
    example_in_words,
    sections,
    window_in_words,
)
from spatial_game.language.page.sketch import Example, Sketch
from spatial_game.language.page.window import bars, clipped
from spatial_game.language.players.reading import UNREAD
from spatial_game.tables import Table, printable

_PAGE = """<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""
SHOWN = 20
"""Rows of a table that are shown at once; the others are a click away."""
SHOWN_CLASSES = 6
"""The most classes whose members are shown at once."""


def page(sketch: Sketch) -> str:
    """Return the page of a language: one HTML file that needs no internet connection."""
    title = html.escape(f"The language of {printable(sketch.name)}")
    styles, scripts = asset("page.css"), asset("search.js") + asset("map.js")
    data = f'<script type="application/json" class="sketch-data">{as_json(_data(sketch))}</script>'
    parts = [f"<style>\n{styles}</style>", f"<h1>{title}</h1>", body(sketch), data]
    return _PAGE.format(title=title, body="\n".join([*parts, f"<script>\n{scripts}</script>"]))


def asset(name: str) -> str:
    """Return the text of a file of this package, such as `page.css`."""
    return files("spatial_game.language.page").joinpath(name).read_text("utf-8")


def as_json(data: Any) -> str:
    """Return data as JSON in which texts cannot end the script element."""
    return to_json(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def body(sketch: Sketch) -> str:
    """Return the sketch as HTML; `map.js` draws the map."""
    written = {topic.title: topic for topic in sections(sketch)}
    parts = [_told(sketch, written["What is told"])]
    if not sketch.says_nothing:
        parts += [
            _section(written["How a message is built"], _matrix(sketch)),
            _section(written["Words"], _map(sketch), _edges(sketch), _words(sketch)),
            _section(written["Silence"]),
            _examples(sketch.examples),
        ]
    foot = f'<p class="quiet">{html.escape(about(sketch))}</p>'
    return "\n".join(['<article class="sketch">', *parts, foot, "</article>"])


def _section(topic: SketchSection, *parts: str) -> str:
    sentences = "\n".join(f"<p>{html.escape(sentence)}</p>" for sentence in topic.sentences)
    return "\n".join([f"<section><h2>{topic.title}</h2>", sentences, *filter(None, parts), "</section>"])


def _told(sketch: Sketch, topic: SketchSection) -> str:
    return _section(topic, "" if sketch.says_nothing else bars(sketch))


# --- How a message is built ----------------------------------------------------------------------------


def _matrix(sketch: Sketch) -> str:
    """Return the bits of each slot about each place, and of whole messages, as a table with shades."""
    information, length = sketch.information, sketch.config.message_length
    places = [
        place for place in information.whole.argsort()[::-1].tolist() if information.whole[place] >= 0.05
    ][:8]
    rows = [
        *((f"Slot {slot + 1} alone", information.by_slot[slot]) for slot in range(length)),
        ("Only all slots together", information.together),
        ("The whole message", information.whole),
    ]
    most = max((float(information.whole[place]) for place in places), default=1.0)
    head = "".join(f'<th scope="col">{html.escape(sketch.places[place])}</th>' for place in places)
    lines = []
    for name, bits in rows:
        cells = "".join(
            f'<td style="--share:{min(max(bits[place], 0) / most, 1):.2f}">{max(bits[place], 0):.2f}</td>'
            for place in places
        )
        lines.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
    return (
        '<div class="scroll"><table class="matrix"><caption>Bits about each place, an episode</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


# --- Words ---------------------------------------------------------------------------------------------


def _words(sketch: Sketch) -> str:
    words = sketch.words
    to_forms = [
        (
            meaning.meaning,
            "; ".join(f"{form} ({share:.0%})" for form, share in meaning.forms),
            meaning.episodes,
        )
        for meaning in words.meanings
    ]
    to_meanings = [(form.form, form.meaning, form.share, form.episodes) for form in words.forms]
    parts = [
        _table(
            "From meaning to message", "Meaning | Said by (share of these episodes) | Episodes :,", to_forms
        ),
        _table(
            "From message to meaning",
            "Message | Meaning | True in :.0% | Episodes :,",
            to_meanings,
            "m1, m2, ... stand for any symbol in that slot; [.. 7 ..] may stand at any slot.",
        ),
    ]
    rows = [(spoken(each.message), each.says, each.share, each.episodes) for each in sketch.readings]
    every = Table.of("Message | By the dictionary | True in :.0% | Episodes :,", rows).to_html()
    parts.append(_details(f"Whole messages, and what they mean ({len(rows):,})", every))
    if words.classes:
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in words.classes)
        shown = " open" if len(words.classes) <= SHOWN_CLASSES else ""
        title = "<summary>Members of the classes</summary>"
        parts.insert(0, f"<details{shown}>{title}<ul>{lines}</ul></details>")
    return "\n".join(parts)


def _table(title: str, heading: str, rows: Sequence[tuple[Any, ...]], key: str = "") -> str:
    """Return a table of which the first rows are shown, and the others are a click away."""
    shown = f'<div class="scroll">{Table.of(heading, rows[:SHOWN]).to_html()}</div>'
    note = f'<p class="quiet">{html.escape(key)}</p>' if key else ""
    more = ""
    if len(rows) > SHOWN:
        rest = Table.of(heading, rows[SHOWN:]).to_html()
        more = _details(f"{len(rows) - SHOWN:,} more", rest)
    count = f"the {SHOWN} of most episodes" if more else f"{len(rows):,}"
    return f"<h3>{title} ({count})</h3>\n{note}{shown}\n{more}"


def _details(title: str, table: str, *, shown: bool = False) -> str:
    """Return a table that is a click away, or that a click hides."""
    opened = " open" if shown else ""
    return f'<details{opened}><summary>{title}</summary><div class="scroll">{table}</div></details>'


# --- The map -------------------------------------------------------------------------------------------


def _map(sketch: Sketch) -> str:
    shown = sketch.phrasebook.map
    symbols = shown.kind == "symbols"
    tip = (
        "Point at a cell, or tap it, to see its message."
        if not symbols
        else "Point at a cell to see its symbol."
    )
    lookups = _lookups(sketch)
    return (
        f'<figure><div class="drawing" role="img" aria-label="{html.escape(_label(shown))}"></div>'
        f'<figcaption><output class="here" aria-live="polite">{tip}</output></figcaption></figure>{lookups}'
        f"{_said_by_rows(sketch)}"
    )


def _label(shown: Map) -> str:
    where = " and ".join(place_in_words(offset) for offset in shown.offsets)
    return f"A map of the messages for the integers {where}"


def _lookups(sketch: Sketch) -> str:
    """Return two look-ups: from what the sender sees to a message, and from a message to its meaning."""
    shown, largest = sketch.phrasebook.map, len(sketch.config.integers) - 1
    if shown.kind == "columns":
        options = "".join(
            f"<option>{html.escape(place_in_words(offset))}</option>" for offset in shown.offsets
        )
        fields = (
            f'<label>Integer <input type="number" min="0" max="{largest}" data-axis="0"></label> '
            f'<label>which stands <select data-axis="1">{options}</select></label>'
        )
    else:
        fields = " ".join(
            f"<label>{html.escape(place_in_words(offset).capitalize())} "
            f'<input type="number" min="0" max="{largest}" data-axis="{axis}"></label>'
            for axis, offset in enumerate(shown.offsets)
        )
    example = spoken(sketch.readings[0].message) if sketch.readings else ""
    reading = f'<label>Message <input type="text" inputmode="numeric" placeholder="{example}"></label>'
    where = _most_told(sketch)
    asking = f'<label>Meaning <input type="text" placeholder="{largest // 2} {html.escape(where)}"></label>'
    recipe = "To say something, look up the integers here or in the map."
    if sketch.phrasebook.edges:
        recipe += " Near an end, use the table below."
    if shown.kind == "symbols":
        say, recipe = "", ""
    else:
        say = f'<form class="lookup say"><b>Say it</b> {fields} <output>&nbsp;</output></form>'
    recipe += (
        " To read a message, type its symbols. To find the messages for a meaning, type integers and where "
        f"they stand, joined by “and”, such as “{largest // 2} {where}” or "
        f"“{largest // 3}-{largest // 2} {where}”."
    )
    return (
        f'<p class="quiet">{html.escape(recipe.strip())}</p>{say}'
        f'<form class="lookup read"><b>Read it</b> {reading} <output>&nbsp;</output></form>'
        f'<form class="lookup find"><b>Find it</b> {asking} <output>&nbsp;</output></form>'
    )


def _said_by_rows(sketch: Sketch) -> str:
    """Return the whole map in words: for each integer at its first place, when which message is sent."""
    shown = sketch.phrasebook.map
    if shown.kind == "symbols":
        return ""
    rows = []
    for integer, line in enumerate(shown.message.tolist()):
        by_message: dict[int, list[int]] = {}
        for column, message in enumerate(line):
            if message != NONE:
                by_message.setdefault(message, []).append(column)
        said = [_when(sketch, message, columns) for message, columns in by_message.items()]
        if said:
            rows.append((str(integer), "; ".join(said)))
    if shown.kind == "columns":
        heading, what = "Integer | Messages", "each integer"
    else:
        place = place_in_words(shown.offsets[0])
        heading, what = f"{place.capitalize()} | Messages", f"each integer {place}"
    table = Table.of(heading, rows).to_html()
    return _details(f"What to say for {what}", table)


def _when(sketch: Sketch, message: int, columns: Sequence[int]) -> str:
    """Return a message, and for which columns of the map it is sent."""
    shown, text = sketch.phrasebook.map, spoken(sketch.message_at(message))
    if shown.kind == "strip":
        return text
    if shown.kind == "columns":
        return f"{text} ({', '.join(place_in_words(shown.offsets[column]) for column in columns)})"
    return f"{text} ({place_in_words(shown.offsets[1])}: {_all(columns)})"


def _all(values: Sequence[int]) -> str:
    """Return integers in words, all of them: "0-3, 7 or 9"."""
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def spoken(message: Sequence[int] | None) -> str:
    """Return a message as a person writes it; "" for none."""
    return "" if message is None else " ".join(map(str, message))


def _edges(sketch: Sketch) -> str:
    """Return what is said near the ends, if it is something else."""
    rows = [_edge(sketch, at) for at in sketch.phrasebook.edges.values()]
    if not rows:
        return ""
    table = Table.of("Where the target is | The usual message | In :.0%", rows)
    return (
        f"<h3>Near an end</h3>{clipped(sketch.config)}"
        f"<div class='scroll'>{table.to_html()}</div>{_edges_by_integer(sketch)}"
    )


def _edge(sketch: Sketch, at: AtEdge) -> tuple[str, str, float]:
    words = edge_in_words(at.edge).removeprefix("the target is ")
    if at.offset is not None and at.usual.share < OWN_SHARE:
        return words, f"depends on the integer {place_in_words(at.offset)}: see below", at.usual_share
    return words, spoken(sketch.message_of(at.usual.message)), at.usual.share


def _edges_by_integer(sketch: Sketch) -> str:
    rows = [
        (
            edge_in_words(at.edge).removeprefix("the target is "),
            place_in_words(at.offset),
            "; ".join(_runs(sketch, at)),
            at.usual_share,
        )
        for at in sketch.phrasebook.edges.values()
        if at.offset is not None
    ]
    if not rows:
        return ""
    table = Table.of("Where the target is | Depends on the integer | Messages | In :.0%", rows).to_html()
    return _details("What to say near an end", table, shown=True)


def _runs(sketch: Sketch, at: AtEdge) -> Iterable[str]:
    by_message: dict[int, list[int]] = {}
    for integer, usual in enumerate(at.by_integer):
        if usual.message != NONE:
            by_message.setdefault(usual.message, []).append(integer)
    for message, integers in by_message.items():
        yield f"{spoken(sketch.message_of(message))} ({_all(integers)})"


# --- Examples and data ---------------------------------------------------------------------------------


def _examples(examples: Sequence[Example]) -> str:
    items = "".join(f"<li>{html.escape(example_in_words(example))}</li>" for example in examples)
    return f"<section><h2>Examples</h2><ol>{items}</ol></section>" if examples else ""


def _data(sketch: Sketch) -> dict[str, Any]:
    """Return the data of the map and of the look-ups; messages and sets of values are numbers in lists."""
    shown, config = sketch.phrasebook.map, sketch.config
    used = sorted({row for line in shown.message.tolist() for row in line if row != NONE})
    place = {row: i for i, row in enumerate(used)}
    sets: dict[tuple[int, ...], int] = {}

    def named(found: Named) -> list[list[int | str]]:
        return [[where, sets.setdefault(values, len(sets))] for where, values in found]

    return {
        "kind": shown.kind,
        "places": [place_in_words(offset) for offset in shown.offsets],
        "messages": [spoken(sketch.message_at(row)) for row in used],
        "map": [[place.get(row, NONE) for row in line] for line in shown.message.tolist()],
        "share": [[round(100 * share) for share in line] for line in shown.share.tolist()],
        "episodes": shown.episodes.tolist(),
        "colour": colours(shown.message, shown.ordered).tolist(),
        "palette": PALETTE,
        "integers": len(config.integers),
        "symbols": config.vocab_size,
        "length": config.message_length,
        "total": sketch.episodes,
        "all": sketch.num_messages == len(sketch.readings),
        "cells": [place_in_words(offset) for offset in config.offsets],
        "edges": [edge_in_words(name).removeprefix("the target is ") for name in edge_names(config)],
        "entries": [
            [line.form, line.meaning, _percent(line.share), line.episodes, named(line.named)]
            for line in sketch.words.forms
        ],
        "readings": [
            [spoken(each.message), each.says, _percent(each.share), each.episodes, named(each.named), windows]
            for each, windows in zip(sketch.readings, map(_windows, sketch.readings), strict=True)
        ],
        "sets": [*sets],
        "example": f"{len(config.integers) // 2} {_most_told(sketch)}",
        "unread": UNREAD,
    }


def _most_told(sketch: Sketch) -> str:
    """Return the cell of which messages tell most, in words."""
    return sketch.places[int(sketch.information.whole[:-1].argmax())]


def _percent(share: float | None) -> int | None:
    return None if share is None else round(100 * share)


def _windows(reading: Reading) -> list[str]:
    return [window_in_words(window) for window in reading.windows]
