"""The film of a language as one HTML file: `film.js` draws the frames."""

from __future__ import annotations

import html
from dataclasses import asdict
from typing import Any

import numpy as np

from spatial_game.language.dictionary.words import place_in_words
from spatial_game.language.film.dialects import leaves
from spatial_game.language.film.film import Film
from spatial_game.language.film.words import Word, story
from spatial_game.language.sketch.colours import PALETTE
from spatial_game.tables import printable
from spatial_game.web.page import fragment, whole_page

MOST_WORDS = 500
"""Words of a sender that a page lists."""


def page(name: str, film: Film) -> str:
    """Return the page: one HTML file that needs no internet connection."""
    title = f"A film of {printable(name)}"
    several = len(film.senders) > 1
    markup = _MARKUP.format(
        title=html.escape(title),
        about=html.escape(_about(film)),
        sender=_choice("sender", "Sender", film.senders) if several else "",
        last=len(film.times) - 1,
        unit=film.unit.capitalize(),
        legend=_LEGEND[film.maps.kind],
        dialects=_DIALECTS if several else "",
    )
    scripts = ("sketch/sketch.js", "film/film.js")
    styles = ("common.css", "sketch/sketch.css", "film/film.css")
    return whole_page(title, fragment(markup, styles=styles, scripts=scripts, data=_data(film)))


def _about(film: Film) -> str:
    whose = f"{len(film.senders)} senders" if len(film.senders) > 1 else "one sender"
    what = "generations of training" if film.unit == "generation" else "steps of training"
    return (
        f"What {whose} sent for the same {film.windows:,} windows, at {len(film.times)} {what}. "
        f"The game: {film.config.signature}."
    )


def _choice(name: str, label: str, options: tuple[str, ...]) -> str:
    """Return a field in which one of these options is chosen; its value is the number of the option."""
    inner = "".join(f'<option value="{i}">{html.escape(text)}</option>' for i, text in enumerate(options))
    return f"<label>{label} <select data-{name}>{inner}</select></label>"


def _data(film: Film) -> dict[str, Any]:
    """Return what the page draws. Messages are numbers in one list; in the maps, -1 stands for none."""
    maps = film.maps
    times = [f"{time:,}" for time in film.times]
    colour = np.full(len(maps.messages), -1)
    sent = maps.message >= 0
    colour[maps.message[sent]] = maps.colour[sent]
    return {
        "unit": film.unit,
        "times": times,
        "numbers": film.times,
        "senders": film.senders,
        "kind": maps.kind,
        "places": [place_in_words(offset) for offset in maps.offsets],
        "messages": [" ".join(map(str, message)) for message in maps.messages.tolist()],
        "colour": colour.tolist(),
        "palette": PALETTE,
        "map": maps.message.tolist(),
        "share": (100 * maps.share).round().astype(int).tolist(),
        "episodes": maps.episodes.tolist(),
        "figures": [[_rounded(asdict(each)) for each in of_sender] for of_sender in film.figures],
        "words": [[_word(word, times, film.unit) for word in each[:MOST_WORDS]] for each in film.words],
        "replaced": film.replaced,
        "found": [len(each) for each in film.words],
        "agreement": film.agreement.round(4).tolist(),
        "trees": [
            {"leaves": leaves(tree, len(film.senders)), "branches": [[a, b, round(c, 4)] for a, b, c in tree]}
            for tree in film.trees
        ],
    }


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: value if value is None else round(value, 4) for name, value in figures.items()}


def _word(word: Word, times: list[str], unit: str) -> dict[str, Any]:
    stays = [[stay.first, stay.last] for stay in word.stays]
    return {"form": word.form, "story": story(word, times, unit), "stays": stays}


_LEGEND = {
    kind: "Each colour is a message, the same in all frames. " + more
    for kind, more in {
        "strip": "Messages depend on one integer, so the map has one row.",
        "square": "Messages depend on two integers: the rows and the columns.",
        "columns": "A cell shows what is sent most often when this integer stands at this place.",
        "symbols": "Messages name no single cell, so the map shows the first symbol that is sent most often.",
    }.items()
}
_DIALECTS = """
<section><h2>Dialects</h2>
<p class="quiet">How often two senders send the same message for the same window, in this frame. In the tree,
senders that agree more join further to the left.</p>
<div class="dialects"><div class="scroll matrix-of-senders"></div><div class="tree"></div></div>
<div class="maps"></div></section>
"""
_MARKUP = """
<div class="spatial-game film sketch">
<h1>{title}</h1>
<p class="quiet">{about}</p>
<form class="player" aria-label="Player">
<button type="button" class="primary" data-play>Play</button>
<output class="now" aria-live="off"></output>
<label class="time"><span class="unseen">{unit}</span>
<input type="range" min="0" max="{last}" value="{last}" step="1" data-frame></label>
{sender}
</form>
<div class="screen">
<section><h2>Map</h2>
<figure><div class="drawing" role="img"></div>
<figcaption><output class="here" aria-live="polite">Point at a cell, or tap it, to see its message.</output>
</figcaption></figure>
<p class="quiet">{legend} Neighbours in place and time have different colours where that is possible.</p>
<details class="in-words"><summary>The map in words</summary><div class="scroll"></div></details>
</section>
<section><h2>Curves</h2><p class="quiet replaced"></p><div class="curves"></div>
<details class="all-figures"><summary>All figures</summary><div class="scroll"></div></details>
</section>
</div>
{dialects}
<section><h2>Words</h2>
<p class="quiet">What the dictionary of each frame lists, the most used words first. A bar shows when a word
had a meaning; each change of its meaning begins a new part. A meaning stays while the word is used for mostly
the same windows.</p>
<form class="lookup" aria-label="Words to show">
<label>Show <select data-which>
<option value="all">all words</option><option value="now">words of this frame</option>
<option value="new">new words and meanings of this frame</option>
<option value="drift">words that drift</option><option value="die">words that die</option>
<option value="last">words that last to the end</option></select></label>
<label>with <input type="text" data-search placeholder="9, 20 or one left"></label>
<output class="number"></output></form>
<ol class="words"></ol><button type="button" data-more hidden>More words</button>
</section>
<p class="trouble">This page needs JavaScript.</p>
</div>
"""
