"""The dictionary as a lexicon: the intervals of its entries."""

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.recording import record


def test_intervals_hold_the_npmi_and_words_without_a_place_have_none():
    config = GameConfig(10)
    language = LANGUAGES["compositional"](config, np.random.default_rng(0))
    episodes = draw_episodes(config, 5_000, np.random.default_rng(1))
    counts = count(record(language, None, episodes, config))
    lexicon = dictionary_of(counts, intervals=np.random.default_rng(2))
    kinds = {entry.kind for entry in lexicon.entries if entry.interval is None}
    assert kinds == {"integer", "offset"}
    with_interval = [entry for entry in lexicon.entries if entry.interval]
    assert with_interval
    assert all(e.interval[0] <= e.npmi <= e.interval[1] for e in with_interval if e.npmi < 1)
