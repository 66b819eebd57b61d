"""Train the learning curves of the baselines that are missing, and write data and figures.

    OMP_NUM_THREADS=1 python experiments/baselines.py --games small --seeds 5       (about 7 minutes)
    OMP_NUM_THREADS=1 python experiments/baselines.py --games paper-20 --seeds 3    (about 13 minutes)
    python experiments/baselines.py --games small --baselines gumbel --seeds 1 --out /tmp/curves

Needs `pip install -e '.[agents,sb3]'`. The folder then holds `curves.csv` (a row a point),
`settings.json` (what was trained, with what settings and seeds) and the figures, `small.png` and
`paper-20.png`. A curve that is in `curves.csv` is not trained again, unless you delete its rows or the file.
The documentation makes its tables from `curves.csv`.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import json
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import stable_baselines3
import torch
from learners import joint, ppo
from learners.curves import Point, Progress, trace
from matplotlib import pyplot

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.files import write_text

OUT = Path(__file__).parent.parent / "docs" / "_static" / "baselines"

GAMES = {
    "small": GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2),
    "paper-20": GameConfig(20),
}

Curve = tuple[str, str, int]
"""A game, a baseline and a seed."""


@dataclass(frozen=True)
class Baseline:
    """What is trained, how long on each game, and how its curve is drawn."""

    train: Callable[[GameConfig, Any, int], Iterator[Progress]]
    settings: ppo.PPOSettings | joint.PairSettings
    episodes: dict[str, int]
    colour: str
    style: str = "-"

    def settings_on(self, game: str) -> ppo.PPOSettings | joint.PairSettings:
        """The settings, with the number of episodes of this game."""
        return dataclasses.replace(self.settings, episodes=self.episodes[game])


PPO, PAIR = ppo.PPOSettings(), joint.PairSettings()
PLAIN_PPO, PLAIN_PAIR = ppo.PPOSettings(networks="mlp"), joint.PairSettings(networks="reference")
BASELINES = {
    "ppo-receiver": Baseline(ppo.train_receiver, PPO, {"small": 60_000, "paper-20": 300_000}, "#0072B2"),
    "ppo-sender": Baseline(ppo.train_sender, PPO, {"small": 60_000, "paper-20": 300_000}, "#56B4E9"),
    "ppo-pair": Baseline(ppo.train_pair, PPO, {"small": 300_000, "paper-20": 1_000_000}, "#009E73"),
    "reinforce": Baseline(joint.train_reinforce, PAIR, {"small": 300_000, "paper-20": 1_000_000}, "#D55E00"),
    "gumbel": Baseline(joint.train_gumbel, PAIR, {"small": 300_000, "paper-20": 1_000_000}, "#CC79A7"),
    # Without the features, to see what they are worth.
    "ppo-receiver, MLP": Baseline(ppo.train_receiver, PLAIN_PPO, {"small": 300_000}, "#0072B2", "--"),
    "reinforce, GRU": Baseline(joint.train_reinforce, PLAIN_PAIR, {"small": 300_000}, "#D55E00", "--"),
    "gumbel, GRU": Baseline(joint.train_gumbel, PLAIN_PAIR, {"small": 300_000}, "#CC79A7", "--"),
}


def main() -> None:
    """Train the curves that are missing, and write everything anew after each."""
    options = _parser().parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    curves = read_curves(options.out / "curves.csv")
    for game, name, seed in wanted(options.games, options.baselines, options.seeds):
        if (game, name, seed) not in curves:
            curves[game, name, seed] = train(game, name, seed)
            write_curves(options.out / "curves.csv", curves)
            write_text(options.out / "settings.json", json.dumps(settings_of(curves), indent=2) + "\n")
    for game in {game for game, _, _ in curves}:
        draw(game, curves, options.out / f"{game}.png")


def wanted(games: list[str], baselines: list[str], seeds: int) -> list[Curve]:
    """The curves that were asked for, in order: all of the first seed, then of the second."""
    return [
        (game, name, seed)
        for game in games
        for seed in range(seeds)
        for name in baselines
        if game in BASELINES[name].episodes
    ]


def train(game: str, name: str, seed: int) -> list[Point]:
    """One curve, told as it grows."""
    baseline = BASELINES[name]
    points = []
    for point in trace(baseline.train(GAMES[game], baseline.settings_on(game), seed), GAMES[game], seed):
        points.append(point)
        told = f"{point.episodes:9,} episodes {point.seconds:7.1f} s  accuracy {point.accuracy:.3f}"
        print(f"\r{game} {name} seed {seed}: {told}", end="", flush=True)
    print()
    return points


# ------------------------------------------------------------------------------------------- what is written


def read_curves(path: Path) -> dict[Curve, list[Point]]:
    """The curves of a file; none if there is no file."""
    curves: dict[Curve, list[Point]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                curve = row["game"], row["baseline"], int(row["seed"])
                point = Point(int(row["episodes"]), float(row["seconds"]), float(row["accuracy"]))
                curves.setdefault(curve, []).append(point)
    return curves


def write_curves(path: Path, curves: dict[Curve, list[Point]]) -> None:
    """Write all curves, a row a point."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("game", "baseline", "seed", "episodes", "seconds", "accuracy"))
    for curve, points in sorted(curves.items()):
        writer.writerows((*curve, p.episodes, f"{p.seconds:.3f}", f"{p.accuracy:.5f}") for p in points)
    write_text(path, text.getvalue())


