"""The known languages, each by the units that speak it: `LANGUAGES`, at the end, is the list.

The first ones say one thing about a window of the middle: one visible integer, drawn at random in each
episode, and its offset. The others always say the same: the bands, sets or classes of the integers at some
offsets. A window at a border has a message of one symbol, repeated.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.game.windows import place_coordinates
from spatial_game.language.counting.forms import ngrams
from spatial_game.language.counting.places import middle_column
from spatial_game.language.counting.rows import Symbols
from spatial_game.language.known.language import (
    FREE,
    NAMED,
    PLACE,
    Draft,
    KnownEntry,
    Topic,
    Unit,
    fewest_symbols,
    form_of,
    make_language,
)
from spatial_game.language.lexicon.meaning import Meaning

# --- One visible integer, and its offset --------------------------------------------------------------------


def _offsets(draft: Draft, slots: Sequence[int] | None) -> Unit:
    """Return a unit with a symbol for each offset of a window of the middle."""
    return draft.unit(slots, {PLACE: draft.each(PLACE)}, draft.deal(draft.num_near)[:, None])


def _integers(draft: Draft, slots: Sequence[int] | None, size: int = 1, synonyms: int = 1) -> Unit:
    """Return a unit with words for each integer, or for sets of this size; they leave one slot to offsets."""
    groups = draft.each() if size == 1 else draft.sets(size)
    number = synonyms * (int(groups.max()) + 1)
    return draft.unit(slots, {NAMED: groups}, draft.words_of_few(number, len(draft.slots) - 1))


def _compositional(draft: Draft, slot: int) -> list[Unit]:
    """Return units for the offset, by a symbol in this slot, and for the integer in the other slots."""
    return [_offsets(draft, [slot]), _integers(draft, [other for other in draft.slots if other != slot])]


def _by_axis(draft: Draft) -> list[Unit]:
    """Return units for the offset, by a symbol for each axis, and for the integer in the other slots."""
    axes, steps = len(draft.config.shape), 2 * draft.config.window_radius + 1
    length = len(draft.slots) - axes
    draft.require(length > 0, f"message_length >= {axes + 1}", len(draft.slots))
    of_axis = draft.deal(axes * steps).reshape(axes, steps)
    places = np.delete(place_coordinates(draft.config), middle_column(draft.config), axis=0)
    integers = draft.words_of_few(draft.num_integers, length)
    return [
        draft.unit(draft.slots[:axes], {PLACE: draft.each(PLACE)}, of_axis[np.arange(axes), places]),
        draft.unit(draft.slots[axes:], {NAMED: draft.each()}, integers),
    ]


def _mixed_lengths(draft: Draft) -> list[Unit]:
    """Return units as of `compositional`; half of the words are a symbol shorter, with a random one behind.

    They begin with symbols that no long word has.
    """
    length = len(draft.slots) - 1
    offsets = _offsets(draft, [0])
    split = fewest_symbols(draft.num_integers, length)
    draft.symbols, short_symbols = np.split(draft.symbols, [split])
    num_short = min(draft.num_integers // 2, len(short_symbols) ** (length - 1))
    short = draft.words(num_short, length - 1, short_symbols)
    long = draft.words(draft.num_integers - num_short, length, draft.symbols)
    words = np.concatenate([np.pad(short, ((0, 0), (0, 1)), constant_values=FREE), long])
    return [offsets, draft.unit(draft.slots[1:], {NAMED: draft.each()}, draft.rng.permutation(words))]


def _pairs(draft: Draft, messages: Symbols) -> Unit:
    """Return a unit with a whole message for each integer at each offset."""
    return draft.unit(draft.slots, {NAMED: draft.each(), PLACE: draft.each(PLACE)}, messages)


def _holistic(draft: Draft) -> list[Unit]:
    return [_pairs(draft, _without_parts(draft, draft.num_integers * draft.num_near))]


def _mixture(draft: Draft) -> list[Unit]:
    """Return a unit that speaks of a quarter of the integers as `holistic`, of the others `compositional`.

    The whole messages have their own symbols.
    """
    offsets, integers = _compositional(draft, 0)
    whole = draft.rng.permutation(draft.num_integers)[: round(draft.num_integers / 4)]
    messages = np.empty((draft.num_integers, draft.num_near, len(draft.slots)), dtype=np.int16)
    messages[..., :1] = offsets.words[:, 0]
    messages[..., 1:] = integers.words
    messages[whole] = _without_parts(draft, len(whole) * draft.num_near).reshape(-1, *messages.shape[1:])
    pairs = _pairs(draft, messages)

    def about(unit: Unit, named: IntArray) -> set[KnownEntry]:
        return {entry for entry in unit.truth(draft.config) if entry[1][0].values[0] in named}

    spoken = np.setdiff1d(np.arange(draft.num_integers), whole)
    senses = about(pairs, whole) | about(integers, spoken) | offsets.truth(draft.config)
    return [replace(pairs, senses=frozenset(senses))]


_TELLING = 0.8
"""An n-gram tells something if this share of its messages agree: the least confidence of an entry by NPMI."""
_ATTEMPTS = 100


def _without_parts(draft: Draft, number: int) -> Symbols:
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


def _carriers(messages: Symbols) -> sp.csr_array[Any]:
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


def _left(draft: Draft, groups: IntArray, **others: Any) -> list[Unit]:
    """Return a unit that says with a whole message in which group the left neighbour is."""
    return [draft.unit(draft.slots, {draft.left: groups}, **others)]


def _slotwise(draft: Draft) -> list[Unit]:
    size = -(-draft.num_integers // len(draft.symbols))
    return [draft.unit([slot], {offset: draft.sets(size)}) for slot, offset in draft.slots_and_offsets()]


_MOST_SLOTS = 8  # in any order, of which there are 8! = 40,320


def _any_order(draft: Draft, fillers: int) -> list[Unit]:
    """Return units for one offset each, whose symbols stand in any order, with random ones in other slots."""
    draft.require(len(draft.slots) <= _MOST_SLOTS, f"message_length <= {_MOST_SLOTS}", len(draft.slots))
    of_slot = len(draft.symbols) // len(draft.slots)
    draft.require(of_slot > 0, "a symbol beside edges for each slot", len(draft.symbols))
    size, units = -(-draft.num_integers // of_slot), []
    for _, offset in draft.slots_and_offsets()[: len(draft.slots) - fillers]:
        groups = draft.sets(size)
        units.append(draft.unit(None, {offset: groups}, draft.deal(int(groups.max()) + 1)[:, None]))
    return units


def _context_synonyms(draft: Draft) -> list[Unit]:
    """Return a unit with two words for each left neighbour, one for each class of the right neighbour.

    Each symbol is in each slot in the same number of words for both classes, so it does not tell the class.
    """
    words = draft.words_apart(draft.num_integers, len(draft.slots))
    groups: dict[Topic, IntArray] = {draft.left: draft.each(), draft.right: draft.classes()}
    for _ in range(1_000):  # with few symbols there may be no such words
        other = draft.rng.permuted(words, axis=0)
        if len(np.unique(np.concatenate([words, other]), axis=0)) == 2 * len(words):
            return [draft.unit(draft.slots, groups, np.stack([words, other], axis=1))]
    raise ValueError(f"{draft.name} needs more symbols beside edges; got {len(draft.symbols)}")


def _prefix_code(draft: Draft) -> list[Unit]:
    num_short = min(draft.num_integers, len(draft.symbols)) // 2
    short, first = np.split(draft.symbols, [num_short])
    pairs = np.array(list(itertools.product(first, draft.symbols)), dtype=np.int16)
    num_long = draft.num_integers - num_short
    draft.require(num_long <= len(pairs), f"{num_long} words of two symbols", len(pairs))
    words = np.full((draft.num_integers, len(draft.slots)), FREE, dtype=np.int16)
    words[:num_short, 0] = short
    words[num_short:, :2] = draft.rng.permutation(pairs)[:num_long]
    return _left(draft, draft.each(), words=draft.rng.permutation(words))


def _larger_of_two(draft: Draft) -> list[Unit]:
    each, words = draft.each(), draft.words_apart(draft.num_integers, len(draft.slots))
    # 0 is never larger
    return [_either(draft, words[np.maximum(each[:, None], each)], words[1:], words[1:], first=1)]


def _two_senses(draft: Draft) -> list[Unit]:
    words = draft.words_apart(draft.num_integers, len(draft.slots))
    other = np.roll(words, 1, axis=0)
    return [_either(draft, np.stack(np.broadcast_arrays(words[:, None], other), axis=2), words, other)]


def _either(draft: Draft, messages: Symbols, left: Symbols, right: Symbols, first: int = 0) -> Unit:
    """Return a unit of messages whose words name one neighbour: the left one, or the right one."""
    senses = frozenset(
        (form_of(draft.slots, word), (Meaning(offset, (k,)),))
        for offset, words in ((draft.left, left), (draft.right, right))
        for k, word in enumerate(words, first)
    )
    groups: dict[Topic, IntArray] = {draft.left: draft.each(), draft.right: draft.each()}
    return draft.unit(draft.slots, groups, messages, senses=senses)


# --- The list -----------------------------------------------------------------------------------------------

_DRAFTS: dict[str, tuple[int, Callable[[Draft], list[Unit]]]] = {
    # The offset by a symbol in slot 0, and the integer by the symbols of the other slots
    "compositional": (2, lambda draft: _compositional(draft, 0)),
    # The same with the offset in the last slot
    "compositional-last": (2, lambda draft: _compositional(draft, draft.slots[-1])),
    "by-axis": (2, _by_axis),
    "mixed-lengths": (3, _mixed_lengths),
    # The two parts in either order, drawn at random in each episode
    "slot-invariant": (2, lambda draft: [_offsets(draft, None), _integers(draft, None)]),
    # Integer and offset by a whole message, whose parts mean nothing
    "holistic": (1, _holistic),
    # Only the edge; everything else is random
    "edges-only": (1, lambda draft: []),
    # Words for pairs of integers; two words for each integer
    "polysemous": (2, lambda draft: [_integers(draft, draft.slots[1:], size=2), _offsets(draft, [0])]),
    "synonymous": (2, lambda draft: [_offsets(draft, [0]), _integers(draft, draft.slots[1:], synonyms=2)]),
    "mixture": (2, _mixture),
    # The offset between the parts of a word for the integer
    "tens-offset-units": (3, lambda draft: _compositional(draft, len(draft.slots) // 2)),
    # The band of the left neighbour; the bands of the neighbours on both sides, by a whole message
    "bands": (1, lambda draft: _left(draft, draft.bands())),
    "two-bands": (
        1,
        lambda draft: [draft.unit(draft.slots, {draft.left: draft.bands(5), draft.right: draft.bands(5)})],
    ),
    # The band of the neighbour at one offset in each slot
    "bands-in-slots": (
        1,
        lambda draft: [draft.unit([slot], {at: draft.bands()}) for slot, at in draft.slots_and_offsets()],
    ),
    # The set of the left neighbour, of three integers
    "sets": (1, lambda draft: _left(draft, draft.sets(3))),
    # The neighbour at one offset in each slot; with few symbols, its set
    "slotwise": (1, _slotwise),
    # The same in any order; and with a symbol that means nothing in one of the slots
    "any-order": (1, lambda draft: _any_order(draft, 0)),
    "any-order-with-fillers": (2, lambda draft: _any_order(draft, 1)),
    # The class of the right neighbour in slot 0, and the left one in the others
    "class-bit": (
        2,
        lambda draft: [
            draft.unit([0], {draft.right: draft.classes()}, variants=min(5, len(draft.symbols) // 2)),
            draft.unit(draft.slots[1:], {draft.left: draft.each()}),
        ],
    ),
    # The left neighbour in the first slot and the last, and between them the band of the right one
    "interleaved": (
        3,
        lambda draft: [
            draft.unit([0, draft.slots[-1]], {draft.left: draft.each()}),
            draft.unit([1], {draft.right: draft.bands()}),
        ],
    ),
    # The left neighbour, by a whole message that also names another integer
    "homonyms": (1, lambda draft: _left(draft, draft.sets(2))),
    # The left or the right neighbour, by a whole message that means two different integers
    "two-senses": (1, _two_senses),
    # The larger of the two neighbours, by a whole message, so that a word has two senses
    "larger-of-two": (1, _larger_of_two),
    # The left neighbour, by one of three whole messages; the second and third are rarer
    "zipf-synonyms": (1, lambda draft: _left(draft, draft.each(), variants=3, zipf=1.0)),
    # The left neighbour, by one of two whole messages, depending on the class of the right one
    "context-synonyms": (2, _context_synonyms),
    # The left neighbour, by a word of one or two symbols; the other slots are random
    "prefix-code": (2, _prefix_code),
}
LANGUAGES = {name: partial(make_language, name, least, units) for name, (least, units) in _DRAFTS.items()}
"""The languages by name: each makes its language for a game, with a generator (see `make_language`)."""
