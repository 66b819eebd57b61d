"""Learning curves of the default game of 60 integers, for each role, by PPO with a fixed partner.

    OMP_NUM_THREADS=1 python experiments/default_game.py --curves receiver --minutes 60
    OMP_NUM_THREADS=1 python experiments/default_game.py --curves sender sender-trained --minutes 60
    python experiments/default_game.py --draw

| Curve | Who learns | Partner |
|---|---|---|
| `receiver` | the receiver | the oracle |
| `sender` | the sender | the oracle |
| `sender-trained` | the sender | the trained receiver of the same seed, as it is when the sender begins |

Needs `pip install -e '.[agents,sb3]'`. Each curve has a budget of processor time, spent in
training alone. Writes a row for each evaluation into docs/_static/baselines/default.csv as soon as it is
made; `--draw` draws `default.png` beside it. The weights and the state of the optimiser stay in a folder
(`--state`), so a training that was stopped, or that gets a larger budget, continues.

The settings are those of `baselines.py`, but for one: as nobody knows how many episodes the time allows, the
learning rate and the entropy bonus fall with the square root of the episodes instead of linearly to 0.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import torch
from learners.ppo import Learner, PPOSettings, Role, learner_seed
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from spatial_game.config import GameConfig
from spatial_game.envs.models import ModelReceiver, ModelSender
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import OracleReceiver, OracleSender
from spatial_game.game.seeds import stream

OUT = Path(__file__).parent.parent / "docs" / "_static" / "baselines"
GAME, SETTINGS = GameConfig(), PPOSettings()
COLUMNS = ("curve", "seed", "episodes", "seconds", "accuracy")
CURVES = {
    "receiver": ("receiver, with the oracle sender", "#0072B2"),
    "sender": ("sender, with the oracle receiver", "#D55E00"),
    "sender-trained": ("sender, with a trained receiver", "#56B4E9"),
}
"""What is trained, in words, and the colour of its lines."""
FRESH = 4096
SLOW_FROM = 300_000
"""The episodes after which the learning rate has fallen to 1 / sqrt(2)."""
EVALUATIONS = 1.2
"""The number of episodes grows by this factor from one evaluation to the next."""

Row = dict[str, str]


class Training:
    """One role that learns; its state can be stored and read again."""

    def __init__(self, curve: str, seed: int, folder: Path) -> None:
        self.curve, self.seed, self.path = curve, seed, folder / f"{curve}-{seed}.pt"
        self.episodes, self.seconds = 0, 0.0
        role: Role = "receiver" if curve == "receiver" else "sender"
        partner = partner_of(curve, seed, folder)
        self.learner = Learner(role, GAME, partner, SETTINGS, seed)
        model = self.learner.model
        self.pair: tuple[Any, Any] = (
            (partner, ModelReceiver(model, GAME))
            if role == "receiver"
            else (ModelSender(model, GAME), partner)
        )
        if self.path.exists():
            state = torch.load(self.path, weights_only=True)
            self.episodes, self.seconds = state["episodes"], state["seconds"]
            model.policy.load_state_dict(state["policy"])
            model.policy.optimizer.load_state_dict(state["optimiser"])
            model.env.seed(learner_seed(seed, role, self.episodes))  # not the first episodes again
            torch.set_rng_state(state["noise"])

    def play(self, episodes: int, seconds: float) -> None:
        """Train up to this number of episodes, or for these seconds of processor time."""
        while self.episodes < episodes and self.seconds < seconds:
            start = time.process_time()
            self.episodes += self.learner.update((1 + self.episodes / SLOW_FROM) ** -0.5)
            self.seconds += time.process_time() - start

    def store(self) -> None:
        """Write the state; a file is there as a whole or as it was."""
        policy = self.learner.model.policy
        state = {
            "episodes": self.episodes,
            "seconds": self.seconds,
            "policy": policy.state_dict(),
            "optimiser": policy.optimizer.state_dict(),
            "noise": torch.get_rng_state(),
        }
        torch.save(state, self.path.with_suffix(".new"))
        self.path.with_suffix(".new").replace(self.path)

    def row(self) -> Row:
        """Return where the curve is now, measured on the same fresh episodes at every point."""
        rng = np.random.default_rng(stream(self.seed, "validation"))
        accuracy = evaluate_agents(*self.pair, GAME, FRESH, rng, self.seed).accuracy
        values = self.curve, self.seed, self.episodes, f"{self.seconds:.2f}", f"{accuracy:.5f}"
        return dict(zip(COLUMNS, map(str, values), strict=True))


def partner_of(curve: str, seed: int, folder: Path) -> Any:
    """Return the partner of a curve; a trained one is kept apart, as its own curve may continue."""
    if curve == "receiver":
        return OracleSender(GAME)
    if curve == "sender":
        return OracleReceiver(GAME)
    kept = folder / "partner"
    if not (kept / f"receiver-{seed}.pt").exists():
        kept.mkdir(exist_ok=True)
        shutil.copy(folder / f"receiver-{seed}.pt", kept)
    return Training("receiver", seed, kept).pair[1]


def train(curve: str, seed: int, minutes: float, table: Path, state: Path) -> None:
    """Continue a curve until its budget is spent."""
    training = Training(curve, seed, state)
    stored = {
        int(row["episodes"]) for row in read(table) if (row["curve"], row["seed"]) == (curve, str(seed))
    }
    while True:
        if training.episodes not in stored:
            row = training.row()
            append(table, row)
            print(" ".join(row.values()), flush=True)
        if training.seconds >= 60 * minutes:
            return
        training.play(int(max(training.episodes, 4096) * EVALUATIONS), 60 * minutes)
        training.store()


def read(table: Path) -> list[Row]:
    """The rows of the table; none if there is no file."""
    if not table.exists():
        return []
    with table.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def append(table: Path, row: Row) -> None:
    """Add a row in one write, as several trainings may share the file."""
    text = ",".join(row.values()) + "\n"
    with table.open("a", encoding="utf-8") as file:
        file.write(text if file.tell() else ",".join(COLUMNS) + "\n" + text)


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw accuracy against episodes and against processor time: a line for each seed."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    curves: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        curves[row["curve"], row["seed"]].append(row)
    for (name, seed), points in sorted(curves.items()):
        accuracies = [float(point["accuracy"]) for point in points[1:]]
        words, colour = CURVES[name]
        label = words if seed == "0" else None
        for axis, column, unit in zip(axes, ("episodes", "seconds"), (1, 60), strict=True):
            along = [float(point[column]) / unit for point in points[1:]]
            axis.plot(along, accuracies, color=colour, linewidth=1.2, alpha=0.8, label=label)
    for axis, label in zip(axes, ("Episodes played", "Minutes on one CPU thread"), strict=True):
        axis.set(xscale="log", xlabel=label, ylim=(0, 1.02))
        axis.axhline(1 / GAME.num_candidates, color="grey", linewidth=0.8, linestyle=":")
        axis.grid(alpha=0.25)
    axes[0].xaxis.set_major_formatter(EngFormatter(sep=""))
    axes[1].xaxis.set_major_formatter("{x:g}")
    axes[0].set(ylabel="Accuracy on fresh episodes")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--curves", nargs="+", choices=CURVES, default=list(CURVES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--minutes", type=float, default=60, help="processor time for each curve")
    parser.add_argument("--state", type=Path, default=Path("runs/default-game"))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--draw", action="store_true", help="only draw what is stored")
    options = parser.parse_args()
    matplotlib.use("agg")
    torch.set_num_threads(1)
    table = options.out / "default.csv"
    if options.draw:
        draw(read(table), options.out / "default.png")
        return
    options.state.mkdir(parents=True, exist_ok=True)
    for seed in options.seeds:
        for curve in options.curves:
            train(curve, seed, options.minutes, table, options.state)


if __name__ == "__main__":
    main()
