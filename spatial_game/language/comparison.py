"""Two languages of one game side by side: their dictionaries, and what messages of each tell."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.checks import require_kind
from spatial_game.config import require_one_game
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.counting.rows import UNKNOWN, Numbers
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.doubts import doubts
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import message_bits
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.dictionary.thresholds import LEAST_BITS, SIGNIFICANCE
from spatial_game.language.significance import hypergeometric_tail, q_values
from spatial_game.language.wording import listed, variable_texts
from spatial_game.tables import Table, Value
from spatial_game.text import counted

LISTED = 20
"""Messages of the lists."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two languages of one game, A and B: their counts and their dictionaries."""

    counts: tuple[Counts, Counts]
    dictionaries: tuple[Dictionary, Dictionary]

    @property
    def warnings(self) -> list[str]:
        """What to mind if samples are small, or differ in size."""
        a, b = (counts.total for counts in self.counts)
        found = [
            f"A has {a:,} episodes and B {b:,}. A dictionary learns more from the larger sample, so bits and "
            "numbers of messages may differ for this reason alone."
        ] * (a != b)
        for name, counts, dictionary in zip("AB", self.counts, self.dictionaries, strict=True):
            warnings = doubts(dictionary, counts).values()
            found += (f"In {name}, {warning[0].lower()}{warning[1:]}" for warning in warnings)
        return found

    @cached_property
    def table(self) -> Table:
        """What messages of both languages tell, in bits an episode."""
        both = [dictionary.bits for dictionary in self.dictionaries]
        told = [message_bits(bits) for bits in both]
        figures = {
            name: [bits.get(index, 0.0) for bits in told]
            for index, name in enumerate(variable_texts(self.dictionaries[0].config))
            if any(index in bits for bits in told)
        }
        figures["the whole window"] = [bits.messages for bits in both]
        rows: list[tuple[Value, ...]] = [  # nothing is known without held-out episodes
            (name, *(figure if bits.episodes else None for figure, bits in zip(of_both, both, strict=True)))
            for name, of_both in figures.items()
        ]
        rows.append(("the entropy of messages", *(bits.entropy for bits in both)))
        return Table.of("About | A :.2f | B :.2f", rows)

    @property
    def text(self) -> str:
        """Of which offsets, and whether of the edge, both languages tell, and of which only one does."""
        names = variable_texts(self.dictionaries[0].config)
        one, other = (
            {names[index] for index, bits in message_bits(each.bits).items() if bits >= LEAST_BITS}
            for each in self.dictionaries
        )
        found = {"Both tell": one & other, "A alone tells": one - other, "B alone tells": other - one}
        told = (
            f"{who} of {listed([name for name in names if name in of], ' and ')}."
            for who, of in found.items()
            if of
        )
        return " ".join(told) or f"Neither tells {LEAST_BITS} bits of an offset or of the edge."

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table."""
        return self.table.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Return signatures and bits, for JSON."""
        return {
            "signatures": [dictionary.signature for dictionary in self.dictionaries],
            "bits": [asdict(dictionary.bits) for dictionary in self.dictionaries],
        }


def compare(one: Counts, other: Counts) -> Comparison:
    """Compare the languages of two counts of one game, A and B: see `Comparison`.

    Raises `ValueError` for counts of different games, and without episodes.
    """
    for counts in (one, other):
        require_kind("counts", counts, Counts, "count(recording)")
    require_one_game("languages", one.config, other.config)
    return Comparison((one, other), (build_dictionary(one), build_dictionary(other)))


def changes(compared: Comparison, most: int | None = LISTED) -> Table:
    """Return the messages whose shares differ most, and beyond chance (None: all messages).

    Both languages have the same words. A message is kept if both send it, lost if A alone sends it, and added
    if B alone does.
    """
    messages = np.unique(np.concatenate([counts.messages for counts in compared.counts]), axis=0)
    often = np.array([_episodes(counts, messages) for counts in compared.counts])
    shares = often / often.sum(axis=1, keepdims=True)
    order = np.lexsort((-shares.max(axis=0), -np.abs(shares[0] - shares[1])))
    if most is not None:
        order = order[_differ(*often)[order]][:most]
    differing, share = messages[order], shares[:, order].T.tolist()
    status = ["added" if not a else "kept" if b else "lost" for a, b in share]
    says = zip(*(in_words(dictionary, differing) for dictionary in compared.dictionaries), strict=True)
    rows = (
        (compared.dictionaries[0].spelt(message), now, a, b, a_says if a else None, b_says if b else None)
        for message, now, (a, b), (a_says, b_says) in zip(differing, status, share, says, strict=True)
    )
    return Table.of("Message | In B, it is | Share in A :.1% | Share in B :.1% | A says | B says", rows)


def changes_text(compared: Comparison) -> str:
    """Return how many messages are kept, lost and added, and how often these are sent."""
    one, other = compared.counts
    lost, added = _episodes(other, one.messages) == 0, _episodes(one, other.messages) == 0
    of_a, of_b = (
        counts.message_totals[which].sum() / counts.total for counts, which in ((one, lost), (other, added))
    )
    found = (
        f"Both have the same words. Of A's {counted(len(lost), 'message')}, B keeps {np.sum(~lost):,}; "
        f"{np.sum(lost):,} are lost ({of_a:.1%} of A's episodes). {np.sum(added):,} are added "
        f"({of_b:.1%} of B's episodes)."
    )
    return found if changes(compared, 1).rows else f"{found} No share of a message differs beyond chance."


def _episodes(counts: Counts, messages: IntArray) -> Numbers:
    """Return in how many episodes of counts each message (B, T) was sent, (B,)."""
    rows = message_ids(counts, messages)
    return np.where(rows == UNKNOWN, 0, counts.message_totals[rows])


def _differ(one: Numbers, other: Numbers) -> Mask:
    """Return which messages (B,) two languages send more or less often than chance explains."""
    both = one + other
    tails = [hypergeometric_tail(each, each.sum(), both, both.sum()) for each in (one, other)]
    return np.asarray(q_values(np.minimum(2 * np.min(tails, axis=0), 1.0)) <= SIGNIFICANCE)


def in_words(dictionary: Dictionary, messages: IntArray) -> list[str]:
    """Return what messages (B, T) say by a dictionary."""
    words = interpreter(dictionary)
    return [reading_text(reading, words.classes) for reading in words.read(messages)]
