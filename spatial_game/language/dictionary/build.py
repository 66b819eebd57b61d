"""The entries of a lexicon, from what an analysis found in counts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form, carrier_mask
from spatial_game.language.dictionary.describe import Description
from spatial_game.language.dictionary.entries import Entry, by_role
from spatial_game.language.dictionary.rules import Rule, expected_of
from spatial_game.language.dictionary.senses import CountedForm, count_senses, divergence
from spatial_game.language.meaning import KINDS, Meaning
from spatial_game.language.npmi.analysis import Admitted, episode_share
from spatial_game.language.npmi.best_referents import NO_INTEGER, BestReferents
from spatial_game.language.npmi.npmi import npmi_interval


def entries_of_description(description: Description, rng: np.random.Generator | None) -> list[Entry]:
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
        p,
        npmi > 0 and counted.is_sure,
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
            p,
            bits=float(divergence(np.array(confidence), share)),
        )


def entries_of_tables(admitted: Admitted, rng: np.random.Generator | None) -> list[Entry]:
    """Return the entries of the tables of an analysis by NPMI, in a stable order."""
    config = admitted.counts.config
    return [entry for table, derived in admitted.tables() for entry in _of_table(table, derived, config, rng)]


def _of_table(
    table: BestReferents, derived: Any, config: GameConfig, rng: np.random.Generator | None
) -> Iterator[Entry]:
    """Yield the entries of a table, in the order of referents, then of forms."""
    forms, npmi = table.forms, table.npmi
    keys = [forms.slot, *forms.symbols.T[::-1], *table.values.T[::-1], table.place]
    ranges = None
    if rng is not None:
        ranges = npmi_interval(table.joint, table.form_total, table.referent_total, table.total, rng)
    for row in np.lexsort(keys):
        yield entry_by_npmi(
            forms.form(int(row)),
            _meaning(table, int(row), config),
            config,
            npmi=float(npmi[row]),
            confidence=float(table.joint[row] / table.form_total[row]),
            count=int(table.joint[row]),
            p_value=float(table.p_value[row]),
            q_value=float(table.q_value[row]),
            listed=not derived[row],
            interval=None if ranges is None else (float(ranges[row, 0]), float(ranges[row, 1])),
        )


def entry_by_npmi(
    form: Form,
    meaning: Meaning,
    config: GameConfig,
    *,
    npmi: float,
    confidence: float,
    count: int,
    **others: Any,
) -> Entry:
    """Return an entry that was selected by NPMI, with the rule that follows from its confidence.

    The probability of the rule is the Krichevsky-Trofimov estimate. What was expected is what the game itself
    leads to expect.
    """
    episodes = count / confidence if confidence else 0.0
    probability = (count + 0.5) / (episodes + 1)
    rule = Rule(form, meaning, probability, expected_of(meaning, config), strength=npmi)
    return Entry(form, (rule,), npmi, confidence, count, **others)


def _meaning(table: BestReferents, row: int, config: GameConfig) -> Meaning:
    place, values = int(table.place[row]), [int(v) for v in table.values[row] if v != NO_INTEGER]
    if table.kind == "edge":
        return Meaning.of(config, len(config.offsets), [place])
    return Meaning.of(config, None if table.kind == "integer" else place, values)


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


def coverage(entries: Sequence[Entry], counts: Counts) -> float:
    """Return the share of the episodes whose message says by these entries where the target is."""
    roles = by_role(entry for entry in entries if entry.listed)
    place, word, offset = (
        carrier_mask([entry.form for entry in of_role], counts.messages) for of_role in roles
    )
    return episode_share(counts, place | (word & offset))


def provenance_of(counts: Counts) -> tuple[Mapping[str, Any], ...]:
    """Return the different origins that the recordings of counts name."""
    distinct = {json.dumps(s.provenance, sort_keys=True): s.provenance for s in counts.sources}
    return tuple(p for p in distinct.values() if p)


def signature_of(counts: Counts, settings: str, provenance: Sequence[Mapping[str, Any]]) -> str:
    """Return game, episodes, settings, seeds and version in one phrase, to stand beside every figure."""
    parts = [counts.config.signature, f"n{counts.total}", settings]
    seeds = [str(p["seed"]) for p in provenance if "seed" in p]
    if seeds:
        parts.append(f"seed {','.join(seeds)}")
    return " | ".join([*parts, spatial_game.__version__])
