"""Building blocks of known languages: symbols, the words made of them, and their true meanings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig, Offset, require
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import Form, ngrams
from spatial_game.language.counting.places import EDGE, near_offsets
from spatial_game.language.known.language import FREE, KnownEntry
from spatial_game.language.meaning import Meaning

Order = Literal["first", "middle", "last"]
"""The slot of an offset's symbol in a message; the word of the integer has the other slots."""

# Up to this number of n-grams are listed; if there are more, they are drawn until enough are distinct.
_LISTED = 1 << 20

# An n-gram tells something if at least this share of its messages agree (the least confidence of an entry).
_TELLING = 0.8
_ATTEMPTS = 100


@dataclass(frozen=True)
class DealtSymbols:
    """The symbols of a language of parts, assigned at random."""

    offsets: npt.NDArray[np.int16]  # (2r,), the symbol of each of the offsets -r..r
    edges: npt.NDArray[np.int16]  # (2r, T), the whole message of each edge
    rest: npt.NDArray[np.int16]  # (S,), the symbols for words

    @classmethod
    def of(
        cls,
        name: str,
        config: GameConfig,
        rng: np.random.Generator,
        word_length: int,
        *,
        num_words: int | None = None,
        disjoint: bool = False,
        spare: int = 0,
    ) -> DealtSymbols:
        """Assign symbols for this number of words (default: one for each integer), or raise `ValueError`.

        `disjoint`: words must have separate symbols, with `spare` more left over.
        """
        require(word_length >= 1, f"{name} needs message_length >= 2", config.message_length)
        sides, words = config.window_size - 1, num_words or len(config.integers)
        base = fewest_symbols(words, word_length)
        symbols = rng.permutation(config.vocab_size).astype(np.int16)
        own = config.vocab_size >= sides + 1 + base + spare
        # Without separate symbols, words use all symbols except those of the edges' messages in their slots.
        fits = config.vocab_size > sides and config.vocab_size**word_length >= words + sides
        require(
            own or (fits and not disjoint),
            f"{name} needs vocab_size >= {sides + 1 + base + spare}: {sides} offsets, an edge, and {base} "
            f"for {words} words of {word_length}{f', {spare} more' if spare else ''}",
            config.vocab_size,
        )
        offsets, edge = symbols[:sides], symbols[sides]
        edges = np.full((sides, config.message_length), edge, dtype=np.int16)
        edges[:, -1] = offsets
        return cls(offsets, edges, symbols[sides + 1 :] if own else np.roll(symbols, -sides - 1))

    def words(self, rng: np.random.Generator, count: int, order: Order) -> npt.NDArray[np.int16]:
        """Return distinct words (count, T-1) that no edge's message has in the words' slots.

        They use as few symbols as possible, so no part of a word is enough to tell the integer.
        """
        length = self.edges.shape[1] - 1
        taken = np.delete(self.edges, offset_slot(self.edges.shape[1], order), axis=1)
        own = not np.isin(self.offsets, self.rest).any()
        symbols = self.rest[: fewest_symbols(count if own else count + len(taken), length)]
        return draw_distinct(rng, symbols, length, count, lambda words: ~among(words, taken))


def join(offsets: IntArray, words: IntArray, order: Order) -> npt.NDArray[np.int16]:
    """The messages (2r*N, T) of the pairs of words (N, T-1) and offsets' symbols (2r,), in their order."""
    word, offset = np.repeat(words, len(offsets), axis=0), np.tile(offsets, len(words))
    return np.insert(word, offset_slot(words.shape[1] + 1, order), offset, axis=1).astype(np.int16)


