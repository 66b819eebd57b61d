"""How well an analysis recovered a known language."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import Episodes
from spatial_game.language.counting.forms import carrier_mask
from spatial_game.language.counting.places import edge_shares, num_shown
from spatial_game.language.known.language import KnownEntry, KnownLanguage
from spatial_game.language.meaning import Meaning, Meanings, all_hold
from spatial_game.language.npmi.npmi import integer_word_ceiling, word_ceiling


@dataclass(frozen=True)
class Score:
    """How well a lexicon agrees with a language."""

    found: frozenset[KnownEntry]
    """Entries of the truth that the lexicon has."""
    missing: frozenset[KnownEntry]
    """Entries of the truth that it lacks."""
    right: frozenset[KnownEntry]
    """Entries of the lexicon that are right, in the truth or not."""
    wrong: frozenset[KnownEntry]
    """Entries of the lexicon that are not."""
    unspoken: frozenset[KnownEntry]
    """Entries of the lexicon whose form is never intended: it comes from noise, and has no meaning."""

    @property
    def recall(self) -> float:
        """Share of the truth that was found; 1 without a truth."""
        return _share(len(self.found), len(self.missing))

    @property
    def precision(self) -> float:
        """Share of the right entries among right and wrong ones; 1 without either."""
        return _share(len(self.right), len(self.wrong))

    @property
    def strict_precision(self) -> float:
        """`precision`, with the unspoken entries counted as wrong."""
        return _share(len(self.right), len(self.wrong) + len(self.unspoken))


def score(
    entries: Iterable[KnownEntry], language: KnownLanguage, episodes: Episodes, *, least_share: float = 0.8
) -> Score:
    """Compare a lexicon with the truth, on messages about `episodes` without noise.

    An entry is right if its meaning is true in at least `least_share` of the episodes with its form. An
    offset depends on what the rest of the message names, so it is right if it is in the truth.
    """
    listed = {(form, tuple(map(_in_order, meanings))) for form, meanings in entries}
    message = language.without_noise().send(episodes.window)
    judged: dict[str, set[KnownEntry]] = {"right": set(), "wrong": set(), "unspoken": set()}
    for form, meanings in listed:
        with_form = carrier_mask([form], message)
        if meanings[0].kind == "offset":
            verdict = "right" if (form, meanings) in language.truth else "wrong"
        elif not with_form.any():
            verdict = "unspoken"
        else:
            share = all_hold(meanings, language.config, episodes.window[with_form]).mean()
            verdict = "right" if share >= least_share else "wrong"
        judged[verdict].add((form, meanings))
    return Score(
        found=language.truth & listed,
        missing=language.truth - listed,
        **{verdict: frozenset(those) for verdict, those in judged.items()},
    )


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
    return Agreement(
        missing, false, _share(len(known - missing), len(missing)), _share(len(listed - false), len(false))
    )


def _alike(one: Meanings, other: Meanings, overlap: float) -> bool:
    ours, theirs = map(_integers_by_place, (one, other))
    return ours.keys() == theirs.keys() and all(
        len(ours[place] & theirs[place]) >= overlap * len(ours[place] | theirs[place]) for place in ours
    )


def _integers_by_place(meanings: Meanings) -> dict[tuple[object, ...], set[int]]:
    """Return the integers that may stand at each place, without those that another part names alone.

    What must be equal, all but the integers, is the key.
    """
    integers = {
        (part.place, part.kind, part.values if part.kind == "edge" else ()): {
            value for value in part.values if part.kind != "edge"
        }
        for part in meanings
    }
    alone = {value for values in integers.values() if len(values) == 1 for value in values}
    return {place: values - alone if len(values) > 1 else values for place, values in integers.items()}


def _share(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else 1.0


def ceiling(language: KnownLanguage) -> float:
    """Return the NPMI of the language's words for integers if they are equally frequent.

    It is for the threshold of an analysis. A language without such words gets the value for one word per
    integer.
    """
    config, words = language.config, [m for _, [m, *_] in language.truth if m.kind == "integer"]
    if not words:
        return integer_word_ceiling(config)
    integers, shown = len(config.integers), num_shown(config)
    senses = max(len(word.values) for word in words)
    visible = 1 - math.comb(integers - senses, shown) / math.comb(integers, shown)
    middle = float(edge_shares(config)[-1])
    named = len({value for word in words for value in word.values}) / integers
    return word_ceiling(middle * named / len(words), visible)


def _in_order(meaning: Meaning) -> Meaning:
    """The same meaning with its integers in ascending order, as the truth has them."""
    return dataclasses.replace(meaning, values=tuple(sorted(meaning.values)))
