"""How well a dictionary agrees with the true one: exact and fuzzy precision, recall and F1.

After Boldt and Mortensen (EMNLP 2025). Two entries match *exactly* if form and meaning are equal. They match
*fuzzily* by the smaller of two similarities: of forms, twice their longest common subsequence by their total
length; of meanings, the share of the atoms of both that both have. Each entry counts with its best match.
*Weighted*, an entry counts as often as its form stands in messages without noise.

Where slots are part of the answer, forms that the same messages have are equal, and a form at a known slot is
compared slot by slot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from spatial_game.benchmark.corpus import ANY, Atom, Corpus, Entry
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import Form, carriers
from spatial_game.language.counting.rows import distinct_rows

Tokens = tuple[Any, ...]


@dataclass(frozen=True)
class Agreement:
    """Precision, recall and their harmonic mean, in 0..1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean; 0 if both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True)
class Scores:
    """The scores of a dictionary."""

    entries: int
    exact: Agreement
    fuzzy: Agreement
    weighted_exact: Agreement
    weighted_fuzzy: Agreement
    form: Agreement
    """Fuzzy, of forms alone."""

    def to_dict(self) -> dict[str, float]:
        """Return every figure by name, such as `exact_f1`."""
        found: dict[str, float] = {"entries": self.entries}
        for kind in ("exact", "fuzzy", "weighted_exact", "weighted_fuzzy", "form"):
            agreement: Agreement = getattr(self, kind)
            for figure in ("precision", "recall", "f1"):
                found[f"{kind}_{figure}"] = getattr(agreement, figure)
        return found


def score(entries: Iterable[Entry], corpus: Corpus) -> Scores:
    """Compare entries with the truth of a corpus. Raises `ValueError` where it is not known."""
    if corpus.truth is None or corpus.clean is None:
        raise ValueError("scores need a corpus with known answers; got one without")
    found, known = (_plain(each, slots=corpus.slots) for each in (entries, corpus.truth))
    index = {entry: i for i, entry in enumerate(dict.fromkeys([*found, *known]))}
    keys, prevalence = _occurrences([*index], corpus.clean)
    listed = [[_Item.of(entry, keys[index[entry]], corpus) for entry in each] for each in (found, known)]
    weights = [np.array([prevalence[index[entry]] for entry in each]) for each in (found, known)]
    matched = [_matches(listed[0], listed[1]), _matches(listed[1], listed[0])]

    def agreement(kind: int, weighted: bool = False) -> Agreement:
        shares = (
            _mean(match[:, kind], weight if weighted else np.ones(len(weight)))
            for match, weight in zip(matched, weights, strict=True)
        )
        return Agreement(*shares)

    return Scores(
        len(found), agreement(0), agreement(1), agreement(0, True), agreement(1, True), agreement(2)
    )


def _plain(entries: Iterable[Entry], *, slots: bool) -> list[Entry]:
    """Return the different entries without their confidences, and without slots that are no answer."""
    plain = {replace(entry, confidence=1.0, slot=entry.slot if slots else None) for entry in entries}
    return sorted(plain, key=lambda e: (str(e.form), str(e.slot), sorted(e.meaning)))


def _occurrences(entries: list[Entry], clean: IntArray) -> tuple[list[bytes], list[float]]:
    """Return which messages have the form of each entry, as a key, and in what share of them it stands."""
    if not entries:
        return [], []
    # Padding is a symbol that no form has.
    messages = np.where(clean == ANY, 1 + max(clean.max(), *(s or 0 for e in entries for s in e.form)), clean)
    distinct, which = distinct_rows(messages)
    number = np.bincount(which, minlength=len(distinct))
    table = carriers([Form(entry.form, entry.slot) for entry in entries], distinct).tocsr()
    table.sort_indices()
    keys = [
        table.indices[start:end].tobytes()
        for start, end in zip(table.indptr[:-1], table.indptr[1:], strict=True)
    ]
    return keys, (table @ number / max(number.sum(), 1)).tolist()


@dataclass(frozen=True)
class _Item:
    """What is compared of an entry."""

    form: tuple[int | None, ...]
    placed: Tokens | None  # symbols with their slots, if these are known and count
    meaning: frozenset[Atom]
    key: bytes

    @classmethod
    def of(cls, entry: Entry, key: bytes, corpus: Corpus) -> _Item:
        known = corpus.slots and entry.slot is not None
        placed = tuple((i + (entry.slot or 0), s) for i, s in enumerate(entry.form) if s is not None)
        form = tuple(s for s in entry.form if s is not None)
        return cls(form, placed if known else None, entry.meaning, key if corpus.slots else b"")

    def same_form(self, other: _Item) -> bool:
        """Tell whether the forms are equal: the same symbols at the same slots, or in the same messages."""
        equal = (self.form, self.placed) == (other.form, other.placed)
        return equal or (self.key != b"" and self.key == other.key)

    def similarity(self, other: _Item) -> float:
        """Return how similar the forms are, in 0..1; by their symbols alone if a slot is not known."""
        if self.same_form(other):
            return 1.0
        if self.placed is not None and other.placed is not None:
            return _ratio(self.placed, other.placed)
        return _ratio(self.form, other.form)


def _matches(items: Collection[_Item], others: Collection[_Item]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return (items, 3): whether an entry is among the others, its best match, and that of its form."""
    by_atom: Mapping[Atom, list[_Item]] = defaultdict(list)
    for other in others:
        for atom in other.meaning:
            by_atom[atom].append(other)
    forms = {(other.form, other.placed, other.key): other for other in others}
    found = np.zeros((len(items), 3))
    best_form: dict[tuple[Any, ...], float] = {}
    for row, item in zip(found, items, strict=True):
        near = {id(other): other for atom in item.meaning for other in by_atom.get(atom, ())}
        ranked = [(_overlap(item.meaning, other.meaning), other) for other in near.values()]
        for overlap, other in sorted(ranked, key=lambda each: -each[0]):
            if overlap < row[1] or row[0] == 1:
                break
            similarity = item.similarity(other)
            row[0] = max(row[0], overlap == 1 and item.same_form(other))
            row[1] = max(row[1], min(overlap, similarity))
        key = (item.form, item.placed, item.key)
        if key not in best_form:
            best_form[key] = max((item.similarity(other) for other in forms.values()), default=0.0)
        row[2] = best_form[key]
    return found


def _overlap(one: frozenset[Atom], other: frozenset[Atom]) -> float:
    return len(one & other) / len(one | other)


@lru_cache(maxsize=1 << 20)
def _ratio(one: Tokens, other: Tokens) -> float:
    """Return twice the length of the longest common subsequence, by the length of both together."""
    if one == other:
        return 1.0
    if not {*one} & {*other}:
        return 0.0
    row = [0] * (len(other) + 1)
    for a in one:
        before = row
        row = [0]
        for j, b in enumerate(other):
            row.append(before[j] + 1 if a == b else max(before[j + 1], row[j]))
    return 2 * row[-1] / (len(one) + len(other))


def _mean(values: Any, weights: Any) -> float:
    total = float(weights.sum())
    return float(values @ weights / total) if total else 0.0
