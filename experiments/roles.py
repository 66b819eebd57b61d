"""How well PPO of Stable-Baselines3 learns each role, by size of the game and by what its network sees.

    OMP_NUM_THREADS=1 python experiments/roles.py --out docs/_static/training/roles.csv
    OMP_NUM_THREADS=1 python experiments/roles.py --games tiny           (prints the rows)

The partner is the oracle. `plain` is `MlpPolicy` on integers, `one_hot` the same on zeros and ones, and
`features` has `features(env)`; `products` has, in place of a candidate's score, the products that it is the
sum of, and above them the two layers of 64 that are the default of `MlpPolicy`. Each row is a training: the
share that it wins of 10,000 fresh episodes, greedy, and the processor seconds of one thread in training.
Trainings that are in the file are not repeated.
"""

from __future__ import annotations

import itertools
import time
from typing import Any, NamedTuple

import torch
from rows import parser_of, resumed, save
from stable_baselines3 import PPO

from spatial_game.config import GameConfig
from spatial_game.envs.adapters.features import ReceiverFeatures
from spatial_game.envs.adapters.sb3 import RoleVecEnv, features

SETTINGS: dict[str, Any] = {
    "n_steps": 4,
    "batch_size": 256,
    "n_epochs": 4,
    "learning_rate": lambda left: 3e-3 * left,
    "gamma": 1.0,
    "gae_lambda": 1.0,
    "ent_coef": 0.01,
    "device": "cpu",
}
FRESH = 10_000


class Size(NamedTuple):
    """A game, and how long a role is trained."""

    config: GameConfig
    steps: int


GAMES = {
    "tiny": Size(GameConfig.tiny(), 20_480),
    "small": Size(GameConfig.small(), 102_400),
    "20 integers": Size(GameConfig(20), 204_800),
    "60 integers": Size(GameConfig(60), 409_600),
}
ALL = ("features", "one_hot", "plain")
TRAININGS = [
    ("tiny", "receiver", ALL),
    ("small", "receiver", ALL),
    ("small", "sender", ("features", "one_hot")),
    ("20 integers", "receiver", (*ALL, "products")),
    ("20 integers", "sender", ("features",)),
    ("60 integers", "receiver", ("features",)),
    ("60 integers", "sender", ("features",)),
]
"""Games, roles and networks."""
SEEDS = range(5)


def main() -> None:
    """Train what is not in the file yet."""
    parser = parser_of(__doc__)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    options = parser.parse_args()
    torch.set_num_threads(1)
    wanted = (
        {"game": game, "role": role, "network": network, "seed": str(seed)}
        for game, role, networks in TRAININGS
        for network, seed in itertools.product(networks, SEEDS)
        if game in options.games
    )
    save(resumed(options.out, wanted, train), options.out)


def train(game: str, role: str, network: str, seed: str) -> list[dict[str, Any]]:
    """Train one role; return the steps, the share won and the seconds."""
    size = GAMES[game]
    sizes = size.config.to_dict()
    view = "one_hot" if network == "one_hot" else "flat"
    env = RoleVecEnv(role, 256, partner="oracle", observations=view, **sizes)
    kwargs = features(env) if network in ("features", "products") else {}
    if network == "products":
        kwargs["features_extractor_kwargs"]["features"] = ReceiverFeatures
        kwargs["net_arch"] = [64, 64]
    model = PPO("MlpPolicy", env, policy_kwargs=kwargs, seed=int(seed), **SETTINGS)
    start = time.process_time()
    model.learn(size.steps)
    seconds = time.process_time() - start
    fresh = RoleVecEnv(role, FRESH, partner="oracle", observations=view, **sizes)
    fresh.seed(1_000_000)
    actions, _ = model.predict(fresh.reset(), deterministic=True)
    won = float(fresh.step(actions)[1].mean())
    return [{"steps": size.steps, "accuracy": f"{won:.4f}", "seconds": round(seconds)}]


if __name__ == "__main__":
    main()
