"""Measure how well a trained pair plays, and read what its messages mean. Needs the extra `analysis`."""

import numpy as np

from spatial_agents import evaluate, load_pair
from spatial_game import draw_episodes, record
from spatial_game.language import count, dictionary_of
from spatial_game.language.tables import dictionary

pair = load_pair("embed-60")
print(f"accuracy {evaluate(pair, num_episodes=5_000, seed=1).overall}")

episodes = draw_episodes(pair.config, 20_000, np.random.default_rng(2))
recording = record(pair.sender, pair.receiver, episodes, pair.config)
lexicon = dictionary_of(count(recording))

print(dictionary(lexicon, best=6).to_text(group_by="Type"))
print(f"{len(lexicon.listed)} entries read {lexicon.coverage:.0%} of the episodes.")
