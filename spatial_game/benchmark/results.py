"""Tables of the results of the benchmark, from its rows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from spatial_game.benchmark.running import Row
from spatial_game.tables import Column, Table, Value

FIGURES = ("exact_f1", "fuzzy_f1", "weighted_exact_f1", "form_f1")


def all_rows(rows: Iterable[Row]) -> Table:
    """Return every row under every field that any row has, for a CSV file."""
    listed = list(rows)
    names = list(dict.fromkeys(name for row in listed for name in row))
    return Table(tuple(map(Column, names)), tuple(tuple(row.get(name) for name in names) for row in listed))


def known_answers(rows: Sequence[Row]) -> Table:
    """Return how well each reader finds known answers: means over languages, with 95% intervals.

    A language that a reader lost counts as 0.
    """
    found: list[tuple[Value, ...]] = []
    for (track, reader), own in grouped(rows, "track", "reader").items():
        if track in ("spatial", "attributes"):
            means = [mean_of([float(row[figure]) for row in own]) for figure in FIGURES]
            seconds = statistics.median(float(row["seconds"]) for row in own)
            found.append((track, reader, len(own), *means, seconds, sum(bool(row["fault"]) for row in own)))
    heading = (
        "Track | Reader | Languages :, | Exact F1 | Fuzzy F1 | Weighted F1 | Form F1 | Seconds :.1f | Lost :,"
    )
    return Table.of(heading, sorted(found, key=lambda row: (str(row[0]), -float(str(row[3]).split()[0]))))


def played(rows: Sequence[Row]) -> Table:
    """Return how well dictionaries play with trained pairs: means over pairs, with 95% intervals.

    A language that a reader lost counts as an empty dictionary: no bits, and play by chance.
    """
    found: list[tuple[Value, ...]] = []
    for (reader,), own in grouped([row for row in rows if row["track"] == "trained"], "reader").items():
        shares = [mean_of([float(row[name]) for row in own]) for name in ("read", "spoken")]
        bits = [float(row["held_out_bits"]) for row in own if row["held_out_bits"] is not None]
        moved = [float(row["moved"]) for row in own if row["moved"] is not None]
        kilobits = statistics.fmean(float(row["kilobits"]) for row in own)
        chance = statistics.fmean(float(row["chance"]) for row in own)
        exchanged = statistics.fmean(float(row["exchanged"]) for row in own)
        told = (
            mean_of(bits) if bits else None,
            kilobits,
            *shares,
            mean_of(moved) if moved else None,
            exchanged,
            chance,
        )
        found.append((reader, len(own), *told, sum(bool(row["fault"]) for row in own)))
    heading = (
        "Reader | Pairs :, | Held-out bits | Kilobits :.1f | Read | Spoken | Moved | Exchanges :,.0f | "
        "Chance :.2f | Lost :,"
    )
    return Table.of(heading, sorted(found, key=lambda row: -float(str(row[4]).split()[0])))


def false_positives(rows: Sequence[Row]) -> Table:
    """Return how many entries each reader finds where there is nothing to find: the mean over seeds."""
    nothing = [row for row in rows if row["track"] == "nothing"]
    kinds = list(dict.fromkeys(str(row["language"]) for row in nothing))
    found = []
    for (reader,), own in grouped(nothing, "reader").items():
        by_kind = grouped(own, "language")
        found.append((str(reader), *(_entries(by_kind.get((kind,), [])) for kind in kinds)))
    return Table.of(" | ".join(["Reader", *(f"{kind} :,.1f" for kind in kinds)]), sorted(found, key=_total))


def _entries(rows: Sequence[Row]) -> float | None:
    """Return the mean number of entries; None if the reader lost all of these."""
    kept = [float(row["entries"]) for row in rows if not row["fault"]]
    return statistics.fmean(kept) if kept else None


def _total(row: tuple[str | float | None, ...]) -> float:
    return sum(value for value in row if isinstance(value, float))


def faults(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a line for each language that a reader lost."""
    for row in rows:
        if row["fault"]:
            where = f"{row['track']}/{row['language']}, {row['episodes']:,} episodes"
            yield f"{row['reader']} lost {where}: {row['fault']}"


def grouped(rows: Iterable[Row], *names: str) -> Mapping[tuple[str, ...], list[Row]]:
    """Return the rows by the values of these fields, in order of first occurrence."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(str(row[name]) for name in names), []).append(row)
    return found


def mean_of(values: Sequence[float]) -> str:
    """Return the mean with half of its 95% interval, by the normal approximation: `0.79 ± 0.03`."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.2f}"
    return f"{mean:.2f} ± {1.96 * statistics.stdev(values) / math.sqrt(len(values)):.2f}"
