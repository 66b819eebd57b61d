"""The oracle's code as tables, by which slow twins look words up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.config import Offset

Message = tuple[int, ...]


@dataclass(frozen=True)
class OracleTables:
    """What each word of the code says."""

    edges: dict[str, Message]
    """The whole message of each edge."""
    offsets: dict[Offset, int]
    """The symbol in slot 0 of each offset; empty for a holistic code."""
    integers: dict[int, Message]
    """The symbols from slot 1 on of each integer; empty for a holistic code."""
    holistic: dict[tuple[int, Offset], Message]
    """The whole message of each (integer, offset); empty for a compositional code."""


def what_is_named(config):
    """Return the edges and the offsets that have meanings, in the order of these."""
    radius, places = config.window_radius, zip(np.ndindex(*config.window_shape), config.edges, strict=True)
    corners = [name for place, name in places if radius not in place]
    near = any if config.num_hidden else all
    return corners, [o for o in config.offsets if near(abs(step) <= radius for step in np.ravel(o).tolist())]


def tables_of(code):
    """Spell all meanings of a code: the edges in order, then each integer at each offset."""
    config, (corners, offsets) = code.config, what_is_named(code.config)
    messages = [tuple(message) for message in code.spell(np.arange(code.num_meanings)).tolist()]
    edges, pairs = messages[: len(corners)], messages[len(corners) :]
    named = [(integer, offset) for integer in config.integers for offset in offsets]
    whole = dict(zip(named, pairs, strict=True))
    if not code.compositional:
        return OracleTables(dict(zip(corners, edges, strict=True)), {}, {}, whole)
    return OracleTables(
        dict(zip(corners, edges, strict=True)),
        {offset: whole[0, offset][0] for offset in offsets},
        {integer: whole[integer, offsets[0]][1:] for integer in config.integers},
        {},
    )
