"""What a receiver ignores: symbols that change its choices no more than hearing the same message again."""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import IntArray, draw_episodes
from spatial_game.game.evaluation import chosen_by
from spatial_game.game.policies import Agents
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
    # It may draw choices at random, so changes count beyond those between two times with the same message.
    first, again = (chosen_by(agents.receiver, sent, episodes) for _ in range(2))

    def ignores(other: IntArray) -> bool:
        rows = np.flatnonzero((sent != other).any(axis=1))
        if len(rows) < FEWEST:
            return False
        changed = chosen_by(agents.receiver, other[rows], episodes[rows])
        less = Difference.of(first[rows] == again[rows], first[rows] == changed)
        return less.interval[1] <= MOST_CHANGED

    if ignores(rng.permutation(sent)):
        return f"The receiver ignores messages: another one {UNCHANGED}."
    slots = []
    for slot in range(sent.shape[1]):
        other = sent.copy()
        other[:, slot] = rng.permutation(other[:, slot])
        if ignores(other):
            slots.append(str(slot + 1))
    if not slots:
        return ""
    named = f"slot{'s' if len(slots) > 1 else ''} {listed(slots, ' and ')}"
    return f"The receiver ignores {named}: another symbol there {UNCHANGED}."
