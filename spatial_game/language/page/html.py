"""A sketch of a language as HTML: bars in the shape of the window, tables, the map, and three look-ups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from spatial_game.json_text import plain, printable, to_json
from spatial_game.language.counting.places import edge_names, near_offsets
from spatial_game.language.lexicon.wording import all_in_words, edge_in_words
from spatial_game.language.page.colours import PALETTE, colours
from spatial_game.language.page.map import NONE, AtEdge
from spatial_game.language.page.sentences import about, example_in_words, sections, window_in_words
from spatial_game.language.page.sketch import Sketch
from spatial_game.language.page.words import Reading
from spatial_game.tables import Table

SHOWN = 20
"""Rows of a table that are shown at once; the others are a click away."""
SHOWN_CLASSES = 6
"""The most classes whose members are shown at once."""
LEAST_BITS, MOST_PLACES = 0.05, 8
"""The matrix of bits has the places with at least this many bits, and at most this number of them."""


def page(sketch: Sketch) -> str:
    """Return the page of a language: one HTML file that needs no internet connection."""
    return Template(_asset("page.html")).substitute(
        title=escape(f"The language of {printable(sketch.name)}"),
        styles=_asset("page.css"),
        body="\n".join(_sections(sketch)),
        about=escape(about(sketch)),
        data=as_json(_data(sketch)),
        scripts=_asset("search.js") + _asset("map.js"),
    )


def _asset(name: str) -> str:
    """Return the text of a file of this package, such as `page.css`."""
    return files("spatial_game.language.page").joinpath(name).read_text("utf-8")


def as_json(data: Any) -> str:
    """Return data as JSON in which texts cannot end the script element."""
    return to_json(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def _data(sketch: Sketch) -> dict[str, Any]:
    """Return what the scripts of the page draw and search."""
    shown, config = sketch.phrasebook.map, sketch.config
    return {
        "episodes": sketch.episodes,
        "places": sketch.places,
        "map": sketch.phrasebook.to_dict()["map"],
        "words": plain(sketch.words.forms),
        "messages": [_searched(each) for each in sketch.readings],
        "num_messages": sketch.num_messages,
        "colour": colours(shown.usual.message, shown.ordered).tolist(),
        "palette": PALETTE,
        "integers": len(config.integers),
        "symbols": config.vocab_size,
        "length": config.message_length,
        "edge_names": [_edge_in_words(name) for name in edge_names(config)],
        "example": f"{len(config.integers) // 2} {_most_told(sketch)}",
    }


def _searched(reading: Reading) -> dict[str, Any]:
    """Return a message as the scripts search it: with the fields of a word, and some of its windows."""
    return {
        "form": " ".join(map(str, reading.message)),
        "meaning": reading.says,
        "share": reading.share,
        "episodes": reading.episodes,
        "named": reading.named,
        "windows": [window_in_words(window) for window in reading.windows],
    }


def _edge_in_words(name: str) -> str:
    return edge_in_words(name).removeprefix("the target is ")


def _most_told(sketch: Sketch) -> str:
    """Return the cell of which messages tell most, in words."""
    return sketch.places[int(sketch.information.whole[:-1].argmax())]


def _sections(sketch: Sketch) -> Iterator[str]:
    """Yield the sections: the sentences of each, and what they speak of."""
    drawn = {"told": _bars, "built": _matrix, "words": _words}
    for section in sections(sketch):
        sentences = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
        draw = None if sketch.says_nothing else drawn.get(section.key)
        yield f"<section><h2>{section.title}</h2>\n{sentences}\n{draw(sketch) if draw else ''}</section>"
    if sketch.examples and not sketch.says_nothing:
        items = "".join(f"<li>{escape(example_in_words(example))}</li>" for example in sketch.examples)
        yield f"<section><h2>Examples</h2><ol>{items}</ol></section>"


# --- What is told --------------------------------------------------------------------------------------


def _bars(sketch: Sketch) -> str:
    """Return the window around the target, with what messages tell of each cell and of the edge."""
    width, axes = 2 * sketch.config.window_radius + 1, len(sketch.config.shape)
    cells = [_bar(sketch, cell) for cell in near_offsets(sketch.config)]
    cells.insert(len(cells) // 2, '<div class="place target">?</div>')
    per_layer = width if axes == 1 else width**2
    style = f"grid-template-columns:repeat({width},minmax(0,1fr))"
    layers = "".join(
        f'<div class="window" style="{style}">{"".join(cells[start : start + per_layer])}</div>'
        for start in range(0, len(cells), per_layer)
    )
    return (
        f'<div class="told axes-{min(axes, 3)}">{layers}{_bar(sketch, -1)}</div>'
        '<p class="quiet">Each bar is full if messages tell everything about its place. '
        "The figures are bits an episode: told, of what there is to tell.</p>"
    )


def _bar(sketch: Sketch, place: int) -> str:
    bits, most = sketch.information.whole[place], sketch.information.entropy[place]
    share = min(max(bits / most, 0.0), 1.0) if most > 0 else 0.0
    return (
        f'<div class="place"><span class="bar"><span style="height:{share:.0%}"></span></span>'
        f'<b>{max(min(bits, most), 0):.2f}</b><span class="quiet">of {most:.2f}</span>'
        f'<span class="quiet">{escape(sketch.places[place])}</span></div>'
    )


# --- How a message is built ----------------------------------------------------------------------------


def _matrix(sketch: Sketch) -> str:
    """Return the bits of each slot about each place, and of whole messages, as a table with shades."""
    bits = sketch.information
    places = [place for place in bits.whole.argsort()[::-1].tolist() if bits.whole[place] >= LEAST_BITS]
    places = places[:MOST_PLACES]
    most = max((float(bits.whole[place]) for place in places), default=1.0)
    lines = []
    for name, row in (
        *((f"Slot {slot} alone", told) for slot, told in enumerate(bits.by_slot, 1)),
        ("Only all slots together", bits.together),
        ("The whole message", bits.whole),
    ):
        told = [max(float(row[place]), 0) for place in places]
        cells = "".join(f'<td style="--share:{min(n / most, 1):.2f}">{n:.2f}</td>' for n in told)
        lines.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
    head = "".join(f'<th scope="col">{escape(sketch.places[place])}</th>' for place in places)
    return (
        '<div class="scroll"><table class="matrix"><caption>Bits about each place, an episode</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


# --- Words ---------------------------------------------------------------------------------------------


def _words(sketch: Sketch) -> str:
    """Return the map, the look-ups, the messages near an end, and the words in both directions."""
    words = sketch.words
    to_forms = [
        (each.meaning, "; ".join(f"{form} ({share:.0%})" for form, share in each.forms), each.episodes)
        for each in words.meanings
    ]
    to_meanings = [(each.form, each.meaning, each.share, each.episodes) for each in words.forms]
    parts = (
        _map(sketch),
        _lookups(sketch),
        _edges(sketch),
        _classes(words.classes),
        '<p class="quiet">In the tables, m1, m2, ... stand for any symbol in that slot; [.. 7 ..] may stand '
        "at any slot.</p>",
        _table(
            "From meaning to message", "Meaning | Said by (share of these episodes) | Episodes :,", to_forms
        ),
        _table("From message to meaning", "Message | Meaning | True in :.0% | Episodes :,", to_meanings),
    )
    return "\n".join(filter(None, parts))


def _classes(lines: Sequence[str]) -> str:
    """Return the members of the classes: at once if they are few, otherwise a click away."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    shown = " open" if len(lines) <= SHOWN_CLASSES else ""
    return (
        f"<details{shown}><summary>Members of the classes</summary><ul>{items}</ul></details>"
        if lines
        else ""
    )


