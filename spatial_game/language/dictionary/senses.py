"""What forms mean: the rules of each form put together and counted, as entries of a lexicon.

What the rules of a form say of different places holds together, and is one *sense*. A form has several
senses if a rule names several edges, or if its parts hardly ever hold together: then what is certain holds in
all senses, and the other parts are alternatives. Each sense has its share of the form's episodes. An entry is
listed if its senses account for enough of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import rel_entr

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form, carriers
from spatial_game.language.counting.places import column_of, values_at_places
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.chance import shares
from spatial_game.language.dictionary.rules import Rule
from spatial_game.language.meaning import Meaning, Meanings
from spatial_game.language.npmi.npmi import npmi

TOGETHER = 0.25
"""Parts that hold together in a smaller share of the form's episodes are senses of the form."""
CERTAIN = 0.9
"""But those that hold in at least this share of them are in every sense."""
LEAST_SENSE = 0.1
"""A sense holds in at least this share of the form's episodes."""
LEAST_LISTED, LEAST_ALTERNATIVES = 0.4, 0.8
"""The sense of a listed entry holds in at least this share of the form's episodes; several, all together."""
MOST_OVERLAPPING = 5
"""The most senses of a form that may overlap and are still counted exactly: they have 26 conjunctions."""
LEAST_TOLD = 0.005
"""Bits an episode of the form that a listed entry tells at least; fewer are written as 0.00."""
_NO_PLACE = -1


@dataclass(frozen=True)
class CountedSenses:
    """What a form means, counted: its senses, the most frequent first, and all of them together."""

    senses: tuple[Meanings, ...]
    shares: tuple[float, ...]
    """Of the form's episodes, those in which each sense holds."""
    joint: int
    """Episodes with the form in which one of the senses holds."""
    total: int
    """Episodes with the form."""
    chance: float
    """The share of all windows of the game in which one of the senses holds, whatever is said."""
    npmi: float

    @property
    def bits(self) -> float:
        """The bits by which the meaning shortens an episode with its form, on average."""
        share = np.array(self.joint / max(self.total, 1))
        return float(divergence(share, np.clip(np.array(self.chance), 1e-12, 1 - 1e-12)))

    @property
    def is_listed(self) -> bool:
        """Whether the meaning is asserted, and not only counted with the rest."""
        least = LEAST_LISTED if len(self.senses) == 1 else LEAST_ALTERNATIVES
        return self.joint >= least * self.total and self.npmi > 0 and self.bits >= LEAST_TOLD


def count_senses(rules: Sequence[Rule], counts: Counts) -> dict[Form, CountedSenses]:
    """Return what the forms of rules mean, by these counts. Words, offsets and defaults are left out."""
    config = counts.config
    by_form: dict[Form, list[Rule]] = {}
    for rule in rules:
        if rule.form is not None and not rule.is_word and not rule.is_offset:
            by_form.setdefault(rule.form, []).append(rule)
    forms = [*by_form]
    senses = [list(_wholes(of_form, config)) for of_form in by_form.values()]
    counted = _counted(forms, senses, counts)
    apart = [
        number
        for number, together in enumerate(counted)
        if len(senses[number][0]) > 1 and together.joint.sum() < TOGETHER * together.form
    ]
    split = _alternatives([forms[i] for i in apart], [senses[i] for i in apart], counts)
    for number, (alternatives, shares_of_form) in zip(apart, split, strict=True):
        senses[number], counted[number] = alternatives, shares_of_form
    kept = [_kept(of_form) for of_form in counted]
    meant = [[of_form[i] for i in rows] for of_form, rows in zip(senses, kept, strict=True)]
    numbers = [of_form.take(rows) for of_form, rows in zip(counted, kept, strict=True)]
    joint, chance = _at_least_one(forms, meant, numbers, counts)
    total = np.array([of_form.form for of_form in counted])
    together = npmi(joint, total, chance * counts.total, max(counts.total, 1))
    return {
        form: CountedSenses(
            tuple(meant[row]),
            tuple((numbers[row].joint / max(numbers[row].form, 1)).tolist()),
            int(joint[row]),
            numbers[row].form,
            float(chance[row]),
            float(together[row]),
        )
        for row, form in enumerate(forms)
    }


def divergence(share: FloatArray, chance: FloatArray) -> FloatArray:
    """Return the divergence of one yes-or-no event from another, in bits, from their probabilities."""
    bits: FloatArray = rel_entr(share, chance) + rel_entr(1 - share, 1 - chance)
    return np.asarray(bits / np.log(2))


