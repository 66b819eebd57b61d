"""Read the language of the oracle pair, whose code is known: the whole loop in eight lines.

Needs the extra `analysis`.
"""

import numpy as np

from spatial_game import GameConfig, OracleReceiver, OracleSender, draw_episodes, record
from spatial_game.language import count, dictionary_of
from spatial_game.language.tables import dictionary

config = GameConfig(sequence_length=60)
rng = np.random.default_rng(7)
sender, receiver = OracleSender(config), OracleReceiver(config)

episodes = draw_episodes(config, 200_000, rng)
recording = record(sender, receiver, episodes, config)
counts = count(recording)
lexicon = dictionary_of(counts)

print(dictionary(lexicon, best=4).to_text(group_by="Type"))
print(f"{len(lexicon.listed)} entries read {lexicon.coverage:.0%} of the episodes.")
