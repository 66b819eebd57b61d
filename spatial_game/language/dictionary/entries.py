"""From a description to the entries of a lexicon: what each form means, how often and how surely.

Statements of one form about several places hold together, and make one entry. An edge that may be one of two
makes two entries, the senses of the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import rel_entr

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, Mask, mask_columns
from spatial_game.language.counting.columns import num_integer_columns, places_at_offsets
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form, carriers
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.belief import edge_columns
from spatial_game.language.dictionary.chance import shares
from spatial_game.language.dictionary.compositions import Composition
from spatial_game.language.dictionary.describe import Description
from spatial_game.language.dictionary.referents import (
    Conjunction,
    Edge,
    Integer,
    IntegerAt,
    Offset,
    Part,
    Referent,
    parts_of,
)
from spatial_game.language.dictionary.statements import Statement
from spatial_game.language.npmi.best_referents import NO_INTEGER, BestReferents
from spatial_game.language.npmi.npmi import npmi

NO_OFFSET = -1
"""In place of the number of an offset."""
Ends: TypeAlias = tuple[tuple[float, float], ...]
"""For each band of an entry, the weights of its first and its last integer, those between weighing 1."""
WHOLE = (1.0, 1.0)
_TOGETHER = 0.25
"""Parts that hold together in a smaller share of the form's episodes are senses of the form."""


@dataclass(frozen=True)
class Found:
    """One form with one referent, before it is counted."""

    form: Form
    referent: Referent
    saved: float
    cost: float
    ends: Ends | None = None


@dataclass(frozen=True)
class Counted:
    """What was counted of entries, each (E,)."""

    joint: Numbers
    form: Numbers
    chance: FloatArray
    """The share of the referent in the game itself, whatever is said."""
    npmi: FloatArray

    def take(self, rows: Numbers) -> Counted:
        """Return those of these rows."""
        return Counted(*(getattr(self, field.name)[rows] for field in fields(self)))

    def and_those(self, others: Counted) -> Counted:
        """Return both, these first."""
        names = [field.name for field in fields(self)]
        return Counted(*(np.concatenate([getattr(each, name) for each in (self, others)]) for name in names))


def found_entries(description: Description) -> list[Found]:
    """Return the entries of the statements: one for each form and sense, with all that holds together."""
    config = description.counts.config
    by_form: dict[Form, list[Statement]] = {}
    for statement in description.statements:
        by_form.setdefault(statement.form, []).append(statement)
    return [entry for form, those in by_form.items() for entry in _of_form(form, those, config)]


def listed_entries(description: Description) -> tuple[list[Found], Counted]:
    """Return the entries that have episodes, counted; parts that hardly ever hold together become senses."""
    counts = description.counts
    found = found_entries(description)
    counted = count_entries(found, counts)
    together = counted.joint >= _TOGETHER * counted.form
    if not together.all():
        # Only what was split is new.
        row = {(entry.form, entry.referent): i for i, entry in enumerate(found)}
        found = _distinct(
            part for entry, whole in zip(found, together, strict=True) for part in _parts(entry, whole)
        )
        new = [entry for entry in found if (entry.form, entry.referent) not in row]
        row |= {(entry.form, entry.referent): i for i, entry in enumerate(new, len(counted.joint))}
        counted = counted.and_those(count_entries(new, counts))
        counted = counted.take(np.array([row[entry.form, entry.referent] for entry in found]))
    seen = np.flatnonzero(counted.joint > 0)
    return [found[i] for i in seen], counted.take(seen)


def _parts(entry: Found, together: bool) -> list[Found]:
    parts = parts_of(entry.referent)
    if together or len(parts) == 1:
        return [entry]
    saved, cost = entry.saved / len(parts), entry.cost / len(parts)
    ends = dict(zip((p for p in parts if isinstance(p, IntegerAt)), entry.ends or (), strict=False))
    return [Found(entry.form, p, saved, cost, (ends[p],) if p in ends else None) for p in parts]


def _distinct(found: Iterable[Found]) -> list[Found]:
    """Return the entries without repetition: with two edges, a form says the same of an offset twice."""
    return list({(each.form, each.referent): each for each in found}.values())


def _of_form(form: Form, those: Sequence[Statement], config: GameConfig) -> Iterator[Found]:
    inside: dict[int, Mask] = {}
    ends: dict[int, tuple[float, float]] = {}
    for each in those:
        ends[each.place] = each.ends if each.place not in ends else WHOLE
        known = inside.get(each.place)
        both = each.inside if known is None else known & each.inside
        inside[each.place] = both if both.any() else each.inside
    saved, cost = sum(each.saved for each in those), sum(each.cost for each in those)
    at_offsets = [place for place in sorted(inside) if place < len(config.offsets)]
    offsets: list[Part] = [
        IntegerAt(tuple(np.flatnonzero(inside[place]).tolist()), config.offsets[place])
        for place in at_offsets
    ]
    weighted = tuple(ends[place] for place in at_offsets)
    columns = edge_columns(config)
    edges: list[Edge | None] = [
        Edge(config.edges[columns[i]]) for i in np.flatnonzero(inside.get(len(config.offsets), []))
    ]
    for edge in edges or [None]:
        parts: tuple[Part, ...] = (*([edge] if edge else []), *offsets)
        referent = parts[0] if len(parts) == 1 else Conjunction(parts)
        yield Found(form, referent, saved, cost, weighted if set(weighted) - {WHOLE} else None)


