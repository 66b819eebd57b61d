"""Classes have short names, all different, and need several symbols."""

import numpy as np
from helpers.scripted import dictionary_of, integers_at, left_of

from spatial_game.config import GameConfig
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import entries_in

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

    def all_alike(window):
        odd = integers_at(config, window, -2, -1, 1) % 2
        return np.where((odd == odd[0]).all(axis=0), odd[0], 2)[:, None]

    means = interpreter(dictionary_of(config, all_alike, 20_000))
    for symbol in (0, 1):
        said = [entry.values for entry in means.symbols if entry.ngram.symbols == (symbol,)]
        assert said.count(tuple(range(symbol, 20, 2))) == 3
    assert means.classes.members == {}


def test_a_class_lacks_no_integer_that_stands_elsewhere():
    """Three symbols for each remainder of the left integer, then the right one, which is another."""
    config = GameConfig(24, window_radius=1, vocab_size=25, message_length=2)

    def parity_and_integer(window):
        left, right = integers_at(config, window, -1, 1)
        first = left % 2 + 2 * np.random.default_rng(0).integers(0, 3, len(left))
        return np.stack([np.where(left < 0, 6, first), np.where(right < 0, 24, right)], axis=1)

    means = interpreter(dictionary_of(config, parity_and_integer, 60_000))
    assert means.text([1, 8]) == "class 1 one left and 8 one right"
    assert means.text([1, 5]) == "class 1 one left and 5 one right"  # the rules of the game exclude 5
    assert [row[1] for row in entries_in(np.array([1, 5]), means, means.classes).rows] == [
        "class 1 one left",
        "5 one right",
    ]
    [of_message] = means.read(np.array([[1, 5]]))
    [[left, _]] = [sense.statements for sense in of_message.senses]
    assert left.values == (1, 3, *range(7, 24, 2))


def test_only_what_is_a_part_of_a_class_has_its_name():
    means = interpreter(dictionary_of(CONFIG, lambda window: np.zeros((len(window), 1), dtype=int)))
    classes = means.classes
    classes.members = {"class 0": (*range(0, 40, 2),)}
    assert classes.text(range(0, 40, 2)) == "class 0"
    assert classes.text(range(0, 36, 2)) == "class 0 without 36 or 38"
    assert classes.text(range(0, 30, 2)) == "one of 15 integers of class 0"
    assert classes.text([*range(0, 40, 2), 41]) == "one of 21 integers"
    assert classes.text(range(0, 36, 2), elsewhere=[36]) == "class 0 without 38"
    assert classes.text(range(0, 10, 2)) == "0, 2, 4, 6 or 8"
