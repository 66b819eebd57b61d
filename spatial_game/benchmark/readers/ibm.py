"""IBM model 1 (Brown et al. 1993): which atom each symbol translates, by expectation maximisation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from spatial_game.benchmark.corpus import ANY, Atom, Entry, Meanings
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import FloatArray

ROUNDS = 10
NULL: Atom = (ANY, ANY)
"""What a symbol translates that means nothing."""


def translations(forms: IntArray, values: IntArray, rounds: int = ROUNDS) -> tuple[FloatArray, IntArray]:
    """Return t (A, V), the probability of a symbol if an atom is translated, and the atoms (N, P + 1).

    Atoms are numbered place by place, after 0, which is no atom; an absent one is -1.
    """
    size = int(values.max(initial=-1)) + 1
    number = 1 + values + size * np.arange(values.shape[1])
    atoms = np.column_stack([np.zeros(len(values), np.intp), np.where(values == ANY, -1, number)])
    num_atoms, num_symbols = 1 + size * values.shape[1], int(forms.max(initial=-1)) + 1
    there = (forms != ANY)[:, :, None] & (atoms != -1)[:, None, :]
    cell = np.where(there, atoms[:, None, :] * num_symbols + forms[:, :, None], 0)
    table = np.full(num_atoms * num_symbols, 1 / max(num_symbols, 1))
    for _ in range(rounds):
        share = np.where(there, table[cell], 0.0)
        share /= np.maximum(share.sum(axis=2, keepdims=True), 1e-300)
        counts = np.bincount(cell[there], share[there], minlength=len(table)).reshape(num_atoms, -1)
        table = (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)).reshape(-1)
    return table.reshape(num_atoms, num_symbols), atoms


class IbmModel1:
    """Aligns each symbol with the atom that it translates best; neighbours with one atom are one form."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Return every pair that the alignments of two or more messages have."""
        table, atoms = translations(forms, meanings.values)
        size = (len(table) - 1) // max(meanings.values.shape[1], 1)
        chance = np.where(atoms[:, None, :] >= 0, table[atoms[:, None, :], forms[:, :, None]], -1.0)
        aligned = np.where(forms == ANY, -1, np.take_along_axis(atoms, chance.argmax(axis=2), axis=1))
        pairs: Counter[tuple[tuple[int, ...], int]] = Counter()
        of_form: Counter[tuple[int, ...]] = Counter()
        for message, atom in zip(forms.tolist(), aligned.tolist(), strict=True):
            start = 0
            for end in range(1, len(message) + 1):
                if end == len(message) or atom[end] != atom[start]:
                    if atom[start] >= 0:
                        pairs[tuple(message[start:end]), atom[start]] += 1
                        of_form[tuple(message[start:end])] += 1
                    start = end
        for (form, number), count in pairs.items():
            if number > 0 and count > 1:
                yield Entry(form, frozenset([divmod(number - 1, size)]), count / of_form[form])
