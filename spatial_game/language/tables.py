"""Tables of a lexicon, of its coverage, of a grid of thresholds and of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spatial_game.language.lexicon.analysis import Admitted, episode_share, vocabulary_share
from spatial_game.language.lexicon.grid import MESSAGE_TYPES, Cell, emergence_table
from spatial_game.language.lexicon.lexicon import TYPES, Entry, Lexicon
from spatial_game.language.lexicon.referents import KINDS
from spatial_game.tables import Column, Table, Value, between, spread

if TYPE_CHECKING:  # it loads scipy.stats, which tables need not wait for
    from spatial_game.language.measures import Measure


READABLE = "Any that says where the target is"
"""What the table of types calls its last row."""


def dictionary(lexicon: Lexicon, best: int | None = None, *, derived: bool = False) -> Table:
    """The lexicon in the words of the paper's table 3: message, type and meaning, with how sure that is.

    `best`: only so many entries of each type, those with the most episodes. `derived`: also the entries that
    another says better.
    """
    entries: list[Entry] = []
    for kind in KINDS:
        of_kind = lexicon.of_kind(kind, derived=derived)
        entries += of_kind if best is None else most_used(of_kind, best)
    intervals = any(entry.interval for entry in entries)
    columns = (
        Column("Message"),
        Column("Type"),
        Column("Meaning"),
        Column("NPMI", ".2f"),
        *([Column("95% interval")] if intervals else []),
        Column("Confidence", ".0%"),
        Column("Episodes", ","),
    )
    return Table(columns, tuple(_row(entry, lexicon.config.message_length, intervals) for entry in entries))


def most_used(entries: Sequence[Entry], best: int) -> list[Entry]:
    """The entries with the most episodes, in their own order."""
    chosen = sorted(entries, key=lambda entry: -entry.count)[:best]
    return [entry for entry in entries if entry in chosen]


def coverage(admitted: Admitted) -> Table:
    """The types of messages (the paper's table 1): their share of the vocabulary and of the episodes."""
    columns = (
        Column("Type"),
        Column("Messages", ","),
        Column("Vocabulary", ".1%"),
        Column("Episodes", ".1%"),
    )
    counts = admitted.counts
    marked = {MESSAGE_TYPES[name]: messages for name, messages in admitted.message_types.items()}
    marked[READABLE] = admitted.readable
    rows = (
        (
            name,
            int(messages.sum()),
            vocabulary_share(counts, messages),
            episode_share(counts, messages),
        )
        for name, messages in marked.items()
    )
    return Table(columns, tuple(rows))


def grid_table(cells: Sequence[Cell]) -> Table:
    """The grid of thresholds: how many entries each cell lists, and how many episodes they read."""
    kinds = {"edge": "Edges", "integer_at": "Integers at offsets", "integer": "Integers", "offset": "Offsets"}
    columns = (
        Column("t_c", ".1f"),
        Column("t_n"),
        *(Column(name, ",") for name in kinds.values()),
        Column("Of the episodes", ".1%"),
    )
    rows = (
        (cell.threshold, cell.top_n, *(cell.entries[kind] for kind in kinds), cell.coverage) for cell in cells
    )
    return Table(columns, tuple(rows))


def emergence(cells: Sequence[Cell]) -> Table:
    """Table 1 of the paper for one language: the share of cells of its grid in which a type emerges, and how
    much of vocabulary and episodes it then covers (mean, smallest and largest)."""
    columns = (
        Column("Type"),
        Column("In cells", ".0%"),
        Column("Of the vocabulary"),
        Column("Of the episodes"),
    )
    rows = (
        (
            MESSAGE_TYPES[row.message_type],
            sum(cell.types[row.message_type].emerged for cell in cells) / len(cells),
            spread(*row.vocabulary),
            spread(*row.episodes),
        )
        for row in emergence_table([cells])
    )
    return Table(columns, tuple(rows))


def _row(entry: Entry, message_length: int, intervals: bool) -> tuple[Value, ...]:
    meaning = str(entry.referent)
    words = (
        entry.form.pattern(message_length),
        TYPES[entry.kind],
        meaning.capitalize() if entry.kind == "integer" else meaning,
    )
    interval = between(entry.interval, ".2f") if entry.interval else None
    return (*words, entry.npmi, *([interval] if intervals else []), entry.confidence, entry.count)


def measures(found: Sequence[Measure]) -> Table:
    """The measures of a language, in full; an undefined one has no value."""
    columns = (
        Column("Measure"),
        Column("Value", ".4g"),
        Column("Low", ".4g"),
        Column("High", ".4g"),
        Column("Shuffled", ".4g"),
        Column("Unit"),
        Column("Source"),
    )
    return Table(
        columns, tuple((m.name, m.value, m.low, m.high, m.shuffled, m.unit, m.source) for m in found)
    )


def measures_for_people(found: Sequence[Measure]) -> Table:
    """The measures that are defined, in the width of a terminal."""
    columns = (Column("Measure"), Column("Value"), Column("95% interval"), Column("Shuffled", ".4g"))
    rows = (
        (m.name, f"{m.value:.4g} {m.unit}", _interval(m, ".3g"), m.shuffled)
        for m in found
        if m.value is not None
    )
    return Table(columns, tuple(rows))


def _interval(measure: Measure, style: str) -> str | None:
    return (
        None if measure.low is None or measure.high is None else between((measure.low, measure.high), style)
    )
