"""The page of a language as sections: sentences and tables, which the terminal and HTML show alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from spatial_game.language.lexicon.wording import all_in_words, edge_in_words
from spatial_game.language.page import sentences
from spatial_game.language.page.map import NONE, Usual, usual_share
from spatial_game.language.page.sketch import Sketch
from spatial_game.tables import Table, Value

_BITS = "Bits about each place (together: told by no slot alone; message: by all; of: what there is to tell)"
_MOST_SLOTS = 8  # columns of the table of bits
_LEAST_SHOWN = 0.005
"""Bits of a place in the table of bits: with less, it would show 0.00."""


@dataclass(frozen=True)
class SketchSection:
    """A part of a page: a title, sentences, and tables by their titles."""

    title: str
    sentences: tuple[str, ...]
    tables: Mapping[str, Table]


def sections(sketch: Sketch) -> list[SketchSection]:
    """Return what is told, how a message is built, its words, its silence, and examples."""
    if sketch.says_nothing:
        return [_section("What is told", sentences.nothing(sketch))]
    classes = ((name, members) for name, _, members in (c.partition(": ") for c in sketch.words.classes))
    words = {
        "Near an end, instead of the map": _near_an_end(sketch),
        "Members of the classes": Table.of("Class | Integers", classes),
        "From meaning to message": _meanings(sketch),
        "From message to meaning (m1, m2, ...: any symbol; [.. 7 ..]: at any slot)": _forms(sketch),
    }
    return [
        _section("What is told", sentences.told(sketch), {_BITS: _bits(sketch)}),
        _section("How a message is built", sentences.built(sketch)),
        _section("Words", sentences.words(sketch), words),
        _section("Silence", sentences.silence(sketch)),
        _section("Examples", [sentences.about(sketch)], {"Episodes": _examples(sketch)}),
    ]


def _section(title: str, said: Iterable[str], tables: Mapping[str, Table] | None = None) -> SketchSection:
    """Return a section without its empty tables."""
    filled = {name: table for name, table in (tables or {}).items() if table.rows}
    return SketchSection(title, tuple(said), filled)


def first_lines(sketch: Sketch) -> list[str]:
    """Return the sketch in a few lines: what is told, and how a message is built."""
    return [sentence for section in sections(sketch)[:2] for sentence in section.sentences]


def _bits(sketch: Sketch) -> Table:
    """Return what slots and whole messages tell of each place, the most told first."""
    bits, length = sketch.information, sketch.config.message_length
    slots = range(length if 1 < length <= _MOST_SLOTS else 0)
    headings = [f"Slot {slot + 1} :.2f | " for slot in slots]
    together = "Together :.2f | " if slots else ""
    rows: list[tuple[Value, ...]] = []
    for place in (-bits.whole).argsort(kind="stable").tolist():
        whole = bits.whole[place]
        if whole < _LEAST_SHOWN:
            break
        parts = [*bits.by_slot[slots, place], bits.together[place]] if slots else []
        told = [max(float(part), 0.0) for part in (*parts, min(whole, bits.entropy[place]))]
        rows.append((sketch.places[place], *told, float(bits.entropy[place])))
    heading = f"Place | {''.join(headings)}{together}Message :.2f | Of :.2f"
    return Table.of(heading, rows)


def edge_in_short(name: str) -> str:
    """Return an edge in words, without its subject: "the second"."""
    return edge_in_words(name).removeprefix("the target is ")


def _near_an_end(sketch: Sketch) -> Table:
    """Return what is said near the ends, if it is something else than the map."""
    rows = (
        (edge_in_short(name), _usual_messages(sketch, parts[0]), usual_share(parts[:1]))
        for name, parts in sketch.phrasebook.edges.items()
    )
    return Table.of("Where the target is | The usual message | In :.0%", rows)


def _usual_messages(sketch: Sketch, usual: Usual) -> str:
    """Return the usual message, or those by the integer at a cell."""
    integers: dict[int, list[int]] = {}
    for integer, message in enumerate(usual.message.ravel().tolist()):
        integers.setdefault(message, []).append(integer)
    texts = {message: sketch.phrasebook.text(message) for message in integers if message != NONE}
    if not usual.cells:
        return "".join(str(text) for text in texts.values())
    listed = "; ".join(f"{text} ({all_in_words(integers[message])})" for message, text in texts.items())
    return f"by the integer {sketch.places[usual.cells[0]]}: {listed}"


def _meanings(sketch: Sketch) -> Table:
    rows = (
        (each.meaning, "; ".join(f"{form} ({share:.0%})" for form, share in each.forms), each.episodes)
        for each in sketch.words.meanings
    )
    return Table.of("Meaning | Said by (share of these episodes) | Episodes :,", rows)


def _forms(sketch: Sketch) -> Table:
    rows = ((each.form, each.meaning, each.share, each.episodes) for each in sketch.words.forms)
    return Table.of("Message | Meaning | True in :.0% | Episodes :,", rows)


def _examples(sketch: Sketch) -> Table:
    heading = "The sender sees | It sends | By the dictionary | Choice :d | Target :d"
    rows = ((each.window, each.message, each.says, each.choice, each.target) for each in sketch.examples)
    return Table.of(heading, rows)
