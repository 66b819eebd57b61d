"""Tables of a dictionary and of measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.dictionary.classes import Classes
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.interpreter import Interpreter
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.readings import entry_in_words
from spatial_game.language.wording import places_in_words
from spatial_game.tables import Table, Value, between

if TYPE_CHECKING:  # it loads scipy.stats, which tables do not need
    from spatial_game.language.measures import Measure

_ENTRY = "Message | Says | True :.0% | Bits :.2f | Episodes :,"


def dictionary(interpreter: Interpreter, best: int | None = None, *, complete: bool = False) -> Table:
    """Return what symbols say in their slots, then what whole messages add to that.

    `best`: only this number of symbols of each slot and of messages, the most frequent ones. `complete`: long
    sets are written out; otherwise they are named by their class, or counted.
    """
    config, classes = interpreter.lexicon.config, None if complete else interpreter.classes
    rows: list[tuple[Value, ...]] = []
    for slot in range(config.message_length):
        of_slot = [entry for entry in interpreter.letters if entry.form.slot == slot]
        kind = f"What a symbol says in slot {slot + 1}"
        rows += [(kind, *row) for row in _rows(most_frequent(of_slot, best), config, classes)]
    words = _rows(most_frequent(interpreter.words, best), config, classes)
    rows += [("What a whole message adds", *row) for row in words]
    return Table.of(f"Kind | {_ENTRY}", rows)


def entries(found: Iterable[Entry], config: GameConfig, classes: Classes) -> Table:
    """Return entries as rows, with the names of classes."""
    return Table.of(_ENTRY, _rows(found, config, classes))


def _rows(found: Iterable[Entry], config: GameConfig, classes: Classes | None) -> Iterator[tuple[Value, ...]]:
    for each in found:
        form, says = each.form.pattern(config.message_length), entry_in_words(each, config, classes)
        yield form, says, each.share, each.bits, each.episodes


def most_frequent(found: Sequence[Entry], best: int | None) -> list[Entry]:
    """Return the entries of the `best` most frequent forms (None: of all), the most frequent form first."""
    often: dict[Form, int] = {}
    for entry in found:
        often[entry.form] = max(often.get(entry.form, 0), entry.episodes)
    rank = {form: i for i, form in enumerate(sorted(often, key=lambda form: -often[form])[:best])}
    return sorted((e for e in found if e.form in rank), key=lambda e: (rank[e.form], e.place))


def bits_by_place(lexicon: Lexicon) -> Table:
    """Return the bits that letters and words tell of each place, and how many there are to tell."""
    places, bits = places_in_words(lexicon.config), lexicon.bits
    by_place = bits.letters_by_place, bits.words_by_place, bits.possible_by_place
    rows = (row for row in zip(places, *by_place, strict=True) if abs(row[2]) >= 0.005)
    return Table.of("Place | By symbols :.2f | By whole messages :.2f | Possible :.2f", rows)


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
