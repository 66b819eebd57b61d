"""A page of a language as HTML: three answers, examples, the pictures, forms to ask, and lists, folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.cells import rows_and_columns
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.page.answers import (
    answers,
    capital,
    rules,
    table_of_slots,
    variable_names,
    warnings,
)
from spatial_game.language.page.content import Example, Page
from spatial_game.language.page.data import packed_data
from spatial_game.language.page.messages import MESSAGES, right_text, true_text
from spatial_game.language.page.section import Section
from spatial_game.language.page.sections import FREQUENCIES, sections
from spatial_game.language.page.symbols import ADDRESS, EXAMPLES, beginnings_of
from spatial_game.language.pictures.colours import DARK
from spatial_game.language.pictures.grid import coordinates_around_target
from spatial_game.language.signature import seeds_of
from spatial_game.language.wording import offset_text
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
    lists = [each for each in sections(page)[1:] if each.title != EXAMPLES]
    return Template(_asset("page.html")).substitute(
        title=escape(f"The language of {printable(page.name)}"),
        styles=_asset("page.css"),
        game=escape(rules(page)),
        answers="\n".join(_answers(page)),
        warnings="\n".join(f"<p class=warning>{escape(each)}</p>" for each in warnings(page)),
        drawing="" if page.says_nothing else _DRAWING,
        examples="" if page.says_nothing else _examples(page),
        note=f"<p>{escape(ADDRESS)} {_CHOOSE}</p>" if page.built == "address" else "",
        lists="\n".join(_list(page, each) for each in lists),
        made="\n".join(f"<p>{escape(each)}</p>" for each in _made(page)),
        data="" if page.says_nothing else packed_data(page),
        script=_asset("grid.js") + _asset("page.js"),
        signature=escape(page.dictionary.signature),
    )


def _asset(name: str) -> str:
    """Return the text of a file of this package, such as `page.css`."""
    return files("spatial_game.language.page").joinpath(name).read_text("utf-8")


# --- The answers --------------------------------------------------------------------------------------------


def _answers(page: Page) -> Iterator[str]:
    figures = ["", "", _ruler(page.combines, 1 / page.config.num_candidates)]
    if not page.says_nothing:
        figures[:2] = _bits_by_variable(page), _bits_by_slot(page)
    for each, figure in zip(answers(page), figures, strict=True):
        head = f"<h2>{each.question}</h2><p class=answer>{escape(each.answer)}</p>"
        shown = "".join(f"<p>{escape(text)}</p><pre>{escape(window)}</pre>" for text, window in each.examples)
        yield f"<article>{head}{figure}<p>{escape(each.sentence)}</p>{shown}</article>"


def _bits_by_variable(page: Page) -> str:
    """Return what messages tell of each variable, as bars, or around the target for offsets of a grid."""
    names, view = variable_names(page), len(page.config.offsets)
    on_grid = len(page.config.shape) > 1
    boxes = _bits_around_target(page, [each for each in page.bits_told if each[0] < view]) if on_grid else ""
    shown = [each for each in page.bits_told if not on_grid or each[0] == view]
    scale = max((most for *_, most in shown), default=1.0)
    bars = "".join(
        _bar(capital(names[variable]), [("", bits, "var(--line)")], most, scale)
        for variable, bits, most in shown
    )
    return f"<p class=quiet>Bits, of those that are possible:</p>{bars}{boxes}" if page.bits_told else ""


def _bits_around_target(page: Page, told: Sequence[tuple[int, float, float]]) -> str:
    """Return what messages tell of the offsets of a grid, in boxes around the target."""
    *coordinates, target = coordinates_around_target(
        page.config, [variable for variable, *_ in told]
    ).tolist()
    boxes = ""
    for (variable, bits, most), at in zip(told, coordinates, strict=True):
        style = f"{_area(at)};--share:{bits / max(most, 1e-9):.0%}"
        title = f"{offset_text(page.config.offsets[variable])}: {bits:.1f} of {most:.1f} bits"
        boxes += f'<span style="{style}" title="{title}">{bits:.1f}</span>'
    return f'<div class="cells bits">{boxes}<b style="{_area(target)}">?</b></div>' if told else ""


def _bits_by_slot(page: Page) -> str:
    """Return what symbols tell, one after the other, as the parts of a bar, and the figures as a table."""
    entropy, steps = page.dictionary.bits.entropy, page.prefixes.added
    parts = [(f"slot {i + 1}", step, DARK[i % len(DARK)]) for i, step in enumerate(steps)]
    bar = _bar("Bits of a message, by slot", parts, entropy, entropy)
    return f"{bar}{table_of_slots(page).to_html()}"


def _bar(name: str, parts: Sequence[tuple[str, float, str]], most: float, scale: float) -> str:
    """Return a bar, whose parts have a name, bits and a colour, within an outline of the `most` bits."""
    shares = [(text, 100 * bits / max(most, 1e-9), colour) for text, bits, colour in parts]
    filled = "".join(
        f'<i title="{text}" style="background:{colour};width:{share:.2f}%">&#8203;<span>{text}</span></i>'
        for text, share, colour in shares
    )
    track = (
        f"<span class=track><span style='width:{100 * most / max(scale, 1e-9):.2f}%'>{filled}</span></span>"
    )
    figures = f"{sum(bits for _, bits, _ in parts):.1f} of {most:.1f}"
    return f"<div class=bar><span>{escape(name)}</span><span>{figures}</span>{track}</div>"


def _area(at: Sequence[int]) -> str:
    """Return the row and the column of a box, in CSS."""
    return "grid-area:" + "/".join(str(each + 1) for each in at)


def _ruler(combines: Mapping[str, Any], guessing: float) -> str:
    """Return the way from guessing to messages that are sent, with the bands of the verdict.

    Its ends, and the mark on it, have the accuracies that they stand for.
    """
    if combines.get("scaled") is None:
        return ""
    middle, low, high = (100 * min(max(each, 0.0), 1.0) for each in combines["scaled"])
    sent, never = combines["sent"], combines["asked"][combines["composed"]]["accuracy"]
    bands = "".join(f"<span>{name}</span>" for name in ("do not", "in part", "mostly", "fully"))
    return (
        f"<div class=ends><span>guessing<br>{guessing:.1%}</span>"
        f'<span style="left:clamp(6rem,{middle:.1f}%,100% - 5rem)">never sent<br><b>{never:.1%}</b></span>'
        f"<span>sent<br>{sent:.1%}</span></div>"
        f'<div class=ruler aria-hidden=true>{bands}<i style="left:{low:.1f}%;width:{high - low:.1f}%"></i>'
        f'<b style="left:{middle:.1f}%"></b></div>'
    )


# --- Examples -----------------------------------------------------------------------------------------------


def _examples(page: Page) -> str:
    [section] = [each for each in sections(page) if each.title == EXAMPLES]
    said, *legend = (f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
    shown = "".join(_example(page, each) for each in page.examples)
    return f"<h2>Examples</h2>{said}<div class=shown>{shown}</div>{''.join(legend)}"


def _example(page: Page, example: Example) -> str:
    """Return a window, in which the cells are marked that its message speaks of, and the message."""
    steps = "".join(
        f"<dt>{escape(symbols)}</dt><dd>{escape(says)}</dd>" for symbols, says in beginnings_of(page, example)
    )
    true, right = true_text(example.message), right_text(example.message)
    figures = [f"True in {true} held-out episodes."] * bool(true)
    figures += [f"The receiver is right in {right} of its episodes."] * bool(right)
    return (
        f"<article>{_window(page, example)}<dl>{steps}</dl><p class=quiet>{' '.join(figures)}</p></article>"
    )


def _window(page: Page, example: Example) -> str:
    config, target = page.config, example.window.index(-1)
    cell_of = columns_of(config).cells[target]
    named = {
        int(cell_of[each.index]) for sense in example.message.reading.senses for each in sense.statements
    }
    cells = ""
    for cell, (integer, at) in enumerate(
        zip(example.window, rows_and_columns(config.window_shape).tolist(), strict=True)
    ):
        tag, text = ("b", "?") if cell == target else ("span", "*" if integer < 0 else str(integer))
        mark = " class=named" if cell in named else ""
        cells += f'<{tag}{mark} style="{_area(at)}">{text}</{tag}>'
    return f"<div class=cells>{cells}</div>"


# --- Lists --------------------------------------------------------------------------------------------------


def _list(page: Page, section: Section) -> str:
    """Return a section that is folded, with a plot or a search field in it."""
    more = {FREQUENCIES: _zipf(page.sent), MESSAGES: _FIND}.get(section.title, "")
    sentences = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
    tables = "\n".join(
        f"<div><h3>{escape(title)}</h3><div class=scroll>{table.to_html()}</div></div>"
        for title, table in section.tables.items()
    )
    body = f"{more}{sentences}<div class=tables>{tables}</div>"
    return f"<details><summary>{escape(section.title)}</summary>\n{body}</details>"


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
