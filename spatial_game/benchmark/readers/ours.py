"""Our own readers: the dictionary by description length, and normalised pointwise mutual information.

Windows of a game are read as `analyse` reads them. Other meanings are independent places without an order:
the search for rules is the same, without bands, distinct values and edges.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from spatial_game.benchmark.corpus import ANY, Atom, Entry, Meanings, entry_of
from spatial_game.benchmark.readers.simple import unpadded
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.counting.rows import FloatArray, distinct_rows
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.patterns import patterns
from spatial_game.language.dictionary.places import Places
from spatial_game.language.dictionary.referents import senses_of
from spatial_game.language.dictionary.search import Layer, Search
from spatial_game.recording import Recording

LEAST_NPMI, LEAST_COUNT = 0.5, 5
"""An n-gram and an atom that are an entry have at least this NPMI, and occur together this often."""


def counts_of(forms: IntArray, meanings: Meanings) -> Counts:
    """Return the counts of messages about windows. Raises `ValueError` for other meanings."""
    if meanings.config is None or meanings.window is None:
        raise ValueError("counts need the windows of a game; got other meanings")
    return count(Recording(meanings.config, meanings.window, forms))


def entries_of(lexicon: Lexicon) -> Iterator[Entry]:
    """Yield each sense of the listed entries of a lexicon."""
    for entry in lexicon.listed:
        shares = entry.shares or (entry.confidence,)
        for sense, share in zip(senses_of(entry.referent), shares, strict=True):
            yield entry_of(entry.form, sense, lexicon.config, share)


class ByDescription:
    """The dictionary that shortens the description of the meanings most."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterable[Entry]:
        """Return the dictionary."""
        if meanings.config is not None:
            return entries_of(Lexicon.from_counts(counts_of(forms, meanings)))
        return _described(forms, meanings)


class ByNpmi:
    """What goes together by normalised pointwise mutual information, as in the paper of the game."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterable[Entry]:
        """Return the dictionary."""
        if meanings.config is not None:
            return entries_of(Lexicon.from_counts(counts_of(forms, meanings), select="npmi"))
        return _associated(forms, meanings)


def places_of(values: IntArray) -> Places:
    """Return values (N, P) as independent places; what is absent is one more value."""
    size = int(values.max(initial=-1)) + 2
    table = np.where(values == ANY, size - 1, values)
    share = [np.bincount(column, minlength=size) / max(len(column), 1) for column in table.T]
    return Places(
        cells=tuple(map(str, range(values.shape[1]))),
        values=np.array(share).reshape(values.shape[1], size),
        edges=("never", "none"),  # the search needs an edge that a rule could name
        edge_share=np.array([0.0, 1.0]),
        shown=np.ones((2, values.shape[1]), dtype=bool),
        num_seen=values.shape[1],
        ordered=False,
        distinct=False,
    )


def _described(forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
    places, (messages, which) = places_of(meanings.values), distinct_rows(forms + 1)
    n = np.bincount(which, minlength=len(messages)).astype(float)
    size, observed = places.num_values, list[FloatArray]()
    for values in meanings.values.T:
        cells = which * size + np.where(values == ANY, size - 1, values)
        table = np.bincount(cells, minlength=len(messages) * size).reshape(-1, size).astype(float)
        observed.append(np.column_stack([table, np.zeros(len(messages))]))
    search = Search(places, [*observed, np.column_stack([0 * n, n])], patterns(messages, n)).run()
    for place, stack in enumerate(search.stacks[:-1]):
        for layer in stack.layers:
            yield from _entries(layer, place, size)


def _entries(layer: Layer, place: int, size: int) -> Iterator[Entry]:
    """Yield the entries of a layer of rules. Padding and absent values are no part of them."""
    slots = layer.pattern.slots
    for i, row in enumerate(layer.forms.tolist()):
        symbols = (layer.pattern.symbols[row] - 1).tolist()
        values = np.flatnonzero(layer.rules.inside[i, : size - 1]).tolist()
        given = dict(zip(slots or range(len(symbols)), symbols, strict=True))
        kept = sorted(slot for slot, symbol in given.items() if symbol != ANY)
        if kept and values and (slots is not None or len(kept) == len(symbols)):
            known = (given.get(slot, ANY) for slot in range(kept[0], kept[-1] + 1))
            form = tuple(None if symbol == ANY else symbol for symbol in known)
            meaning = frozenset((place, value) for value in values)
            yield Entry(form, meaning, float(layer.rules.level[i]), None if slots is None else kept[0])


def _associated(forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
    """Yield n-grams anywhere, each with the atom of its largest NPMI."""
    with_form: Counter[tuple[int, ...]] = Counter()
    with_atom: Counter[Atom] = Counter()
    together: Counter[tuple[tuple[int, ...], Atom]] = Counter()
    for row, meaning in zip(forms, meanings.sets, strict=True):
        message = unpadded(row)
        ends = [(i, j) for i in range(len(message)) for j in range(i + 1, len(message) + 1)]
        grams = {message[i:j] for i, j in ends}
        with_form.update(grams)
        with_atom.update(meaning)
        together.update((gram, atom) for gram in grams for atom in meaning)
    best: dict[tuple[int, ...], tuple[float, Atom, int]] = {}
    for (gram, atom), both in together.items():
        share, chance = both / len(forms), with_form[gram] * with_atom[atom] / len(forms) ** 2
        npmi = math.log2(share / chance) / -math.log2(share) if share < 1 else 0.0
        if both >= LEAST_COUNT and npmi >= LEAST_NPMI:
            best[gram] = max(best.get(gram, (0.0, atom, 0)), (npmi, atom, both))
    for gram, (_, atom, both) in best.items():
        yield Entry(gram, frozenset([atom]), both / with_form[gram])
