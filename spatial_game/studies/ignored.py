"""What a receiver ignores: symbols that change its choices no more than hearing the same message again."""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import IntArray, draw_episodes
from spatial_game.game.evaluation import chosen_by
from spatial_game.game.policies import Agents
from spatial_game.game.rules import ask_sender, won
from spatial_game.game.seeds import random_stream
from spatial_game.language.wording import listed
from spatial_game.proportions import Difference

MOST_CHANGED = 0.05
"""A receiver ignores messages if others change at most this share of its choices, by a 95% interval. It
ignores a slot if other symbols there change at most this share of what other messages change."""
SURE = 0.001
"""It does not ignore messages if it finds fewer targets with others, by a test with at most this p-value."""
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

    def changes(other: IntArray) -> tuple[Difference, Difference]:
        """Return by how much more often it chooses the same, and finds the target, with the messages sent."""
        rows = np.flatnonzero((sent != other).any(axis=1))
        changed, target = chosen_by(agents.receiver, other[rows], episodes[rows]), episodes.target_index[rows]
        same = Difference.of(first[rows] == again[rows], first[rows] == changed)
        return same, Difference.of(won(target, first[rows]), won(target, changed))

    all_messages, found = changes(rng.permutation(sent))
    if all_messages.trials < FEWEST:
        return ""
    if all_messages.interval[1] <= MOST_CHANGED and not (found.value > 0 and found.p_value <= SURE):
        return f"The receiver ignores messages: another one {UNCHANGED}."
    slots = []
    for slot in range(sent.shape[1]):
        other = sent.copy()
        other[:, slot] = rng.permutation(other[:, slot])
        same, _ = changes(other)
        if same.trials >= FEWEST and same.interval[1] <= MOST_CHANGED * all_messages.value:
            slots.append(str(slot + 1))
    if not slots:
        return ""
    named = f"slot{'s' if len(slots) > 1 else ''} {listed(slots, ' and ')}"
    return f"The receiver ignores {named}: another symbol there {UNCHANGED}."