def offset_slot(message_length: int, order: Order) -> int:
    """Return the slot of an offset's symbol."""
    return {"first": 0, "middle": message_length // 2, "last": message_length - 1}[order]


def edge_truth(config: GameConfig, edges: IntArray) -> frozenset[KnownEntry]:
    """Add the edges, which have whole messages (2r or more, T)."""
    names = [name for name in config.edges if name != "middle"]
    return frozenset(
        (Form(as_tuple(m), 0), (Meaning(EDGE, (n,)),)) for n, m in zip(names, edges, strict=False)
    )


def pair_truth(config: GameConfig, phrases: IntArray, integers: Iterable[int]) -> frozenset[KnownEntry]:
    """Add integers with whole messages at each offset: the phrases (M, T) of their meanings."""
    sides = config.window_size - 1
    return frozenset(
        (Form(as_tuple(phrases[sides * (1 + k) + i]), 0), (Meaning(offset, (k,)),))
        for k in integers
        for i, offset in enumerate(middle_offsets(config))
    )


def part_truth(config: GameConfig, offsets: IntArray, words: IntArray, order: Order) -> frozenset[KnownEntry]:
    """Add words (N, T-1) for integers, which may end in free slots, and symbols (2r,) for offsets."""
    slot = offset_slot(config.message_length, order)
    slots = [s for s in range(config.message_length) if s != slot]
    named = {(form_at(slots, word), (Meaning(None, (k,)),)) for k, word in enumerate(words)}
    return offset_truth(config, offsets, slot) | named


def form_at(slots: Sequence[int], word: IntArray) -> Form:
    """Return the form of the symbols of a word in these slots; some slots may be free."""
    symbols = {slot: int(s) for slot, s in zip(slots, word, strict=True) if s != FREE}
    first, last = min(symbols), max(symbols)
    return Form(tuple(symbols.get(slot) for slot in range(first, last + 1)), first)


def offset_truth(config: GameConfig, offsets: IntArray, slot: int) -> frozenset[KnownEntry]:
    """Add each offset of the middle, with its symbol (2r,) in this slot."""
    pairs = zip(offsets.tolist(), middle_offsets(config), strict=True)
    return frozenset((Form((symbol,), slot), (Meaning(offset, ()),)) for symbol, offset in pairs)


def middle_offsets(config: GameConfig) -> list[Offset]:
    """The offsets of a window of the middle: on one axis -r..r without 0."""
    return [config.offsets[number] for number in near_offsets(config)]


def as_tuple(word: IntArray) -> tuple[int, ...]:
    """Return an n-gram as in a form."""
    return tuple(word.tolist())


def in_groups(integers: IntArray, size: int) -> list[tuple[int, ...]]:
    """Return the integers in ascending groups of this size; the last may be smaller."""
    starts = range(0, len(integers), size)
    return [tuple(sorted(integers[start : start + size].tolist())) for start in starts]


def fewest_symbols(count: int, length: int) -> int:
    """Return the smallest number of symbols (at least 2) with this number of n-grams of this length."""
    base = max(2, int(count ** (1 / length)))
    while base**length < count:
        base += 1
    while base > 2 and (base - 1) ** length >= count:
        base -= 1
    return base


def draw_distinct(
    rng: np.random.Generator,
    symbols: npt.NDArray[np.int16],
    length: int,
    count: int,
    allowed: Callable[[IntArray], npt.NDArray[np.bool_]] = lambda rows: np.ones(len(rows), np.bool_),
) -> npt.NDArray[np.int16]:
    """Return distinct random n-grams (count, length) of these symbols, among the `allowed` ones.

    Raises `ValueError` if there are too few.
    """
    space = len(symbols) ** length
    if space <= _LISTED:
        powers = [len(symbols) ** place for place in reversed(range(length))]
        found = symbols[rng.permutation(space)[:, None] // powers % max(len(symbols), 1)]
        found = found[allowed(found)]
    else:
        found = symbols[:0].reshape(0, length)
        while len(found) < count:
            more = rng.choice(symbols, (2 * count, length))
            found = _first_of_each(np.concatenate([found, more[allowed(more)]]))
    require(
        len(found) >= count,
        f"the language needs {count} different n-grams of length {length} from {len(symbols)} symbols",
        len(found),
    )
    return np.asarray(found[:count])


def without_parts(
    rng: np.random.Generator, messages: npt.NDArray[np.int16], edges: IntArray
) -> npt.NDArray[np.int16]:
    """Return the same messages (M, T), moved among their meanings so that their parts mean nothing.

    The meanings are in the order of integers, each at the 2r offsets; `edges` (2r, T) are the other messages.
    Messages with a telling n-gram change places with others until there are none left, or many attempts have
    failed.
    """
    for _ in range(_ATTEMPTS):
        telling = np.flatnonzero(_telling(messages, edges))
        if len(telling) == 0:
            break
        others = rng.permutation(len(messages))[: len(telling)]
        for one, other in zip(telling, others, strict=True):
            messages[[one, other]] = messages[[other, one]]
    return messages


def _telling(messages: IntArray, edges: IntArray) -> npt.NDArray[np.bool_]:
    """Mark (M,) a message of each n-gram whose two or more messages nearly all have one integer or offset.

    This is checked among all messages, and next to the n-grams that only one message has: an analysis can
    take such an n-gram for the word of an integer, and the one next to it for the word of an offset.
    """
    telling = np.zeros(len(messages), dtype=np.bool_)
    for carriers, meanings in (_anywhere(messages), _beside_own(messages, edges)):
        if carriers.nnz == 0:
            continue
        total = carriers.sum(axis=1)
        for sort in (meanings // len(edges), meanings % len(edges)):
            shape = (len(sort), len(messages))
            by_sort = sp.csr_array((np.ones(len(sort), np.int64), (np.arange(len(sort)), sort)), shape=shape)
            most = (carriers @ by_sort).max(axis=1).toarray().reshape(-1)
            rows = np.flatnonzero((total > 1) & (most >= _TELLING * total))
            telling[meanings[carriers.indices[carriers.indptr[rows]]]] = True
    return telling


def _anywhere(messages: IntArray) -> tuple[sp.csr_array[Any], IntArray]:
    """In which messages each n-gram stands, and the messages' numbers."""
    return ngrams(messages).incidence, np.arange(len(messages))


def _beside_own(messages: IntArray, edges: IntArray) -> tuple[sp.csr_array[Any], IntArray]:
    """The same for n-grams next to the longest (then leftmost) n-gram that only this message has."""
    table = ngrams(np.concatenate([messages, edges]))
    own = np.flatnonzero((table.incidence.sum(axis=1) == 1) & (table.slot >= 0))
    carrier = table.incidence.indices[table.incidence.indptr[own]]
    own, carrier = own[carrier < len(messages)], carrier[carrier < len(messages)]
    order = np.lexsort((table.slot[own], -table.length[own], carrier))
    numbers, first = np.unique(carrier[order], return_index=True)
    best = own[order[first]]
    return ngrams(messages[numbers], table.slot[best], table.length[best]).incidence, numbers


def _first_of_each(rows: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return the distinct rows, in order of first occurrence."""
    _, first = np.unique(rows, axis=0, return_index=True)
    return np.asarray(rows[np.sort(first)])


def among(rows: IntArray, known: IntArray) -> npt.NDArray[np.bool_]:
    """Which rows (B, n) are among the known ones (K, n)."""
    listed = {row.tobytes() for row in np.ascontiguousarray(known, dtype=np.int16)}
    return np.array([row.tobytes() in listed for row in np.ascontiguousarray(rows, dtype=np.int16)], np.bool_)
