"""The speaker: the message with most bits for what is to be said."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.scripted import both_sides, dictionary_of, silent

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.language import Speaker, build_dictionary, count
from spatial_game.language.counting.columns import columns_of
from spatial_game.recording import Recording

CONFIG = GameConfig(12, window_radius=2, num_distractors=3, vocab_size=12, message_length=2)


@pytest.fixture(scope="module")
def speaker():
    return Speaker(dictionary_of(CONFIG, both_sides(CONFIG)))


def test_the_first_suggestion_is_the_message_that_is_sent(speaker):
    window = draw_episodes(CONFIG, 20, np.random.default_rng(1)).window
    for row, message in enumerate(speaker.send(window)):
        suggested = speaker.suggest(window[row], 4)
        assert (suggested[0] == message).all()
        assert 1 <= len(suggested) <= 4


def test_single_integers_are_said(speaker):
    for integer in CONFIG.integers[1:]:
        assert speaker.say({-1: integer})[0, 0] == integer
        assert speaker.say({1: integer}, 5)[:, 1].tolist() == [integer] * 5
    assert speaker.say({-1: 3, 1: 8}).tolist() == [[3, 8]]
    assert len(speaker.say({}, 4)) == 4
    for offset, integer in ((-5, 0), (0, 1), (-1, 12), (-1, -1)):
        with pytest.raises(ValueError, match=f"by their offsets; got {integer} at {offset}$"):
            speaker.say({offset: integer})


@pytest.mark.parametrize("config", [GameConfig(20), GameConfig(20, num_visible=1)])
def test_a_message_for_one_cell_says_that_this_cell_is_seen(config):
    window = draw_episodes(config, 4_000, np.random.default_rng(0)).window
    values = columns_of(config).at_offsets(window)
    place = (values >= 0).argmax(axis=1)  # the first cell that is seen is named: where, then its integer
    message = np.zeros((len(window), 3), dtype=np.int16)
    message[:, 0], message[:, 1] = place, values[np.arange(len(window)), place]
    speaker = Speaker(build_dictionary(count(Recording(config, window, message))))
    for number in np.unique(place).tolist():
        integer = int(values[place == number, number][0])
        assert speaker.say({config.offsets[number]: integer})[0].tolist() == [number, integer, 0]


def test_there_is_always_an_answer_and_windows_of_another_game_are_refused(speaker):
    window = np.array([[7, 3, MASK, 5, 1]])
    assert Speaker(silent(CONFIG)).send(window).tolist() == [[1, 1]]
    assert len(Speaker(silent(CONFIG)).suggest(window[0], 3)) == 0
    longer = Speaker(speaker.dictionary, CONFIG.changed(sequence_length=40))
    assert longer.send(np.array([[30, 3, MASK, 5, 31]])).tolist() == [[3, 5]]
    with pytest.raises(ValueError, match=r"window must have shape \(1, 5\); got \(1, 4\)"):
        speaker.send(window[:, :4])
    with pytest.raises(ValueError, match="config must suit the dictionary: vocab_size must be 12"):
        Speaker(speaker.dictionary, replace(CONFIG, vocab_size=13))
