"""What the prefixes of messages tell: the first symbol, the first two, and so on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import distinct_rows, sum_rows
from spatial_game.language.dictionary.build import (
    explained_bits,
    fit_dictionary,
    message_entropy,
    slot_entropies,
)
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.entropy import highest_entropy

MOST_PREFIXES = 8
"""The most prefixes, since each one takes a dictionary. The last is the whole message, however long it is."""
MORE_TOGETHER = 1.45
"""Symbols form an address if the later ones tell this many times as much after the first as by themselves.

In 40,000 episodes of 34 bundled pairs, this is 1.6 to 2.7 in `paper-60` and `embed-60/2`, and 0.3 to 1.35 in
all others."""
WHOLE = 2 / 3
"""If the last symbol adds this share of the bits, symbols form no address: only whole messages tell much."""
LEAST_FIRST = 1 / 2
"""Nor do they if the first one tells less than this part of an equal share of the bits."""


@dataclass(frozen=True, eq=False)
class Prefixes:
    """What the prefixes of the messages of a language tell."""

    dictionaries: tuple[Dictionary, ...]
    """Those of the first symbol, of the first two, ..., and of whole messages."""
    explained: tuple[float, ...]
    """The bits that each of them explains of held-out episodes."""
    alone: tuple[float, ...]
    """(T,), the bits that the symbol of each slot explains by itself."""
    shared: float
    """How many bits the symbols of a message share at least: the entropies of the slots less the highest that
    the entropy of messages may have. What one symbol tells, others can repeat only if they share bits."""

    @property
    def bits(self) -> tuple[float, ...]:
        """The held-out bits of each prefix; a shorter one tells at most what a longer one does."""
        return tuple(np.minimum.accumulate(np.maximum(self.explained, 0.0)[::-1])[::-1].tolist())

    @property
    def added(self) -> tuple[float, ...]:
        """The bits that each symbol adds to those before it; the last one has the rest of a long message."""
        return tuple(np.diff(self.bits, prepend=0.0).tolist())

    @property
    def later(self) -> tuple[float, float]:
        """The bits that the symbols after the first one tell by themselves, and after those before them."""
        return sum(self.alone[1:]), sum(self.added[1:])

    @property
    def together(self) -> float:
        """How many times as much the later symbols tell after the first one as by themselves."""
        alone, after = self.later
        return after / max(alone, 0.01)

    @property
    def built(self) -> Literal["one symbol", "symbol by symbol", "whole", "address"]:
        """How messages are built."""
        if len(self.added) == 1:
            return "one symbol"
        if self.together <= MORE_TOGETHER:
            return "symbol by symbol"
        little = self.added[0] < LEAST_FIRST * self.bits[-1] / len(self.added)
        return "whole" if little or self.added[-1] >= WHOLE * self.bits[-1] else "address"


def prefixes_of(counts: Counts, dictionary: Dictionary) -> Prefixes:
    """Return what the prefixes of messages tell, by a dictionary for each length, and each slot by itself."""
    length, messages = counts.config.message_length, counts.messages
    cut = [messages[:, :end] for end in range(1, min(length, MOST_PREFIXES))]
    shorter = [_fitted(each, counts, dictionary) for each in cut]
    dictionaries, explained = zip(*shorter, (dictionary, dictionary.bits.messages), strict=True)
    others = [_fitted(messages[:, [slot]], counts, dictionary)[1] for slot in range(1, length)]
    highest = highest_entropy(counts.message_totals, counts.config.message_bits)
    shared = float(slot_entropies(counts).sum()) - highest
    return Prefixes(dictionaries, explained, tuple(np.maximum([explained[0], *others], 0.0).tolist()), shared)


def bits_without_order(counts: Counts, dictionary: Dictionary) -> float:
    """Return the bits that messages tell if one does not know in which order their symbols stand."""
    return _fitted(np.sort(counts.messages, axis=1), counts, dictionary)[1]


def _fitted(messages: IntArray, counts: Counts, dictionary: Dictionary) -> tuple[Dictionary, float]:
    """Return the dictionary of messages (M, T) that tell no more than those of the counts do, and the bits
    that it explains of held-out episodes.

    Variables of which those tell nothing are left out. The entropy of these messages bounds the bits, which
    may exceed it by chance.
    """
    fewer = with_messages(counts, messages)
    found = fit_dictionary(fewer, dictionary.informative)
    most = min(message_entropy(fewer), dictionary.bits.messages)
    return found, min(explained_bits(found, fewer.messages, fewer.held_out), most)


def with_messages(counts: Counts, messages: IntArray) -> Counts:
    """Return counts with these messages (M, T) in place of their own; those that are equal are added up."""
    distinct, row = distinct_rows(messages)
    return replace(
        counts,
        config=counts.config.changed(message_length=messages.shape[1]),
        messages=distinct,
        table=sp.csr_array(sum_rows(counts.table, row, len(distinct))),
        held_out=sp.csr_array(sum_rows(counts.held_out, row, len(distinct))),
        sources=(),
    )
