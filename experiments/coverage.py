"""How often the intervals of entropy and information hold the truth, for known distributions.

    python experiments/coverage.py --out docs/_static/measured/coverage.csv
    python experiments/coverage.py --messages 26                                           (prints four rows)

Figures are means over 200 simulations, without those whose estimate is *undefined*. *Entropy*: messages are
drawn evenly or by Zipf's law. *Information*: messages are drawn by Zipf's law, and each stands for a band of
the 61 values. The value of an episode is in that band, except in a share of the episodes in which it does not
depend on the message.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from rows import make_rows

from spatial_game.config import GameConfig
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.entropy import plug_in_entropy
from spatial_game.language.measures.information import information_estimate
from spatial_game.language.measures.measure import Measure
from spatial_game.language.measures.measuring import measure_sample
from spatial_game.language.measures.messages import entropy_estimate
from spatial_game.language.measures.register import CHAO
from spatial_game.language.measures.sample import Sample

SIMULATIONS, EPISODES, VALUES = 200, (2_000, 20_000), 61
MESSAGE_BITS = math.log2(26**3)
DEFINITIONS = {
    "entropy": Measure(
        lambda sample: {"": entropy_estimate(np.bincount(sample.number), MESSAGE_BITS)},
        "bits",
        CHAO,
        has_interval=True,
    ),
    "information": Measure(
        lambda sample: {"": information_estimate(sample.number, sample.edge)},
        "bits",
        CHAO,
        shuffle=Sample.shuffled,
        adjusted=True,
        has_interval=True,
    ),
}
MESSAGES = {"entropy": (26, 300, 3_000, 17_576), "information": (20, 300, 3_000)}
SENDERS = {"blind": (1.0, 1), "weak": (0.8, 10), "middling": (0.3, 10), "exact": (0.0, 1)}
"""The share of the episodes whose value does not depend on the message, and the width of the bands."""


def rows_of(messages: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the distributions of this number of messages, with few and with many episodes."""
    for case in cases(int(messages)):
        yield from (row_of(*case, episodes) for episodes in EPISODES)


def cases(messages: int) -> Iterator[tuple[str, str, FloatArray]]:
    """Yield what is estimated, the name of the distribution, and its table of messages by values."""
    zipf = 1 / np.arange(1, messages + 1)
    zipf /= zipf.sum()
    if messages in MESSAGES["entropy"]:
        yield "entropy", "even", np.full((messages, 1), 1 / messages)
        yield "entropy", "Zipf", zipf[:, None]
    if messages in MESSAGES["information"]:
        for name, (lost, width) in SENDERS.items():
            first = np.random.default_rng(0).integers(0, VALUES, messages)
            table = np.full((messages, VALUES), lost / VALUES)
            for step in range(width):
                table[np.arange(messages), (first + step) % VALUES] += (1 - lost) / width
            yield "information", name, zipf[:, None] * table


def row_of(kind: str, name: str, table: FloatArray, episodes: int) -> dict[str, str]:
    """Return the truth, the mean estimates and ends, and the share of the intervals that hold the truth."""
    rng, by_message, by_value = np.random.default_rng(0), table.sum(axis=1), table.sum(axis=0)
    truth = plug_in_entropy(by_message)
    if kind == "information":
        truth = max(truth + plug_in_entropy(by_value) - plug_in_entropy(table), 0.0)
    found = np.array([simulation(kind, table, episodes, rng) for _ in range(SIMULATIONS)])
    defined = found[~np.isnan(found).any(axis=1)]
    held = (defined[:, 2] - 1e-9 <= truth) & (truth <= defined[:, 3] + 1e-9)
    means = [found[:, 0].mean(), *(defined[:, 1:].mean(axis=0) if len(defined) else [None] * 3)]
    columns = zip(("Plug-in", "Estimate", "Low", "High"), means, strict=True)
    return {
        "Of": kind,
        "Sender": name,
        "Messages": f"{len(table):,}",
        "Episodes": f"{episodes:,}",
        "True bits": f"{truth:.3f}",
        **{column: "" if value is None else f"{value:.3f}" for column, value in columns},
        "Intervals with the truth": f"{held.mean():.1%}" if len(defined) else "",
        "Undefined": f"{1 - len(defined) / len(found):.1%}",
    }


def simulation(kind: str, table: FloatArray, episodes: int, rng: np.random.Generator) -> FloatArray:
    """Return the plug-in estimate, ours, and the ends of its interval, from episodes that are drawn anew."""
    ends = np.cumsum(table)
    cell = np.searchsorted(ends, rng.random(episodes) * ends[-1], side="right")
    message, value = np.divmod(cell, table.shape[1])
    sample = Sample(GameConfig(), message[:, None], message, value, np.zeros((episodes, 0), dtype=int))
    plug_in = plug_in_entropy(np.bincount(message))
    if kind == "information":
        plug_in += plug_in_entropy(np.bincount(value)) - plug_in_entropy(np.bincount(cell))
    (measure,) = measure_sample(DEFINITIONS[kind], sample, rng)
    return np.array([plug_in, measure.value, measure.low, measure.high], dtype=np.float64)


if __name__ == "__main__":
    numbers = sorted({number for each in MESSAGES.values() for number in each})
    make_rows(__doc__, rows_of, [*map(str, numbers)], "messages")