def _table(title: str, heading: str, rows: Sequence[tuple[Any, ...]]) -> str:
    """Return a table of which the first rows are shown, and the others are a click away."""
    first, rest = (
        f'<div class="scroll">{Table.of(heading, part).to_html()}</div>'
        for part in (rows[:SHOWN], rows[SHOWN:])
    )
    if len(rows) <= SHOWN:
        return f"<h3>{title} ({len(rows):,})</h3>\n{first}"
    more = f"<details><summary>{len(rows) - SHOWN:,} more</summary>{rest}</details>"
    return f"<h3>{title} (the {SHOWN} of most episodes)</h3>\n{first}\n{more}"


def _map(sketch: Sketch) -> str:
    """Return the room in which `map.js` draws the map."""
    shown = sketch.phrasebook.map
    where = escape(" and ".join(sketch.places[place] for place in shown.places))
    what = "symbol" if shown.kind == "symbols" else "message"
    return (
        '<figure><div class="drawing" role="img" '
        f'aria-label="A map of the messages for the integers {where}"></div>'
        '<figcaption><output class="here" aria-live="polite">'
        f"Point at a cell, or tap it, to see its {what}.</output></figcaption></figure>"
    )


def _lookups(sketch: Sketch) -> str:
    """Return the look-ups: what to say, what a message means, and what says a meaning."""
    shown, largest, where = sketch.phrasebook.map, len(sketch.config.integers) - 1, escape(_most_told(sketch))
    places = [escape(sketch.places[place]) for place in shown.places]
    number = f'<input type="number" min="0" max="{largest}" data-axis='
    if shown.kind == "columns":
        options = "".join(f"<option>{place}</option>" for place in places)
        fields = (
            f'<label>Integer {number}"0"></label> '
            f'<label>which stands <select data-axis="1">{options}</select></label>'
        )
    else:
        labels = (f"<label>{place.capitalize()} {number}" for place in places)
        fields = " ".join(f'{label}"{axis}"></label>' for axis, label in enumerate(labels))
    message = " ".join(map(str, sketch.readings[0].message))
    forms = {
        "say": ("Say it", fields),
        "read": (
            "Read it",
            f'<label>Message <input type="text" inputmode="numeric" placeholder="{message}"></label>',
        ),
        "find": (
            "Find it",
            f'<label>Meaning <input type="text" placeholder="{largest // 2} {where}"></label>',
        ),
    }
    recipe = (
        "To read a message, type its symbols. To find the messages for a meaning, type integers and where "
        f"they stand, joined by “and”, such as “{largest // 2} {where}” or "
        f"“{largest // 3}-{largest // 2} {where}”."
    )
    if shown.kind == "symbols":
        del forms["say"]
    else:
        near = " Near an end, use the table below." if sketch.phrasebook.edges else ""
        recipe = f"To say something, look up the integers here or in the map.{near} {recipe}"
    return f'<p class="quiet">{recipe}</p>' + "".join(
        f'<form class="lookup {name}"><b>{title}</b> {inputs} <output>&nbsp;</output></form>'
        for name, (title, inputs) in forms.items()
    )


