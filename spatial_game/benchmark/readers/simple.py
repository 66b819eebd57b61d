"""The simplest readers: whole messages, and the two disentanglements of the field as dictionaries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from spatial_game.benchmark.corpus import ANY, Entry, Meanings
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import FloatArray, distinct_rows

LEAST = 2
"""Episodes that a form must have."""


def unpadded(message: IntArray) -> tuple[int, ...]:
    """Return the symbols of a message (T,) without the padding."""
    return tuple(symbol for symbol in message.tolist() if symbol != ANY)


def joint(groups: npt.NDArray[np.intp], values: IntArray) -> FloatArray:
    """Return (groups, K + 1), how often each value stands in each group; the last column is no value."""
    shape = (int(groups.max(initial=-1)) + 1, int(values.max(initial=-1)) + 2)
    column = np.where(values == ANY, shape[1] - 1, values)
    return np.bincount(groups * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


def information(table: FloatArray) -> float:
    """Return the mutual information of a table of counts, in bits, by plug-in."""
    share = table / max(table.sum(), 1)
    expected = np.outer(share.sum(axis=1), share.sum(axis=0))
    there = share > 0
    return float(share[there] @ np.log2(share[there] / expected[there]))


class WholeMessages:
    """Each message means what is so in most of its episodes, place by place."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Return an entry for each message that occurs more than once."""
        messages, which = distinct_rows(forms + 1)
        n = np.bincount(which, minlength=len(messages))
        kept = np.flatnonzero(n >= LEAST)
        held: dict[int, list[tuple[tuple[int, int], float]]] = {row: [] for row in kept.tolist()}
        for place, values in enumerate(meanings.values.T):
            if (values == ANY).all():
                continue
            table = joint(which, values)[kept, :-1]
            best = table.argmax(axis=1)
            share = table.max(axis=1, initial=0) / n[kept]
            for row, value, sure in zip(kept.tolist(), best.tolist(), share.tolist(), strict=True):
                if sure > 0.5:
                    held[row].append(((place, value), sure))
        for row, found in held.items():
            if found:
                atoms = frozenset(atom for atom, _ in found)
                yield Entry(unpadded(messages[row] - 1), atoms, min(sure for _, sure in found), 0)


class Positional:
    """Each slot speaks of the place about which it tells most; each symbol there, of its usual value.

    The dictionary behind positional disentanglement (Chaabouni et al., ACL 2020).
    """

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Return an entry for each symbol at each slot."""
        for slot, symbols in enumerate(forms.T):
            there = symbols != ANY
            groups = np.where(there, symbols, 0).astype(np.intp)[there]
            tables = [joint(groups, values[there]) for values in meanings.values.T]
            if tables and len(groups):
                place = int(np.argmax([information(table) for table in tables]))
                yield from _usual(tables[place], place, slot)


class BagOfSymbols:
    """Each symbol, wherever it stands, speaks of the place about which it tells most.

    The dictionary behind bag-of-symbols disentanglement (Chaabouni et al., ACL 2020).
    """

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Return an entry for each symbol."""
        for symbol in np.unique(forms[forms != ANY]).tolist():
            has = (forms == symbol).any(axis=1).astype(np.intp)
            tables = [joint(has, values) for values in meanings.values.T]
            if tables and has.any():
                place = int(np.argmax([information(table) for table in tables]))
                table = np.zeros((symbol + 1, tables[place].shape[1]))
                table[symbol] = tables[place][1]
                yield from _usual(table, place, None)


def _usual(table: FloatArray, place: int, slot: int | None) -> Iterator[Entry]:
    """Yield an entry for each symbol with its most frequent value, or the one by which it is told apart."""
    n = table.sum(axis=1)
    for symbol in np.flatnonzero(n >= LEAST).tolist():
        value = int(table[symbol, :-1].argmax()) if table.shape[1] > 1 else 0
        if table.shape[1] > 1 and table[symbol, value] > 0:
            share = float(table[symbol, value] / n[symbol])
            yield Entry((symbol,), frozenset([(place, value)]), share, slot)
