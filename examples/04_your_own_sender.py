"""A policy of your own: any object with `send` is a sender. Here one that only ever tells the edges.

It says nothing of the integers that it sees, so in the middle of the sequence its message is no help. The
analyser finds just the words that it has.
"""

import numpy as np

from spatial_game import MASK, GameConfig, draw_episodes, record
from spatial_game.game.episodes import IntArray
from spatial_game.language import Lexicon, count
from spatial_game.language.tables import dictionary

config = GameConfig(sequence_length=20)


class EdgeSender:
    """Repeats one symbol three times: the column of the mask."""

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) for windows (B, W)."""
        return np.repeat((window == MASK).argmax(axis=1)[:, None], config.message_length, axis=1)


episodes = draw_episodes(config, 50_000, np.random.default_rng(0))
recording = record(EdgeSender(), None, episodes, config)  # no receiver: nobody chooses
lexicon = Lexicon.from_counts(count(recording))

print(dictionary(lexicon).to_text(group_by="Type"))
print(f"{len(lexicon.listed)} entries read {lexicon.coverage:.0%} of the episodes.")