def _wholes(rules: Sequence[Rule], config: GameConfig) -> Iterator[Meanings]:
    """Yield what the rules of a form say together: one sense, or one for each edge that it may be."""
    values: dict[int, tuple[int, ...]] = {}
    for rule in rules:
        assert rule.place is not None
        before = values.get(rule.place, rule.values)
        values[rule.place] = tuple(value for value in before if value in rule.values) or rule.values
    edge = len(config.offsets)
    offsets = [Meaning.of(config, place, values[place]) for place in sorted(values) if place != edge]
    for value in values.get(edge, ()):
        yield (Meaning.of(config, edge, (value,)), *offsets)
    if edge not in values:
        yield tuple(offsets)


def _alternatives(
    forms: Sequence[Form], senses: Sequence[Sequence[Meanings]], counts: Counts
) -> Iterator[tuple[list[Meanings], _Counted]]:
    """Yield the alternatives of forms whose parts hardly ever hold together, with their counts.

    Each has the parts that are certain, and one of the others: unless these hold too rarely beside them.
    """
    parts: list[list[Meanings]] = [
        [*dict.fromkeys((part,) for sense in of_form for part in sense)] for of_form in senses
    ]
    certain: list[Meanings] = []
    for row, number in enumerate(_counted(forms, parts, counts)):
        is_certain = number.joint >= CERTAIN * number.form
        certain.append(tuple(parts[row][i][0] for i in np.flatnonzero(is_certain)))
        if certain[row]:
            uncertain = [parts[row][i] for i in np.flatnonzero(~is_certain)]
            parts[row] = [certain[row], *((*certain[row], *other) for other in uncertain)]
    counted = _counted(forms, parts, counts)
    beside = [slice(1, None) if sure else slice(0) for sure in certain]
    others = [of_form[rows] for of_form, rows in zip(parts, beside, strict=True)]
    numbers = [number.take(rows) for number, rows in zip(counted, beside, strict=True)]
    joint, _ = _at_least_one(forms, others, numbers, counts)
    for row, number in enumerate(counted):
        often = joint[row] >= LEAST_ALTERNATIVES * number.form
        rows = slice(None) if not certain[row] else beside[row] if often else slice(1)
        yield parts[row][rows], number.take(rows)


@dataclass(frozen=True)
class _Counted:
    """What was counted of the senses of one form."""

    joint: Numbers  # (S,)
    form: int
    chance: FloatArray  # (S,)

    def take(self, rows: slice | Numbers) -> _Counted:
        """Return the counts of some of the senses."""
        return _Counted(self.joint[rows], self.form, self.chance[rows])


def _counted(forms: Sequence[Form], senses: Sequence[Sequence[Meanings]], counts: Counts) -> list[_Counted]:
    """Count forms with each of their senses. Senses of several parts read the episodes again."""
    having = carriers([*forms], counts.messages)
    total = np.asarray(having @ counts.message_totals)
    owner = np.repeat(np.arange(len(forms)), [len(each) for each in senses])
    flat = [sense for each in senses for sense in each]
    joint = _joint(flat, having[owner], counts)
    chance = shares(flat, counts.config)
    ends = np.cumsum([len(each) for each in senses])
    rows = [slice(end - len(each), end) for end, each in zip(ends, senses, strict=True)]
    return [_Counted(joint[row], int(n), chance[row]) for row, n in zip(rows, total, strict=True)]


def _kept(counted: _Counted) -> Numbers:
    """Return the senses that hold often enough and above chance, or the most frequent one if none does."""
    share = counted.joint / max(counted.form, 1)
    order = np.argsort(-share, kind="stable")
    kept = order[(share[order] >= LEAST_SENSE) & (share[order] > counted.chance[order])]
    return kept if len(kept) else order[:1]


def _at_least_one(
    forms: Sequence[Form], senses: Sequence[Sequence[Meanings]], counted: Sequence[_Counted], counts: Counts
) -> tuple[Numbers, FloatArray]:
    """Return (F,), the episodes of each form in which at least one of its senses holds, and the chance.

    An episode in which several senses hold counts once, by inclusion-exclusion over their conjunctions. If
    more than `MOST_OVERLAPPING` senses overlap, it counts once for each of them, up to all episodes.
    """
    joint = np.array([number.joint.sum() for number in counted], dtype=np.int64)
    chance = np.array([number.chance.sum() for number in counted])
    terms = [_conjunctions(of_form) for of_form in senses]
    rows = [row for row, of_form in enumerate(terms) if of_form]
    several = [[sense for _, sense in terms[row]] for row in rows]
    again = _counted([forms[row] for row in rows], several, counts) if rows else []
    for row, number in zip(rows, again, strict=True):
        sign = np.array([sign for sign, _ in terms[row]])
        joint[row] += sign @ number.joint
        chance[row] += sign @ number.chance
    return np.minimum(joint, [number.form for number in counted]), np.clip(chance, 0, 1)


