"""Classes have short names, all different, and need several symbols."""

import numpy as np
from helpers.scripted import dictionary_of, left_of

from spatial_game.config import GameConfig
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.interpreter import interpreter

CONFIG = GameConfig(24, window_radius=1, vocab_size=10, message_length=1)


def test_classes_are_named_by_their_smallest_member_and_names_differ():
    def not_divisible(window):
        """Three symbols for each set: the integers with two of the three remainders of a division by 3."""
        left, random = left_of(CONFIG, window), np.random.default_rng(0)
        missing = (left + random.integers(1, 3, len(left))) % 3
        return np.where(left < 0, 9, 3 * missing + random.integers(0, 3, len(left)))[:, None]

    means = interpreter(dictionary_of(CONFIG, not_divisible, 40_000))
    names = list(means.classes.members)
    assert names == ["class 0", "class 0b", "class 1"]
    assert [means.text([symbol]) for symbol in (0, 3, 6)] == [
        f"{names[number]} one left" for number in (2, 1, 0)
    ]
    for name, members in means.classes.members.items():
        [line] = means.legend(f"{name} one left")
        assert line.startswith(f"{name}: {members[0]}, {members[1]}, ")


def test_one_symbol_that_says_a_set_of_three_cells_is_no_class():
    config = GameConfig(20, window_radius=2, vocab_size=3, message_length=1)
    cells = [config.offsets.index(offset) for offset in (-2, -1, 1)]

    def all_alike(window):
        odd = columns_of(config).at_offsets(window)[:, cells] % 2
        return np.where((odd == odd[:, :1]).all(axis=1), odd[:, 0], 2)[:, None]

    means = interpreter(dictionary_of(config, all_alike, 20_000))
    for symbol in (0, 1):
        said = [entry.values for entry in means.symbols if entry.ngram.symbols == (symbol,)]
        assert said.count(tuple(range(symbol, 20, 2))) == 3
    assert means.classes.members == {}
