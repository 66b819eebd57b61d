"""Which pressures make networks compose? Trains the pairs of a plan, and measures the language of each.

    python experiments/pressures.py FOLDER                          (all of pressures.toml, hours of one core)
    python experiments/pressures.py FOLDER --plan experiments/newcomers.toml
    python experiments/pressures.py FOLDER --draw-only

Each run is trained into FOLDER, unless it is there; a training that was interrupted continues. One row for
each run goes to a file with the name of the plan in docs/_static/findings, unless the row is there: several
processes may work on one plan, with different --seeds. Of a population the first pair is measured, and of
generations the last.
"""

from __future__ import annotations

import argparse
import csv
import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import numpy as np
from composition import on_new_combinations
from matplotlib.figure import Figure

from spatial_agents import load_pair
from spatial_agents.pairs.policy import Pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.runs import train_all
from spatial_game.cli.sweep_file import read_plans
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.measures import all_measures
from spatial_game.recording import record
from spatial_game.studies import composition
from spatial_game.units import Place

HERE = Path(__file__).parent
FINDINGS = HERE.parent / "docs" / "_static" / "findings"
PLANS = ("pressures", "newcomers", "confirmation")
EPISODES = 100_000
PRESSURES = (
    "network", "embedding_size", "steps", "schedule", "hold_out", "temperature", "entropy_bonus",
    "reconstruct", "one_factor", "one_factor_start", "senders", "receivers", "partition", "reset",
    "reset_every", "iterate", "transmission",
)  # fmt: skip
"""The settings of a recipe that a row names."""
MEASURES = ("topographic similarity", "positional disentanglement", "bag-of-symbols disentanglement")


def main() -> None:
    """Train and measure what is missing, seed by seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plan", type=Path, default=HERE / "pressures.toml")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--out", type=Path, help="the file of the rows")
    parser.add_argument("--draw-only", action="store_true")
    options = parser.parse_args()
    out = options.out or FINDINGS / f"{options.plan.stem}.csv"
    plans = read_plans(options.plan)
    for seed in [] if options.draw_only else options.seeds:
        for name, plan in plans.items():
            if plan.seed == seed and name not in {row["run"] for row in read(out)}:
                row = row_of(name, plan, options.folder)
                print({key: row[key] for key in ("run", "accuracy", "integer", "offset", "new")}, flush=True)
                add(out, row)
    matplotlib.use("agg")
    draw(FINDINGS / "pressures.png")


def row_of(name: str, plan: TrainOptions, folder: Path) -> dict[str, str]:
    """Train a run, if it is not there, and return its settings and what is measured of its language."""
    [pairs] = train_all({name: plan}, folder, Place(jobs=1)).values()
    run = pairs[-1] if plan.recipe.iterate else pairs[0]
    card = json.loads((run / "card.json").read_text("utf-8"))
    settings = {each: getattr(plan.recipe, each) for each in PRESSURES}
    shape = "x".join(map(str, plan.game.shape))
    game = {"vocab_size": plan.game.vocab_size, "message_length": plan.game.message_length}
    of_run = {"run": name, "seed": plan.seed, "shape": shape, **game, **settings}
    seconds = card["seconds"] * (len(pairs) if plan.recipe.iterate else 1)
    found = {"accuracy": card["evaluation"]["accuracy"], **figures(load_pair(run), plan.recipe, plan.seed)}
    row = of_run | {key: round(float(value), 4) for key, value in found.items()}
    return {key: str(value) for key, value in {**row, "seconds": round(seconds)}.items()}


def figures(pair: Pair, recipe: Recipe, seed: int) -> dict[str, float]:
    """Return what is measured of the language of one pair."""
    rng = np.random.default_rng(stream(seed, "pressures"))
    recording = record(pair.sender, pair.receiver, draw_episodes(pair.config, EPISODES, rng), pair.config)
    account = Lexicon.from_counts(count(recording)).account
    study = composition(pair, EPISODES)
    measures = {each.name: each.value for each in all_measures(recording, rng, max_pairs=20_000)}
    new = on_new_combinations(pair, recipe.hold_out, seed)
    nan = float("nan")
    return {
        "integer": study.joined.integer if study.joined else nan,
        "offset": study.joined.offset if study.joined else nan,
        "new": new["never_seen"],
        "known": new["seen"],
        "split": study.split,
        "integer_bits": study.integer_bits,
        "offset_bits": study.offset_bits,
        "messages": study.messages,
        "message_bits": account.message_bits,
        "explained": account.held_out_bits / account.message_bits if account.message_bits else nan,
        "kilobits": account.kilobits,
        **{name.replace(" ", "_"): measures[name] for name in MEASURES},
    }


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file; none if there is none."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def add(path: Path, row: dict[str, str]) -> None:
    """Add a row to a file, which other processes may be writing to."""
    with locked(path):
        rows = [*read(path), row]
        temporary = path.with_suffix(".part")
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, row.keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        temporary.replace(path)


def draw(path: Path) -> None:
    """Draw the smaller effect of each pair against its accuracy on new combinations."""
    kinds = {
        "product, new receivers every 100 or 200 steps": ("#d9822b", "o"),
        "product, fewer newcomers": ("#7a5195", "D"),
        "product, without newcomers": ("#8a8a8a", "^"),
        "local, all pressures": ("#4c82c3", "s"),
    }
    figure = Figure(figsize=(5.2, 4.4), layout="constrained")
    axis = figure.subplots()
    rows = [row for plan in PLANS for row in read(FINDINGS / f"{plan}.csv") if row["integer"] != "nan"]
    for (name, (colour, marker)), kept in zip(kinds.items(), by_kind(rows), strict=True):
        effects = [min(float(row["integer"]), float(row["offset"])) for row in kept]
        new = [float(row["new"]) for row in kept]
        label = f"{name} ({len(kept)} pairs)"
        axis.scatter(new, effects, s=26, alpha=0.75, color=colour, marker=marker, label=label)
    axis.axvline(0.2, color="#8a8a8a", linestyle=":", linewidth=1)
    axis.text(0.21, -0.45, "chance", color="#555555", fontsize=9)
    axis.set(xlim=(-0.02, 1.04), ylim=(-0.5, 1.06))
    axis.set(xlabel="accuracy on new combinations", ylabel="smaller effect of an exchanged part")
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(alpha=0.25)
    figure.legend(loc="outside upper left", frameon=False, fontsize=9)
    figure.savefig(path, dpi=130)


def by_kind(rows: list[dict[str, str]]) -> tuple[list[dict[str, str]], ...]:
    """Return the pairs of product networks by the steps between two newcomers, and the other pairs."""
    product = [row for row in rows if row["network"] == "product"]
    apart = [int(row["reset_every"]) // int(row["receivers"]) for row in product]
    often, seldom, never = (
        [row for row, steps in zip(product, apart, strict=True) if low <= steps < high]
        for low, high in ((100, 250), (250, 10_000), (0, 1))
    )
    return often, seldom, never, [row for row in rows if row["network"] != "product"]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time change a file."""
    lock = path.with_suffix(".lock")
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    lock.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
