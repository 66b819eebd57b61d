"""A sweep that a TOML file describes: its pairs, how long they take, and the table of their results."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.cli.status import in_words
from spatial_game.config import GameConfig
from spatial_game.files import replacing, write_text
from spatial_game.studies.plan import pairs_of, read_plan
from spatial_game.tables import Table
from spatial_game.units import Place, usable_cores

Plans = dict[str, TrainOptions]
Row = dict[str, Any]
RESULTS = (
    "accuracy", "low", "high", "n", "distinct_messages", "chance",
    "seconds", "episodes_seen", "weights_hash", "machine",
)  # fmt: skip
"""The results of a finished pair, by their names in its card."""
NOT_HERE = ("game", "recipe", "out", "resume", "pairs", "side_by_side")
"""Options of a training that a sweep does not have, because each of its pairs is a separate run."""
TIMED = 4
"""The most pairs whose steps are timed for the estimate."""


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


def announcement(pairs: int, missing: Mapping[str, TrainOptions], place: Place) -> str:
    """Return the number of pairs, how many are missing, and an upper estimate of their time, as text."""
    if not missing:
        return f"{pairs} pairs, all finished"
    timed = list(missing.values())[:: -(-len(missing) // TIMED)]
    seconds = fmean((plan.recipe.steps or 0) * _seconds_a_step(plan) for plan in timed) * len(missing)
    jobs = place.jobs or (usable_cores() if place.on == "local" else len(missing))
    jobs = min(jobs, len(missing))
    return (
        f"{pairs} pairs, {len(missing)} to train; at most about {in_words(seconds / jobs)} with {jobs} jobs"
    )


def _seconds_a_step(plan: TrainOptions) -> float:
    """Return the time of a step at full sequence length on one CPU thread."""
    import torch

    from spatial_agents.training.loop import torch_settings
    from spatial_agents.training.trainer import Trainer

    device = torch.device("cpu")
    plan = dataclasses.replace(plan, recipe=dataclasses.replace(plan.recipe, start_length=0, hold_out=0.0))
    with torch_settings(plan, device):
        trainer, times = Trainer([plan], device), []
        for _ in range(4):
            began = time.perf_counter()
            trainer.step()
            times.append(time.perf_counter() - began)
    return min(times)


def results(plans: Mapping[str, TrainOptions], folder: Path) -> list[Row]:
    """Return a row for each pair: its settings, and its results if it is finished."""
    rows = []
    for name, plan in plans.items():
        options = plan.to_dict()
        settings = {**options.pop("game"), **options.pop("recipe"), **options}
        path = folder / name / "card.json"
        card = json.loads(path.read_text("utf-8")) if path.exists() else {"evaluation": {}}
        found = {each: {**card, **card["evaluation"]}.get(each) for each in RESULTS}
        rows.append({"pair": name, **settings, **found})
    return rows


def write_results(rows: list[Row], folder: Path) -> None:
    """Write results.parquet, and, where matplotlib is installed, a plot of the accuracies (results.svg)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with replacing(folder / "results.parquet") as temporary:
        pq.write_table(pa.Table.from_pylist(rows), temporary)
    if not find_spec("matplotlib"):
        return
    from spatial_game.figures import lines, to_svg

    across, series = _series(rows)
    plot = to_svg(lambda axis: lines(axis, series, across), label="accuracy of the pairs")
    write_text(folder / "results.svg", plot)


def _series(rows: list[Row]) -> tuple[str, dict[str, dict[Any, float]]]:
    """Return the first setting that varies, and its mean accuracies for each choice of the others."""
    settings = [name for name in rows[0] if name not in ("pair", "seed", *RESULTS)]
    varied = [name for name in settings if len({repr(row[name]) for row in rows}) > 1]
    across, *others = varied or ["seed"]
    found: dict[str, dict[Any, list[float]]] = {}
    for row in rows:
        if row["accuracy"] is not None:
            label = ", ".join(f"{name} {row[name]}" for name in others).replace("_", " ") or "mean"
            found.setdefault(label, {}).setdefault(row[across], []).append(row["accuracy"])
    means = {label: {x: fmean(values) for x, values in at.items()} for label, at in found.items()}
    return across.replace("_", " "), means


def table(rows: list[Row]) -> Table:
    """Return the table that people see: the accuracy of each pair."""
    formats = {"accuracy": ".2%", "low": ".2%", "high": ".2%", "distinct_messages": ",", "seconds": ",.0f"}
    heading = [f"{name.capitalize().replace('_', ' ')} :{form}" for name, form in formats.items()]
    cells = (tuple(row[name] for name in ("pair", *formats)) for row in rows)
    return Table.of(" | ".join(["Pair", *heading]), cells)
