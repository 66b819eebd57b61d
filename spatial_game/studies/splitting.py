"""Whether a message has one part that tells the integer and another part that tells its offset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.studies.alignment import Aligned

TOLD = 0.8
"""A part tells something if it is true in at least this share of the uses of messages with this part."""
_COMMON = 2 / 3
"""What more than this share of all messages names is no news: a part would often be true by chance."""


def split_share(aligned: Aligned) -> float:
    """Return the share of the episodes whose message splits into an integer and an offset.

    It splits if its slots fall into two sets. Other messages with the same symbols in the first set name
    its integers, also at other offsets; other messages with the same symbols in the second set name its
    offset, also with other integers. Both are true in at least `TOLD` of the uses.
    """
    uses = aligned.uses.reshape(len(aligned.messages), -1)
    usual = uses.shape[1] - 1 - uses[:, ::-1].argmax(axis=1)  # of several most frequent cells the last
    offset, integer = columns_of(aligned.config).decode(usual)
    splits = np.zeros(len(uses), dtype=bool)
    for first, second in divisions(aligned.messages.shape[1]):
        tells_integer = _tells(aligned.messages[:, first], aligned.uses.sum(axis=1), offset)
        tells_offset = _tells(aligned.messages[:, second], aligned.uses.sum(axis=2), integer)
        splits |= tells_integer & tells_offset
    return float(splits[aligned.number].mean())


def divisions(num_slots: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every division of the slots into two sets that are not empty."""
    for size in range(1, num_slots):
        for first in combinations(range(num_slots), size):
            yield first, tuple(slot for slot in range(num_slots) if slot not in first)


def _tells(part: IntArray, uses: Numbers, other: Numbers) -> Mask:
    """Return (M,), whether a part (M, n) of each message tells what the message names.

    `uses` (M, V): how often each message names each value. Its values are those that it names at least half
    as often as its most frequent one. Messages with the same part must name one of them, and so must those
    that differ in `other` (M,). Values that more than `_COMMON` of all messages name tell nothing.
    """
    own = 2 * uses >= uses.max(axis=1, keepdims=True)
    group = distinct_rows(part)[1]
    alike = _sums(group, uses)
    differing = alike - _sums(distinct_rows(np.column_stack([group, other]))[1], uses)
    tells = (uses.sum(axis=0) * own).sum(axis=1) <= _COMMON * uses.sum()
    for of_part in (alike, differing):
        true = (of_part * own).sum(axis=1)
        tells &= (true > 0) & (true >= TOLD * of_part.sum(axis=1))
    return np.asarray(tells)


def _sums(group: Numbers, uses: Numbers) -> Numbers:
    """Return the uses (M, V) of all messages of the same group (M,)."""
    total = np.zeros((group.max() + 1, uses.shape[1]), dtype=np.int64)
    np.add.at(total, group, uses)
    return total[group]
