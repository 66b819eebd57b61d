"""The meaning of a message by statistics, as a small table and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.config import Offset
from spatial_game.game.episodes import IntArray
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.columns import (
    edge_prior,
    num_integer_columns,
)
from spatial_game.language.counting.counts import message_ids
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.referents import signed
from spatial_game.language.dictionary.words import edge_in_words, integers_in_words, place_in_words
from spatial_game.language.players.message_model import MessageModel, divergence_bits

MOST = 0.8
"""The share of a sense's episodes that a description covers."""
FEW = 3
"""More than this number of integers are described as a range, if they are close together."""
NARROW = 0.5
"""A range or a set is described only if it has at most this share of the integers."""
TOGETHER = 1.5
"""Integers are close together if their range is at most this number of times their count."""
LEAST_BITS = 0.5
"""An offset is described if the smoothed statistics tell at least this number of bits about it."""
_SHOWN = 4


@dataclass(frozen=True)
class OffsetProfile:
    """The integers at one offset when a message is used in one sense."""

    offset: Offset
    bits: float
    """Bits of the message about this cell (`message_model.divergence_bits`)."""
    likely: tuple[tuple[int, float], ...]
    """The most frequent integers with their shares."""
    says: str
    """In words: `22`, `22 or 43`, `40-59`, `one of 12 integers`; empty if it says too little."""


@dataclass(frozen=True)
class Sense:
    """One sense of a message."""

    share: float
    """Share of the message's episodes."""
    edges: dict[str, float]
    """Shares of the sense's episodes by the place of the target."""
    places: tuple[OffsetProfile, ...]
    """The offsets in the window at the most common place of the target, place by place."""
    says: str
    """The most common meaning, in words."""


@dataclass(frozen=True)
class Profile:
    """The meaning of a message by statistics."""

    message: tuple[int, ...]
    episodes: int
    senses: tuple[Sense, ...]

    def __str__(self) -> str:
        """Return the sentence and the table of each sense."""
        lines = [f"{list(self.message)}  sent in {self.episodes:,} episodes"]
        for sense in self.senses:
            lines += [f"  {sense.share:4.0%}  {sense.says}"]
            lines += [_line(item) for item in sense.places]
        return "\n".join(lines)


def profile(model: MessageModel, message: IntArray) -> Profile | None:
    """Return the profile of a message (T,); None for one that was never sent."""
    row = int(message_ids(model.counts, np.asarray(message)[None])[0])
    if row < 0:
        return None
    senses = tuple(_sense(model, row, k) for k in range(model.senses))
    symbols = tuple(int(symbol) for symbol in message)
    return Profile(symbols, int(model.counts.message_totals[row]), senses)


def integer_shares(model: MessageModel, row: int, sense: int = 0) -> FloatArray:
    """Return (O, N), the integers that go with a message at each of `config.offsets`."""
    config = model.config
    evidence = model.evidence[row, sense, : num_integer_columns(config)].astype(np.float64)
    shares = np.exp(evidence).reshape(len(config.offsets), -1)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def fewest(share: FloatArray) -> list[int]:
    """Return the fewest integers that hold most of the episodes, the most frequent first."""
    order = np.argsort(-share, kind="stable")
    needed = int(np.searchsorted(share[order].cumsum(), MOST)) + 1
    return [int(k) for k in order[:needed]]


def shortest_range(share: FloatArray, least: float) -> tuple[int, int]:
    """Return the shortest range of neighbouring integers with at least this share; the first of several."""
    below = np.concatenate([[0.0], share.cumsum()])
    ends = np.searchsorted(below, below[:-1] + least - 1e-12)
    length = np.where(ends < len(below), ends - np.arange(len(share)), len(below))
    first = int(length.argmin())
    return first, int(min(ends[first], len(share))) - 1


def _sense(model: MessageModel, row: int, k: int) -> Sense:
    config = model.config
    edge_evidence = model.evidence[row, k, num_integer_columns(config) : -1].astype(np.float64)
    edge_share = np.exp(edge_evidence) * edge_prior(config)
    shares, bits = integer_shares(model, row, k), model.bits[row, k]
    numbers = offset_numbers(config)[int(edge_share.argmax())].tolist()
    shown = [number for number in numbers if number >= 0]
    places = tuple(_place(config.offsets[o], float(bits[o]), shares[o]) for o in shown)
    edges = dict(zip(config.edges, edge_share.tolist(), strict=True))
    return Sense(float(model.sense_share[row, k]), edges, places, _in_words(edges, places))


def _place(offset: Offset, bits: float, share: FloatArray) -> OffsetProfile:
    order = np.argsort(-share, kind="stable")[:_SHOWN]
    likely = tuple((int(k), float(share[k])) for k in order)
    return OffsetProfile(
        offset, bits, likely, likely_in_words(share) if divergence_bits(share) >= LEAST_BITS else ""
    )


def likely_in_words(share: FloatArray) -> str:
    """Return the fewest integers that hold most of the shares (N,), or their range; "" if too many."""
    named, (first, last) = fewest(share), shortest_range(share, MOST)
    if len(named) > NARROW * len(share):
        return ""
    together = len(named) > FEW and last - first + 1 <= TOGETHER * len(named)
    return integers_in_words(range(first, last + 1) if together else named)


def _in_words(edges: dict[str, float], places: tuple[OffsetProfile, ...]) -> str:
    """Return the edge if most episodes are at it, else what the offsets say, the most telling first."""
    edge, share = max(edges.items(), key=lambda item: item[1])
    if edge != "middle" and share >= MOST:
        return edge_in_words(edge)
    telling = sorted((p for p in places if p.says), key=lambda p: -p.bits)
    if not telling:
        return "nothing that single offsets show"
    return " and ".join(f"{p.says} {place_in_words(p.offset)}" for p in telling)


def _line(item: OffsetProfile) -> str:
    likely = ", ".join(f"{k} {share:.0%}" for k, share in item.likely)
    return f"        {signed(item.offset)}  {item.bits:4.1f} bits  {likely}"
