"""What a dictionary leaves unexplained, and the reasons that a recording can show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import counts_by_place, num_integer_columns, places_of
from spatial_game.language.counting.rows import FloatArray, distinct_rows
from spatial_game.language.dictionary.account import Account
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.describe import tabled
from spatial_game.language.page.map import first_episodes

_STRENGTHS = (1.0, 5.0, 20.0, 50.0)
_MOST_MESSAGES = 10_000


@dataclass(frozen=True)
class Repeats:
    """Pairs of episodes with the same window: does the sender say the same?"""

    pairs: int
    same: int
    """Pairs with the same message, too."""

    @property
    def free_bits(self) -> float | None:
        """A lower bound of the bits that do not follow from the window; None if all pairs differ.

        The collision entropy, -log2 of the share of the same messages, is at most Shannon's.
        """
        return None if not self.same else float(np.log2(self.pairs / self.same))


@dataclass(frozen=True)
class Silence:
    """The bits that the dictionary does not explain, and what is known of them."""

    message_bits: float
    explained_bits: float
    """Held out, if there are held-out episodes."""
    half_bits: float
    """The bits of the messages of half of the episodes: much less if there are too few episodes."""
    by_counts: float | None
    """Held-out bits that counts of single places explain, by naive Bayes; None without held-out episodes."""
    repeats: Repeats

    @property
    def unexplained(self) -> float:
        """Bits of the messages that the dictionary does not explain."""
        return max(self.message_bits - self.explained_bits, 0.0)


def silence(counts: Counts, account: Account) -> Silence:
    """Return what is not explained."""
    held = account.held_out_bits
    return Silence(
        account.message_bits,
        account.explained_bits if held is None else held,
        account.half_bits,
        naive_bayes(counts),
        repeats(counts),
    )


def repeats(counts: Counts) -> Repeats:
    """Return how often the sender repeats its message when a window comes again (first 400,000 episodes)."""
    ids, window = first_episodes(counts)
    _, group = distinct_rows(window - window.min(initial=0))
    both = group.astype(np.int64) * len(counts.messages) + ids
    pairs = (
        int((n * (n - 1) // 2).sum()) for n in (np.unique(k, return_counts=True)[1] for k in (group, both))
    )
    return Repeats(*pairs)


def naive_bayes(counts: Counts, strengths: tuple[float, ...] = _STRENGTHS) -> float | None:
    """Return the held-out bits an episode that counts of single places explain; None without such episodes.

    For each of the 10,000 most frequent messages and each place, naive Bayes believes the share of each value
    among the message's episodes, with some more episodes as believed without. The best of several numbers of
    them counts. It is a ceiling of what a dictionary of single places could explain.
    """
    if counts.held_out is None or not counts.held_out.nnz:
        return None
    total = int(counts.held_out[:, num_integer_columns(counts.config) :].sum())
    shown = tabled(counts).most_frequent(_MOST_MESSAGES)
    assert shown.held_out is not None
    built, held = (
        counts_by_place(counts.config, table) for table in (shown.building().table, shown.held_out)
    )
    found = (_believed(shown, built, strength).explained(held) / total for strength in strengths)
    return max(0.0, *found)


def _believed(counts: Counts, built: list[FloatArray], strength: float) -> Belief:
    belief = Belief(places_of(counts.config), len(counts.messages))
    for place, table in enumerate(built):
        if not belief.can_weight(place):
            continue
        around = belief.around(place)
        without = around / around.sum(axis=1, keepdims=True)
        n = table.sum(axis=1, keepdims=True)
        belief.weights[place] = (table + strength * without) / (n + strength) / np.maximum(without, 1e-12)
    return belief
