"""What the script of a page draws, searches and answers from."""

from __future__ import annotations

import base64
import gzip
import itertools
from typing import Any

import numpy as np

from spatial_game.json_text import to_json
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.texts import edges_text
from spatial_game.language.page.answers import never_sent_text, variable_names
from spatial_game.language.page.content import Message, Page
from spatial_game.language.page.messages import meaning_of, right_text
from spatial_game.language.page.symbols import said_by_symbols
from spatial_game.language.pictures.colours import GREY
from spatial_game.language.pictures.grid import coordinates_around_target, window_lines
from spatial_game.language.pictures.heat import HeatMap
from spatial_game.language.pictures.maps import IMPOSSIBLE, LanguageMap
from spatial_game.language.wording import ANY_LENGTH, integers_text, offset_text, symbols_text
from spatial_game.text import between

STEPS, NEVER = 10, -128
"""Steps of a bit in heat maps, and what stands for a symbol and a value that never stood together."""
_OF_PAIR = {"about": "two integers", "with": "both integers", "empty": "integers are different"}
_OF_SINGLE = {
    "about": "one integer at one offset",
    "with": "this integer there",
    "empty": "the likeliest message does not say this",
}
"""What maps say of the cells of a pair of offsets, and of those of single ones."""


def packed_data(page: Page) -> str:
    """Return the data as JSON, compressed, in base 64."""
    text = to_json(_data(page), separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _data(page: Page) -> dict[str, Any]:
    config, maps, says = page.config, page.maps, said_by_symbols(page)
    drawn = np.unique(np.concatenate([np.zeros(0, int), *(each.best[each.best >= 0] for each in maps.maps)]))
    cells = [variable for variable, *_ in page.bits_told if variable < len(config.offsets)]
    cells = sorted(cells) or sorted(maps.orders)
    edges = (edges_text(config, [edge]) for edge in range(config.window_size))
    return {
        "episodes": page.dictionary.total,
        "integers": config.num_integers,
        "length": config.message_length,
        "names": page.dictionary.symbol_names,
        "symbols": symbols_text(page.dictionary.symbol_names),
        "classes": {name: integers_text(each, ANY_LENGTH) for name, each in page.classes.members.items()},
        "messages": [_message(page, message, cells) for message in page.messages],
        "complete": page.reads_all,
        "rare": _rare(page),
        "unknown": max(page.sent[len(page.messages) + len(page.rare) :], default=0),
        "neverSent": never_sent_text(page.combines, 1 / config.num_candidates),
        "bySymbol": [
            ["; ".join(says.get((slot, symbol), [])) for symbol in range(config.vocab_size)]
            for slot in range(config.message_length)
        ],
        "cells": [offset_text(config.offsets[cell]) for cell in cells],
        "coordinates": coordinates_around_target(config, cells) if len(config.shape) > 1 else None,
        "edges": [edge.removeprefix("the target is ") for edge in edges],
        "bySize": all(each.by_size for each in maps.orders.values()),
        "address": page.built == "address",
        "edgeFirst": page.tells_edge_most,
        "drawn": maps.messages[drawn],
        "maps": [_map(each, drawn) for each in maps.maps],
        "colours": [*maps.colours.items()],
        "grey": GREY,
        "seconds": [*maps.seconds.items()],
        "steps": STEPS,
        "heat": [_heat(page, each) for each in page.said_by_themselves],
        "within": [(first, [_heat(page, each) for each in found]) for first, found in page.within.items()],
    }


def _rare(page: Page) -> list[tuple[int, list[str]]]:
    """Return the messages that are not read, by the number of episodes in which they were sent."""
    texts = map(page.dictionary.spelt, page.rare)
    episodes = page.sent[len(page.messages) :].tolist()
    groups = itertools.groupby(zip(episodes, texts, strict=False), key=lambda each: each[0])
    return [(number, [text for _, text in group]) for number, group in groups]


def _message(page: Page, message: Message, cells: list[int]) -> dict[str, Any]:
    """Return a message; its senses are edges, statements about some cells, their share and their truth."""
    return {
        "text": message.text,
        "says": meaning_of(page, message),
        "right": message.true.num_correct,
        "held": message.true.trials,
        "ends": between(message.true.interval, ".0%") if message.true.trials else "",
        "receiver": right_text(message),
        "rare": message.reading.is_too_rare,
        "episodes": message.episodes,
        "windows": ["\n".join(window_lines(page.config, window)) for window in message.windows],
        "senses": [
            (
                sense.edges,
                [(cells.index(each.index), each.values) for each in sense.statements if each.index in cells],
                round(sense.share, 3),
                round(sense.truth, 3),
            )
            for sense in message.reading.senses
        ],
    }


def _map(shown: LanguageMap, drawn: Numbers) -> dict[str, Any]:
    """Return a map; its messages are rows of those that are `drawn`."""
    best = np.where(shown.best == IMPOSSIBLE, IMPOSSIBLE, np.searchsorted(drawn, shown.best))
    tables = {"best": best, "episodes": shown.episodes, "begun": shown.begun, "sent": shown.sent}
    return {
        "name": shown.title,
        "pairs": shown.of_pair,
        "rows": shown.rows,
        "columns": shown.columns,
        "axes": shown.axes,
        "cell": shown.cell,
        "words": _OF_PAIR if shown.of_pair else _OF_SINGLE,
        **{name: table.ravel() for name, table in tables.items()},
    }


def _heat(page: Page, shown: HeatMap) -> dict[str, Any]:
    steps = np.round(np.nan_to_num(shown.lift) * STEPS)
    return {
        "slot": shown.slot + 1,
        "of": variable_names(page)[shown.variable],
        "integers": shown.variable < len(page.config.offsets),
        "symbols": shown.symbols,
        "episodes": shown.episodes,
        "values": shown.values,
        "coordinates": shown.coordinates,
        "lift": np.where(np.isnan(shown.lift), NEVER, steps.clip(NEVER + 1)).astype(int).ravel(),
        "bits": f"{shown.bits:.1f}",
    }