def _edges(sketch: Sketch) -> str:
    """Return what is said near the ends, if it is something else."""
    edges = sketch.phrasebook.edges
    if not edges:
        return ""
    rows = [(_edge_in_words(name), *_at_edge(sketch, at)) for name, at in edges.items()]
    table = Table.of("Where the target is | The usual message | In :.0%", rows).to_html()
    config, window = sketch.config, ""
    if len(config.shape) == 1 and not config.num_hidden:
        window = (
            "<p>The window never leaves the sequence: if the target is the first, all of the "
            f"{config.window_size - 1} neighbours that the sender sees stand on its right.</p>"
        )
    return f'<h3>Near an end</h3>{window}<div class="scroll">{table}</div>'


def _at_edge(sketch: Sketch, at: AtEdge) -> tuple[str, float]:
    """Return the usual message at an edge, or those by the integer on which they depend, and their share."""
    usual, text = at.by_integer, sketch.phrasebook.text
    if at.place is None:
        return text(at.message) or "", usual.usual_share
    integers: dict[int, list[int]] = {}
    for integer, message in enumerate(usual.message.tolist()):
        if message != NONE:
            integers.setdefault(message, []).append(integer)
    listed = "; ".join(f"{text(message)} ({all_in_words(values)})" for message, values in integers.items())
    return f"by the integer {sketch.places[at.place]}: {listed}", usual.usual_share
