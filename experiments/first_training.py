"""Does PPO of Stable-Baselines3 learn the small game? With the plain `MlpPolicy`, and with `features`.

    OMP_NUM_THREADS=1 python experiments/first_training.py     (about 2 minutes a training on one idle thread)

Trains each role of the small game (8 integers) with the oracle as its partner, PPO at its defaults. The
2,048 steps before an update come from 64 games at once; with `--single`, from one Gymnasium environment.
Writes `first_training.csv` into docs/_static/training, a row a training; `accuracy` is the share won, greedy,
in fresh episodes. Trainings that are in the file are not done again.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from stable_baselines3 import PPO

import spatial_game  # noqa: F401  (registers the environments)
from spatial_game.envs.adapters.sb3 import RoleVecEnv, features

OUT = Path(__file__).parent.parent / "docs" / "_static" / "training" / "first_training.csv"
COLUMNS = ("role", "policy", "seed", "steps", "accuracy", "seconds")
ROLES = {"receiver": "Receiver", "sender": "Sender", "symbol": "SenderSymbol"}
POLICIES = ("features", "plain", "one_hot")
GAME: dict[str, Any] = gym.spec("spatial_game/Receiver-small-v0").kwargs
FRESH = 10_000


def train(role: str, policy: str, seed: int, steps: int, num_envs: int) -> PPO:
    """Train PPO at its defaults."""
    form = observations(policy)
    env: Any = RoleVecEnv(role, num_envs, observations=form, **GAME)
    if num_envs == 1:
        env = gym.make(f"spatial_game/{ROLES[role]}-small-v0", observations=form)
    kwargs = features(env) if policy == "features" else None
    model = PPO("MlpPolicy", env, 3e-4, 2048 // num_envs, policy_kwargs=kwargs, seed=seed, device="cpu")
    return model.learn(steps)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=list(ROLES))
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=list(POLICIES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = list(csv.DictReader(options.out.open())) if options.out.exists() else []
    done = {(row["role"], row["policy"], int(row["seed"]), int(row["steps"])) for row in rows}
    for policy in options.policies:
        for role in options.roles:
            for seed in range(options.seeds):
                if (role, policy, seed, options.steps) in done:
                    continue
                start = time.process_time()
                model = train(role, policy, seed, options.steps, 1 if options.single else 64)
                seconds = time.process_time() - start
                won = accuracy(model, role, policy)
                rows.append(
                    dict(zip(COLUMNS, (role, policy, seed, options.steps, won, seconds), strict=True))
                )
                print(f"{role}, {policy}, seed {seed}: {won:.1%} in {seconds:.0f} s", flush=True)
                with options.out.open("w", newline="") as file:
                    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(rows)


if __name__ == "__main__":
    main()
