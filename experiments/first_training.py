"""Does PPO of Stable-Baselines3 learn the small game? With the plain `MlpPolicy`, and with `features`.

    OMP_NUM_THREADS=1 python experiments/first_training.py     (about 2 minutes a training on one idle thread)
    python experiments/first_training.py --curve --single --roles receiver --policies features plain \\
        --seeds 5 --steps 24576                                (about 5 minutes)

Trains each role of the small game (8 integers) with the oracle as its partner, PPO at its defaults. The
2,048 steps before an update come from 64 games at once; with `--single`, from one Gymnasium environment.
Writes `first_training.csv` into docs/_static/training, a row a training; `accuracy` is the share won, greedy,
in fresh episodes, and `seconds` is processor time of one thread spent in training. Trainings that are in the
file are not done again. With `--curve`, there is a row for each update in `first_curve.csv` and a picture,
`first_curve.png`.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import matplotlib
import numpy as np
import torch
from matplotlib.figure import Figure
from stable_baselines3 import PPO

import spatial_game  # noqa: F401  (registers the environments)
from spatial_game.envs.adapters.sb3 import RoleVecEnv, features

OUT = Path(__file__).parent.parent / "docs" / "_static" / "training"
COLUMNS = ("role", "policy", "seed", "steps", "accuracy", "seconds")
ROLES = {"receiver": "Receiver", "sender": "Sender", "symbol": "SenderSymbol"}
POLICIES = ("features", "plain", "one_hot")
GAME: dict[str, Any] = gym.spec("spatial_game/Receiver-small-v0").kwargs
FRESH = 10_000
UPDATE = 2048

Row = dict[str, str]


def train(role: str, policy: str, seed: int, steps: int, num_envs: int, every: int) -> Iterator[Row]:
    """Train PPO at its defaults; yield a row each time it has played `every` more steps."""
    form = observations(policy)
    env: Any = RoleVecEnv(role, num_envs, observations=form, **GAME)
    if num_envs == 1:
        env = gym.make(f"spatial_game/{ROLES[role]}-small-v0", observations=form)
    kwargs = features(env) if policy == "features" else None
    model = PPO("MlpPolicy", env, 3e-4, UPDATE // num_envs, policy_kwargs=kwargs, seed=seed, device="cpu")
    seconds = 0.0
    while model.num_timesteps < steps:
        start = time.process_time()
        model.learn(every, reset_num_timesteps=False)
        seconds += time.process_time() - start
        won = accuracy(model, role, policy)
        values = role, policy, seed, model.num_timesteps, f"{won:.4f}", f"{seconds:.2f}"
        yield dict(zip(COLUMNS, map(str, values), strict=True))


def observations(policy: str) -> str:
    return "one_hot" if policy == "one_hot" else "flat"


def accuracy(model: Any, role: str, policy: str) -> float:
    """Return the share that a model wins in fresh episodes, greedy."""
    env = RoleVecEnv(role, FRESH, observations=observations(policy), **GAME)
    env.seed(1_000_000)
    seen, over = env.reset(), False
    while not over:
        actions, _ = model.predict(seen, deterministic=True)
        seen, rewards, dones, _ = env.step(actions)
        over = bool(dones.all())
    return float(rewards.mean())


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the share won against steps: the mean of the seeds, and a band from worst to best."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axis = figure.subplots()
    for policy, label, colour in (
        ("features", "MlpPolicy with features(env)", "#0072B2"),
        ("plain", "MlpPolicy alone", "#D55E00"),
    ):
        curve: dict[int, list[float]] = defaultdict(list)
        for row in rows:
            if row["policy"] == policy:
                curve[int(row["steps"])].append(float(row["accuracy"]))
        won = np.array(list(curve.values()))
        axis.plot(list(curve), won.mean(axis=1), color=colour, label=label)
        axis.fill_between(list(curve), won.min(axis=1), won.max(axis=1), color=colour, alpha=0.2, linewidth=0)
    chance = 1 / (GAME["num_distractors"] + 1)
    axis.axhline(chance, color="grey", linewidth=0.8, linestyle=":")
    axis.annotate("chance", (0.01, chance), xycoords=("axes fraction", "data"), color="grey", va="top")
    axis.set(xlabel="Training steps (one episode each)", ylabel="Accuracy on fresh episodes", ylim=(0, 1.02))
    axis.grid(alpha=0.25)
    axis.legend(loc="center right", frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=list(ROLES))
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=list(POLICIES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--curve", action="store_true", help="a row for each update, and a picture")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    matplotlib.use("agg")
    torch.set_num_threads(1)
    table = options.out / ("first_curve.csv" if options.curve else "first_training.csv")
    rows = list(csv.DictReader(table.open())) if table.exists() else []
    every = UPDATE if options.curve else options.steps
    done = {(row["role"], row["policy"], int(row["seed"])) for row in rows if int(row["steps"]) >= every}
    for policy in options.policies:
        for role in options.roles:
            for seed in range(options.seeds):
                if (role, policy, seed) in done:
                    continue
                for row in train(role, policy, seed, options.steps, 1 if options.single else 64, every):
                    rows.append(row)
                    print(" ".join(row.values()), flush=True)
                with table.open("w", newline="") as file:
                    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(rows)
    if options.curve:
        draw(rows, table.with_suffix(".png"))


if __name__ == "__main__":
    main()
