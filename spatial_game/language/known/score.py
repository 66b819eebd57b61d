"""How well an analysis recovered a known language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import Episodes
from spatial_game.language.counting.forms import carrier_mask
from spatial_game.language.counting.places import EDGE
from spatial_game.language.known.language import KnownEntry, KnownLanguage
from spatial_game.language.lexicon.meaning import Meanings


@dataclass(frozen=True)
class Agreement:
    """How well a lexicon agrees with a truth, entry by entry."""

    missing: frozenset[KnownEntry]
    """Entries of the truth that match no entry of the lexicon."""
    false: frozenset[KnownEntry]
    """Entries of the lexicon that match no entry of the truth."""
    recall: float
    precision: float


def agreement(
    entries: Iterable[KnownEntry], language: KnownLanguage, episodes: Episodes, *, overlap: float = 1.0
) -> Agreement:
    """Compare a lexicon with the truth, entry by entry, on messages about `episodes` without noise.

    Entries match if their forms, edges and offsets are equal, and their sets of integers overlap: the
    intersection is at least a share `overlap` of the union. Forms in the same messages count as equal. As the
    integers of a window do not repeat, an integer that another part names alone is left out of a set.
    """
    messages = np.unique(language.without_noise().send(episodes.window), axis=0)
    listed, known = frozenset(entries), language.truth
    having = {form: carrier_mask([form], messages).tobytes() for form, _ in listed | known}

    def among(one: KnownEntry, others: frozenset[KnownEntry]) -> bool:
        same = (m for f, m in others if f == one[0] or (having[f] == having[one[0]] and any(having[f])))
        return any(_alike(one[1], meanings, overlap) for meanings in same)

    missing = frozenset(entry for entry in known if not among(entry, listed))
    false = frozenset(entry for entry in listed if not among(entry, known))
    recall, precision = 1 - len(missing) / max(len(known), 1), 1 - len(false) / max(len(listed), 1)
    return Agreement(missing, false, recall, precision)


def _alike(one: Meanings, other: Meanings, overlap: float) -> bool:
    ours, theirs = map(_integers_by_place, (one, other))
    return ours.keys() == theirs.keys() and all(
        len(ours[place] & theirs[place]) >= overlap * len(ours[place] | theirs[place]) for place in ours
    )


def _integers_by_place(meanings: Meanings) -> dict[object, set[int]]:
    """Return the integers that may stand at each place, without those that another part names alone.

    What must be equal, all but the integers, is the key.
    """
    integers = {
        part if part.place == EDGE else (part.place, part.kind): set(part.values) for part in meanings
    }
    alone = {value for values in integers.values() if len(values) == 1 for value in values}
    return {place: values - alone if len(values) > 1 else values for place, values in integers.items()}
