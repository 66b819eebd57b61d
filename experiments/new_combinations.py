"""Do pairs understand new combinations? Trains pairs of several recipes, and asks them.

    OMP_NUM_THREADS=1 python experiments/new_combinations.py --out docs/_static/findings/new_combinations.csv
    OMP_NUM_THREADS=1 python experiments/new_combinations.py --networks landmark --seeds 0    (prints 3 rows)

Training leaves out combinations of integer and offset (`spatial_game.studies.unseen`): a tenth of all, and
a fifth in games of 20 integers, where a tenth leaves few windows.

A row that is in the file is not made again, and a pair that is in `--pairs` is not trained again. The
`landmark` pairs for 60 integers are bundled; in their training, held-out combinations could still be wrong
candidates.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path

import numpy as np
import torch
from rows import parser_of, resumed, save

from spatial_agents import load_pair
from spatial_agents.networks import networks_of
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.torch_pair import torch_pair
from spatial_agents.training.own_code import OwnCode
from spatial_agents.training.trainer import INTERVAL, Trainer
from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Agents
from spatial_game.language.counting.columns import columns_of
from spatial_game.studies.unseen import unseen_study

GAMES = {
    "20, 1 visible": GameConfig(20, num_visible=1),
    "60, 1 visible": GameConfig(60, num_visible=1),
    "8x8, 1 visible": GameConfig(shape=(8, 8), window_radius=1, num_visible=1),
    "20, 2 visible": GameConfig(20, num_visible=2),
    "20": GameConfig(20),
    "60": GameConfig(60),
}
WIDE = {"hidden_size": 128, "embedding_size": 32}
NETWORKS = {
    "local": ("local", WIDE, ("local", "local"), list(GAMES)),
    "gru": (
        "curriculum",
        {"inputs": "embedding", "steps": 6000},
        ("sequential", "sequential"),
        ["20"],
    ),
    "landmark": (
        "landmark",
        {},
        ("landmark", "landmark"),
        ["20, 1 visible", "60, 1 visible", "8x8, 1 visible"],
    ),
    "local receiver": ("landmark", WIDE, ("landmark", "local"), ["60, 1 visible"]),
    "local sender": ("landmark", WIDE, ("local", "landmark"), ["60, 1 visible"]),
}
"""For each kind of networks: recipe, its options, networks of the sender and of the receiver, and games."""
BUNDLED = 3  # pairs of landmark-60, with the seeds 0 to 2
PLAYED = 20_000


def main() -> None:
    """Train and measure what is missing."""
    parser = parser_of(__doc__)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--pairs", type=Path, help="a folder that keeps the trained pairs")
    options = parser.parse_args()
    torch.set_num_threads(1)
    wanted = (
        {"networks": networks, "game": game, "seed": str(seed)}
        for networks in options.networks
        for game in NETWORKS[networks][3]
        for seed in options.seeds
        if game in options.games
    )
    save(resumed(options.out, wanted, partial(rows_of, folder=options.pairs)), options.out)


def rows_of(networks: str, game: str, seed: str, folder: Path | None) -> list[dict[str, str]]:
    """Train a pair, and measure it."""
    pair = trained(networks, game, int(seed), folder)
    study = unseen_study(pair, held_out_share(game), int(seed), PLAYED).results
    new, seen = study["never_seen"], study["seen"]
    values = {
        "accuracy": evaluate_agents(pair, PLAYED).accuracy,
        "new_combinations": new["accuracy"],
        "new_shuffled": new["shuffled"],
        "new_elsewhere": new["elsewhere"],
        "seen_combinations": seen["accuracy"],
        "symbols_at_one_offset": at_one_offset(pair) if pair.config.num_visible == 1 else None,
    }
    row = {name: "" if value is None else f"{value:.4f}" for name, value in values.items()}
    return [{**row, "new_windows": str(new["windows"])}]


def held_out_share(game: str) -> float:
    """Return the share of the combinations that training leaves out."""
    return 0.2 if GAMES[game].num_integers == 20 else 0.1


def trained(networks: str, game: str, seed: int, folder: Path | None) -> Agents:
    """Train a pair, or load it if it is bundled or the folder has it."""
    if (networks, game) == ("landmark", "60, 1 visible") and seed < BUNDLED:
        return load_pair(f"landmark-60/{seed}")
    name, settings, (of_sender, of_receiver), _ = NETWORKS[networks]
    recipe = Recipe(name, unseen=held_out_share(game), **settings)
    kinds = (
        dataclasses.replace(recipe.network_config, network=network) for network in (of_sender, of_receiver)
    )
    (new_sender, _), (_, new_receiver) = map(networks_of, kinds)
    options = TrainOptions(GAMES[game], recipe, seed=seed)
    trainer = Trainer(options, torch.device("cpu"), OwnCode((new_sender, new_receiver)))
    kept = folder and folder / f"{networks} {game} {seed}.pt"
    if kept and kept.exists():
        trainer.average.load_state_dict(torch.load(kept, weights_only=True))
        return torch_pair(trainer.average.eval().pair(), GAMES[game])
    while not trainer.finished:
        trainer.step()
        if trainer.step_number % INTERVAL == 0:
            trainer.end_interval()  # sequences of the curriculum grow
    if kept:
        torch.save(trainer.average.state_dict(), kept)
    return torch_pair(trainer.average.eval().pair(), GAMES[game])


def at_one_offset(pair: Agents) -> float:
    """Return the share of a sender's symbols that it uses at one offset alone, of one visible neighbour."""
    size, middle = pair.config.window_size, columns_of(pair.config).middle
    cells, integers = np.delete(np.arange(size), middle), np.arange(pair.config.num_integers)
    windows = np.full((len(cells), len(integers), size), HIDDEN)
    windows[:, :, middle] = MASK
    windows[np.arange(len(cells)), :, cells] = integers
    said = pair.sender.send(windows.reshape(-1, size)).reshape(len(cells), -1)
    uses = np.stack([np.bincount(each, minlength=pair.config.vocab_size) > 0 for each in said]).sum(axis=0)
    return float((uses == 1).sum() / (uses > 0).sum())


if __name__ == "__main__":
    main()