def composed_entries(
    composition: Composition, config: GameConfig
) -> Iterator[tuple[Found, BestReferents, int]]:
    """Yield the words for integers and offsets that composed messages use, with the rows of their tables."""
    words, offsets = np.unique(composition.word), np.unique(composition.offset)
    share = composition.cost / (len(words) + len(offsets))
    for table, rows in ((composition.integers, words), (composition.offsets, offsets)):
        for row in rows.tolist():
            values = tuple(sorted(int(v) for v in table.values[row] if v != NO_INTEGER))
            referent = (
                Integer(values) if table.kind == "integer" else Offset(config.offsets[int(table.place[row])])
            )
            yield Found(composition.form(table.forms.form(row)), referent, 0.0, share), table, row


def count_entries(entries: Sequence[Found], counts: Counts) -> Counted:
    """Count forms, referents and both. Entries of several parts read the episodes again."""
    config = counts.config
    having = carriers([entry.form for entry in entries], counts.messages)
    form = having @ counts.message_totals
    named = [_columns(entry.referent, config) for entry in entries]
    owner = np.repeat(np.arange(len(named)), [len(columns) for columns in named])
    column = np.concatenate([np.zeros(0, dtype=np.int64), *named])
    shape = (len(entries), counts.table.shape[1])
    wanted = sp.csr_array((np.ones(len(owner), dtype=np.int64), (owner, column)), shape=shape)
    joint = (having @ counts.table).multiply(wanted).sum(axis=1)
    several = [i for i, entry in enumerate(entries) if isinstance(entry.referent, Conjunction)]
    if several:
        joint[several] = _joint([entries[i] for i in several], having[several], counts)
    chance = shares([parts_of(entry.referent) for entry in entries], config)
    total = max(counts.total, 1)
    return Counted(joint, form, chance, npmi(joint, form, chance * total, total))


def told_bits(counted: Counted) -> FloatArray:
    """Return (E,), the bits by which an entry shortens an episode with its form, on average."""
    share = counted.joint / np.maximum(counted.form, 1)
    return divergence(share, np.clip(counted.chance, 1e-12, 1 - 1e-12))


def divergence(share: FloatArray, chance: FloatArray) -> FloatArray:
    """Return the divergence of one yes-or-no event from another, in bits, from their probabilities."""
    bits: FloatArray = rel_entr(share, chance) + rel_entr(1 - share, 1 - chance)
    return np.asarray(bits / np.log(2))


def _columns(referent: Referent, config: GameConfig) -> Numbers:
    """Return the columns of a table of counts in which an edge or integers at an offset stand, one part."""
    if isinstance(referent, Edge):
        return np.array([num_integer_columns(config) + config.edges.index(referent.name)])
    if isinstance(referent, IntegerAt):
        return config.offsets.index(referent.offset) * len(config.integers) + np.array(referent.values)
    return np.zeros(0, dtype=np.int64)


def _joint(entries: Sequence[Found], having: sp.csr_array[Any], counts: Counts) -> Numbers:
    """Count the episodes in which all parts of an entry hold, by reading them again."""
    config = counts.config
    places = np.column_stack([places_at_offsets(config), np.full(config.window_size, -1)])
    by_message = having.T.tocsr()
    ends, owner = by_message.indptr, by_message.indices
    masks, offsets, allowed = _as_arrays(entries, config)
    joint = np.zeros(len(entries), dtype=np.int64)
    for ids, window in counts.episodes("entries of several parts need"):
        mask = mask_columns(window)
        first, number = ends[ids], ends[ids + 1] - ends[ids]
        for step in range(int(number.max(initial=0))):
            rows_here = np.flatnonzero(number > step)
            entry, column = owner[first[rows_here] + step], mask[rows_here]
            holds = masks[entry, column]
            for part in range(offsets.shape[1]):
                cell = places[column, offsets[entry, part]]
                value = np.where(cell >= 0, window[rows_here, cell], MASK)
                unused = offsets[entry, part] == NO_OFFSET
                holds &= unused | ((value >= 0) & allowed[entry, part, value])
            np.add.at(joint, entry[holds], 1)
    return joint


def _as_arrays(entries: Sequence[Found], config: GameConfig) -> tuple[Mask, Numbers, Mask]:
    """Return what holds where: mask columns (E, W), numbers of offsets (E, P), integers (E, P, K)."""
    most = max(len(parts_of(entry.referent)) for entry in entries)
    masks = np.ones((len(entries), config.window_size), dtype=bool)
    offsets = np.full((len(entries), most), NO_OFFSET)
    allowed = np.zeros((len(entries), most, len(config.integers)), dtype=bool)
    for i, entry in enumerate(entries):
        for j, part in enumerate(parts_of(entry.referent)):
            if isinstance(part, Edge):
                masks[i] = np.arange(config.window_size) == config.edges.index(part.name)
            elif isinstance(part, IntegerAt):
                offsets[i, j] = config.offsets.index(part.offset)
                allowed[i, j, list(part.values)] = True
    return masks, offsets, allowed
