"""Known languages: a sender that speaks from a table, with its true lexicon."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, require
from spatial_game.game.episodes import HIDDEN, IntArray, mask_columns
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import middle_column
from spatial_game.language.meaning import Meanings

KnownEntry = tuple[Form, Meanings]
"""An entry of a true lexicon: a form, and what it means in one of its senses."""

FREE = -1
"""In a phrase, a slot for any of the language's fillers."""


@dataclass(frozen=True)
class Code:
    """The phrases for each meaning, as a table, and the lexicon that follows from it.

    Meanings are numbered: the S = W-1 edges in their order, then S * (1 + k) + i for integer k at the i-th of
    the S offsets of a window of the middle. On one axis, S is 2r and the offsets are -r..r. The ways to say a
    meaning are equally likely.
    """

    phrases: npt.NDArray[np.int16]  # (M, K, T), the K ways to say each meaning; symbols or FREE
    truth: frozenset[KnownEntry]
    fillers: IntArray  # (S,), symbols for the free slots


class Speech(Protocol):
    """The messages of a language for windows, without noise."""

    def __call__(self, window: IntArray, rng: np.random.Generator) -> npt.NDArray[np.int16]:
        """Return messages (B, T) for windows (B, W)."""
        ...


@dataclass(frozen=True)
class KnownLanguage:
    """A sender of a known language (a `Sender`), with its true lexicon."""

    name: str
    config: GameConfig
    truth: frozenset[KnownEntry]
    speech: Speech
    noise: float  # a symbol is replaced by another one, uniformly, with this probability
    rng: np.random.Generator

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        return self._disturbed(self.speech(window, self.rng))

    def without_noise(self) -> KnownLanguage:
        """Return the same language without noise, with a separate random stream."""
        return dataclasses.replace(self, noise=0.0, rng=self.rng.spawn(1)[0])

    def _disturbed(self, message: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
        if self.noise == 0:
            return message
        vocab_size = self.config.vocab_size
        replaced = self.rng.random(message.shape) < self.noise
        others = self.rng.integers(1, vocab_size, message.shape)
        return np.where(replaced, (message + others) % vocab_size, message).astype(np.int16)


@dataclass(frozen=True)
class CodeSpeech:
    """Says the edge, or else one visible integer and its offset, by a code (a `Speech`)."""

    config: GameConfig
    code: Code
    weights: npt.NDArray[np.float64]  # (N,), an integer is named as often as this to its neighbours' weights

    def __call__(self, window: IntArray, rng: np.random.Generator) -> npt.NDArray[np.int16]:
        """Return messages (B, T) for windows (B, W)."""
        meaning = self.meanings(window, rng)
        variant = rng.integers(0, self.code.phrases.shape[1], len(window))
        return filled(self.code.phrases[meaning, variant], self.code.fillers, rng)

    def meanings(self, window: IntArray, rng: np.random.Generator) -> npt.NDArray[np.intp]:
        """Draw the numbers (B,) of the meanings for windows (B, W); see `Code`."""
        middle, sides = middle_column(self.config), self.config.window_size - 1
        column = mask_columns(window)
        cells = np.delete(window, middle, axis=1)
        # A race of exponential clocks: integer k comes first with probability weight(k) / their sum.
        clocks = rng.standard_exponential((len(window), sides)) / self.weights[cells]
        place = np.argmin(np.where(cells == HIDDEN, np.inf, clocks), axis=1)
        named = cells[np.arange(len(window)), place].astype(np.intp)
        edge = column - (column > middle)
        return np.asarray(np.where(column == middle, sides * (1 + named) + place, edge))


def filled(
    message: npt.NDArray[np.int16], fillers: IntArray, rng: np.random.Generator
) -> npt.NDArray[np.int16]:
    """Return the messages with a random filler in each free slot."""
    free = message == FREE
    message[free] = rng.choice(fillers, int(free.sum()))
    return message


class MakeLanguage(Protocol):
    """Makes a language for a game from a generator, which the language keeps."""

    def __call__(
        self,
        config: GameConfig,
        rng: np.random.Generator,
        *,
        noise: float = 0.0,
        zipf: float = 0.0,
        **options: Any,
    ) -> KnownLanguage:
        """`noise`: probability that another symbol replaces a symbol. `zipf`: exponent of the preferences.

        The probability that a visible integer is named is proportional to rank**-zipf, where ranks are a
        random order of all integers; with 0, all are equally likely. `options`: the options of the function
        that codes the language.

        Raises `ValueError` that names the rule and the values if the game has too few messages for the
        language.
        """
        ...


def language(
    name: str,
    coded: Callable[..., Code],
    config: GameConfig,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    zipf: float = 0.0,
    **options: Any,
) -> KnownLanguage:
    """Return the language of a code; see `MakeLanguage`."""
    check_rates(noise, zipf)
    code = coded(config, rng, **options)
    ranks = 1 + rng.permutation(len(config.integers))
    weights: npt.NDArray[np.float64] = np.power(ranks, -float(zipf))
    return KnownLanguage(name, config, code.truth, CodeSpeech(config, code, weights), noise, rng)


def check_rates(noise: float, zipf: float) -> None:
    """Raise `ValueError` for an impossible noise or exponent."""
    require(0 <= noise <= 1, "noise must be in 0..1", noise)
    require(0 <= zipf <= 20, "zipf must be in 0..20", zipf)
