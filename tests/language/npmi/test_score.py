"""NPMI: a table of known answers."""

import math

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.npmi.score import npmi_of_integer_ngram, raw_npmi, share_showing

# joint, n-gram, referent, total, NPMI
KNOWN = [
    (0, 10, 20, 100, -1),  # never together
    (0, 0, 0, 100, -1),  # no such events
    (2, 10, 20, 100, 0),  # independent
    (10, 10, 10, 100, 1),  # always together
    (1, 1, 1, 2, 1),
    (10, 10, 100, 100, 0),  # the referent of every episode
    (30, 100, 30, 100, 0),  # the n-gram of every episode
    (7, 7, 7, 7, 0),  # both of every episode
    (25, 50, 50, 100, 0),
    (5, 10, 10, 100, math.log(5) / math.log(20)),
    (1, 10, 20, 100, math.log(0.5) / math.log(100)),  # rarer than by chance
    (56, 56, 240, 3600, math.log(15) / math.log(3600 / 56)),  # the paper's game: a perfect n-gram
]


def npmi(joint, ngram, referent, total):
    return raw_npmi(joint / total, ngram / total, referent / total)


@pytest.mark.parametrize(("joint", "ngram", "referent", "total", "value"), KNOWN)
def test_known_values(joint, ngram, referent, total, value):
    assert npmi(joint, ngram, referent, total) == pytest.approx(value, abs=1e-11)


def test_probabilities_that_do_not_agree_leave_the_range_but_are_never_nan():
    # The paper's constants: a message of every episode with an integer of probability 1/60.
    assert raw_npmi(1.0, 1.0, 1 / 60) == math.inf
    assert raw_npmi(0.5, 0.5, 1 / 60) == pytest.approx(math.log(60) / math.log(2))
    assert raw_npmi(0.1, 0.01, 0.9) > 1
    assert raw_npmi(0.0, 0.0, 0.0) == -1
    assert not np.isnan(raw_npmi(np.nan, np.nan, 0.5))


def test_the_npmi_of_an_integer_ngram():
    assert npmi_of_integer_ngram(GameConfig()) == pytest.approx(0.65, abs=0.001)
    assert npmi_of_integer_ngram(GameConfig(sequence_length=20)) == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize("num_visible", [None, 1])
def test_the_share_of_windows_that_show_one_of_several_integers_is_that_of_many_windows(num_visible):
    config = GameConfig(5, num_integers=6, window_radius=1, num_distractors=1, num_visible=num_visible)
    window = draw_episodes(config, 20_000, np.random.default_rng(0)).window
    for number in range(8):  # top_n may be more than the game has
        shown = ((window >= 0) & (window < number)).any(axis=1).mean()
        assert share_showing(config, number) == pytest.approx(shown, abs=0.01)
