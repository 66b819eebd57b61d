"""Speaking of single cells: that a cell is named also says that it is seen."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import values_at_places
from spatial_game.language.dictionary.build import letters_and_words
from spatial_game.language.speaking import Speaker
from spatial_game.recording import Recording


@pytest.mark.parametrize("config", [GameConfig(20), GameConfig(20, num_visible=1)])
def test_a_message_for_one_cell_says_that_this_cell_is_seen(config):
    window = draw_episodes(config, 4_000, np.random.default_rng(0)).window
    values = values_at_places(config, window)[:, :-1]
    place = (values >= 0).argmax(axis=1)  # the first cell that is seen is named: where, then its integer
    message = np.zeros((len(window), 3), dtype=np.int16)
    message[:, 0], message[:, 1] = place, values[np.arange(len(window)), place]
    speaker = Speaker(letters_and_words(count(Recording(config, window, message))))
    for number in np.unique(place).tolist():
        integer = int(values[place == number, number][0])
        assert speaker.say({config.offsets[number]: integer})[0].tolist() == [number, integer, 0]