def settings_of(curves: dict[Curve, list[Point]]) -> dict[str, Any]:
    """What the curves are of: games, settings, seeds, versions and machine."""
    described: dict[str, dict[str, Any]] = {}
    for game, name, seed in sorted(curves):
        of_game = described.setdefault(game, {"config": GAMES[game].to_dict(), "baselines": {}})
        settings = dataclasses.asdict(BASELINES[name].settings_on(game))
        of_game["baselines"].setdefault(name, {"settings": settings, "seeds": []})["seeds"].append(seed)
    versions = {
        "spatial_game": spatial_game.__version__,
        "torch": torch.__version__,
        "stable_baselines3": stable_baselines3.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, one thread",
    }
    return {"games": described, "versions": versions}


def draw(game: str, curves: dict[Curve, list[Point]], path: Path) -> None:
    """Draw accuracy against episodes and seconds: the mean of the seeds, and a band from worst to best."""
    figure, axes = pyplot.subplots(2, 1, figsize=(6.4, 7.6), sharey=True, layout="constrained")
    for name, baseline in BASELINES.items():
        of_seeds = [points for curve, points in curves.items() if curve[:2] == (game, name)]
        for axis, column in zip(axes, ("episodes", "seconds"), strict=True):
            if of_seeds:
                _draw_curve(axis, of_seeds, column, name, baseline)
    chance = 1 / GAMES[game].num_candidates
    for axis, label in zip(axes, ("Episodes played", "Seconds on one CPU thread"), strict=True):
        axis.axhline(chance, color="grey", linewidth=0.8, linestyle=":")
        axis.set(xscale="log", xlabel=label, ylabel="Accuracy", ylim=(0, 1.02))
        axis.grid(alpha=0.25)
        axis.annotate("chance", (0.01, chance), xycoords=("axes fraction", "data"), color="grey", va="bottom")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    config = GAMES[game]
    figure.suptitle(
        f"{config.sequence_length} integers, {config.num_candidates} candidates, "
        f"{config.message_length} symbols of {config.vocab_size}"
    )
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _draw_curve(axis: Any, of_seeds: list[list[Point]], column: str, name: str, baseline: Baseline) -> None:
    """One line with its band. All seeds have points after the same episodes, if not the same seconds."""
    accuracies = np.array([[point.accuracy for point in points[1:]] for points in of_seeds])
    along = np.mean([[getattr(point, column) for point in points[1:]] for points in of_seeds], axis=0)
    axis.plot(
        along, accuracies.mean(axis=0), baseline.style, color=baseline.colour, label=name, linewidth=1.6
    )
    axis.fill_between(
        along, accuracies.min(axis=0), accuracies.max(axis=0), color=baseline.colour, alpha=0.15
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--baselines", nargs="+", choices=list(BASELINES), default=list(BASELINES))
    parser.add_argument("--seeds", type=int, default=5, help="seeds 0, 1, ... (default: 5)")
    parser.add_argument("--out", type=Path, default=OUT, help="folder (default: the documentation's)")
    return parser


if __name__ == "__main__":
    matplotlib.use("agg")
    main()
