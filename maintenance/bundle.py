"""Add pairs to the bundled ones, and write the dictionary of the first of a name.

    python maintenance/bundle.py pairs RUN NAME
    python maintenance/bundle.py dictionary NAME

A bundled pair is four files, named by its index: the weights, the model card twice (for programs and for
people), and the rows of its metrics that have a validation. Bad pairs are bundled with the good ones. The
first pair of a name also has a dictionary, which `play` uses; `analyse` makes one of another pair in seconds.

To save room in the wheel, weights are rounded to bfloat16 (they stay float32 in the file). The card has the
evaluation and the hash of the rounded weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import spatial_game
from spatial_agents.pairs.names import DICTIONARY_ENDS, PRETRAINED, numbered_pairs
from spatial_agents.pairs.pair import load_pair
from spatial_agents.pairs.weights import hash_weights, read_weights, write_weights
from spatial_agents.training.folders import finished_folders
from spatial_game.errors import UserError
from spatial_game.files import read_json, write_json, write_text
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary import file
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.recording import record

EPISODES = 100_000
"""Episodes from which a dictionary is made; half of them, and so on, if the file would be too large."""
MOST_BYTES = 300_000
"""The largest file of a dictionary."""


def bundle(run: Path, name: str, index: int = 0, into: Path = PRETRAINED) -> list[Path]:
    """Copy the finished pairs of a run, from `index` upwards; the weights files.

    Raises `ValueError` when the run has no finished pair, or one that is not finished before one that is;
    when a file would be replaced by another pair's; or when the pairs before `index` are missing: an index is
    the place among all.
    """
    folders = finished_folders(run)
    if not folders:
        raise ValueError(f"run must hold a finished pair; got {run}")
    if folders != [run] and [int(folder.name) for folder in folders] != list(range(len(folders))):
        names = ", ".join(folder.name for folder in folders)
        raise ValueError(f"run must have finished its pairs from the first on; got {names} of {run}")
    present = len(list((into / name).glob("*.safetensors")))
    if not 0 <= index <= present:
        raise ValueError(f"index must be at most {present}, the number of pairs of {name}; got {index}")
    return [
        _bundle_pair(folder, into / name, index + offset, f"{name}/{index + offset:02d}")
        for offset, folder in enumerate(folders)
    ]


def _bundle_pair(folder: Path, into: Path, index: int, name: str) -> Path:
    weights = into / f"{index:02d}.safetensors"
    given = read_weights(folder / "pair.safetensors")
    rounded = given._replace(tensors={key: as_bfloat16(array) for key, array in given.tensors.items()})
    if weights.exists() and load_pair(weights).weights_hash != hash_weights(rounded.tensors):
        raise ValueError(f"{weights} must be a new file; got one that holds another pair")
    head, *rows = (folder / "metrics.csv").read_text("utf-8").splitlines()
    validated = [row for row in rows if not row.endswith(",")]  # the last column is the validation
    into.mkdir(parents=True, exist_ok=True)
    write_weights(weights, rounded)
    pair, card = load_pair(weights), read_json(folder / "card.json")
    result = evaluate_agents(pair, card["evaluation"]["n"], given.provenance["seed"]).to_dict()
    card |= {"name": name, "weights_hash": pair.weights_hash, "rounded": "bfloat16", "evaluation": result}
    write_json(weights.with_suffix(".json"), card)
    write_text(weights.with_suffix(".csv"), "".join(f"{line}\n" for line in (head, *validated)))
    return weights


def as_bfloat16(array: np.ndarray) -> np.ndarray:
    """Return float32 numbers rounded to the nearest of bfloat16 (8 significant bits), as float32.

    Of two that are equally near, it takes the one with an even last bit.
    """
    bits = array.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


def write_dictionary(
    name: str, *, num_episodes: int = EPISODES, seed: int = 0, folder: Path = PRETRAINED
) -> Path:
    """Analyse new episodes of the first bundled pair of a name, and return where the dictionary was written.

    The episodes are those of `spatial-game record` with the same seed. Raises `ValueError` for a name without
    pairs.
    """
    weights = numbered_pairs(str(folder / name)).get(0)
    if weights is None:
        raise ValueError(f"name must be that of bundled pairs; got {name}")
    pair = load_pair(weights)
    agents = {"policy": "pair", "name": name, "index": 0, "weights_hash": pair.weights_hash}
    origin = {"spatial_game_version": spatial_game.__version__, "seed": seed, "stream": "recording"}
    episodes = draw_episodes(
        pair.config, num_episodes, np.random.default_rng(random_stream(seed, "recording"))
    )
    recording = record((pair.sender, None), episodes, pair.config, {**origin, "sender": agents})
    path = weights.with_suffix(DICTIONARY_ENDS[0])
    file.write_dictionary(build_dictionary(count(recording)), path)
    if path.stat().st_size > MOST_BYTES:
        return write_dictionary(name, num_episodes=num_episodes // 2, seed=seed, folder=folder)
    return path


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description="Bundle trained pairs, and their dictionaries.")
    commands = parser.add_subparsers(required=True, dest="what")
    of_run = commands.add_parser("pairs", help="add the finished pairs of a run to the bundled ones")
    of_run.add_argument("run", type=Path, help="the folder of the run")
    of_run.add_argument("name", help="the name under which load_pair finds them, such as embed-60")
    of_run.add_argument("--index", type=int, default=0, help="the index of the first of them under that name")
    dictionary = commands.add_parser("dictionary", help="analyse the first bundled pair of a name")
    dictionary.add_argument("name", help="a name of bundled pairs, such as embed-60")
    given = parser.parse_args()
    try:
        pairs = given.what == "pairs"
        written = bundle(given.run, given.name, given.index) if pairs else [write_dictionary(given.name)]
    except (UserError, OSError) as error:
        sys.exit(f"error: {error}")
    print(*written, sep="\n")


if __name__ == "__main__":
    main()
