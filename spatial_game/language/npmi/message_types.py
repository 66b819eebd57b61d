"""The types of messages in the paper's table 1, which follow from the associations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.ngrams import Occurrences, occurrences
from spatial_game.language.counting.rows import Numbers, join
from spatial_game.language.npmi.associations import ScoredAssociations

MESSAGE_TYPES = {
    "positional": "Non-Compositional Positional",
    "reserved": "Non-Compositional Positional Reserved",
    "integer": "Non-Compositional Integer",
    "compositional_integer": "Compositional Integer",
    "compositional_positional": "Compositional Positional",
}
"""The types of messages in the paper's table 1."""
READABLE = "readable"
"""The messages of any type that says where the target is: whole messages, and those of an integer and an
offset."""


@dataclass(frozen=True)
class TypeShare:
    """How much of a language is messages of one type."""

    messages: int
    """Number of distinct messages."""
    vocabulary: float
    """Share of the distinct messages."""
    episodes: float
    """Share of the episodes."""


def type_shares(counts: Counts, admitted: Mapping[str, ScoredAssociations]) -> dict[str, TypeShare]:
    """Return how much of a language is messages of each type, by its associations; 0 without episodes."""
    number, episodes = max(len(counts.messages), 1), max(counts.total, 1)
    return {
        name: TypeShare(
            messages=int(mask.sum()),
            vocabulary=float(mask.sum() / number),
            episodes=float(counts.message_totals[mask].sum() / episodes),
        )
        for name, mask in messages_of_type(counts, admitted).items()
    }


def messages_of_type(counts: Counts, admitted: Mapping[str, ScoredAssociations]) -> dict[str, Mask]:
    """Return the distinct messages (M,) of each type: `MESSAGE_TYPES`, the paper's table 1, then `READABLE`.

    A message may be of several types. `reserved`: positional, and it repeats one symbol, which is reserved
    for edges (`_reserved_symbols`). `compositional_positional`: with an integer n-gram and, beside it, an
    n-gram for an offset.
    """
    messages, first = counts.messages, counts.messages[:, 0]
    repeats = (messages == first[:, None]).all(axis=1) & (messages.shape[1] > 1)
    integers, offsets = (occurrences(admitted[kind].ngrams, messages) for kind in ("integer", "offset"))
    whole = admitted["edge"].ngram, admitted["integer_at"].ngram
    positional, integer, has_integer, composed = (
        np.isin(np.arange(len(messages)), rows)
        for rows in (*whole, integers.message, _with_both(integers, offsets))
    )
    return {
        "positional": positional,
        "reserved": positional & repeats & _reserved_symbols(counts)[first],
        "integer": integer,
        "compositional_integer": has_integer,
        "compositional_positional": composed,
        READABLE: positional | integer | composed,
    }


def _reserved_symbols(counts: Counts) -> Mask:
    """Return (V,), the symbols that are "reserved only for" edges (section 5.1): not sent elsewhere."""
    reserved = np.zeros(counts.config.vocab_size, dtype=np.bool_)
    reserved[counts.messages] = True
    reserved[counts.messages[counts.message_totals > counts.edges.sum(axis=1)]] = False
    return reserved


def _with_both(integers: Occurrences, offsets: Occurrences) -> Numbers:
    """Return the messages, perhaps repeated, in which n-grams for an integer and an offset share no slot."""
    one, other = join(integers.message, offsets.message)
    integers, offsets = integers.take(one), offsets.take(other)
    apart = (integers.slot + integers.length <= offsets.slot) | (
        offsets.slot + offsets.length <= integers.slot
    )
    return integers.message[apart]
