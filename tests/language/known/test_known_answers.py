"""The shortest description recovers languages of grids whose lexicon is known."""

import numpy as np
import pytest
from lexicons import recovered

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.recording import record


def analysed(name, config, num_episodes, noise=0.0):
    """Return recall and precision of what is found."""
    language = LANGUAGES[name](config, np.random.default_rng([1, 0]), noise=noise)
    episodes = draw_episodes(config, num_episodes, np.random.default_rng([1, 1]))
    found = dictionary_of(count(record(language, None, episodes, config)))
    return recovered(found, language, episodes[:20_000])


@pytest.mark.parametrize("name", ["by-axis", "bands-in-slots"])
def test_the_shortest_description_reads_grids(name):
    game = GameConfig(shape=(5, 6), window_radius=1, num_distractors=2, message_length=4)
    assert analysed(name, game, 20_000) == (1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["by-axis", "bands-in-slots"])
def test_a_language_with_noise_comes_back(name):
    game = GameConfig(shape=(8, 8), window_radius=1, message_length=4)
    recall, precision = analysed(name, game, 200_000, 0.1)
    assert recall >= 0.95
    assert precision >= 0.95
