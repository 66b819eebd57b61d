"""Write a sender of your own: any object with the method `send` is one.

This sender only says where the mask is. In the middle of the sequence its message is therefore no help. The
analyser finds what its symbols say, and nothing else. Needs the extra `analysis`.
"""

import numpy as np

from spatial_game import MASK, GameConfig, draw_episodes, record
from spatial_game.game.episodes import IntArray
from spatial_game.language import build_dictionary, count
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import dictionary_table

config = GameConfig(sequence_length=20)


class EdgeSender:
    """Sends the column of the mask, three times."""

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        return np.repeat((window == MASK).argmax(axis=1)[:, None], config.message_length, axis=1)


episodes = draw_episodes(config, 50_000, np.random.default_rng(0))
recording = record((EdgeSender(), None), episodes, config)  # no receiver: nobody chooses
means = interpreter(build_dictionary(count(recording)))

print(dictionary_table(means).to_text(group_by="Kind"))
