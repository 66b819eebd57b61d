"""How many bits a message of each bundled pair of sequences tells about each of the sender's neighbours.

    OMP_NUM_THREADS=1 python experiments/message_bits.py > docs/_static/findings/message_bits.csv   (minutes)

Windows are drawn with the mask in the centre. Each figure is the mutual information of the message with the
integer at one offset, or the entropy of the message, in bits: the plug-in estimate, corrected for its bias to
first order (Miller 1955). Nothing is smoothed. Each pair has two rows, from half of the windows and from all:
figures that differ would need more windows.
"""

from __future__ import annotations

import argparse
import csv
import sys

import numpy as np
import torch

from spatial_agents import load_pair
from spatial_agents.pairs.names import PRETRAINED
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray


def central_windows(config: GameConfig, number: int, rng: np.random.Generator) -> IntArray:
    """Draw windows (number, W) with the mask in the centre: distinct integers, all equally likely."""
    order = rng.random((number, len(config.integers)), dtype=np.float32).argpartition(
        2 * config.window_radius
    )
    shown = rng.permuted(order[:, : 2 * config.window_radius], axis=1)
    return np.insert(shown, config.window_radius, MASK, axis=1)


def entropy(codes: IntArray) -> float:
    """Return the entropy of codes (B,) in bits, with the correction of Miller."""
    seen = np.unique(codes, return_counts=True)[1]
    plug_in = -np.sum(seen / len(codes) * np.log2(seen / len(codes)))
    return float(plug_in + (len(seen) - 1) / (2 * len(codes) * np.log(2)))


def bits(messages: IntArray, windows: IntArray) -> list[float]:
    """Return the entropy of the messages, and what they tell about each visible cell from left to right."""
    code = np.unique(messages, axis=0, return_inverse=True)[1].ravel()
    size, radius = windows.max() + 1, windows.shape[1] // 2
    cells = np.delete(windows, radius, axis=1).T
    told = [entropy(code) + entropy(cell) - entropy(code * size + cell) for cell in cells]
    return [entropy(code), *told]


def main() -> None:
    """Print the rows of each bundled pair."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--windows", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--names", nargs="+", default=["*"], help="of these bundled pairs alone")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(("pair", "windows", "messages", "message bits", "-2", "-1", "+1", "+2"))
    paths = (path for name in arguments.names for path in PRETRAINED.glob(f"{name}/*.safetensors"))
    for path in sorted(paths):
        pair = load_pair(path)
        if len(pair.config.shape) > 1 or pair.config.num_hidden:
            continue  # it has no four visible neighbours in a row
        windows = central_windows(pair.config, arguments.windows, np.random.default_rng(arguments.seed))
        messages = pair.sender.send(windows)
        for number in (arguments.windows // 2, arguments.windows):
            found = [f"{value:.2f}" for value in bits(messages[:number], windows[:number])]
            used = len(np.unique(messages[:number], axis=0))
            table.writerow((f"{path.parent.name}/{int(path.stem)}", number, used, *found))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
