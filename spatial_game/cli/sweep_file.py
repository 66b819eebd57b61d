"""A sweep that a TOML file describes: its pairs, and the table of their results."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.studies.plan import pairs_of, read_plan
from spatial_game.tables import Table

Plans = dict[str, TrainOptions]
Row = dict[str, Any]
RESULTS = (
    "accuracy", "low", "high", "n", "distinct_messages", "chance",
    "seconds", "episodes_seen", "weights_hash", "machine",
)  # fmt: skip
"""The results of a finished pair, by their names in its card."""
NOT_HERE = ("game", "recipe", "out", "resume", "pairs", "side_by_side")
"""Options of a training that a sweep does not have, because each of its pairs is a separate run."""


def read_plans(path: Path) -> Plans:
    """Return the training of each pair that a file describes. Raises `ValueError` for an impossible one."""
    return plans_of(read_plan(path), str(path))


def plans_of(content: Mapping[str, Any], source: str) -> Plans:
    """Return the training of each pair of a plan. Raises `ValueError` that names the source of the plan."""
    fields = {kind: [f.name for f in dataclasses.fields(kind)] for kind in (GameConfig, Recipe, TrainOptions)}
    fields[TrainOptions] = [name for name in fields[TrainOptions] if name not in NOT_HERE]
    plans = {}
    for pair, settings in pairs_of(content, [n for names in fields.values() for n in names], source).items():
        game, recipe, own = (
            {name: settings[name] for name in names if name in settings} for names in fields.values()
        )
        try:
            plans[pair] = TrainOptions(GameConfig(**game), Recipe(**recipe), **own)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{source}: {pair}: {error}") from None
    return plans


def results(plans: Mapping[str, TrainOptions], folder: Path) -> list[Row]:
    """Return a row for each pair: its settings, and its results if it is finished.

    Populations and generations have several pairs, with names such as NAME/00 once they are finished.
    """
    rows = []
    for name, plan in plans.items():
        options = plan.to_dict()
        settings = {**options.pop("game"), **options.pop("recipe"), **options}
        for pair in _pairs_in(folder, name):
            path = folder / pair / "card.json"
            card = json.loads(path.read_text("utf-8")) if path.exists() else {"evaluation": {}}
            found = {each: {**card, **card["evaluation"]}.get(each) for each in RESULTS}
            rows.append({"pair": pair, **settings, **found})
    return rows


def _pairs_in(folder: Path, name: str) -> list[str]:
    """Return the names of the finished pairs of a run; its own name if it is one pair, or has none."""
    cards = sorted((folder / name).glob("[0-9]*/card.json"))
    return [f"{name}/{card.parent.name}" for card in cards] or [name]


def write_results(rows: list[Row], folder: Path) -> None:
    """Write results.parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with replacing(folder / "results.parquet") as temporary:
        pq.write_table(pa.Table.from_pylist(rows), temporary)


def table(rows: list[Row]) -> Table:
    """Return the table that people see: the accuracy of each pair."""
    formats = {"accuracy": ".2%", "low": ".2%", "high": ".2%", "distinct_messages": ",", "seconds": ",.0f"}
    heading = [f"{name.capitalize().replace('_', ' ')} :{form}" for name, form in formats.items()]
    cells = (tuple(row[name] for name in ("pair", *formats)) for row in rows)
    return Table.of(" | ".join(["Pair", *heading]), cells)
