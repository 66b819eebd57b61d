"""The chain of symbols: the bits that the first symbol tells, the first two, and so on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import distinct_rows, sum_rows
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.dictionary import Dictionary

MOST_SLOTS = 8
"""The most parts of a chain; the last one has the rest of a longer message."""
MORE_TOGETHER = 1.35
"""Symbols form an address if the later ones tell this many times as much after the first as by themselves."""
WHOLE = 2 / 3
"""If the last symbol adds this share of the bits, symbols form no address: only whole messages tell much."""
LEAST_FIRST = 1 / 2
"""Nor do they if the first one tells less than this part of an equal share of the bits."""


@dataclass(frozen=True, eq=False)
class Chain:
    """What the beginnings of messages tell."""

    dictionaries: tuple[Dictionary, ...]
    """Those of the first symbol, of the first two, ..., and of whole messages."""
    alone: tuple[float, ...]
    """(T,), the bits of the symbol of each slot by itself, of all variables together."""

    @property
    def bits(self) -> tuple[float, ...]:
        """The held-out bits of each beginning; a longer one tells at least what a shorter one does."""
        found = np.maximum.accumulate([max(each.bits.messages, 0.0) for each in self.dictionaries])
        return tuple(found.tolist())

    @property
    def steps(self) -> tuple[float, ...]:
        """What each part adds to those before it."""
        return tuple(np.diff(self.bits, prepend=0.0).tolist())

    @property
    def together(self) -> float:
        """How many times as much the later symbols tell after the first one as by themselves."""
        return sum(self.steps[1:]) / max(sum(self.alone[1:]), 0.01)

    @property
    def built(self) -> str:
        """How messages are built: "one symbol", "symbol by symbol", "whole" or "address"."""
        if len(self.steps) == 1:
            return "one symbol"
        if self.together <= MORE_TOGETHER:
            return "symbol by symbol"
        little = self.steps[0] < LEAST_FIRST * self.bits[-1] / len(self.steps)
        return "whole" if little or self.steps[-1] >= WHOLE * self.bits[-1] else "address"


def chain_of(counts: Counts, dictionary: Dictionary) -> Chain:
    """Return the chain of a language, by dictionaries of messages that are cut off."""
    beginnings = range(1, min(counts.config.message_length, MOST_SLOTS))
    cut = (_of_parts(counts.messages[:, :number], counts, dictionary) for number in beginnings)
    alone = tuple(max(sum(slot), 0.0) for slot in dictionary.bits.slots_by_variable)
    return Chain((*cut, dictionary), alone)


def bits_without_order(counts: Counts, dictionary: Dictionary) -> float:
    """Return the bits that messages tell if one does not know in which order their symbols stand."""
    return _of_parts(np.sort(counts.messages, axis=1), counts, dictionary).bits.messages


def _of_parts(messages: IntArray, counts: Counts, dictionary: Dictionary) -> Dictionary:
    """Return the dictionary of what is left of messages: it tells nothing that the messages do not tell."""
    return build_dictionary(with_messages(counts, messages), dictionary.informative)


def with_messages(counts: Counts, messages: IntArray) -> Counts:
    """Return counts with these messages (M, T) in place of their own; those that are equal are added up."""
    distinct, row = distinct_rows(messages)
    config = counts.config.changed(message_length=messages.shape[1])
    return replace(
        counts,
        config=config,
        messages=distinct,
        table=sp.csr_array(sum_rows(counts.table, row, len(distinct))),
        held_out=sp.csr_array(sum_rows(counts.held_out, row, len(distinct))),
        sources=(),
    )
