"""How many bits a message of each bundled pair of sequences tells about each of the sender's neighbours.

    OMP_NUM_THREADS=1 python experiments/message_bits.py --out docs/_static/findings/message_bits.csv
    python experiments/message_bits.py --pairs paper-20/0                                  (prints two rows)

Windows are drawn with the mask in the centre. Each figure is the mutual information of the message with the
integer at one offset, or the entropy of the message, in bits: the plug-in estimate, corrected for its bias to
first order (Miller 1955). Nothing is smoothed. Each pair has two rows, from half of the windows and from all:
figures that differ would need more windows.
"""

from __future__ import annotations

import numpy as np
from rows import parser_of, save

from spatial_agents import load_pair
from spatial_agents.pairs.names import numbered_pairs
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.measures import miller_madow_entropy

FAMILIES = ("embed-60", "local-60", "paper-20", "paper-60")  # they see four neighbours in a row
WINDOWS = 400_000


def main() -> None:
    """Measure each pair."""
    pairs = [f"{name}/{index}" for name in FAMILIES for index in numbered_pairs(name)]
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", nargs="+", default=pairs)
    options = parser.parse_args()
    save([row for name in options.pairs for row in rows_of(name)], options.out)


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the bits of half of the windows and of all."""
    pair = load_pair(name)
    windows = central_windows(pair.config, np.random.default_rng(0))
    messages, rows = pair.sender.send(windows), []
    for number in (WINDOWS // 2, WINDOWS):
        found = bits(messages[:number], windows[:number])
        used = len(np.unique(messages[:number], axis=0))
        columns = ("message bits", "-2", "-1", "+1", "+2")
        told = {column: f"{value:.2f}" for column, value in zip(columns, found, strict=True)}
        rows.append({"pair": name, "windows": str(number), "messages": str(used), **told})
    return rows


def central_windows(config: GameConfig, rng: np.random.Generator) -> IntArray:
    """Draw windows (N, W) with the mask in the centre: distinct integers, all equally likely."""
    order = rng.random((WINDOWS, config.num_integers), dtype=np.float32).argpartition(
        2 * config.window_radius
    )
    shown = rng.permuted(order[:, : 2 * config.window_radius], axis=1)
    return np.insert(shown, config.window_radius, MASK, axis=1)


def corrected(codes: IntArray) -> float:
    """Return the entropy of codes (B,) in bits, with the correction of Miller."""
    return miller_madow_entropy(np.unique(codes, return_counts=True)[1])


def bits(messages: IntArray, windows: IntArray) -> list[float]:
    """Return the entropy of the messages, and what they tell about each visible cell from left to right."""
    code = np.unique(messages, axis=0, return_inverse=True)[1].ravel()
    size, radius = windows.max() + 1, windows.shape[1] // 2
    cells = np.delete(windows, radius, axis=1).T
    told = [corrected(code) + corrected(cell) - corrected(code * size + cell) for cell in cells]
    return [corrected(code), *told]


if __name__ == "__main__":
    main()
