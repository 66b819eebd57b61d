"""Two languages side by side, of senders whose messages are known."""

import numpy as np
import pytest
from helpers.scripted import counts_of, left_of

from spatial_game.config import GameConfig
from spatial_game.language import compare

CONFIG = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=16, message_length=2)


def left(window):
    """The integer one left, from 8 on in the second slot; 0 stands for none."""
    said = left_of(CONFIG, window).clip(0)
    return np.column_stack([said, said + 8])


def pads(window):
    """A random symbol, and one for it and the integer one left, so that only whole messages tell."""
    pad = np.random.default_rng(0).integers(0, 16, len(window))
    return np.column_stack([pad, (pad + left(window)[:, 0]) % 16])


def renamed(window):
    """The same with other symbols: the messages of the next integer."""
    return (left(window) + 1) % 16


def counted(say, config=CONFIG, seed=0, number=4_000):
    return counts_of(config, say, number, seed)


def test_bits_of_both_stand_side_by_side():
    found = compare(counted(left), counted(renamed))
    bits = {name: numbers for name, *numbers in found.table.rows}
    assert bits["one left"][0] > 2 > bits["one right"][0]
    assert bits["the whole window"] == [each.bits.messages for each in found.dictionaries]
    assert bits["the whole window"][0] == pytest.approx(bits["the whole window"][1], abs=0.1)


def test_without_held_out_episodes_a_language_has_no_bits():
    rows = {name: numbers for name, *numbers in compare(counted(left, number=5), counted(left)).table.rows}
    for name in ("one left", "the whole window"):
        assert rows[name][0] is None
        assert rows[name][1] is not None
    assert rows["the entropy of messages"][0] > 0


def test_samples_that_are_small_or_of_different_size_are_compared_with_a_warning():
    assert not compare(counted(left, number=2_000), counted(left, number=2_000)).warnings
    (sizes,) = compare(counted(left, number=2_000), counted(left, number=4_000)).warnings
    assert "A has 2,000 episodes and B 4,000" in sizes
    _, small = compare(counted(pads, number=500), counted(left, number=2_000)).warnings
    assert small.startswith("In A, there are too few episodes: the dictionary explains ")


def test_languages_of_two_games_are_refused():
    other = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=16, message_length=2)
    with pytest.raises(ValueError, match=r"languages must be of one game; got L8 w1 c3 .* and L8 w1 c2"):
        compare(counted(left), counted(left, other))
