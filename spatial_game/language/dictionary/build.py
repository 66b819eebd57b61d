"""The dictionary of a language: the entries that shorten its description most, as a lexicon."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from spatial_game.language.association import npmi_interval
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import carrier_mask
from spatial_game.language.dictionary.account import account
from spatial_game.language.dictionary.describe import Description, describe
from spatial_game.language.dictionary.senses import CountedForm, count_senses, divergence
from spatial_game.language.lexicon.analyses import ByDescription
from spatial_game.language.lexicon.entries import Entry, by_role
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.meaning import KINDS


def dictionary_of(counts: Counts, *, intervals: np.random.Generator | None = None) -> Lexicon:
    """Return the dictionary of a language: the entries that shorten its description most.

    With a generator in `intervals`, each entry gets a 95% interval of its NPMI, by resampling its 2x2
    table. Raises `ValueError` if episodes are needed again (for offsets and for senses of several parts)
    that the counts do not know.
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
    entries = [_entry(each, counts.total) for each in counted]
    if rng is not None and entries:
        entries = _with_intervals(entries, counted, counts.total, rng)
    return sorted([*entries, *_composed(description)], key=_order)


def _entry(counted: CountedForm, episodes: int) -> Entry:
    # The chance of so much saving (see `code`).
    p = float(np.exp2(min(sum(rule.cost - rule.saved for rule in counted.rules), 0.0)))
    npmi = counted.npmi(episodes)
    together = counted.senses == (tuple(range(len(counted.meanings))),)
    return Entry(
        counted.form,
        counted.rules,
        npmi,
        counted.joint / max(counted.total, 1),
        counted.joint,
        p,
        listed=npmi > 0 and counted.is_sure,
        bits=counted.bits,
        alternatives=() if together else tuple(zip(counted.senses, counted.shares, strict=True)),
    )


def _with_intervals(
    entries: Sequence[Entry], counted: Sequence[CountedForm], episodes: int, rng: np.random.Generator
) -> list[Entry]:
    joint, total = (np.array([getattr(each, name) for each in counted]) for name in ("joint", "total"))
    chance = np.rint(np.array([each.chance for each in counted]) * episodes).astype(np.int64)
    ranges = npmi_interval(joint, total, np.maximum(joint, chance), episodes, rng).tolist()
    return [
        dataclasses.replace(entry, interval=(low, high))
        for entry, (low, high) in zip(entries, ranges, strict=True)
    ]


def _composed(description: Description) -> Iterator[Entry]:
    """Yield the entries of words for integers and of words for offsets."""
    composition = description.composition
    if composition is None:
        return
    for part in composition.parts:
        rule, confidence = part.rule, part.joint / part.total
        assert rule.form is not None
        p = float(np.exp2(min(rule.cost - rule.saved, 0.0)))
        share = np.clip(np.array(part.chance), 1e-12, 1 - 1e-12)
        yield Entry(
            rule.form,
            (rule,),
            rule.strength,
            confidence,
            part.joint,
            p,
            bits=float(divergence(np.array(confidence), share)),
        )


def _order(entry: Entry) -> tuple[Any, ...]:
    """By kind, then by meaning, then by form."""
    symbols = tuple(-1 if s is None else s for s in entry.form.symbols)
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
