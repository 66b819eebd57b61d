"""What a receiver ignores: symbols that change its choices no more than hearing the same message again."""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.evaluation import chosen_by
from spatial_game.game.policies import Agents, Receiver
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.wording import listed
from spatial_game.proportions import Difference

MOST_CHANGED = 0.05
"""A receiver ignores symbols if others change at most this share of its choices, by a 95% interval."""
UNCHANGED = "changes its choices hardly more than the same message again"
FEWEST = 500
"""The fewest episodes with other symbols that say something."""


def what_it_ignores(agents: Agents, num_episodes: int, seed: int = 0) -> str:
    """Return a sentence if the receiver ignores messages, or the symbols of some slots; otherwise nothing.

    Messages, or the symbols of one slot, are permuted among the episodes. A slot that has the same symbol in
    nearly all messages is not judged.
    """
    rng = np.random.default_rng(random_stream(seed, "ignored"))
    episodes = draw_episodes(agents.config, num_episodes, rng)
    sent = ask_sender(agents.sender, episodes.window, agents.config)
    if _ignores(agents.receiver, episodes, sent, rng.permutation(sent)):
        return f"The receiver ignores messages: another one {UNCHANGED}."
    slots = []
    for slot in range(sent.shape[1]):
        other = sent.copy()
        other[:, slot] = rng.permutation(other[:, slot])
        if _ignores(agents.receiver, episodes, sent, other):
            slots.append(str(slot + 1))
    if not slots:
        return ""
    named = f"slot{'s' if len(slots) > 1 else ''} {listed(slots, ' and ')}"
    return f"The receiver ignores {named}: another symbol there {UNCHANGED}."


def _ignores(receiver: Receiver, episodes: Episodes, sent: IntArray, other: IntArray) -> bool:
    """Return whether a receiver chooses the same by `sent` and `other` messages (B, T).

    It may draw choices at random, so changes count beyond those between two times with the same message.
    """
    rows = np.flatnonzero((sent != other).any(axis=1))
    if len(rows) < FEWEST:
        return False
    asked = episodes[rows]
    first, again, changed = (chosen_by(receiver, each[rows], asked) for each in (sent, sent, other))
    return Difference.of(first == again, first == changed).interval[1] <= MOST_CHANGED
