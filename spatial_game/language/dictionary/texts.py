"""What a dictionary says, in English: readings, entries and edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.language.counting.columns import NO_EDGE, columns_of
from spatial_game.language.dictionary.classes import Classes
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.readings import Reading, Sense
from spatial_game.language.dictionary.thresholds import LEAST_SENSE, LEAST_SURE, NEARLY_ALWAYS
from spatial_game.language.wording import (
    ANY_LENGTH,
    SHORT,
    edge_text,
    end_text,
    integers_text,
    listed,
    offset_text,
)
from spatial_game.text import between, counted

UNREAD = "the dictionary does not say"
"""What is shown for a message that says nothing."""
TOO_RARE = "sent too rarely to say"
"""What precedes the reading of a message of few episodes."""
BY_SYMBOLS = "not in the dictionary; by its symbols"
"""What precedes the reading of a message that the dictionary does not have, as of one that was never sent."""


def reading_text(reading: Reading, classes: Classes, *, measured: bool = False) -> str:
    """Return a reading in words; several senses have the share of episodes in which each is true.

    A reading that may be true in less than 90% of the episodes says in how many, as an interval, with the
    number of episodes of the message: "3 one left (true 57% to 93%, 16 episodes)". Above, and if it is
    true in less than 95%, it is "3 one left, rarely something else". It has neither if `measured`: it
    stands beside a measurement of how often it is true. A message that the dictionary does not have is
    read by its symbols, and nothing is known of how often that is true.
    """
    if not reading.senses:
        return UNREAD
    text = _senses_text(reading, classes)
    if not reading.episodes:
        return f"{BY_SYMBOLS}: {text}"
    low, high = reading.interval
    episodes = counted(reading.episodes, "episode")
    if reading.is_too_rare:
        return f"{TOO_RARE} ({episodes}); these and its symbols suggest: {text}"
    unsure = "" if high >= LEAST_SURE else "unsure: "
    if measured:
        return unsure + text
    if low >= NEARLY_ALWAYS:
        return f"{text}, rarely something else" if high < 1 - LEAST_SENSE else text
    return f"{unsure}{text} (true {between((low, high), '.0%')}, {episodes})"


def _senses_text(reading: Reading, classes: Classes) -> str:
    """Return the senses in words, first of all the edges that they share."""
    shared = "" if reading.at_edges is None else edges_text(reading.config, reading.senses[0].edges)
    senses = [replace(sense, edges=()) for sense in reading.senses] if shared else reading.senses
    texts = [" and ".join(_part_texts(sense, reading.config, classes)) for sense in senses]
    if len(texts) > 1:
        often = [sense.share * sense.truth for sense in senses]
        texts = [f"{text} ({share:.0%})" for text, share in zip(texts, often, strict=True)]
    several = any(bool(s.edges) + len(s.of_cells) > 1 for s in senses)
    text = listed(texts, ", or " if several else " or ")  # a comma ends what "and" joins
    if not shared or not text:
        return shared or text
    return f"{shared} ({reading.at_edges:.0%}), with {text}"


def _part_texts(sense: Sense, config: GameConfig, classes: Classes) -> list[str]:
    """Return what a sense says, in words: first of the edge, then of each cell."""
    edges = [edges_text(config, sense.edges)] if sense.edges else []
    named = [each.values[0] for each in sense.statements if len(each.values) == 1]
    stand = [
        f"{classes.text(each.values, elsewhere=named)} {offset_text(config.offsets[each.index])}"
        for each in sense.statements
    ]
    seen = [f"any integer {offset_text(config.offsets[index])}" for index in sense.seen]
    return [*edges, *stand, *seen]


def entry_text(entry: Entry, config: GameConfig, classes: Classes | None, most: float = SHORT) -> str:
    """Return what an entry says in words: "class 0 two left", "the target is the first or second".

    A set that has no name and more than `most` pieces is counted; without `classes`, all are written out.
    Views that are some of an edge's views are named by the cells that they show: "seen: one left".
    """
    in_words = integers_text if classes is None else classes.text
    most = ANY_LENGTH if classes is None else most
    if entry.index < len(config.offsets):
        return f"{in_words(entry.values, most)} {offset_text(config.offsets[entry.index])}"
    if edges := edges_of_views(config, entry.values):
        return edges_text(config, edges)
    shown = np.unique(columns_of(config).views.shown[list(entry.values)], axis=0)[::-1]  # from left to right
    if len(shown) > most:
        return f"one of {len(shown)} sets of cells is seen"
    cells = [[offset_text(config.offsets[cell]) for cell in np.flatnonzero(each)] for each in shown]
    return f"seen: {listed([listed(each, ' and ') for each in cells])}"


def edges_of_views(config: GameConfig, values: Sequence[int]) -> tuple[int, ...]:
    """Return the edges of which these are all the views, by their numbers; none if they are only some."""
    of_views = columns_of(config).views.edge
    edges = np.unique(of_views[list(values)])
    return tuple(edges.tolist()) if len(values) == np.isin(of_views, edges).sum() else ()


def edges_text(config: GameConfig, edges: Sequence[int]) -> str:
    """Return edges by their numbers in words: "the target is the first or second"."""
    names = (*columns_of(config).edges, NO_EDGE)
    texts = [edge_text(names[edge], end_text(config)) for edge in edges]
    at = "the target is at the "
    start = at if all(text.startswith(at) and " and " not in text for text in texts) else "the target is "
    return start + listed([text.removeprefix(start) for text in texts])
