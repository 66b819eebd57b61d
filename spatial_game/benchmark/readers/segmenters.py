"""Segmenters of the extra `benchmark`: they find forms by frequency alone, and then an atom for each."""

from __future__ import annotations

import importlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spatial_game.benchmark.corpus import ANY, Atom, Entry, Meanings
from spatial_game.benchmark.readers.csar import information
from spatial_game.game.episodes import IntArray

Run = tuple[int, ...]
_FIRST = 0x4E00  # symbols as letters that no library treats in a special way


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"this reader needs the library {name}: pip install -e '.[benchmark]'"
        ) from None


def _spelt(forms: IntArray) -> list[str]:
    return ["".join(chr(_FIRST + s) for s in row if s != ANY) for row in forms.tolist()]


def with_meanings(segmented: Iterable[Sequence[str]], meanings: Meanings) -> Iterator[Entry]:
    """Yield each morph, with the atom that shares most information with it."""
    with_morph: Counter[str] = Counter()
    with_atom: Counter[Atom] = Counter()
    together: defaultdict[str, Counter[Atom]] = defaultdict(Counter)
    for morphs, meaning in zip(segmented, meanings.sets, strict=True):
        with_atom.update(meaning)
        for morph in {*morphs}:
            with_morph[morph] += 1
            together[morph].update(meaning)
    total = len(meanings)
    for morph, number in sorted(with_morph.items()):
        positive = [
            (information(both, number, with_atom[atom], total), atom, both)
            for atom, both in sorted(together[morph].items())
            if both * total > number * with_atom[atom]
        ]
        if number > 1 and positive:
            _, atom, both = max(positive, key=lambda each: each[0])
            yield Entry(tuple(ord(letter) - _FIRST for letter in morph), frozenset([atom]), both / number)


class Morfessor:
    """Morfessor Baseline (Virpioja et al. 2013)."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Segment the messages, and return the morphs."""
        morfessor, words = _library("morfessor"), _spelt(forms)
        model = morfessor.BaselineModel()
        model.load_data([(number, word) for word, number in sorted(Counter(words).items())])
        model.train_batch()
        cut = {word: model.viterbi_segment(word)[0] for word in {*words}}
        return with_meanings((cut[word] for word in words), meanings)


class Bpe:
    """Byte-pair encoding (Sennrich et al. 2016), with as many merges as there are atoms."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Merge frequent neighbours, and return what is left of the messages."""
        tokenizers, words = _library("tokenizers"), _spelt(forms)
        atoms = {atom for meaning in meanings.sets for atom in meaning}
        size = len({letter for word in words for letter in word}) + len(atoms)
        bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=size, show_progress=False, min_frequency=0, limit_alphabet=size
        )
        bpe.train_from_iterator(words, trainer=trainer)
        cut = {word: bpe.encode(word).tokens for word in {*words}}
        return with_meanings((cut[word] for word in words), meanings)
