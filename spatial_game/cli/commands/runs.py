"""`spatial-game runs`: what was trained, one row for each pair."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cyclopts.types import File

from spatial_agents.pairs.names import (
    PairFiles,
    bundled_names,
    find_pair,
    labels_of,
    pairs_below,
    unfinished_below,
)
from spatial_agents.pairs.weights import hash_weights, read_card, read_weights
from spatial_game.checks import require
from spatial_game.cli.options import TableCommand, require_writable
from spatial_game.cli.report import Report
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.files import replacing, write_text
from spatial_game.game.policies import population_of
from spatial_game.tables import Table
from spatial_game.text import counted, printable

RESULTS = ("accuracy", "seconds")
"""The results that text shows."""


@dataclass(frozen=True, kw_only=True)
class Runs(TableCommand):
    """The options of `spatial-game runs`."""

    folders: tuple[str, ...] = field(kw_only=False)
    """Run folders, folders of these, or bundled names."""
    out: File | None = None
    """Write all columns to this file, and print nothing else: NAME.parquet, or NAME.csv."""

    def execute(self) -> Iterator[Report]:
        """Read the cards, and show in what the pairs differ."""
        fits = self.out is None or self.out.suffix in (".parquet", ".csv")
        require(fits, "out must end in .parquet or .csv", self.out)
        every_pair = (pair for folder in self.folders for pair in _pairs_of(folder))
        pairs = list({pair.weights.resolve(): pair for pair in every_pair}.values())
        _say_unfinished(map(Path, self.folders))
        if not pairs:
            raise UserError(f"folders must hold a finished pair; got none in {', '.join(self.folders)}")
        require_writable(self.out, [pair.card for pair in pairs])
        cards = [read_card(pair.card, hash_weights(read_weights(pair.weights).tensors)) for pair in pairs]
        rows = [row_of(*each) for each in zip(pairs, cards, strict=True)]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        every = Table.of(" | ".join(columns), [tuple(row.get(name) for name in columns) for row in rows])
        report = Report(pairs=rows)
        if self.out is not None:
            _write_table(every, self.out)
            report.written(self.out)
            yield report
            return
        report.complete = every
        options = {"game", "seed", "commit", "sender", "receiver", "networks", "objective", "sampler"}.union(
            *(card["recipe"] for card in cards), *(card.get("objective_options", {}) for card in cards)
        )
        differ = [name for name in columns if name in options and len({row.get(name) for row in rows}) > 1]
        shown = [tuple(row.get(name) for name in ("pair", *differ, *RESULTS)) for row in rows]
        heading = " | ".join(["Pair", *differ, "Accuracy :.2%", "Seconds :,.0f"])
        populations = len({row["population"] for row in rows} - {None})
        of = f" ({counted(populations, 'population')})" if populations else ""
        report.table(f"{counted(len(rows), 'pair')}{of}", Table.of(heading, shown))
        yield report


def _say_unfinished(folders: Iterable[Path]) -> None:
    """Say on stderr how many pairs are not trained to the end, and what continues them."""
    for unfinished in map(unfinished_below, folders):
        if unfinished:
            number, where = sum(unfinished.values()), os.path.commonpath(unfinished)
            way = f"spatial-game train --resume {where} continues {'it' if number == 1 else 'them'}"
            note = f"{number} more {'is' if number == 1 else 'are'} unfinished: {way}"
            print(f"spatial-game: note: {printable(note)}", file=sys.stderr, flush=True)


def _write_table(table: Table, path: Path) -> None:
    """Write a table as Parquet or as CSV, as the name of the file says."""
    if path.suffix == ".csv":
        write_text(path, table.to_csv())
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = zip(*table.rows, strict=True)
    content = pa.table(
        {column.name: _of_one_type(values) for column, values in zip(table.columns, columns, strict=True)}
    )
    with replacing(path) as temporary, temporary.open("wb") as file:
        pq.write_table(content, file)


def _of_one_type(values: Sequence[Any]) -> Sequence[Any]:
    """Return values as texts unless all are numbers, or of one type: two objectives may share a name."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2 or kinds == {int, float}:
        return values
    return [None if value is None else str(value) for value in values]


def _pairs_of(folder: str) -> list[PairFiles]:
    """Return the finished pairs of a bundled name, of a run, or of all runs below a folder."""
    if Path(folder).is_dir():
        return pairs_below(Path(folder))
    labels = labels_of([f"{folder}/all"]) if folder in bundled_names() else [folder]
    return [find_pair(label, "folders") for label in labels]


def row_of(pair: PairFiles, card: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the card of a pair tells, a value for each column: options by their names, and results."""
    evaluation = card["evaluation"]
    by_edge: Mapping[str, Any] = evaluation.get("by_edge", {})
    game, population = GameConfig.from_dict(card["game"]), population_of(card, pair.weights.parent)
    return {
        "pair": f"{pair.name}/{pair.index}" if pair.index else pair.name,
        "family": pair.family(population),
        "seed": card["seed"],
        "game": game.signature,
        **game.to_dict(),
        "shape": "x".join(map(str, game.shape)),
        **card["recipe"],
        **card.get("objective_options", {}),
        "population": os.path.relpath(population) if population else None,
        **{role: card[role] for role in ("sender", "receiver") if role in card},
        **{code: card[code]["name"] for code in ("networks", "objective", "sampler") if code in card},
        "episodes_seen": card.get("episodes_seen"),
        "seconds": card.get("seconds"),
        "accuracy": evaluation["accuracy"],
        "low": evaluation.get("low"),
        "high": evaluation.get("high"),
        **{f"accuracy_{edge}": part["accuracy"] for edge, part in by_edge.items()},
        "distinct_messages": evaluation.get("distinct_messages"),
        "commit": card.get("commit"),
        "weights_hash": card["weights_hash"],
    }
