"""A page of a language as HTML: three answers, the pictures, a place to ask, and the lists, folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.language.page.content import Page
from spatial_game.language.page.data import packed_data
from spatial_game.language.page.sections import (
    ADDRESS,
    EXAMPLES,
    FREQUENCIES,
    MESSAGES,
    Section,
    sections,
)
from spatial_game.language.page.summary import ORDINALS, capital, game_in_short, summary, told, warnings
from spatial_game.language.pictures.colours import DARK
from spatial_game.language.pictures.grid import coordinates_around_target
from spatial_game.language.signature import seeds_of
from spatial_game.language.wording import offset_text, variable_texts
from spatial_game.text import printable

_FIND = (
    '<form class="find"><label>Find a message or a meaning <input type="search"></label>'
    ' <button type="button" class="save">Save as CSV</button> <output></output></form>'
)
_CHOOSE = "Choose a first symbol to see what the second one says after it."


_DRAWING = (
    "<p class=drawing>Drawing the map, the heat maps and &ldquo;Ask it&rdquo; ...</p>"
    "<noscript><p class=warning>The map, the heat maps and &ldquo;Ask it&rdquo; are missing: this browser "
    "does not run JavaScript.</p></noscript>"
)


def page_html(page: Page) -> str:
    """Return the page of a language: one HTML file that needs no internet connection."""
    lists = sections(page)[1:]
    examples = [each for each in lists if each.title == EXAMPLES]
    return Template(_asset("page.html")).substitute(
        title=escape(f"The language of {printable(page.name)}"),
        styles=_asset("page.css"),
        game=escape(game_in_short(page)),
        answers="\n".join(_answers(page)),
        warnings="\n".join(f"<p class=warning>{escape(each)}</p>" for each in warnings(page)),
        drawing="" if page.says_nothing else _DRAWING,
        examples="\n".join(map(_body, examples)),
        note=f"<p>{escape(ADDRESS)} {_CHOOSE}</p>" if page.built == "address" else "",
        bars="\n".join(_bars(page)),
        lists="\n".join(_list(page, each) for each in lists if each not in examples),
        made="\n".join(f"<p>{escape(each)}</p>" for each in _made(page)),
        data="" if page.says_nothing else packed_data(page),
        script=_asset("grid.js") + _asset("page.js"),
        signature=escape(page.dictionary.signature),
    )


def _asset(name: str) -> str:
    """Return the text of a file of this package, such as `page.css`."""
    return files("spatial_game.language.page").joinpath(name).read_text("utf-8")


def _answers(page: Page) -> Iterator[str]:
    for number, each in enumerate(summary(page)):
        question, answer, sentence = map(escape, (each.question, each.answer, each.sentence))
        ruler = _ruler(page.combines, 1 / page.config.num_candidates) if number == 2 else ""
        examples = "".join(
            f"<p>{escape(text)}</p><pre>{escape(window)}</pre>" for text, window in each.examples
        )
        yield (
            f"<article><h2>{question}</h2><p class=answer>{answer}</p><p>{sentence}</p>{ruler}{examples}"
            "</article>"
        )


def _ruler(combines: Mapping[str, Any], guessing: float) -> str:
    """Return the way from guessing to messages that are sent, with the bands of the verdict and its place.

    Its ends and its place have the accuracies that they stand for.
    """
    if combines.get("way") is None:
        return ""
    middle, low, high = (100 * min(max(each, 0.0), 1.0) for each in combines["way"])
    sent = max(combines[name]["accuracy"] for name in ("own", "dictionary"))
    never = combines["asked"][combines["composer"]]["accuracy"]
    bands = "".join(f"<span>{name}</span>" for name in ("do not", "in part", "mostly", "fully"))
    return (
        f"<div class=ends><span>guessing<br>{guessing:.1%}</span>"
        f'<span style="left:clamp(6rem,{middle:.1f}%,100% - 5rem)">never sent<br><b>{never:.1%}</b></span>'
        f"<span>sent<br>{sent:.1%}</span></div>"
        f'<div class=ruler aria-hidden=true>{bands}<i style="left:{low:.1f}%;width:{high - low:.1f}%"></i>'
        f'<b style="left:{middle:.1f}%"></b></div>'
    )


def _bars(page: Page) -> Iterator[str]:
    """Yield what the symbols tell in turn, and what messages tell of each variable, as bars on one scale."""
    bits, names = page.dictionary.bits, variable_texts(page.config)
    scale = max(bits.entropy, *bits.possible_by_variable, 0.1)
    steps = page.prefixes.added
    total = min(sum(steps), bits.entropy)
    shown = np.diff(np.minimum(np.cumsum([0.0, *steps]), bits.entropy))
    parts = [(f"{ORDINALS[i]} {step:.1f}", float(step), DARK[i % len(DARK)]) for i, step in enumerate(shown)]
    yield _bar(
        "Symbols, one after the other", parts, bits.entropy, scale, f"{total:.1f} of {bits.entropy:.1f}"
    )
    found = told(page)
    if len(page.config.shape) > 1:
        yield _compass(page, [each for each in found if each[0] < len(page.config.offsets)])
        found = [each for each in found if each[0] == len(page.config.offsets)]
    for variable, each, most in found:
        yield _bar(
            capital(names[variable]), [("", each, "var(--line)")], most, scale, f"{each:.1f} of {most:.1f}"
        )


def _compass(page: Page, found: Sequence[tuple[int, float, float]]) -> str:
    """Return what messages tell of the offsets of a grid as boxes around the target."""
    offsets, boxes = [variable for variable, *_ in found], ""
    *boxes_at, target = coordinates_around_target(page.config, offsets).tolist()
    for (offset, bits, most), at in zip(found, boxes_at, strict=True):
        name = offset_text(page.config.offsets[offset])
        share = f"--share:{bits / max(most, 1e-9):.0%}"
        boxes += f'<span style="{_area(at)};{share}">{name}: {bits:.1f} of {most:.1f} bits</span>'
    return f'<div class=compass>{boxes}<b style="{_area(target)}">?</b></div>' if boxes else ""


def _area(coordinates: Sequence[int]) -> str:
    """Return the row and the column of a box, in CSS."""
    return "grid-area:" + "/".join(str(each + 1) for each in coordinates)


def _bar(name: str, parts: Iterable[tuple[str, float, str]], most: float, scale: float, figures: str) -> str:
    shares = ((text, 100 * bits / max(most, 1e-9), colour) for text, bits, colour in parts)
    filled = "".join(
        f'<i title="{text}" style="background:{colour};width:{share:.2f}%">&#8203;<span>{text}</span></i>'
        for text, share, colour in shares
    )
    track = f'<span class=track><span style="width:{100 * most / scale:.2f}%">{filled}</span></span>'
    return f"<div class=bar><span>{escape(name)}</span>{track}<span>{figures} bits</span></div>"


def _list(page: Page, section: Section) -> str:
    """Return a section that is folded, with a plot or a search field in it."""
    more = {FREQUENCIES: _zipf(page.sent), MESSAGES: _FIND}.get(section.title, "")
    return f"<details><summary>{escape(section.title)}</summary>\n{more}{_body(section)}</details>"


def _body(section: Section) -> str:
    sentences = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
    tables = "\n".join(
        f"<div><h3>{escape(title)}</h3><div class=scroll>{table.to_html()}</div></div>"
        for title, table in section.tables.items()
    )
    return f"{sentences}<div class=tables>{tables}</div>"


def _zipf(sent: npt.NDArray[Any]) -> str:
    """Return a plot of how often each message is sent by its rank, both on logarithmic scales."""
    ranks = np.unique(np.geomspace(1, len(sent), 60).round().astype(int))
    x = 40 + 250 * np.log(ranks) / max(np.log(len(sent)), 1e-9)
    y = 130 - 120 * np.log(sent[ranks - 1]) / max(np.log(sent[0]), 1e-9)
    line = " ".join(f"{one:.1f},{other:.1f}" for one, other in zip(x, y, strict=True))
    return (
        '<svg class=zipf viewBox="0 0 300 150" role=img aria-label="Episodes of each message by its rank, on '
        'logarithmic scales"><path d="M40 8V130H292"/>'
        f'<polyline points="{line}"/><text x=36 y=14 text-anchor=end>{sent[0]:,}</text>'
        f"<text x=36 y=133 text-anchor=end>1</text><text x=40 y=145>rank 1</text>"
        f"<text x=290 y=145 text-anchor=end>{len(sent):,}</text></svg>"
    )


def _made(page: Page) -> Iterator[str]:
    """Yield how the page was made, in a few sentences."""
    if page.command:
        yield f"Command: {page.command}"
    yield f"Signature: {page.dictionary.signature}"
    if seeds := seeds_of(page.dictionary.provenance):
        yield f"Seeds of the recordings: {', '.join(seeds)}."
    yield (
        "The program counts in how many episodes each message was sent, and what stood at each offset. From "
        "nine of ten episodes, it builds a dictionary: what each symbol says in its slot, and what each "
        "message adds. It measures bits on the other episodes, which were held out. The map has the message "
        "that is likeliest by this dictionary, and counts how often it was sent. If the receiver is there, "
        "it is asked messages that were never sent, to find out whether symbols combine."
    )
    yield page.dictionary.bits.text
