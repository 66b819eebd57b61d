"""Tables of a lexicon and of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spatial_game.config import GameConfig
from spatial_game.language.dictionary.account import Remainder
from spatial_game.language.lexicon.analyses import Account
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.lexicon import TYPES, Lexicon
from spatial_game.language.lexicon.meaning import KINDS
from spatial_game.language.lexicon.wording import Words, place_in_words
from spatial_game.tables import Table, Value, between

if TYPE_CHECKING:  # it loads scipy.stats, which tables do not need
    from spatial_game.language.measures import Measure


def dictionary(lexicon: Lexicon, best: int | None = None) -> Table:
    """Return the lexicon: message, type and meaning, and how sure it is; by NPMI, with the types of table 3.

    `best`: only this number of entries of each type, the ones with the most episodes.
    """
    entries: list[Entry] = []
    for kind in KINDS:
        of_kind = lexicon.of_kind(kind)
        entries += of_kind if best is None else most_used(of_kind, best)
    described = lexicon.account is not None
    bits = "Bits :.2f | " if described else ""
    heading = f"Message | Type | Meaning | {bits}NPMI :.2f | Confidence :.0% | Episodes :,"
    words, length = Words(lexicon.listed), lexicon.config.message_length
    return Table.of(heading, (_row(entry, length, words, described) for entry in entries))


KIND_TITLES = {
    "edge": "Words for edges",
    "integer_at": "Integers at one offset",
    "integer": "Words for integers",
    "offset": "Words for offsets",
    "conjunction": "Several things that hold together",
}
"""The names of the kinds of a description's entries."""


def _row(entry: Entry, message_length: int, words: Words, described: bool) -> tuple[Value, ...]:
    kind, bits = (KIND_TITLES, [entry.bits]) if described else (TYPES, [])
    said = (entry.form.pattern(message_length), kind[entry.kind], words.of_entry(entry), *bits)
    return (*said, entry.npmi, entry.confidence, entry.count)


def told(account: Account, config: GameConfig) -> Table:
    """Return the bits that the dictionary explains of each offset and of the edge."""
    places = zip([*map(place_in_words, config.offsets), "the edge"], account.by_place.values(), strict=True)
    rows = ((f"of {place}", bits) for place, bits in places if abs(bits) >= 0.005)
    return Table.of("What is told | Bits :.2f", rows)


def unsaid(remainders: Sequence[Remainder]) -> Table:
    """Return the messages and offsets that a dictionary explains worst, with what counts show."""
    rows = (
        (
            f"[{', '.join(map(str, each.message))}]",
            place_in_words(each.place),
            each.bits,
            ", ".join(f"{value} ({share:.0%})" for value, share in each.seen),
        )
        for each in remainders
    )
    return Table.of("Message | Where | Bits in all :,.0f | Seen more than expected", rows)


def most_used(entries: Sequence[Entry], best: int) -> list[Entry]:
    """Return the entries with the most episodes, in their original order."""
    chosen = sorted(entries, key=lambda entry: -entry.count)[:best]
    return [entry for entry in entries if entry in chosen]


def measures(found: Sequence[Measure]) -> Table:
    """Return the measures of a language, with all digits; an undefined one has no value."""
    heading = "Measure | Value :figure | Low :figure | High :figure | Shuffled :figure | Unit | Source"
    heading += " | Maximum :figure"
    rows = ((m.name, m.value, m.low, m.high, m.shuffled, m.unit, m.source, m.maximum) for m in found)
    return Table.of(heading, rows)


def measures_for_people(found: Sequence[Measure]) -> Table:
    """Return the defined measures, with their intervals in one column."""
    rows = (
        (m.name, m.value, m.maximum, m.unit, _interval(m), m.shuffled) for m in found if m.value is not None
    )
    heading = "Measure | Value :figure | Maximum :figure | Unit | 95% interval | Shuffled :figure"
    return Table.of(heading, rows)


def _interval(measure: Measure) -> str | None:
    if measure.low is None or measure.high is None or measure.value is None:
        return None
    if measure.value.is_integer():
        return f"{measure.low:,.0f} to {measure.high:,.0f}"
    return between((measure.low, measure.high), "figure")
