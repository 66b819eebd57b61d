"""Whole messages: what each means by the dictionary, how sure that is, and for which windows it was sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import EDGE
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.meaning import Meanings
from spatial_game.language.page.map import first_episodes
from spatial_game.language.players.reading import AND, UNREAD, Statement, read_messages

MOST = 3_000
"""The number of most frequent messages that are read."""
WINDOWS = 3
"""Windows that are shown for each message."""
NEAR = "near"
Named = tuple[tuple[int | str, tuple[int, ...]], ...]
"""What may stand where: numbers of offsets (or "edge", or "near" for any offset), each with its values."""
_MOST_HEARD = 200  # episodes of a message from which its share is counted


@dataclass(frozen=True)
class Reading:
    """A message, and what it means by the dictionary."""

    message: tuple[int, ...]
    episodes: int
    says: str
    share: float | None
    """The share of its episodes in which all that it says is true; None if the dictionary does not say."""
    named: Named
    windows: tuple[tuple[int, ...], ...]
    """Some of the windows for which it was sent."""


def readings(counts: Counts, lexicon: Lexicon) -> tuple[Reading, ...]:
    """Return the 3,000 most frequent messages with what they mean, the most frequent first."""
    order = np.argsort(-counts.message_totals, kind="stable")[:MOST]
    ids, windows = first_episodes(counts)
    by_message = np.argsort(ids, kind="stable")
    first, end = (np.searchsorted(ids[by_message], order, side) for side in ("left", "right"))
    stated = read_messages(lexicon, counts.messages[order], complete=True)
    found = []
    for i, row in enumerate(order.tolist()):
        sent = windows[by_message[first[i] : min(end[i], first[i] + _MOST_HEARD)]]
        found.append(
            Reading(
                tuple(counts.messages[row].tolist()),
                int(counts.message_totals[row]),
                AND.join(map(str, stated[i])) or UNREAD,
                true_share(stated[i], sent, counts.config),
                tuple(named for each in stated[i] for named in named_by(each.senses, counts.config)),
                tuple(tuple(window) for window in sent[:WINDOWS].tolist()),
            )
        )
    return tuple(found)


def true_share(statements: Sequence[Statement], window: IntArray, config: GameConfig) -> float | None:
    """Return the share of windows (B, W) of which all statements are true; None without any."""
    if not statements or not len(window):
        return None
    true = np.ones(len(window), dtype=bool)
    for statement in statements:
        true &= statement.true_of(window, config)
    return float(true.mean())


def named_by(senses: Iterable[Meanings], config: GameConfig) -> Named:
    """Return what senses say may stand where, meaning by meaning."""
    found: list[tuple[int | str, tuple[int, ...]]] = []
    for meaning in (meaning for meanings in senses for meaning in meanings):
        place, values = meaning.numbers(config) or (None, [])
        if values:
            where = NEAR if place is None else EDGE if meaning.place == EDGE else place
            found.append((where, tuple(values)))
    return tuple(found)
