"""The dictionary of a language: the entries that shorten its description most, as a lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import OPEN, carrier_mask
from spatial_game.language.dictionary.account import account
from spatial_game.language.dictionary.describe import Description, describe
from spatial_game.language.dictionary.senses import entries_of, entry_of
from spatial_game.language.lexicon.analyses import ByDescription
from spatial_game.language.lexicon.entries import Entry, by_role
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.meaning import KINDS


def dictionary_of(counts: Counts) -> Lexicon:
    """Return the dictionary of a language: the entries that shorten its description most.

    Raises `ValueError` if episodes are needed again (for senses of several parts) that the counts do not
    know.
    """
    description = describe(counts)
    entries = _entries_of(description)
    defaults = tuple(rule for rule in description.rules if rule.form is None)
    bits = account(counts, [*defaults, *(rule for entry in entries for rule in entry.rules)])
    settings = f"description {bits.kilobits:.1f} kbit"
    return Lexicon.of_counts(
        counts, ByDescription(bits, defaults), entries, _coverage(entries, counts), settings
    )


def _entries_of(description: Description) -> list[Entry]:
    """Return the entries of a description, in a stable order."""
    parts = description.composition.parts if description.composition is not None else ()
    composed = [
        entry_of((part.rule,), part.joint, part.total, part.chance, part.rule.strength) for part in parts
    ]
    return sorted([*entries_of(description.rules, description.counts), *composed], key=_order)


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
