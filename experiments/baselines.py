"""Learning curves of the baselines: the table and the figure of the page *Baselines*.

    OMP_NUM_THREADS=1 python experiments/baselines.py --out docs/_static/baselines
    OMP_NUM_THREADS=1 python experiments/baselines.py --games small --seeds 1           (prints; a minute)
    python experiments/baselines.py --draw docs/_static/baselines                       (draws again)

With `--out`, the folder holds `curves.csv` (a row a point), `results.csv` and `curves.png`. A curve that is
in `curves.csv` is not trained again.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from learners import joint, ppo
from learners.curves import Progress, trace
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter
from rows import resumed, save

from spatial_game.config import GameConfig
from spatial_game.game.oracle import OracleReceiver
from spatial_game.text import spread

GAMES = {
    "small": GameConfig.small(),
    "paper-20": GameConfig(20),
    "default": GameConfig(),
}
Row = dict[str, str]


@dataclass(frozen=True)
class Baseline:
    """What is trained, for how many episodes of each game, and its colour."""

    train: Callable[[GameConfig, Any, int], Iterator[Progress]]
    settings: ppo.PPOSettings | joint.PairSettings
    episodes: dict[str, int]
    colour: str


def taught_by_oracle(config: GameConfig, settings: ppo.PPOSettings, seed: int) -> Iterator[Progress]:
    """Train a sender to be understood by the oracle receiver."""
    return ppo.train_sender(config, settings, seed, OracleReceiver(config))


PPO, PAIR = ppo.PPOSettings(), joint.PairSettings()
PLAIN, TWICE = ppo.PPOSettings(networks="mlp"), joint.PairSettings(entropy_bonus=0.1)
ALONE = {"small": 60_000, "paper-20": 300_000}
BOTH = {"small": 300_000, "paper-20": 1_000_000}
BASELINES = {
    "ppo-receiver": Baseline(ppo.train_receiver, PPO, {**ALONE, "default": 700_000}, "#0072B2"),
    "ppo-sender": Baseline(ppo.train_sender, PPO, ALONE, "#56B4E9"),
    "ppo-sender, oracle receiver": Baseline(taught_by_oracle, PPO, ALONE, "#F0E442"),
    "ppo-pair": Baseline(ppo.train_pair, PPO, BOTH, "#009E73"),
    "reinforce": Baseline(joint.train_reinforce, PAIR, BOTH, "#D55E00"),
    "reinforce, twice the bonus": Baseline(joint.train_reinforce, TWICE, BOTH, "#E69F00"),
    "gumbel": Baseline(joint.train_gumbel, PAIR, BOTH, "#CC79A7"),
    "ppo-receiver, MLP": Baseline(ppo.train_receiver, PLAIN, {"small": 300_000, "paper-20": 300_000}, "grey"),
}


def main() -> None:
    """Train the curves that are missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--baselines", nargs="+", choices=BASELINES, default=list(BASELINES))
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ... (default: 3)")
    parser.add_argument("--out", type=Path, help="a folder for the results")
    parser.add_argument("--draw", type=Path, help="make table and figure of a folder's curves.csv")
    options = parser.parse_args()
    torch.set_num_threads(1)
    folder = options.draw or options.out
    curves = [] if options.draw else wanted(options.games, options.baselines, options.seeds)
    rows = resumed(folder / "curves.csv" if folder else None, curves, trained)
    save(results(rows), folder / "results.csv" if folder else None)
    if folder:
        draw(rows, folder / "curves.png")


def wanted(games: list[str], baselines: list[str], seeds: int) -> list[Row]:
    """Return the curves that were asked for, in order."""
    return [
        {"game": game, "baseline": name, "seed": str(seed)}
        for game in games
        for name in baselines
        for seed in range(seeds)
        if game in BASELINES[name].episodes
    ]


def trained(game: str, baseline: str, seed: str) -> list[Row]:
    """Train a baseline; return the points of its curve."""
    own, config = BASELINES[baseline], GAMES[game]
    settings = dataclasses.replace(own.settings, episodes=own.episodes[game])
    return [
        {
            "episodes": str(point.episodes),
            "seconds": f"{point.seconds:.2f}",
            "accuracy": f"{point.accuracy:.4f}",
        }
        for point in trace(own.train(config, settings, int(seed)), config, int(seed))
    ]


def curves_of(rows: list[Row], game: str, name: str) -> list[list[Row]]:
    """Return the points of each seed."""
    own = [row for row in rows if (row["game"], row["baseline"]) == (game, name)]
    return [[row for row in own if row["seed"] == seed] for seed in dict.fromkeys(r["seed"] for r in own)]


def results(rows: list[Row]) -> list[Row]:
    """Return how well each baseline plays in the end, how soon it plays well, and how long it was trained."""
    table = []
    for game, name in dict.fromkeys((row["game"], row["baseline"]) for row in rows):
        curves = curves_of(rows, game, name)
        good = [next((int(p["episodes"]) for p in c if float(p["accuracy"]) >= 0.9), None) for c in curves]
        reached = [episodes for episodes in good if episodes is not None]
        few = f" ({len(reached)} of {len(good)} seeds)" if len(reached) < len(good) else ""
        table.append(
            {
                "Game": game,
                "Baseline": name,
                "Seeds": str(len(curves)),
                "Accuracy: mean (lowest to highest)": spread([float(c[-1]["accuracy"]) for c in curves]),
                "Episodes until 90%": f"{statistics.median(reached):,.0f}{few}" if reached else "never",
                "Episodes": f"{int(curves[0][-1]['episodes']):,}",
                "Seconds": f"{statistics.fmean(float(c[-1]['seconds']) for c in curves):.0f}",
            }
        )
    return table


def draw(rows: list[Row], path: Path) -> None:
    """Draw accuracy against episodes, a panel a game: the mean of the seeds, and a band from end to end."""
    games = list(dict.fromkeys(row["game"] for row in rows))
    figure = Figure(figsize=(6.4, 3.4 * len(games) + 0.8), layout="constrained")
    for game, axis in zip(games, figure.subplots(len(games), 1, squeeze=False)[:, 0], strict=True):
        for name, baseline in BASELINES.items():
            curves = [curve[1:] for curve in curves_of(rows, game, name)]
            if curves:
                episodes = [int(row["episodes"]) for row in curves[0]]
                values = np.array([[float(row["accuracy"]) for row in curve] for curve in curves])
                axis.plot(episodes, values.mean(axis=0), color=baseline.colour, label=name)
                ends = values.min(axis=0), values.max(axis=0)
                axis.fill_between(episodes, *ends, color=baseline.colour, alpha=0.15)
        axis.axhline(1 / GAMES[game].num_candidates, color="grey", linewidth=0.8, linestyle=":")
        axis.set(xscale="log", ylabel="accuracy", ylim=(0, 1.02), title=game)
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.grid(alpha=0.25)
    axis.set_xlabel("episodes of training (dotted: chance)")
    names = {
        label: line for a in figure.axes for line, label in zip(*a.get_legend_handles_labels(), strict=True)
    }
    figure.legend(names.values(), names.keys(), loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
