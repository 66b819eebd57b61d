"""Read the language of the oracle pair, whose code is known: the whole loop in eight lines.

Needs the extra `analysis`.
"""

import numpy as np

from spatial_game import GameConfig, OracleReceiver, OracleSender, draw_episodes, record
from spatial_game.language import build_dictionary, count
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import dictionary_table

config = GameConfig(sequence_length=60)
rng = np.random.default_rng(7)
sender, receiver = OracleSender(config), OracleReceiver(config)

episodes = draw_episodes(config, 200_000, rng)
recording = record((sender, receiver), episodes, config)
dictionary = build_dictionary(count(recording))

print(dictionary_table(interpreter(dictionary), best=4).to_text(group_by="Kind"))
bits = dictionary.bits
print(f"{bits.entropy:.2f} bits a message; the dictionary explains {bits.messages:.2f}.")
