"""Does PPO of Stable-Baselines3 learn the small game? With `features`, and with the plain `MlpPolicy`.

    OMP_NUM_THREADS=1 python experiments/first_curve.py --seeds 1       (prints the rows; a minute)
    OMP_NUM_THREADS=1 python experiments/first_curve.py --out docs/_static/training/first_curve.csv
    python experiments/first_curve.py --draw docs/_static/training/first_curve.csv

The receiver of the small game (8 integers) learns from the oracle, PPO at its defaults, in one Gymnasium
environment. There is a row after each update: the share won of fresh episodes, greedy, and the processor
time of one thread that was spent in training. `--draw` draws the figure beside the file.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from matplotlib.figure import Figure
from rows import parser_of, read, save
from stable_baselines3 import PPO

from spatial_game import GameConfig  # (also registers the environments)
from spatial_game.envs.adapters.sb3 import RoleVecEnv, features

LINES = {"features": ("MlpPolicy with features(env)", "#0072B2"), "plain": ("MlpPolicy alone", "#D55E00")}
FRESH, UPDATE, STEPS = 10_000, 2048, 24_576

Row = dict[str, str]


def main() -> None:
    """Train, or draw what is stored."""
    parser = parser_of(__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--draw", type=Path, help="draw a file that is there")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.draw:
        draw(read(options.draw), options.draw.with_suffix(".png"))
    else:
        save([r for policy in LINES for s in range(options.seeds) for r in train(policy, s)], options.out)


def train(policy: str, seed: int) -> Iterator[Row]:
    """Train PPO at its defaults; yield a row after each update."""
    env = gym.make("spatial_game/Receiver-small-v0")
    kwargs = features(env) if policy == "features" else None
    model = PPO("MlpPolicy", env, n_steps=UPDATE, policy_kwargs=kwargs, seed=seed, device="cpu")
    seconds = 0.0
    while model.num_timesteps < STEPS:
        start = time.process_time()
        model.learn(UPDATE, reset_num_timesteps=False)
        seconds += time.process_time() - start
        yield {
            "policy": policy,
            "seed": str(seed),
            "steps": str(model.num_timesteps),
            "accuracy": f"{accuracy(model):.4f}",
            "seconds": f"{seconds:.2f}",
        }


def accuracy(model: PPO) -> float:
    """Return the share that a model wins in fresh episodes, greedy."""
    env = RoleVecEnv("receiver", FRESH, game="small")
    env.seed(1_000_000)
    actions, _ = model.predict(env.reset(), deterministic=True)
    return float(env.step(actions)[1].mean())


def draw(rows: list[Row], path: Path) -> None:
    """Draw the share won against steps: the mean of the seeds, and a band from worst to best."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axis = figure.subplots()
    for policy, (label, colour) in LINES.items():
        curve: dict[int, list[float]] = defaultdict(list)
        for row in rows:
            if row["policy"] == policy:
                curve[int(row["steps"])].append(float(row["accuracy"]))
        won = np.array(list(curve.values()))
        axis.plot(list(curve), won.mean(axis=1), color=colour, label=label)
        axis.fill_between(list(curve), won.min(axis=1), won.max(axis=1), color=colour, alpha=0.2, linewidth=0)
    chance = 1 / GameConfig.small().num_candidates
    axis.axhline(chance, color="grey", linewidth=0.8, linestyle=":")
    axis.annotate("chance", (0.01, chance), xycoords=("axes fraction", "data"), color="grey", va="top")
    axis.set(xlabel="Training steps (one episode each)", ylabel="Accuracy on fresh episodes", ylim=(0, 1.02))
    axis.grid(alpha=0.25)
    axis.legend(loc="center right", frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
