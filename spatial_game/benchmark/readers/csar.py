"""Count, select, ablate, repeat: the greedy procedure of Boldt and Mortensen (EMNLP 2025), from the paper.

A form is a run of symbols, a meaning a set of atoms. The pair with the most mutual information is taken into
the dictionary; where both are, its symbols and atoms are taken out of the messages and meanings; and so on.
Weights never rise, so a heap finds the next pair without computing all of them again.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator

from spatial_game.benchmark.corpus import ANY, Atom, Entry, Meanings
from spatial_game.game.episodes import IntArray

MOST_EPISODES = 20_000
"""Episodes that are read; the first ones."""
SMALL, MOST_ATOMS = 1_000, 8
"""In more episodes, a meaning has at most two atoms, and what occurs once is left out, to save time."""
Run = tuple[int, ...]
Atoms = frozenset[Atom]


class Greedy:
    """Takes the pair of a form and a meaning that tell most of each other, until none tells anything."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Return the pairs in the order in which they are taken."""
        number = min(len(forms), MOST_EPISODES)
        messages = [[s for s in row if s != ANY] for row in forms[:number].tolist()]
        state = _State(messages, meanings.first(number).sets)
        heap = [(-weight, 0, -len(f), len(m), f, sorted(m)) for f, m, weight in state.weights()]
        heapq.heapify(heap)
        uses: Counter[Run] = Counter()
        at_first = {form: episodes.bit_count() for form, episodes in state.with_form.items()}
        while heap:
            old, _, longer, smaller, form, atoms = heapq.heappop(heap)
            meaning = frozenset(atoms)
            weight = min(-old, state.weight(form, meaning))
            key = (-weight, uses[form], longer, smaller, form, atoms)
            if weight <= 1e-12:
                continue
            if heap and key > heap[0]:
                heapq.heappush(heap, key)
                continue
            together = state.with_form[form] & state.with_meaning[meaning]
            share = together.bit_count() / at_first[form]
            state.ablate(form, meaning, together)
            uses[form] += 1
            yield Entry(form, meaning, share)


class _State:
    """What is left of the messages and meanings. Sets of episodes are whole numbers, a bit for each."""

    def __init__(self, messages: list[list[int]], meanings: list[Atoms]) -> None:
        self.messages, self.meanings = messages, meanings
        self.number = len(messages)
        small = self.number <= SMALL
        self.most_atoms, least = (MOST_ATOMS, 1) if small else (2, 2)
        runs, subsets = (defaultdict[object, list[int]](list) for _ in range(2))
        for i, (message, meaning) in enumerate(zip(messages, meanings, strict=True)):
            for run in {*self._runs(message)}:
                runs[run].append(i)
            for subset in self._subsets(meaning):
                subsets[subset].append(i)
        self.with_form: dict[Run, int] = {r: _bits(n) for r, n in runs.items() if len(n) >= least}  # type: ignore[misc]
        self.with_meaning: dict[Atoms, int] = {
            m: _bits(n)  # type: ignore[misc]
            for m, n in subsets.items()
            if len(n) >= least
        }

    @staticmethod
    def _runs(message: list[int]) -> Iterator[Run]:
        for size in range(1, len(message) + 1):
            for start in range(len(message) - size + 1):
                run = tuple(message[start : start + size])
                if ANY not in run:
                    yield run

    def _subsets(self, meaning: Atoms) -> Iterator[Atoms]:
        atoms = sorted(meaning)
        for size in range(1, min(len(atoms), self.most_atoms) + 1):
            yield from map(frozenset, itertools.combinations(atoms, size))

    def weights(self) -> Iterator[tuple[Run, Atoms, float]]:
        """Yield the pairs that occur together, with their weights."""
        together: Counter[tuple[Run, Atoms]] = Counter()
        for message, meaning in zip(self.messages, self.meanings, strict=True):
            subsets = [m for m in self._subsets(meaning) if m in self.with_meaning]
            for run in {*self._runs(message)}:
                if run in self.with_form:
                    together.update((run, subset) for subset in subsets)
        for (form, meaning), both in together.items():
            one, other = self.with_form[form].bit_count(), self.with_meaning[meaning].bit_count()
            yield form, meaning, information(both, one, other, self.number)

    def weight(self, form: Run, meaning: Atoms) -> float:
        """Return the mutual information of a form and a meaning in what is left."""
        one, other = self.with_form[form], self.with_meaning[meaning]
        both = (one & other).bit_count()
        return information(both, one.bit_count(), other.bit_count(), self.number) if both else 0.0

    def ablate(self, form: Run, meaning: Atoms, together: int) -> None:
        """Take the symbols of a form and the atoms of a meaning out of these episodes."""
        gone: defaultdict[Run, list[int]] = defaultdict(list)
        unsaid: defaultdict[Atoms, list[int]] = defaultdict(list)
        for i in _numbers(together):
            message = self.messages[i]
            before = {*self._runs(message)}
            start = next(s for s in range(len(message)) if tuple(message[s : s + len(form)]) == form)
            message[start : start + len(form)] = [ANY] * len(form)
            for run in before - {*self._runs(message)}:
                gone[run].append(i)
            for subset in self._subsets(self.meanings[i]):
                if subset & meaning:
                    unsaid[subset].append(i)
            self.meanings[i] -= meaning
        for table, lists in ((self.with_form, gone), (self.with_meaning, unsaid)):
            for key, numbers in lists.items():
                if key in table:
                    table[key] &= ~_bits(numbers)  # type: ignore[index]


def information(both: int, one: int, other: int, total: int) -> float:
    """Return the mutual information, in bits, of two things that are in these numbers of episodes."""
    cells = (
        (both, one, other),
        (one - both, one, total - other),
        (other - both, total - one, other),
        (total - one - other + both, total - one, total - other),
    )
    return sum(n / total * math.log2(n * total / (a * b)) for n, a, b in cells if n)


def _bits(numbers: list[int]) -> int:
    """Return a set of numbers as one whole number."""
    found = bytearray(max(numbers) // 8 + 1)
    for number in numbers:
        found[number // 8] |= 1 << number % 8
    return int.from_bytes(found, "little")


def _numbers(bits: int) -> Iterator[int]:
    """Yield the numbers of a set, in ascending order."""
    for start, byte in enumerate(bits.to_bytes((bits.bit_length() + 7) // 8, "little")):
        while byte:
            yield 8 * start + (byte & -byte).bit_length() - 1
            byte &= byte - 1
