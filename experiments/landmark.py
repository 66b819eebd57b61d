"""Which part of the recipe `landmark` makes languages compose? Trains pairs, some with other networks.

    OMP_NUM_THREADS=1 python experiments/landmark.py               (half an hour of one thread)
    python experiments/landmark.py --games 20 --seeds 0            (one pair, a minute)

One row for each pair goes to landmark.csv in docs/_static/findings, unless the row is there. All pairs hold
out a tenth of the combinations of integer and offset, as those of `experiments/composition.py` do. The pairs
of the recipe itself for 60 integers are the bundled `landmark-60`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from unittest import mock

import torch
from composition import HELD_OUT, OUT, figures, read, write_rows
from torch import Tensor

from spatial_agents import load_pair
from spatial_agents.networks import landmark, local
from spatial_agents.pairs.policy import Pair
from spatial_agents.pairs.torch_play import pair_from_network
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig


class HearsAll(landmark.ReceiverNetwork):
    """A receiver that hears the whole message for the offset and for the integer alike."""

    def heard(self, message: Tensor) -> Tensor:
        """Return the message (B, 2, T, V), twice the same."""
        return message.unsqueeze(1).expand(-1, 2, -1, -1)


GAMES = {
    "60": GameConfig(60, num_visible=1),
    "20": GameConfig(20, num_visible=1),
    "8x8": GameConfig(shape=(8, 8), window_radius=1, num_visible=1),
    "60 all": GameConfig(60),
}
NETWORKS = {
    "landmark": {},
    "hears all": {"ReceiverNetwork": HearsAll},
    "local receiver": {"ReceiverNetwork": local.ReceiverNetwork},
    "local sender": {"SenderNetwork": local.SenderNetwork},
}
BUNDLED = 3  # the seeds of the bundled landmark-60
EPISODES = 50_000
WIDE = {"hidden_size": 128, "embedding_size": 32}  # as the local pairs of composition.csv


def main() -> None:
    """Train and measure what is missing, in whole seeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    table = options.out / "landmark.csv"
    rows = read(table)
    found = {(row["networks"], row["game"], row["seed"]) for row in rows}
    for seed in options.seeds:
        for networks, game in wanted(options.games):
            if networks in options.networks and (networks, game, str(seed)) not in found:
                pair = trained(networks, game, seed)
                key = {"networks": networks, "game": game, "seed": str(seed)}
                rows.append(key | figures(pair, seed, EPISODES))
                print(rows[-1], flush=True)
                rows.sort(key=lambda row: (*place(row), int(row["seed"])))
                write_rows(table, rows)


def wanted(games: list[str]) -> list[tuple[str, str]]:
    """Return the networks and games to train: the recipe in each game, and its variants in the first."""
    variants = [(networks, "60") for networks in NETWORKS if "60" in games and networks != "landmark"]
    return [("landmark", game) for game in games] + variants


def place(row: dict[str, str]) -> tuple[int, int]:
    """Return where a row stands in the table."""
    return list(NETWORKS).index(row["networks"]), list(GAMES).index(row["game"])


def trained(networks: str, game: str, seed: int) -> Pair:
    """Train a pair, with some networks of the recipe exchanged for others; or load it, if it is bundled."""
    if (networks, game) == ("landmark", "60") and seed < BUNDLED:
        return load_pair("landmark-60", index=seed)
    wide = WIDE if "local" in networks else {}
    recipe = Recipe("landmark", hold_out=HELD_OUT, **wide)
    with mock.patch.dict(vars(landmark), NETWORKS[networks]):
        trainer = Trainer(TrainOptions(GAMES[game], recipe, seed=seed), torch.device("cpu"))
    while not trainer.finished:
        trainer.step()
    return pair_from_network(trainer.average, GAMES[game], recipe.agent)


if __name__ == "__main__":
    main()
