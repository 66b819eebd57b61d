"""Known languages that always say the same about a window of the middle: bands, sets and classes.

Their messages have *units*: some of the slots, whose symbols depend on the integers at some offsets. Each
edge repeats its own symbol.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, Offset, require
from spatial_game.game.episodes import IntArray, mask_columns
from spatial_game.language.counting.places import middle_column, places_at_offsets
from spatial_game.language.known.language import (
    FREE,
    KnownEntry,
    KnownLanguage,
    MakeLanguage,
    check_rates,
    filled,
)
from spatial_game.language.known.parts import draw_distinct, edge_truth, form_at
from spatial_game.language.meaning import Meaning

Words = npt.NDArray[np.int16]


@dataclass(frozen=True)
class MessageUnit:
    """Symbols in some slots, by the integers at some offsets."""

    slots: tuple[int, ...]
    offsets: tuple[Offset, ...]
    places: tuple[int, ...]  # of the offsets, in a window with the mask in the middle
    groups: tuple[IntArray, ...]  # for each offset (N,), the number of the group of each integer
    words: Words  # (groups of each offset ..., variants, slots), symbols or FREE
    shares: npt.NDArray[np.float64]  # (variants,), how often each variant is used
    senses: frozenset[KnownEntry] | None = None  # what is true; None: each word means its groups together

    def write(self, message: Words, window: IntArray, rng: np.random.Generator) -> None:
        """Write the unit into messages (B, T) about windows (B, W) with the mask in the middle."""
        pairs = zip(self.places, self.groups, strict=True)
        said = tuple(group[window[:, place]] for place, group in pairs)
        variant = rng.choice(len(self.shares), len(window), p=self.shares)
        message[:, list(self.slots)] = self.words[(*said, variant)]

    def truth(self) -> frozenset[KnownEntry]:
        """Return the meaning of every variant of every word."""
        if self.senses is not None:
            return self.senses
        found: set[KnownEntry] = set()
        for number in np.ndindex(self.words.shape[:-1]):
            pairs = zip(number[:-1], self.groups, self.offsets, strict=True)
            sets = tuple(Meaning(offset, tuple(np.flatnonzero(g == i).tolist())) for i, g, offset in pairs)
            found.add((form_at(self.slots, self.words[number]), sets))
        return frozenset(found)


class Unit(Protocol):
    """Writes a part of a message, or all of it, and knows what that means."""

    def write(self, message: Words, window: IntArray, rng: np.random.Generator) -> None:
        """Write the unit into messages (B, T) about windows (B, W) with the mask in the middle."""
        ...

    def truth(self) -> frozenset[KnownEntry]:
        """Return the true entries."""
        ...


@dataclass(frozen=True)
class UnitSpeech:
    """Says the edge with a whole message, and anything else with units (a `Speech`)."""

    edges: Words  # (2r, T)
    fillers: Words  # (S,), symbols for the free slots
    units: tuple[Unit, ...]

    def __call__(self, window: IntArray, rng: np.random.Generator) -> Words:
        """Return messages (B, T) for windows (B, W)."""
        radius = window.shape[1] // 2
        column = mask_columns(window)
        message = np.full((len(window), self.edges.shape[1]), FREE, dtype=np.int16)
        middle = column == radius
        said, inside = message[middle], window[middle]
        for unit in self.units:
            unit.write(said, inside, rng)
        message[middle] = said
        message[~middle] = self.edges[(column - (column > radius))[~middle]]
        return filled(message, self.fillers, rng)


@dataclass(frozen=True)
class Draft:
    """The material of a language: the game, a generator, and the symbols that edges do not use."""

    config: GameConfig
    rng: np.random.Generator
    symbols: Words
    zipf: float

    def steps(self, step: int, axis: int = -1) -> Offset:
        """Return the offset of these steps along an axis (default: the last): -1 is the left neighbour."""
        along = [0] * len(self.config.shape)
        along[axis] = step
        return tuple(along) if len(along) > 1 else step

    @property
    def left(self) -> Offset:
        """The offset of the left neighbour."""
        return self.steps(-1)

    @property
    def right(self) -> Offset:
        """The offset of the right neighbour."""
        return self.steps(1)

    @property
    def slots(self) -> tuple[int, ...]:
        """All slots of a message."""
        return tuple(range(self.config.message_length))

    def require_length(self, name: str, least: int) -> None:
        """Raise `ValueError` for messages that are too short."""
        length = self.config.message_length
        require(length >= least, f"{name} needs message_length >= {least}", length)

    def each(self) -> IntArray:
        """Return groups of one integer each."""
        return np.arange(len(self.config.integers))

    def bands(self, number: int = 8) -> IntArray:
        """Return at most this number of bands, of random widths of at least 2."""
        integers = len(self.config.integers)
        require(integers >= 4, "bands need at least 4 integers", integers)
        number = max(2, min(number, integers // 3))
        gaps = self.rng.choice(np.arange(2, integers - number + 1), number - 1, replace=False)
        starts = np.sort(gaps) + np.arange(number - 1)
        return np.searchsorted(starts, np.arange(integers), side="right")

    def sets(self, size: int) -> IntArray:
        """Return random sets with this number of integers."""
        return self.rng.permutation(len(self.config.integers)) // size

    def classes(self) -> IntArray:
        """Return two classes, each of half of the integers."""
        return self.rng.permutation(len(self.config.integers)) % 2

    def words(self, number: int, length: int) -> Words:
        """Return random distinct words, which share no parts.

        Any two differ in all slots if there are enough symbols; otherwise words of three or more symbols
        differ in two slots.
        """
        if number <= len(self.symbols):
            return np.stack([self.rng.permutation(self.symbols)[:number] for _ in range(length)], axis=1)
        if length < 3:
            return draw_distinct(self.rng, self.symbols, length, number)
        many = draw_distinct(self.rng, self.symbols, length, min(20 * number, len(self.symbols) ** length))
        seen: set[tuple[int, ...]] = set()
        kept: list[list[int]] = []
        for word in many.tolist():
            parts = {(slot, *word[:slot], *word[slot + 1 :]) for slot in range(length)}
            if not parts & seen and len(kept) < number:
                seen |= parts
                kept.append(word)
        require(len(kept) == number, f"the language needs {number} words that differ in two slots", len(kept))
        return np.array(kept, dtype=np.int16)

    def unit(
        self,
        slots: Sequence[int],
        by_offset: dict[Offset, IntArray],
        variants: int = 1,
        words: Words | None = None,
    ) -> MessageUnit:
        """Return a unit with a random word for each group, or with these words."""
        groups = tuple(by_offset.values())
        shape = (*(int(group.max()) + 1 for group in groups), variants)
        if words is None:
            words = self.words(int(np.prod(shape)), len(slots))
        shares = np.arange(1, variants + 1) ** -float(self.zipf)
        beside = places_at_offsets(self.config)[middle_column(self.config)].tolist()
        places = tuple(beside[self.config.offsets.index(offset)] for offset in by_offset)
        words = words.reshape(*shape, len(slots))
        return MessageUnit(tuple(slots), tuple(by_offset), places, groups, words, shares / shares.sum())


def bands(draft: Draft) -> list[MessageUnit]:
    """Say the band of the left neighbour with a whole message."""
    return [draft.unit(draft.slots, {draft.left: draft.bands()})]


def two_bands(draft: Draft) -> list[MessageUnit]:
    """Say the bands of the neighbours on both sides with a whole message."""
    return [draft.unit(draft.slots, {draft.left: draft.bands(5), draft.right: draft.bands(5)})]


def bands_in_slots(draft: Draft) -> list[MessageUnit]:
    """Say the band of the neighbour at one offset in each slot."""
    return [draft.unit([slot], {offset: draft.bands()}) for slot, offset in _slots_and_offsets(draft)]


def sets(draft: Draft, size: int = 3) -> list[MessageUnit]:
    """Say which of several small sets has the left neighbour, with a whole message."""
    return [draft.unit(draft.slots, {draft.left: draft.sets(size)})]


def homonyms(draft: Draft) -> list[MessageUnit]:
    """Name the left neighbour with a whole message that also names another integer."""
    return sets(draft, 2)


def slotwise(draft: Draft) -> list[MessageUnit]:
    """Name the neighbour at one offset in each slot; with few symbols, name its set."""
    size = -(-len(draft.config.integers) // len(draft.symbols))
    return [draft.unit([slot], {offset: draft.sets(size)}) for slot, offset in _slots_and_offsets(draft)]


def class_bit(draft: Draft) -> list[MessageUnit]:
    """Say which of two classes has the right neighbour in slot 0; name the left one in the others."""
    draft.require_length("class bit", 2)
    variants = min(5, len(draft.symbols) // 2)
    return [
        draft.unit([0], {draft.right: draft.classes()}, variants),
        draft.unit(draft.slots[1:], {draft.left: draft.each()}),
    ]


def interleaved(draft: Draft) -> list[MessageUnit]:
    """Name the left neighbour in the first slot and the last, and between them a band of the right one."""
    draft.require_length("interleaved", 3)
    return [
        draft.unit([0, draft.slots[-1]], {draft.left: draft.each()}),
        draft.unit([1], {draft.right: draft.bands()}),
    ]


def zipf_synonyms(draft: Draft) -> list[MessageUnit]:
    """Name the left neighbour with one of three whole messages; some are rarer."""
    often = Draft(draft.config, draft.rng, draft.symbols, max(draft.zipf, 1.0))
    return [often.unit(draft.slots, {draft.left: draft.each()}, variants=3)]


def context_synonyms(draft: Draft) -> list[MessageUnit]:
    """Name the left neighbour with one of two whole messages, depending on the class of the right one.

    Each symbol is in each slot in the same number of words for both classes, so it does not tell the class.
    """
    draft.require_length("context synonyms", 2)
    words = draft.words(len(draft.config.integers), len(draft.slots))
    by_offset = {draft.left: draft.each(), draft.right: draft.classes()}
    for _ in range(1_000):  # with few symbols there may be no such words
        other = draft.rng.permuted(words, axis=0)
        if len(np.unique(np.concatenate([words, other]), axis=0)) == 2 * len(words):
            return [draft.unit(draft.slots, by_offset, words=np.stack([words, other], axis=1))]
    raise ValueError(f"context synonyms needs more symbols beside edges; got {len(draft.symbols)}")


def prefix_code(draft: Draft) -> list[MessageUnit]:
    """Name the left neighbour with a word of one or two symbols; the other slots are random."""
    draft.require_length("prefix code", 2)
    integers, symbols = len(draft.config.integers), draft.symbols
    long = min(integers, len(symbols)) // 2
    first, second = symbols[long:], symbols
    require(integers - long <= len(first) * len(second), "prefix code needs more symbols", len(symbols))
    words = np.full((integers, draft.config.message_length), FREE, dtype=np.int16)
    words[:long, 0] = symbols[:long]
    pairs = np.array(list(itertools.product(first, second)), dtype=np.int16)
    words[long:, :2] = pairs[draft.rng.permutation(len(pairs))[: integers - long]]
    return [draft.unit(draft.slots, {draft.left: draft.each()}, words=draft.rng.permutation(words))]


def larger_of_two(draft: Draft) -> list[MessageUnit]:
    """Name the larger of the two neighbours with a whole message, so a word has two senses."""
    each, words = draft.each(), draft.words(len(draft.config.integers), len(draft.slots))
    unit = draft.unit(
        draft.slots, {draft.left: each, draft.right: each}, words=words[np.maximum(each[:, None], each)]
    )
    senses = _either(draft, words, words)  # 0 is never larger
    spoken = frozenset((form, meanings) for form, meanings in senses if meanings[0].values != (0,))
    return [replace(unit, senses=spoken)]


def two_senses(draft: Draft) -> list[MessageUnit]:
    """Name the left or the right neighbour with a whole message that means two different integers."""
    each, words = draft.each(), draft.words(len(draft.config.integers), len(draft.slots))
    shape = (len(each), len(each), len(draft.slots))
    other = np.roll(words, 1, axis=0)
    either = np.stack([np.broadcast_to(w, shape) for w in (words[:, None], other)], axis=2)
    unit = draft.unit(draft.slots, {draft.left: each, draft.right: each}, 2, either)
    return [replace(unit, shares=np.full(2, 0.5), senses=_either(draft, words, other))]


def _either(draft: Draft, left: Words, right: Words) -> frozenset[KnownEntry]:
    """Return the senses of words that name an integer on the left, or one on the right."""
    return frozenset(
        (form_at(draft.slots, word), (Meaning(offset, (k,)),))
        for offset, words in ((draft.left, left), (draft.right, right))
        for k, word in enumerate(words)
    )


def _slots_and_offsets(draft: Draft) -> list[tuple[int, Offset]]:
    """Return pairs of a slot and an offset along an axis, nearest first."""
    radius, axes = draft.config.window_radius, range(len(draft.config.shape))
    steps = [
        (side * distance, axis) for distance in range(1, radius + 1) for side in (-1, 1) for axis in axes
    ]
    offsets = [draft.steps(step, axis) for step, axis in steps]
    return list(zip(draft.slots, offsets, strict=False))


def window_language(
    name: str,
    written: Callable[[Draft], Sequence[Unit]],
    config: GameConfig,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    zipf: float = 0.0,
) -> KnownLanguage:
    """Return the language of the units that a function writes; see `MakeLanguage`."""
    check_rates(noise, zipf)
    sides, length = config.window_size - 1, config.message_length
    require(config.num_hidden == 0, f"{name} needs windows seen in full", f"num_visible {config.num_visible}")
    require(
        config.vocab_size >= sides + 4,
        f"{name} needs vocab_size >= {sides + 4}, a symbol for each edge and four more",
        config.vocab_size,
    )
    symbols = rng.permutation(config.vocab_size).astype(np.int16)
    edges = np.repeat(symbols[:sides, None], length, axis=1)
    units = written(Draft(config, rng, symbols[sides:], zipf))
    truth = edge_truth(config, edges)
    for unit in units:
        truth |= unit.truth()
    return KnownLanguage(name, config, truth, UnitSpeech(edges, symbols[sides:], tuple(units)), noise, rng)


WINDOW_LANGUAGES: dict[str, MakeLanguage] = {
    written.__name__.replace("_", "-"): partial(window_language, written.__name__.replace("_", " "), written)
    for written in (
        bands,
        two_bands,
        bands_in_slots,
        sets,
        slotwise,
        class_bit,
        interleaved,
        homonyms,
        two_senses,
        larger_of_two,
        zipf_synonyms,
        context_synonyms,
        prefix_code,
    )
}
"""The languages by name."""
