"""An additive model with its count in bits, as a lexicon keeps it, and as JSON."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.additive.code import (
    LARGEST,
    MOST_POWER,
    NOISE_STEP,
    slot_means,
    with_groups,
    written_bits,
)
from spatial_game.language.additive.fit import MOST_MESSAGES, fit, sample
from spatial_game.language.additive.model import SCORES, AdditiveModel, num_values
from spatial_game.language.additive.prefixes import slots_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.fields import items, mapping, number, shortened, whole

MOST_VALUES = 8
"""The most values an integer in a file."""
_MOST_BITS = 1e6


@dataclass(frozen=True, eq=False)
class AdditiveDescription:
    """What an additive model explains of a language, in bits an episode.

    The bits explained are the mean of log2 P(message | window) / p(message). That bounds what messages tell
    of windows from below, as the bits that a dictionary explains do.
    """

    model: AdditiveModel
    message_bits: float
    """H(message), by plug-in, over all episodes."""
    explained_bits: float
    """Over the episodes that the model was fitted to."""
    held_out_bits: float | None
    """Over every tenth row, of which the model knows nothing; None without such rows."""
    by_slot: tuple[float, ...]
    """`explained_bits` by the symbol of each slot, the symbols before it known."""
    known: float
    """The share of the episodes whose message the model can say; it explains nothing of the others."""

    @property
    def kilobits(self) -> float:
        """The length of the model in the code of `additive.code`."""
        return written_bits(self.model) / 1000

    @property
    def episodes(self) -> int:
        """The number of episodes of the recordings that the model was found in."""
        return round(int(self.model.episodes.sum()) / max(self.known, 1e-12))

    @property
    def saved_bits(self) -> float:
        """The bits by which the model shortens an episode, less a share of its own length."""
        return self.explained_bits - 1000 * self.kilobits / max(self.episodes, 1)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON: the numbers of the model as multiples of their steps."""
        model = self.model
        return {
            "message_bits": self.message_bits,
            "explained_bits": self.explained_bits,
            "held_out_bits": self.held_out_bits,
            "by_slot": [*self.by_slot],
            "known": self.known,
            "values": len(model.values),
            "noise": model.noise,
            "messages": model.messages.T.tolist(),  # slot by slot, which compresses to a fifth
            "episodes": model.episodes.tolist(),
            "numbers": {
                name: {
                    "power": round(math.log2(model.steps[name])),
                    "multiples": np.rint(group / model.steps[name]).astype(np.int64).reshape(-1).tolist(),
                }
                for name, group in model.groups.items()
            },
        }

    @classmethod
    def from_dict(cls, content: Any, config: GameConfig) -> AdditiveDescription:
        """Return the description that `to_dict` described. Raises `ValueError` or `KeyError`."""
        given = mapping("additive", content)
        held = given["held_out_bits"]
        return cls(
            _model_from(given, config),
            number("message_bits", given["message_bits"], 0, _MOST_BITS),
            number("explained_bits", given["explained_bits"], -_MOST_BITS, _MOST_BITS),
            None if held is None else number("held_out_bits", held, -_MOST_BITS, _MOST_BITS),
            tuple(
                number("by_slot", bits, -_MOST_BITS, _MOST_BITS)
                for bits in items("by_slot", given["by_slot"], config.message_length)
            ),
            number("known", given["known"], 0, 1),
        )


def describe_additive(counts: Counts, rng: np.random.Generator) -> AdditiveDescription:
    """Return the additive model of a language, with its count in bits.

    The same generator gives the same description. Raises `ValueError` for counts without episodes, and for a
    language of one message.
    """
    known = sample(counts)
    model = fit(known, rng)
    share = counts.message_totals[counts.message_totals > 0] / counts.total
    explained = [
        known.known * (slot_means(model, cells, ids) - _usual_bits(model, ids))
        for cells, ids in ((known.cells, known.ids), (known.held_cells, known.held_ids))
    ]
    return AdditiveDescription(
        model,
        float(-(share * np.log2(share)).sum()),
        float(explained[0].sum()),
        float(explained[1].sum()) if len(known.held_ids) else None,
        tuple(explained[0].tolist()),
        known.known,
    )


def _usual_bits(model: AdditiveModel, ids: Numbers) -> FloatArray:
    """Return (T,), the mean of log2 p of the symbol in each slot, by the shares of all episodes."""
    means = [
        np.log2(usual)[slot.branch[ids]].mean() if len(ids) else 0.0
        for slot, usual in zip(model.slots, model.usual, strict=True)
    ]
    return np.array(means)


def _model_from(given: Mapping[str, Any], config: GameConfig) -> AdditiveModel:
    messages = _messages_from(given["messages"], config)
    sent = items("episodes", given["episodes"], len(messages))
    episodes = np.array([whole("episodes", each, 1) for each in sent], dtype=np.int64)
    size, places = whole("values", given["values"], 1, MOST_VALUES), config.window_size
    shapes: dict[str, tuple[int, ...]] = {
        "values": (size, num_values(config)),
        "weights": (size, places, SCORES),
        "edges": (places, SCORES),
    }
    slots = slots_of(messages)
    for i, slot in enumerate(slots):
        shapes[f"slopes {i}"] = (len(slot.symbols), SCORES)
        shapes[f"heights {i}"] = (len(slot.symbols),)
    stored = mapping("numbers", given["numbers"])
    steps = {name: 2.0 ** _power(name, stored[name]) for name in shapes}
    groups = {name: steps[name] * _multiples(name, stored[name], shape) for name, shape in shapes.items()}
    noise = number("noise", given["noise"], NOISE_STEP, 1)
    none: tuple[FloatArray, ...] = (np.zeros(0),) * len(slots)
    empty = AdditiveModel(
        config, messages, episodes, np.zeros(0), np.zeros(0), np.zeros(0), none, none, noise, steps
    )
    return with_groups(empty, groups)


def _messages_from(content: Any, config: GameConfig) -> IntArray:
    """Return distinct messages (M, T) in order."""
    by_slot = items("messages", content, config.message_length)
    number = len(items("messages of a slot", by_slot[0]))
    rows = [*zip(*(items("messages of a slot", slot, number) for slot in by_slot), strict=True)]
    if not 2 <= number <= MOST_MESSAGES:
        raise ValueError(f"messages must be 2 to {MOST_MESSAGES:,}; got {number:,}")
    for row in rows:
        for symbol in row:
            whole("a symbol", symbol, 0, config.vocab_size - 1)
    if any(one >= other for one, other in itertools.pairwise(rows)):
        raise ValueError("messages must be distinct, in ascending order; got others")
    return np.array(rows, dtype=np.int16)


def _power(name: str, content: Any) -> int:
    return whole(f"power of {name}", mapping(name, content)["power"], -MOST_POWER, MOST_POWER)


def _multiples(name: str, content: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return the multiples of a group in its shape. Raises `ValueError` for another number of them."""
    found, needed = items(f"multiples of {name}", content["multiples"]), math.prod(shape)
    if len(found) != needed:
        raise ValueError(f"{name} must have {needed} multiples; got {len(found)}")
    for each in found:
        if type(each) is not int or abs(each) > LARGEST:
            raise ValueError(f"{name} must be whole numbers up to {LARGEST}; got {shortened(each)}")
    return np.array(found, dtype=np.float64).reshape(shape)
