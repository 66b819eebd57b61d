"""Measure how well a trained pair plays, and read what its messages mean. Needs the extra `analysis`."""

import numpy as np

from spatial_agents import load_pair
from spatial_game import draw_episodes, evaluate, record
from spatial_game.language import build_dictionary, count
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import dictionary_table

pair = load_pair("embed-60")
print(f"accuracy {evaluate(pair, num_episodes=1_000, seed=1).overall}")

episodes = draw_episodes(pair.config, 4_000, np.random.default_rng(2))
recording = record(pair, episodes, pair.config)
means = interpreter(build_dictionary(count(recording)))

print(dictionary_table(means, best=3).to_text(group_by="Kind"))
for message in recording.message[:4]:
    print(f"{message} means {means.text(message)}")
