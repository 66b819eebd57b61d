"""Languages that tests of pictures speak, counted and as dictionaries."""

from functools import cache

import numpy as np

from helpers.scripted import counts_of, integers_at
from spatial_game import GameConfig, OracleSender
from spatial_game.language.dictionary.build import build_dictionary

GAME = GameConfig(20, vocab_size=20)
LEFT, RIGHT = (GAME.offsets.index(offset) for offset in (-1, 1))
SHUFFLED = np.random.default_rng(3).permutation(20)


def cells(window, *offsets):
    """Return the integers at offsets, by default one left and one right; 19 for none."""
    values = integers_at(GAME, window, *offsets or (-1, 1))
    return np.where(values < 0, 19, values)


def said(*symbols):
    return np.stack([*symbols, *[np.zeros_like(symbols[0])] * (3 - len(symbols))], axis=1).astype(np.int16)


def by_address(window):
    """The first symbol is a quarter of the map, the second a part of it, in a code of the quarter's own."""
    left, right = cells(window)
    part = left % 10 // 5 * 2 + right % 10 // 5
    return said(left // 10 * 2 + right // 10, part ^ (right // 10 * 2 + left // 10))


def by_wholes(window):
    left, right = cells(window)
    number = np.random.default_rng(0).permutation(400)[20 * left + right]
    return said(number // 20, number % 20)


LANGUAGES = {
    "names": lambda window: said(*cells(window)),
    "bands": lambda window: said(*cells(window) // 5),
    "classes": lambda window: said(*SHUFFLED[cells(window)] // 5),
    "one slot for both": lambda window: said(*np.sort(cells(window), axis=0)),
    "address": by_address,
    "wholes": by_wholes,
    "oracle": OracleSender(GAME).send,
    "random": lambda window: np.random.default_rng(0).integers(0, 5, (len(window), 3)).astype(np.int16),
}


@cache
def counted(name, number=10_000):
    return counts_of(GAME, LANGUAGES[name], number)


@cache
def built(name):
    return build_dictionary(counted(name))