def _conjunctions(senses: Sequence[Meanings]) -> list[tuple[int, Meanings]]:
    """Return the conjunctions of two or more senses that can hold, with their signs in the union's count.

    Return none if more than `MOST_OVERLAPPING` senses overlap.
    """
    pairs = [pair for pair in itertools.combinations(senses, 2) if _both(*pair)]
    if len({*itertools.chain(*pairs)}) > MOST_OVERLAPPING:
        return []
    several: list[tuple[int, Meanings]] = []
    for i, sense in enumerate(senses):
        before = [*((1, each) for each in senses[:i]), *several]
        several += [(-sign, both) for sign, each in before if (both := _both(each, sense))]
    return several


def _both(one: Meanings, other: Meanings) -> Meanings:
    """Return what holds where two senses hold; nothing if they exclude each other."""
    values: dict[Any, tuple[Any, ...]] = {}
    for part in (*one, *other):
        before = values.get(part.place, part.values)
        values[part.place] = tuple(value for value in before if value in part.values)
        if not values[part.place]:
            return ()
    return tuple(Meaning(place, kept) for place, kept in values.items())


def _joint(senses: Sequence[Meanings], having: sp.csr_array[Any], counts: Counts) -> Numbers:
    """Return (S,), the episodes with the form of each sense (S, M) in which the sense holds."""
    config = counts.config
    columns = [_columns(sense[0], config) for sense in senses]
    owner = np.repeat(np.arange(len(senses)), [len(each) for each in columns])
    column = np.concatenate([np.zeros(0, dtype=np.int64), *columns])
    shape = (len(senses), counts.table.shape[1])
    wanted = sp.csr_array((np.ones(len(owner), dtype=np.int64), (owner, column)), shape=shape)
    joint = np.asarray((having @ counts.table).multiply(wanted).sum(axis=1), dtype=np.int64)
    several = [i for i, sense in enumerate(senses) if len(sense) > 1]
    if several:
        joint[several] = _read_again([senses[i] for i in several], having[several], counts)
    return joint


def _columns(part: Meaning, config: GameConfig) -> Numbers:
    """Return the columns of a table of counts in which an edge or integers at an offset stand."""
    place, values = _numbers(part, config)
    return column_of(config, place, 0) + np.array(values)


def _numbers(part: Meaning, config: GameConfig) -> tuple[int, list[int]]:
    place, values = part.numbers(config) or (None, [])
    assert place is not None
    return place, values


def _read_again(senses: Sequence[Meanings], having: sp.csr_array[Any], counts: Counts) -> Numbers:
    """Count the episodes in which all parts of a sense hold, by reading them again."""
    config = counts.config
    by_message = having.T.tocsr()
    ends, owner = by_message.indptr, by_message.indices
    places, allowed = _as_arrays(senses, config)
    joint = np.zeros(len(senses), dtype=np.int64)
    for ids, window in counts.episodes("entries of several parts need"):
        seen = values_at_places(config, window)
        first, number = ends[ids], ends[ids + 1] - ends[ids]
        for step in range(int(number.max(initial=0))):
            rows = np.flatnonzero(number > step)
            sense, holds = owner[first[rows] + step], np.ones(len(rows), dtype=bool)
            for part in range(places.shape[1]):
                place = places[sense, part]
                value = seen[rows, place]
                holds &= (place == _NO_PLACE) | ((value >= 0) & allowed[sense, part, value])
            np.add.at(joint, sense[holds], 1)
    return joint


def _as_arrays(senses: Sequence[Meanings], config: GameConfig) -> tuple[Numbers, Mask]:
    """Return the places of the parts of senses (S, P), and which values hold there (S, P, values)."""
    most, num_values = max(map(len, senses)), max(len(config.integers), config.window_size)
    places = np.full((len(senses), most), _NO_PLACE)
    allowed = np.zeros((len(senses), most, num_values), dtype=bool)
    for i, sense in enumerate(senses):
        for j, part in enumerate(sense):
            places[i, j], values = _numbers(part, config)
            allowed[i, j, values] = True
    return places, allowed
