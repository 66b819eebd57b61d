"""Known languages that are hard to read: words that depend on others, fused words, negation, comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import Form
from spatial_game.language.dictionary.referents import Conjunction, IntegerAt, Referent
from spatial_game.language.synthetic.language import KnownEntry, MakeLanguage
from spatial_game.language.synthetic.parts import form_at
from spatial_game.language.synthetic.windows import Draft, MessageUnit, Unit, Words, window_language


@dataclass(frozen=True, order=True)
class Comparison:
    """The left neighbour is larger than the right one, or smaller. No lexicon of ours can say so."""

    larger: bool


def context_words(draft: Draft) -> list[Unit]:
    """Say the class of the right neighbour in slot 0, and name the left one by a word that depends on it."""
    draft.require_length("context words", 3)
    says_class, rest = draft.symbols[:2], replace(draft, symbols=draft.symbols[2:])
    classes, each = draft.classes(), draft.each()
    by_class = rest.words(len(each), len(draft.slots) - 1)
    words = np.array(
        [[(first, *word) for word in draft.rng.permutation(by_class)] for first in says_class], dtype=np.int16
    )
    truth: set[KnownEntry] = set()
    for number, first in enumerate(says_class.tolist()):
        members = tuple(np.flatnonzero(classes == number).tolist())
        truth.add((Form((first,), 0), IntegerAt(members, draft.right)))
        truth |= {
            (form_at(draft.slots, word), IntegerAt((k,), draft.left)) for k, word in enumerate(words[number])
        }
    unit = draft.unit(draft.slots, {draft.right: classes, draft.left: each}, words=words)
    return [replace(unit, senses=frozenset(truth))]


def fused(draft: Draft) -> list[Unit]:
    """Say bands of both neighbours in separate slots; a quarter of the pairs have a whole message instead."""
    draft.require_length("fused", 2)
    right, left = draft.bands(5), draft.bands(6)
    first, others = draft.symbols[:5], draft.symbols[5:]
    seconds = replace(draft, symbols=others).words(6, len(draft.slots) - 1)
    words = np.array([[(a, *b) for b in seconds] for a in first], dtype=np.int16)
    pairs = draft.rng.permutation(words.shape[0] * words.shape[1])[: words.shape[0] * words.shape[1] // 4]
    whole = replace(draft, symbols=others).words(len(pairs), len(draft.slots))
    words.reshape(-1, len(draft.slots))[pairs] = whole

    def says(groups: np.ndarray, number: int, offset: object) -> IntegerAt:
        return IntegerAt(tuple(np.flatnonzero(groups == number).tolist()), offset)  # type: ignore[arg-type]

    truth: set[KnownEntry] = {(Form((int(a),), 0), says(right, i, draft.right)) for i, a in enumerate(first)}
    truth |= {(form_at(draft.slots[1:], b), says(left, i, draft.left)) for i, b in enumerate(seconds)}
    for pair, word in zip(pairs.tolist(), whole, strict=True):
        i, j = divmod(pair, words.shape[1])
        meaning = Conjunction((says(right, i, draft.right), says(left, j, draft.left)))
        truth.add((form_at(draft.slots, word), meaning))
    unit = draft.unit(draft.slots, {draft.right: right, draft.left: left}, words=words)
    return [replace(unit, senses=frozenset(truth))]


def zipf_homonyms(draft: Draft) -> list[Unit]:
    """Name the left neighbour with one of three whole messages; the rarest also names another integer."""
    each = draft.each()
    words = draft.words(2 * len(each) + -(-len(each) // 2), len(draft.slots))
    group = draft.sets(2)
    variants = np.stack(
        [words[: len(each)], words[len(each) : 2 * len(each)], words[2 * len(each) + group]], 1
    )
    truth: set[KnownEntry] = set()
    for k, ways in enumerate(variants):
        for way, word in enumerate(ways):
            named = np.flatnonzero(group == group[k]).tolist() if way == 2 else [k]
            truth.add((form_at(draft.slots, word), IntegerAt(tuple(named), draft.left)))
    often = replace(draft, zipf=max(draft.zipf, 1.0))
    unit = often.unit(draft.slots, {draft.left: each}, variants=3, words=variants)
    return [replace(unit, senses=frozenset(truth))]


@dataclass(frozen=True)
class Shuffled:
    """The symbols of several units in any order."""

    units: tuple[MessageUnit, ...]

    def write(self, message: Words, window: IntArray, rng: np.random.Generator) -> None:
        """Write the units into messages (B, T) about windows (B, W), in any order."""
        for unit in self.units:
            unit.write(message, window, rng)
        message[:] = rng.permuted(message, axis=1)

    def truth(self) -> frozenset[KnownEntry]:
        """Return the meaning of every symbol, anywhere."""
        return frozenset((Form(form.symbols, None), m) for unit in self.units for form, m in unit.truth())


def order_free(draft: Draft) -> list[Unit]:
    """Say a band of the neighbour at one offset with each symbol; symbols stand in any order."""
    draft.require_length("order free", 2)
    offsets = [draft.left, draft.right, draft.steps(-2), draft.steps(2)]
    known = [offset for offset in offsets if offset in draft.config.offsets][: len(draft.slots)]
    parts = np.array_split(draft.symbols, len(draft.slots))
    units = []
    for slot, (offset, symbols) in enumerate(zip(known, parts, strict=False)):
        own = replace(draft, symbols=symbols)
        units.append(own.unit([slot], {offset: draft.bands(min(6, len(symbols)))}))
    return [Shuffled(tuple(units))]


@dataclass(frozen=True)
class Negated:
    """A whole message that names a group of which the integer is no member, drawn at random."""

    unit: MessageUnit

    def write(self, message: Words, window: IntArray, rng: np.random.Generator) -> None:
        """Write one of the other groups into messages (B, T) about windows (B, W)."""
        [group], [place] = self.unit.groups, self.unit.places
        number = int(group.max()) + 1
        other = (group[window[:, place]] + rng.integers(1, number, len(window))) % number
        message[:, list(self.unit.slots)] = self.unit.words[other, 0]

    def truth(self) -> frozenset[KnownEntry]:
        """Return for every message the integers that are not of its group."""
        [group], [offset] = self.unit.groups, self.unit.offsets
        return frozenset(
            (form_at(self.unit.slots, word[0]), IntegerAt(tuple(np.flatnonzero(group != i).tolist()), offset))
            for i, word in enumerate(self.unit.words)
        )


def negation(draft: Draft) -> list[Unit]:
    """Name one of four sets of which the left neighbour is no member, with a whole message."""
    return [Negated(draft.unit(draft.slots, {draft.left: draft.sets(-(-len(draft.each()) // 4))}))]


@dataclass(frozen=True)
class Compared:
    """Two symbols in slot 0: which of the two neighbours is larger."""

    symbols: tuple[int, int]  # for a smaller left neighbour, and for a larger one
    places: tuple[int, int]

    def write(self, message: Words, window: IntArray, rng: np.random.Generator) -> None:
        """Write the comparison into messages (B, T) about windows (B, W)."""
        left, right = self.places
        message[:, 0] = np.where(window[:, left] > window[:, right], self.symbols[1], self.symbols[0])

    def truth(self) -> frozenset[KnownEntry]:
        """Return the meanings of both symbols."""
        pairs = zip(self.symbols, (False, True), strict=True)
        return frozenset((Form((s,), 0), cast(Referent, Comparison(larger))) for s, larger in pairs)


def comparison(draft: Draft) -> list[Unit]:
    """Say in slot 0 which neighbour is larger, and in the others a band of the integer two to the left."""
    draft.require_length("comparison", 2)
    rest = replace(draft, symbols=draft.symbols[2:])
    two_left = draft.steps(-2) if draft.config.window_radius > 1 else draft.left
    band = rest.unit(draft.slots[1:], {two_left: draft.bands(6)})
    [left], [right] = (rest.unit([0], {o: draft.classes()}).places for o in (draft.left, draft.right))
    said: tuple[int, int] = (int(draft.symbols[0]), int(draft.symbols[1]))
    return [Compared(said, (left, right)), band]


_WRITTEN: tuple[Callable[[Draft], list[Unit]], ...] = (
    context_words,
    fused,
    zipf_homonyms,
    order_free,
    negation,
    comparison,
)
HARD_LANGUAGES: dict[str, MakeLanguage] = {
    written.__name__.replace("_", "-"): partial(window_language, written.__name__.replace("_", " "), written)
    for written in _WRITTEN
}
"""The hard languages by name. They are not among `LANGUAGES`, which the analyser recovers."""
