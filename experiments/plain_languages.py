"""Languages of which one knows what must be said: a table, digits, classes, synonyms, homonyms, sums, noise.

They are played on a line, with messages of three symbols. In the middle of the sequence, most of them say an
integer at one of the four nearest offsets; at an edge, all of them repeat a symbol that only edges have.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from known_languages import KnownLanguage, Saying, joined

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray

NEAR = (-2, -1, 1, 2)
EDGES, FIRST = np.repeat(np.arange(4)[:, None], 3, axis=1), 4  # the symbols of edges, and the first other one
Sayings = list[Saying]


def _at_each(messages: IntArray) -> Sayings:
    """Return sayings that name the integer at one of the offsets by messages (4, N, 3)."""
    return [Saying(0.25, (offset,), each) for offset, each in zip(NEAR, messages, strict=True)]


def _table(rng: np.random.Generator, *shape: int) -> IntArray:
    """Return different random messages (*shape, 3)."""
    codes = rng.choice(22**3, int(np.prod(shape)), replace=False).reshape(shape)
    return (FIRST + codes[..., None] // 22 ** np.arange(3) % 22).astype(np.int16)


def _digits(number: IntArray, *, shuffled: np.random.Generator | None = None) -> IntArray:
    """Return messages (4, N, 3): a symbol for the offset, one for the tens and one for the units."""
    found = []
    for offset in range(len(NEAR)):
        digits = number // 10, number % 10
        if shuffled:
            digits = shuffled.permutation(6)[digits[0]], shuffled.permutation(10)[digits[1]]
        found.append(np.stack([np.full(len(number), FIRST + offset), 8 + digits[0], 14 + digits[1]], axis=1))
    return np.array(found, dtype=np.int16)


def _half(rng: np.random.Generator, number: IntArray) -> IntArray:
    """Return messages (4, N, 3): digits for the lower half of the integers, a table for the others."""
    high = number >= len(number) // 2
    found = _digits(number)
    found[:, high] = _table(rng, 4, int(high.sum()))
    return found


def _classes(rng: np.random.Generator, number: IntArray) -> Sayings:
    """Say in each slot the class of one neighbour, one of six."""
    of = [FIRST + 6 * slot + rng.permutation(number) % 6 for slot in range(3)]
    first, second, third = (each.reshape(np.roll((-1, 1, 1), slot).tolist()) for slot, each in enumerate(of))
    return [Saying(1.0, (-1, 1, -2), joined(first[..., None], second[..., None], third[..., None]))]


def _two(rng: np.random.Generator, number: IntArray) -> Sayings:
    """Say the bands of both neighbours, each one of ten, in one message of a table."""
    band = number * 10 // len(number)
    return [Saying(1.0, (-1, 1), _table(rng, 10, 10)[band[:, None], band])]


def _synonyms(rng: np.random.Generator, number: IntArray) -> Sayings:
    words = zip((0.6, 0.3, 0.1), _table(rng, 3, len(number)), strict=True)
    return [Saying(share, (-1,), each) for share, each in words]


def _homonyms(rng: np.random.Generator, number: IntArray) -> Sayings:
    """Say with one message an integer one left, or the next one one right."""
    words = _table(rng, len(number))
    return [Saying(0.5, (-1,), words), Saying(0.5, (1,), np.roll(words, 1, axis=0))]


def _sums(rng: np.random.Generator, number: IntArray) -> Sayings:
    """Say the sum of two neighbours, which says nothing of one of them."""
    return [Saying(1.0, (-1, 1), _table(rng, len(number))[(number[:, None] + number) % len(number)])]


LANGUAGES: dict[str, tuple[Callable[[np.random.Generator, IntArray], Sayings], float]] = {
    "table": (lambda rng, number: _at_each(_table(rng, 4, len(number))), 0),
    "digits": (lambda rng, number: _at_each(_digits(number)), 0),
    "digits by offset": (lambda rng, number: _at_each(_digits(number, shuffled=rng)), 0),
    "half and half": (lambda rng, number: _at_each(_half(rng, number)), 0),
    "classes": (_classes, 0),
    "two neighbours": (_two, 0),
    "synonyms": (_synonyms, 0),
    "homonyms": (_homonyms, 0),
    "edges": (lambda rng, number: [Saying(1.0, (-1,), np.repeat(_table(rng, 1), len(number), axis=0))], 0),
    "sums": (_sums, 0),
    "digits with noise": (lambda rng, number: _at_each(_digits(number)), 0.1),
    "table with noise": (lambda rng, number: _at_each(_table(rng, 4, len(number))), 0.1),
}
"""By name: the sayings, and the probability that noise replaces a symbol."""


def plain_language(name: str, config: GameConfig, rng: np.random.Generator) -> KnownLanguage:
    """Return a language for a game of at most 60 integers, which draws its words and noise from `rng`."""
    says, noise = LANGUAGES[name]
    fillers = np.arange(FIRST, config.vocab_size, dtype=np.int16)
    number = np.arange(config.num_integers)
    return KnownLanguage(config, EDGES, tuple(says(rng, number)), fillers, noise, rng)
