"""The dictionary of a language: the entries that shorten its description most, as a lexicon."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from spatial_game.language.association import npmi_interval
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import OPEN, carrier_mask
from spatial_game.language.dictionary.account import account
from spatial_game.language.dictionary.describe import Description, describe
from spatial_game.language.dictionary.senses import CountedForm, bits_told, count_senses
from spatial_game.language.lexicon.analyses import ByDescription
from spatial_game.language.lexicon.entries import Entry, by_role
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.rules import Rule
from spatial_game.language.meaning import KINDS


def dictionary_of(counts: Counts, *, intervals: np.random.Generator | None = None) -> Lexicon:
    """Return the dictionary of a language: the entries that shorten its description most.

    With a generator in `intervals`, each entry gets a 95% interval of its NPMI, by resampling its 2x2
    table, except words for integers and words for offsets. Raises `ValueError` if episodes are needed again
    (for offsets and for senses of several parts) that the counts do not know.
    """
    description = describe(counts)
    entries = _entries_of(description, intervals)
    defaults = tuple(rule for rule in description.rules if rule.form is None)
    every, listed = (
        [*defaults, *(rule for entry in some for rule in entry.rules)]
        for some in (entries, [entry for entry in entries if entry.listed])
    )
    bits = account(counts, every, listed)
    settings = f"description {bits.kilobits:.1f} kbit"
    return Lexicon.of_counts(
        counts, ByDescription(bits, defaults), entries, _coverage(entries, counts), settings
    )


def _entries_of(description: Description, rng: np.random.Generator | None) -> list[Entry]:
    """Return the entries of a description, in a stable order. `rng`: draws intervals of NPMI."""
    counts = description.counts
    counted = count_senses(description.rules, counts)
    entries = [_of_form(each, counts.total) for each in counted]
    if rng is not None and entries:
        entries = _with_intervals(entries, counted, counts.total, rng)
    parts = description.composition.parts if description.composition is not None else ()
    composed = [
        _entry((part.rule,), part.joint, part.total, part.chance, part.rule.strength) for part in parts
    ]
    return sorted([*entries, *composed], key=_order)


def _entry(
    rules: tuple[Rule, ...], joint: int, total: int, chance: float, npmi: float, **others: Any
) -> Entry:
    """Return the entry of rules that hold in `joint` of the `total` episodes of their form, and by chance."""
    form, share = rules[0].form, joint / max(total, 1)
    assert form is not None
    # The chance of so much saving (see `code`).
    p = float(np.exp2(min(sum(rule.cost - rule.saved for rule in rules), 0.0)))
    return Entry(form, rules, npmi, share, joint, p, bits=bits_told(share, chance), **others)


def _of_form(counted: CountedForm, episodes: int) -> Entry:
    npmi, together = counted.npmi(episodes), counted.senses == (tuple(range(len(counted.meanings))),)
    return _entry(
        counted.rules,
        counted.joint,
        counted.total,
        counted.chance,
        npmi,
        listed=npmi > 0 and counted.is_sure,
        alternatives=() if together else tuple(zip(counted.senses, counted.shares, strict=True)),
    )


def _with_intervals(
    entries: Sequence[Entry], counted: Sequence[CountedForm], episodes: int, rng: np.random.Generator
) -> list[Entry]:
    joint, total = (np.array([getattr(each, name) for each in counted]) for name in ("joint", "total"))
    chance = np.rint(np.array([each.chance for each in counted]) * episodes).astype(np.int64)
    chance = np.clip(chance, joint, episodes - total + joint)  # a table has no fewer than 0 episodes
    ranges = npmi_interval(joint, total, chance, episodes, rng).tolist()
    return [
        dataclasses.replace(entry, interval=(low, high))
        for entry, (low, high) in zip(entries, ranges, strict=True)
    ]


def _order(entry: Entry) -> tuple[Any, ...]:
    """By kind, then by meaning, then by form."""
    symbols = tuple(OPEN if s is None else s for s in entry.form.symbols)
    return (
        KINDS.index(entry.kind),
        [[(str(meaning.place), meaning.values) for meaning in meanings] for meanings in entry.meanings],
        len(symbols),
        entry.form.slot or 0,
        symbols,
    )


def _coverage(entries: Sequence[Entry], counts: Counts) -> float:
    """Return the share of the episodes whose message says by these entries where the target is."""
    roles = by_role(entry for entry in entries if entry.listed)
    place, word, offset = (
        carrier_mask([entry.form for entry in of_role], counts.messages) for of_role in roles
    )
    return counts.episode_share(place | (word & offset))
