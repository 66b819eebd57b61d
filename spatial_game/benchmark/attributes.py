"""Attribute-value languages with known words, after the generator of Boldt and Mortensen (EMNLP 2025).

A meaning has a value for each of four attributes, or it is a set of at most eight things. Each atom has a
word, or three, of one symbol or of up to four. A *mixed* language has words for groups of atoms, too. The
grid of parameters is that of the paper, so that results can be compared; the code and the seeds are our own.
Here the words of mixed languages are shuffled, too, if the parameters say so.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.benchmark.corpus import ANY, Atom, Corpus, Entry, Meanings
from spatial_game.game.episodes import IntArray

Word = tuple[int, ...]
ATTRIBUTES, VALUES, THINGS = 4, 4, 8


@dataclass(frozen=True)
class Parameters:
    """How an attribute-value language is made; in the words of the paper where it has some."""

    mixed: bool = False
    """Words stand for groups of atoms, not for single ones."""
    synonyms: int = 1
    sparse: bool = False
    """A meaning is a set of things, each there or not, in place of attributes that always have a value."""
    longest: int = 1
    """The longest word; lengths are equally likely."""
    symbols: int | None = None
    """Size of the vocabulary of words that are longer than one symbol."""
    polysemy: float = 0.0
    """Share of the words that are replaced by a word of another atom."""
    shuffled: bool = False
    """The words of a message are in any order."""
    uniform: bool = True
    """All values are equally likely; if not, in proportion to 1, 2, 3, ..."""
    extra: float = 0.0
    """Symbols without a meaning in a message: their number is geometric with this rate."""
    samples: int = 500

    @property
    def name(self) -> str:
        """The parameters that differ from the simplest language."""
        words = {
            "mixed": self.mixed,
            f"synonyms-{self.synonyms}": self.synonyms > 1,
            "sparse": self.sparse,
            f"longest-{self.longest}-of-{self.symbols}": self.longest > 1,
            f"polysemy-{self.polysemy:g}": self.polysemy > 0,
            "shuffled": self.shuffled,
            "skewed": not self.uniform,
            f"extra-{self.extra:g}": self.extra > 0,
            f"{self.samples}": True,
        }
        return "-".join(word for word, given in words.items() if given)


def grid() -> list[Parameters]:
    """Return the 480 languages of the paper's grid: 384 of single atoms, then 96 of groups."""
    sizes: Sequence[tuple[int, int | None]] = ((1, None), (4, 10), (4, 50))
    bits = (False, True)
    shared = [*itertools.product(bits, sizes, bits, bits, (0.0, 0.5), (50, 500))]
    single = itertools.product((1, 3), (0.0, 0.15), shared)
    choices = [(False, *each) for each in single] + [(True, 1, 0.0, each) for each in shared]
    return [
        Parameters(mixed, synonyms, sparse, *size, polysemy, shuffled, uniform, extra, samples)
        for mixed, synonyms, polysemy, (sparse, size, shuffled, uniform, extra, samples) in choices
    ]


def make(parameters: Parameters, rng: np.random.Generator) -> Corpus:
    """Return the messages of a language, their meanings, and the words that they use."""
    values = _meanings(parameters, rng)
    words, symbols = (_groups if parameters.mixed else _atoms)(parameters, rng)
    used: set[tuple[Word, frozenset[Atom]]] = set()
    said = [
        _message(parameters, _chosen(words, row, used, rng), symbols, rng)
        for row in Meanings(values, ()).sets
    ]
    forms = np.full((len(said), max(map(len, said), default=1)), ANY, dtype=np.int16)
    for row, message in zip(forms, said, strict=True):
        row[: len(message)] = message
    places = [f"thing {i}" if parameters.sparse else f"attribute {i}" for i in range(values.shape[1])]
    truth = frozenset(Entry(word, meaning) for word, meaning in used)
    return Corpus(forms, Meanings(values, tuple(places)), truth, forms, slots=False)


def _meanings(parameters: Parameters, rng: np.random.Generator) -> IntArray:
    number = THINGS if parameters.sparse else VALUES
    share = None if parameters.uniform else np.arange(1, number + 1) / (number * (number + 1) / 2)
    if parameters.sparse:
        there = rng.random((parameters.samples, number)) < (0.5 if share is None else share)
        return np.where(there[there.any(axis=1)], 0, ANY).astype(np.int16)
    return rng.choice(number, (parameters.samples, ATTRIBUTES), p=share).astype(np.int16)


_Words = list[tuple[frozenset[Atom], list[Word]]]
"""Groups of atoms, in the order in which a speaker looks for them, with the words for each."""


def _all_atoms(parameters: Parameters) -> list[Atom]:
    sparse = parameters.sparse
    return [*itertools.product(range(THINGS if sparse else ATTRIBUTES), range(1 if sparse else VALUES))]


def _atoms(parameters: Parameters, rng: np.random.Generator) -> tuple[_Words, int]:
    atoms = _all_atoms(parameters)
    number = len(atoms) * parameters.synonyms
    spelt: list[Word] = [(i,) for i in range(number)]
    if parameters.longest > 1:
        spelt = _spelt(parameters, number, rng)
    replaced = rng.choice(number, int(number * parameters.polysemy), replace=False)
    others = np.setdiff1d(np.arange(number), replaced)
    for i, other in zip(replaced, rng.choice(others, len(replaced)), strict=True):
        spelt[i] = spelt[other]
    n = parameters.synonyms
    words = [(frozenset([atom]), spelt[n * i : n * i + n]) for i, atom in enumerate(atoms)]
    return words, parameters.symbols or number


def _groups(parameters: Parameters, rng: np.random.Generator) -> tuple[_Words, int]:
    """Return every set of atoms that may hold together with a word, in a random order."""
    by_place = [[None, *group] for _, group in itertools.groupby(_all_atoms(parameters), lambda a: a[0])]
    groups = [frozenset(a for a in choice if a) for choice in itertools.product(*by_place)]
    groups = [groups[i] for i in rng.permutation(len(groups)) if groups[i]]
    return [
        (group, [word]) for group, word in zip(groups, _spelt(parameters, len(groups), rng), strict=True)
    ], (parameters.symbols or len(groups))


def _spelt(parameters: Parameters, number: int, rng: np.random.Generator) -> list[Word]:
    symbols = rng.integers(0, parameters.symbols or number, (number, parameters.longest)).tolist()
    length = rng.integers(1, parameters.longest + 1, number).tolist()
    return [tuple(word[:n]) for word, n in zip(symbols, length, strict=True)]


def _chosen(
    words: _Words,
    meaning: frozenset[Atom],
    used: set[tuple[Word, frozenset[Atom]]],
    rng: np.random.Generator,
) -> list[Word]:
    """Return the words for a meaning: each group whose atoms all are still to be said."""
    left, said = set(meaning), []
    for group, ways in words:
        if group <= left:
            left -= group
            word = ways[rng.integers(len(ways)) if len(ways) > 1 else 0]
            said.append(word)
            used.add((word, group))
    return said


def _message(parameters: Parameters, words: list[Word], symbols: int, rng: np.random.Generator) -> list[int]:
    for _ in range(rng.geometric(1 - parameters.extra) - 1):
        words.insert(int(rng.integers(len(words) + 1)), (int(rng.integers(symbols + 1)),))
    if parameters.shuffled:
        words = [words[i] for i in rng.permutation(len(words))]
    return list(itertools.chain.from_iterable(words))
