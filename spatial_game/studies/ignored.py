"""Whether a sender says the same again, and what a receiver ignores.

It ignores symbols that change its choices no more than hearing the same message again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from spatial_game.game.episodes import Episodes, IntArray, Mask, draw_episodes
from spatial_game.game.evaluation import chosen_by
from spatial_game.game.policies import Agents, Receiver
from spatial_game.game.rules import ask_sender, won
from spatial_game.game.seeds import random_stream
from spatial_game.language.wording import listed
from spatial_game.proportions import Difference

MOST_CHANGED = 0.05
"""A receiver ignores messages if others change at most this share of its choices, by a 95% interval. It
ignores a slot if other symbols there change at most this share of what other messages change. Two symbols are
one to it if exchanging them does."""
SURE = 0.001
"""It does not ignore messages if it finds fewer targets with others, by a test with at most this p-value."""
UNCHANGED = "changes its choices hardly more than the same message again"
FEWEST = 500
"""The fewest episodes with other symbols that say something, ..."""
FEWEST_OF_PAIR = 100
"""... and those with one of two symbols."""
MOST_SYMBOLS = 12
"""The most symbols of a slot that are exchanged, the most frequent ones: pairs of all would take long."""
_WORTH = 2 * MOST_CHANGED
"""A pair of symbols is worth asking about if permuted symbols change at most this share of its choices."""


@dataclass(frozen=True)
class Alike:
    """Symbols of a slot that are one to a receiver."""

    slot: int
    symbols: tuple[int, ...]
    changed: float
    """The share of its choices that change if two of them are exchanged: the most of all pairs."""


@dataclass(frozen=True, eq=False)
class _Heard:
    """Messages as a receiver hears them."""

    receiver: Receiver
    episodes: Episodes
    sent: IntArray  # (B, T)
    first: IntArray  # (B,), the choices after these messages, ...
    again: IntArray  # (B,), ... and once more: choices may be drawn at random

    @classmethod
    def by(cls, agents: Agents, num_episodes: int, rng: np.random.Generator) -> _Heard:
        episodes = draw_episodes(agents.config, num_episodes, rng)
        sent = ask_sender(agents.sender, episodes.window, agents.config)
        first, again = (chosen_by(agents.receiver, sent, episodes) for _ in range(2))
        return cls(agents.receiver, episodes, sent, first, again)

    def changes(self, other: IntArray) -> tuple[Difference, Difference]:
        """Return how much more often it chooses the same with the messages sent than with `other` ones (B, T)
        that differ, and how much more often it finds the target."""
        rows = np.flatnonzero((self.sent != other).any(axis=1))
        changed = chosen_by(self.receiver, other[rows], self.episodes[rows])
        first, target = self.first[rows], self.episodes.target_index[rows]
        same = Difference.of(first == self.again[rows], first == changed)
        return same, Difference.of(won(target, first), won(target, changed))


def what_it_ignores(agents: Agents, num_episodes: int, seed: int = 0) -> tuple[str, list[Alike]]:
    """Return a sentence if the receiver ignores messages, or the symbols of some slots, and which are one.

    Messages, or the symbols of one slot, are permuted among the episodes. A slot that has the same symbol in
    nearly all messages is not judged. Symbols are one to the receiver if any two of them, exchanged, change
    at most 5% of the choices that other messages change, by a 95% interval. All symbols of a slot that is
    ignored are one, so it has no row. Of each slot, the `MOST_SYMBOLS` most frequent are asked about.
    """
    rng = np.random.default_rng(random_stream(seed, "ignored"))
    heard = _Heard.by(agents, num_episodes, rng)
    all_messages, found = heard.changes(rng.permutation(heard.sent))
    if all_messages.trials < FEWEST:
        return "", []
    if all_messages.interval[1] <= MOST_CHANGED and not (found.value > 0 and found.p_value <= SURE):
        return f"The receiver ignores messages: another one {UNCHANGED}.", []
    most, ignored, alike = MOST_CHANGED * all_messages.value, list[str](), list[Alike]()
    for slot, of_slot in enumerate(heard.sent.T):
        same, _ = heard.changes(_with(heard.sent, slot, rng.permutation(of_slot)))
        if same.trials >= FEWEST and same.interval[1] <= most:
            ignored.append(str(slot + 1))
        else:
            alike += sorted(_alike_in(heard, slot, most, rng), key=lambda each: each.symbols)
    if not ignored:
        return "", alike
    named = f"slot{'s' if len(ignored) > 1 else ''} {listed(ignored, ' and ')}"
    return f"The receiver ignores {named}: another symbol there {UNCHANGED}.", alike


def says_the_same(agents: Agents, num_episodes: int, seed: int = 0) -> bool:
    """Return whether the sender sends the same messages when it sees the same windows in another order.

    Then all that its messages carry is about the window.
    """
    rng = np.random.default_rng(random_stream(seed, "the same again"))
    window = draw_episodes(agents.config, num_episodes, rng).window
    order = rng.permutation(len(window))
    sent, again = (ask_sender(agents.sender, each, agents.config) for each in (window, window[order]))
    return np.array_equal(sent[order], again)


def _alike_in(heard: _Heard, slot: int, most: float, rng: np.random.Generator) -> Iterator[Alike]:
    """Yield the symbols of a slot of which any two, exchanged, change at most this share of the choices."""
    of_slot = heard.sent[:, slot]
    symbols, often = np.unique(of_slot, return_counts=True)
    frequent = np.argsort(-often, kind="stable")[:MOST_SYMBOLS]
    symbols = np.sort(symbols[frequent[often[frequent] >= FEWEST_OF_PAIR / 2]])
    if len(symbols) < 2:
        return
    worth = _worth_asking(heard, slot, symbols, rng)
    pairs = [*itertools.combinations(symbols.tolist(), 2)]
    value, high = np.ones(len(pairs)), np.ones(len(pairs))
    for number, (one, other) in enumerate(pairs):
        of_pair = (of_slot == one) | (of_slot == other)
        if worth[one, other] and np.sum(of_pair) >= FEWEST_OF_PAIR:
            exchanged = np.where(of_pair, one + other - of_slot, of_slot)
            same, _ = heard.changes(_with(heard.sent, slot, exchanged))
            value[number], high[number] = same.value, same.interval[1]
    group = fcluster(linkage(np.maximum(high, 0.0), "complete"), most, "distance")
    for number in range(1, group.max() + 1):
        members = symbols[group == number].tolist()
        if 1 < len(members) < len(symbols):
            inside = [value[i] for i, pair in enumerate(pairs) if set(pair) <= set(members)]
            yield Alike(slot, tuple(members), max(0.0, float(max(inside))))


def _worth_asking(heard: _Heard, slot: int, symbols: IntArray, rng: np.random.Generator) -> Mask:
    """Return (V, V), the pairs of these symbols of which few change choices when they are permuted."""
    rows = np.flatnonzero(np.isin(heard.sent[:, slot], symbols))
    sent, size = heard.sent[rows], int(symbols.max()) + 1
    one, other = sent[:, slot], rng.permutation(sent[:, slot])
    choice = chosen_by(heard.receiver, _with(sent, slot, other), heard.episodes[rows])
    tried, changed = np.zeros((2, size, size))
    np.add.at(tried, (one, other), 1)
    np.add.at(changed, (one, other), choice != heard.first[rows])
    by_chance = np.mean(heard.first != heard.again)
    return np.asarray(changed + changed.T <= (by_chance + _WORTH) * (tried + tried.T))


def _with(messages: IntArray, slot: int, symbols: IntArray) -> IntArray:
    """Return messages (B, T) with other symbols (B,) in a slot."""
    found = messages.copy()
    found[:, slot] = symbols
    return found
