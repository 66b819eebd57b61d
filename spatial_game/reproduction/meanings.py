"""Sections on what messages mean: the paper's tables 1 and 3."""

from __future__ import annotations

from spatial_game.language.dictionary.lexicon import TYPES
from spatial_game.language.npmi.grid import MESSAGE_TYPES, emergence_table
from spatial_game.reproduction import paper
from spatial_game.reproduction.drawings import drawn_pairs
from spatial_game.reproduction.page import Section
from spatial_game.reproduction.results import Results
from spatial_game.tables import Table, Value, spread

DICTIONARY_ROWS = 4
"""Entries of each kind that the page shows; the data has all entries."""

DEFAULT_CELL = (0.5, 1)
"""t_c and t_n of the default settings."""

Rows = list[tuple[Value, ...]]

_KINDS = {"edge": "Edges", "integer_at": "Integers at offsets", "integer": "Integers", "offset": "Offsets"}


def emergence(results: Results) -> Section:
    """Table 1: which types of messages emerge, by family."""
    rows: Rows = []
    for family, pairs in results.families().items():
        for row in emergence_table([pair.grid["exact"] for pair in pairs.values()]):
            length = next(iter(pairs.values())).sequence_length
            theirs = paper.EMERGENCE[row.message_type] if length == paper.LENGTH else (None, None)
            ours = (spread(*row.emergence), theirs[0], spread(*row.vocabulary), theirs[1])
            name = MESSAGE_TYPES[row.message_type]
            rows.append((name, f"{family} ({len(pairs)})", *ours, spread(*row.episodes)))
    rows.sort(key=lambda row: [*MESSAGE_TYPES.values()].index(str(row[0])))
    text = (
        "Table 1 of the paper: the share of the pairs in which a type of message emerges, and its share of "
        "the messages and of the episodes in those pairs. Mean (smallest to largest) over the 54 cells of "
        "the grid, estimator exact."
    )
    heading = (
        "Type | Pairs | Emergence | Paper: emergence | Of the messages | Paper: of the messages | "
        "Of the episodes"
    )
    return Section("emergence", "Emergence and coverage", text, Table.of(heading, rows))


def edges(results: Results) -> Section:
    """The messages for edges, by pair."""
    rows: Rows = []
    for name, pair in results.pairs.items():
        words = [entry for entry in pair.dictionary.entries if entry.kind == "edge"]
        (cell,) = (c for c in pair.grid["exact"] if (c.threshold, c.top_n) == DEFAULT_CELL)
        reserved = "yes" if cell.types["reserved"].emerged else "no"
        rows.append((name, len({word.meaning for word in words}), len(words), reserved))
    text = (
        "In the paper, over 90% of the pairs have a separate message for each edge, and 20% of these pairs "
        "reserve symbols for edges. A message belongs to an edge if the target is there in at least 80% of "
        "the message's episodes (t_c 0.5, t_n 1, estimator exact). Reserved: such a message repeats one "
        "symbol, "
        "which at most one other message has."
    )
    heading = "Pair | Edges with messages of their own :d | Such messages :, | Reserved"
    return Section("edges", "Messages for edges, by pair", text, Table.of(heading, rows))


def dictionary(results: Results) -> Section:
    """Table 3: the most used entries."""
    rows: Rows = []
    for name, pair in drawn_pairs(results).items():
        for kind in _KINDS:
            entries = [entry for entry in pair.dictionary.entries if entry.kind == kind]
            rows += [
                (name, e.message, TYPES[kind], e.meaning, e.npmi, e.confidence, e.count)
                for e in sorted(entries, key=lambda e: -e.count)[:DICTIONARY_ROWS]
            ]
    said = [
        f"{name}: {len(found.entries)} entries read {found.coverage:.1%} of the episodes."
        for name, found in ((name, pair.dictionary) for name, pair in results.pairs.items())
    ]
    text = ["Table 3 of the paper: the most used entries of each type at the default settings.", *said]
    heading = "Pair | Message | Type | Meaning | NPMI :.2f | Confidence :.0% | Episodes :,"
    return Section("dictionary", "Dictionary", " ".join(text), Table.of(heading, rows), open=True)
