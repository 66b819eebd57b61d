"""The known languages, each a function that drafts its units.

The first ones say one thing about a window of the middle: one visible integer, drawn at random in each
episode, and its offset. The others always say the same: the bands, sets or classes of the integers at some
offsets. A window at a border has a message of one symbol, repeated.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.config import Offset
from spatial_game.game.episodes import IntArray
from spatial_game.game.windows import place_coordinates
from spatial_game.language.counting.forms import ngrams
from spatial_game.language.counting.places import middle_column
from spatial_game.language.known.language import (
    FREE,
    NAMED,
    PLACE,
    Draft,
    KnownEntry,
    MakeLanguage,
    Topic,
    Unit,
    Words,
    fewest_symbols,
    form_of,
    language,
)
from spatial_game.language.meaning import Meaning

Units = Sequence[Unit]

# --- One visible integer, and its offset --------------------------------------------------------------------


def compositional(draft: Draft, slot: int = 0) -> Units:
    """Say the offset with one symbol, in this slot, and the integer with the symbols of the other slots."""
    draft.require_length(2)
    others = [other for other in draft.slots if other != slot]
    return [_offsets(draft, [slot]), _integers(draft, others)]


def compositional_last(draft: Draft) -> Units:
    """Speak as `compositional`, with the offset in the last slot."""
    return compositional(draft, draft.slots[-1])


def tens_offset_units(draft: Draft) -> Units:
    """Speak as `compositional`, with the offset in the middle, between the parts of a word."""
    draft.require_length(3)
    return compositional(draft, len(draft.slots) // 2)


def slot_invariant(draft: Draft) -> Units:
    """Speak as `compositional`, with the two parts in either order, drawn at random in each episode."""
    draft.require_length(2)
    return [_offsets(draft, None), _integers(draft, None)]


def by_axis(draft: Draft) -> Units:
    """Say the offset with one symbol for each axis, and the integer with the symbols of the other slots."""
    axes, steps = len(draft.config.shape), 2 * draft.config.window_radius + 1
    draft.require_length(axes + 1)
    of_axis = draft.deal(axes * steps).reshape(axes, steps)
    places = np.delete(place_coordinates(draft.config), middle_column(draft.config), axis=0)
    offsets = draft.unit(draft.slots[:axes], {PLACE: draft.each(PLACE)}, of_axis[np.arange(axes), places])
    return [offsets, _integers(draft, draft.slots[axes:])]


def polysemous(draft: Draft, senses: int = 2) -> Units:
    """Speak as `compositional`, with words for sets of integers."""
    draft.require_length(2)
    groups = draft.sets(senses)
    words = draft.words_of_few(int(groups.max()) + 1, len(draft.slots) - 1)
    return [_offsets(draft, [0]), draft.unit(draft.slots[1:], {NAMED: groups}, words)]


def synonymous(draft: Draft, synonyms: int = 2) -> Units:
    """Speak as `compositional`, with several words for each integer; each episode uses one at random."""
    draft.require_length(2)
    return [_offsets(draft, [0]), _integers(draft, draft.slots[1:], synonyms)]


def mixed_lengths(draft: Draft) -> Units:
    """Speak as `compositional`; half of the words are a symbol shorter, with a random symbol after them.

    They begin with symbols that no long word has.
    """
    draft.require_length(3)
    length = len(draft.slots) - 1
    offsets = _offsets(draft, [0])
    long_symbols = draft.symbols[: fewest_symbols(draft.num_integers, length)]
    draft.symbols = draft.symbols[len(long_symbols) :]
    short_symbols = draft.deal(len(draft.symbols))
    draft.symbols = long_symbols
    num_short = min(draft.num_integers // 2, len(short_symbols) ** (length - 1))
    short = draft.words(num_short, length - 1, short_symbols)
    long = draft.words(draft.num_integers - num_short, length, long_symbols)
    words = np.concatenate([np.pad(short, ((0, 0), (0, 1)), constant_values=FREE), long])
    return [offsets, draft.unit(draft.slots[1:], {NAMED: draft.each()}, draft.rng.permutation(words))]


def holistic(draft: Draft) -> Units:
    """Say the integer and its offset with a whole message, whose parts mean nothing."""
    messages = _without_parts(draft, draft.num_integers * draft.num_near)
    return [draft.unit(draft.slots, {NAMED: draft.each(), PLACE: draft.each(PLACE)}, messages)]


def mixture(draft: Draft, holistic_share: float = 0.25) -> Units:
    """Speak as `holistic` of a share of the integers, and as `compositional` of the others.

    The whole messages have their own symbols.
    """
    draft.require_length(2)
    offsets, integers = _offsets(draft, [0]), _integers(draft, draft.slots[1:])
    whole = draft.rng.permutation(draft.num_integers)[: round(holistic_share * draft.num_integers)]
    messages = np.empty((draft.num_integers, draft.num_near, len(draft.slots)), dtype=np.int16)
    messages[..., :1] = offsets.words[:, 0]
    messages[..., 1:] = integers.words
    messages[whole] = _without_parts(draft, len(whole) * draft.num_near).reshape(-1, *messages.shape[1:])
    pairs = draft.unit(draft.slots, {NAMED: draft.each(), PLACE: draft.each(PLACE)}, messages)

    def about(unit: Unit, named: IntArray) -> set[KnownEntry]:
        return {entry for entry in unit.truth(draft.config) if entry[1][0].values[0] in named}

    spoken = np.setdiff1d(np.arange(draft.num_integers), whole)
    senses = about(pairs, whole) | about(integers, spoken) | offsets.truth(draft.config)
    return [replace(pairs, senses=frozenset(senses))]


def edges_only(draft: Draft) -> Units:
    """Say only the edge; everything else is random."""
    return []


def _offsets(draft: Draft, slots: Sequence[int] | None) -> Unit:
    """Return a unit with a symbol for each offset of a window of the middle."""
    return draft.unit(slots, {PLACE: draft.each(PLACE)}, draft.deal(draft.num_near)[:, None])


def _integers(draft: Draft, slots: Sequence[int] | None, synonyms: int = 1) -> Unit:
    """Return a unit with words for each integer; without slots, a symbol shorter than a message."""
    length = len(draft.slots) - 1 if slots is None else len(slots)
    words = draft.words_of_few(synonyms * draft.num_integers, length)
    return draft.unit(slots, {NAMED: draft.each()}, words)


_TELLING = 0.8
"""An n-gram tells something if this share of its messages agree: the least confidence of an entry."""
_ATTEMPTS = 100


def _without_parts(draft: Draft, number: int) -> Words:
    """Return messages (M, T) for integers, each at the offsets of the middle, whose parts mean nothing.

    Messages with a telling n-gram change places with others until there are none left, or many attempts have
    failed.
    """
    messages = draft.words(number, len(draft.slots), draft.symbols)
    carriers = _carriers(messages)
    total = carriers.sum(axis=1)
    integer, offset = np.divmod(np.arange(number), draft.num_near)
    order = np.arange(number)  # of the messages, by what they mean
    for _ in range(_ATTEMPTS):
        telling = np.zeros(number, dtype=bool)
        for meaning in (integer, offset):
            by_meaning = sp.csr_array((np.ones(number), (order, meaning)))
            most = (carriers @ by_meaning).max(axis=1).toarray().reshape(-1)
            agree = np.flatnonzero((total > 1) & (most >= _TELLING * total))
            telling[carriers[agree].indices] = True
        rows = np.flatnonzero(telling[order])
        if len(rows) == 0:
            break
        for one, other in zip(rows, draft.rng.permutation(number), strict=False):
            order[[one, other]] = order[[other, one]]
    return messages[order]


def _carriers(messages: Words) -> sp.csr_array[Any]:
    """Return (F, M), 1 where a message has an n-gram, among all messages and beside n-grams of one message.

    An analysis can take an n-gram of one message for the word of its integer, and what is beside it in others
    for the word of its offset. It takes the longest, then the leftmost.
    """
    table = ngrams(messages)
    own = np.flatnonzero((table.incidence.sum(axis=1) == 1) & (table.slot >= 0))
    carrier = table.incidence[own].indices
    order = np.lexsort((table.slot[own], -table.length[own], carrier))
    having, first = np.unique(carrier[order], return_index=True)
    longest = own[order[first]]
    beside = ngrams(messages[having], table.slot[longest], table.length[longest]).incidence
    columns = (np.ones(len(having)), (np.arange(len(having)), having))
    beside @= sp.csr_array(columns, shape=(len(having), len(messages)))
    return sp.csr_array(sp.vstack([table.incidence, beside]))


# --- The integers at some offsets, always -------------------------------------------------------------------


def bands(draft: Draft) -> Units:
    """Say the band of the left neighbour with a whole message."""
    return [draft.unit(draft.slots, {draft.left: draft.bands()})]


def two_bands(draft: Draft) -> Units:
    """Say the bands of the neighbours on both sides with a whole message."""
    return [draft.unit(draft.slots, {draft.left: draft.bands(5), draft.right: draft.bands(5)})]


def bands_in_slots(draft: Draft) -> Units:
    """Say the band of the neighbour at one offset in each slot."""
    return [draft.unit([slot], {offset: draft.bands()}) for slot, offset in _slots_and_offsets(draft)]


def sets(draft: Draft, size: int = 3) -> Units:
    """Say which of several small sets has the left neighbour, with a whole message."""
    return [draft.unit(draft.slots, {draft.left: draft.sets(size)})]


def homonyms(draft: Draft) -> Units:
    """Name the left neighbour with a whole message that also names another integer."""
    return sets(draft, 2)


def slotwise(draft: Draft) -> Units:
    """Name the neighbour at one offset in each slot; with few symbols, name its set."""
    size = -(-draft.num_integers // len(draft.symbols))
    return [draft.unit([slot], {offset: draft.sets(size)}) for slot, offset in _slots_and_offsets(draft)]


def any_order(draft: Draft, fillers: int = 0) -> Units:
    """Name the set of the neighbour at one offset with each symbol; the symbols stand in any order.

    `fillers`: slots with symbols that mean nothing.
    """
    size = -(-draft.num_integers // (len(draft.symbols) // len(draft.slots)))
    units = []
    for _, offset in _slots_and_offsets(draft)[: len(draft.slots) - fillers]:
        groups = draft.sets(size)
        units.append(draft.unit(None, {offset: groups}, draft.deal(int(groups.max()) + 1)[:, None]))
    return units


def any_order_with_fillers(draft: Draft) -> Units:
    """Speak as `any_order`, with a symbol that means nothing in one of the slots."""
    draft.require_length(2)
    return any_order(draft, 1)


def class_bit(draft: Draft) -> Units:
    """Say which of two classes has the right neighbour in slot 0; name the left one in the others."""
    draft.require_length(2)
    variants = min(5, len(draft.symbols) // 2)
    return [
        draft.unit([0], {draft.right: draft.classes()}, variants=variants),
        draft.unit(draft.slots[1:], {draft.left: draft.each()}),
    ]


def interleaved(draft: Draft) -> Units:
    """Name the left neighbour in the first slot and the last, and between them a band of the right one."""
    draft.require_length(3)
    return [
        draft.unit([0, draft.slots[-1]], {draft.left: draft.each()}),
        draft.unit([1], {draft.right: draft.bands()}),
    ]


def zipf_synonyms(draft: Draft) -> Units:
    """Name the left neighbour with one of three whole messages; the second and third are rarer."""
    return [draft.unit(draft.slots, {draft.left: draft.each()}, variants=3, zipf=1.0)]


def context_synonyms(draft: Draft) -> Units:
    """Name the left neighbour with one of two whole messages, depending on the class of the right one.

    Each symbol is in each slot in the same number of words for both classes, so it does not tell the class.
    """
    draft.require_length(2)
    words = draft.words_apart(draft.num_integers, len(draft.slots))
    groups: dict[Topic, IntArray] = {draft.left: draft.each(), draft.right: draft.classes()}
    for _ in range(1_000):  # with few symbols there may be no such words
        other = draft.rng.permuted(words, axis=0)
        if len(np.unique(np.concatenate([words, other]), axis=0)) == 2 * len(words):
            return [draft.unit(draft.slots, groups, np.stack([words, other], axis=1))]
    raise ValueError(f"context synonyms needs more symbols beside edges; got {len(draft.symbols)}")


def prefix_code(draft: Draft) -> Units:
    """Name the left neighbour with a word of one or two symbols; the other slots are random."""
    draft.require_length(2)
    num_short = min(draft.num_integers, len(draft.symbols)) // 2
    short, first = np.split(draft.symbols, [num_short])
    pairs = np.array(list(itertools.product(first, draft.symbols)), dtype=np.int16)
    num_long = draft.num_integers - num_short
    draft.require(num_long <= len(pairs), f"{num_long} words of two symbols", len(pairs))
    words = np.full((draft.num_integers, len(draft.slots)), FREE, dtype=np.int16)
    words[:num_short, 0] = short
    words[num_short:, :2] = draft.rng.permutation(pairs)[:num_long]
    return [draft.unit(draft.slots, {draft.left: draft.each()}, draft.rng.permutation(words))]


def larger_of_two(draft: Draft) -> Units:
    """Name the larger of the two neighbours with a whole message, so a word has two senses."""
    each, words = draft.each(), draft.words_apart(draft.num_integers, len(draft.slots))
    larger = words[np.maximum(each[:, None], each)]
    senses = _either(draft, words[1:], words[1:], first=1)  # 0 is never larger
    return [draft.unit(draft.slots, {draft.left: each, draft.right: each}, larger, senses=senses)]


def two_senses(draft: Draft) -> Units:
    """Name the left or the right neighbour with a whole message that means two different integers."""
    each, words = draft.each(), draft.words_apart(draft.num_integers, len(draft.slots))
    other = np.roll(words, 1, axis=0)
    either = np.stack(np.broadcast_arrays(words[:, None], other), axis=2)
    senses = _either(draft, words, other)
    return [draft.unit(draft.slots, {draft.left: each, draft.right: each}, either, senses=senses)]


def _either(draft: Draft, left: Words, right: Words, first: int = 0) -> frozenset[KnownEntry]:
    """Return the senses of words that name an integer on the left, or one on the right."""
    return frozenset(
        (form_of(draft.slots, word), (Meaning(offset, (k,)),))
        for offset, words in ((draft.left, left), (draft.right, right))
        for k, word in enumerate(words, first)
    )


def _slots_and_offsets(draft: Draft) -> list[tuple[int, Offset]]:
    """Return pairs of a slot and an offset along an axis, nearest first."""
    distances = range(1, draft.config.window_radius + 1)
    axes = range(len(draft.config.shape))
    offsets = [draft.steps(side * n, axis) for n in distances for side in (-1, 1) for axis in axes]
    return list(zip(draft.slots, offsets, strict=False))


LANGUAGES: dict[str, MakeLanguage] = {
    drafted.__name__.replace("_", "-"): partial(language, drafted.__name__.replace("_", " "), drafted)
    for drafted in (
        compositional,
        compositional_last,
        by_axis,
        mixed_lengths,
        slot_invariant,
        holistic,
        edges_only,
        polysemous,
        synonymous,
        mixture,
        tens_offset_units,
        bands,
        two_bands,
        bands_in_slots,
        sets,
        slotwise,
        any_order,
        any_order_with_fillers,
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
