"""What a message means by statistics, so that a person can read it: a small table, and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import message_ids
from spatial_game.language.lexicon.referents import place
from spatial_game.language.speaking.statistical import MessageModel, edge_prior

FloatArray = npt.NDArray[np.float64]

_MOST = 0.8
"""The share of a sense's episodes that a description covers."""
_FEW = 3
"""Integers that are named one by one; more are described as a range."""
_NARROW = 0.5
"""A range is worth saying when it is at most this share of the integers."""
_SHOWN = 4
_LEAST_BITS = 0.5
_TOGETHER = 1.5
"""Integers lie together when their range is at most this many times as long as they are many."""


@dataclass(frozen=True)
class Place:
    """What stands at one offset when a message is used in one sense."""

    offset: int
    bits: float
    """How much the message tells of this cell: the divergence from integers that are all alike."""
    likely: tuple[tuple[int, float], ...]
    """The most frequent integers with their shares."""
    says: str
    """In words: `22`, `22 or 43`, `40 to 59`; empty where it says too little."""


@dataclass(frozen=True)
class Sense:
    """One sense of a message."""

    share: float
    """Of the message's episodes."""
    edges: dict[str, float]
    """Share of the sense's episodes by where the target stands."""
    places: tuple[Place, ...]
    """By offset, from left to right; those of the middle."""
    says: str
    """What dominates, in words."""


@dataclass(frozen=True)
class Profile:
    """What a message means by statistics."""

    message: tuple[int, ...]
    episodes: int
    senses: tuple[Sense, ...]

    @property
    def in_short(self) -> dict[str, float]:
        """What dominates, with its share of the message's episodes; senses that read alike are one."""
        shares: dict[str, float] = {}
        for sense in self.senses:
            shares[sense.says] = shares.get(sense.says, 0.0) + sense.share
        return shares

    def __str__(self) -> str:
        """The sentence, and the table, of each sense."""
        lines = [f"{list(self.message)}  sent in {self.episodes:,} episodes"]
        for sense in self.senses:
            lines += [f"  {sense.share:4.0%}  {sense.says}"]
            lines += [_line(item) for item in sense.places]
        return "\n".join(lines)


def profile(model: MessageModel, message: IntArray) -> Profile | None:
    """The profile of a message (T,); None for one that was never sent."""
    row = int(message_ids(model.counts, np.asarray(message)[None])[0])
    if row < 0:
        return None
    senses = tuple(_sense(model, row, k) for k in range(model.senses))
    symbols = tuple(int(symbol) for symbol in message)
    return Profile(symbols, int(model.counts.message_totals[row]), senses)


def most_used(model: MessageModel, number: int) -> list[Profile]:
    """The profiles of the messages most used in the middle of sequences, where edges say nothing."""
    middle = model.counts.mask_columns[:, model.config.window_radius]
    order = np.argsort(-middle, kind="stable")[:number]
    found = (profile(model, model.counts.messages[row]) for row in order)
    return [one for one in found if one is not None]


@dataclass(frozen=True)
class Naming:
    """How messages speak of integers: by name or by magnitude. Shares of the episodes of the middle.

    What counts is one offset of each message, that of which it says most or comes second, and the integers
    that stand there in 80% of the episodes of its first sense.
    """

    one: float
    """One integer: a name."""
    neighbours: float
    """Several that lie together: a magnitude, such as *40 to 44*."""
    scattered: float
    """Several that lie apart: a name that several integers share."""
    nothing: float
    """Too little, or too much, to be told in words."""
    bits: float
    """How much a message tells of that offset, on average."""

    @property
    def magnitudes(self) -> float:
        """Of the episodes whose message names several integers, the share in which they lie together."""
        several = self.neighbours + self.scattered
        return self.neighbours / several if several else 0.0

    def to_dict(self) -> dict[str, float]:
        """Everything, for JSON."""
        return {**vars(self), "magnitudes": self.magnitudes}


def naming(model: MessageModel, rank: int = 0) -> Naming:
    """Whether the messages of a model name integers, or magnitudes.

    `rank`: 0 for the offset of which each says most, 1 for the next, and so on up to 2r-1.
    """
    config, counts = model.config, model.counts
    size, num_integers = len(config.offsets) * len(config.integers), len(config.integers)
    near = [i for i, offset in enumerate(config.offsets) if abs(offset) <= config.window_radius]
    if not 0 <= rank < len(near):
        raise ValueError(f"rank must be in 0..{len(near) - 1}; got {rank}")
    weight = counts.mask_columns[:, config.window_radius].astype(np.float64)
    found = dict.fromkeys(("one", "neighbours", "scattered", "nothing"), 0.0)
    told = 0.0
    for row in np.flatnonzero(weight).tolist():
        share = np.exp(model.evidence[row, 0, :size].astype(np.float64)).reshape(-1, num_integers)[near]
        share /= share.sum(axis=1, keepdims=True)
        bits = np.sum(share * np.log2(np.maximum(share, 1e-300) * num_integers), axis=1)
        at = int(np.argsort(-bits, kind="stable")[rank])
        found[_how_named(share[at]) if bits[at] >= _LEAST_BITS else "nothing"] += float(weight[row])
        told += float(weight[row] * bits[at])
    total = max(float(weight.sum()), 1.0)
    return Naming(**{how: value / total for how, value in found.items()}, bits=told / total)


def _how_named(share: FloatArray) -> str:
    """one, neighbours or scattered: the fewest integers against the shortest range with 80%."""
    needed = int(np.searchsorted(np.sort(share)[::-1].cumsum(), _MOST)) + 1
    if needed == 1:
        return "one"
    first, last = shortest_range(share, _MOST)
    if needed > _FEW and last - first + 1 > _NARROW * len(share):
        return "nothing"
    return "neighbours" if last - first + 1 <= _TOGETHER * needed else "scattered"


def _sense(model: MessageModel, row: int, k: int) -> Sense:
    config, evidence = model.config, model.evidence[row, k].astype(np.float64)
    num_integers, size = len(config.integers), len(config.offsets) * len(config.integers)
    prior = edge_prior(config)
    edge_share = np.exp(evidence[size:-1]) * prior
    integers = np.exp(evidence[:size]).reshape(-1, num_integers) / num_integers
    near = [o for o in config.offsets if abs(o) <= config.window_radius]
    places = tuple(_place(offset, integers[config.offsets.index(offset)]) for offset in near)
    edges = dict(zip(config.edges, edge_share.tolist(), strict=True))
    return Sense(float(model.sense_share[row, k]), edges, places, _in_words(edges, places))


def _place(offset: int, share: FloatArray) -> Place:
    share = share / share.sum()
    bits = float(np.sum(share * np.log2(np.maximum(share, 1e-300) * len(share))))
    order = np.argsort(-share, kind="stable")[:_SHOWN]
    return Place(offset, bits, tuple((int(k), float(share[k])) for k in order), _describe(share))


def _describe(share: FloatArray) -> str:
    """The fewest integers, or the shortest range, that hold most of the episodes; empty if too many."""
    order = np.argsort(-share, kind="stable")
    needed = int(np.searchsorted(share[order].cumsum(), _MOST)) + 1
    if needed <= min(_FEW, len(share) * _NARROW):
        named = sorted(int(k) for k in order[:needed])
        neighbours = len(named) > 1 and named[-1] - named[0] == len(named) - 1
        return f"{named[0]} to {named[-1]}" if neighbours else " or ".join(map(str, named))
    first, last = shortest_range(share, _MOST)
    return f"{first} to {last}" if last - first + 1 <= _NARROW * len(share) else ""


def shortest_range(share: FloatArray, least: float) -> tuple[int, int]:
    """The shortest range of neighbours that together hold at least this share; the first of several."""
    below = np.concatenate([[0.0], share.cumsum()])
    ends = np.searchsorted(below, below[:-1] + least - 1e-12)
    length = np.where(ends < len(below), ends - np.arange(len(share)), len(below))
    first = int(length.argmin())
    return first, int(min(ends[first], len(share))) - 1


def _in_words(edges: dict[str, float], places: tuple[Place, ...]) -> str:
    """An edge where most of the episodes are at it; else what the offsets say, those that say most first."""
    edge, share = max(edges.items(), key=lambda item: item[1])
    if edge != "middle" and share >= _MOST:
        return edge
    telling = sorted((p for p in places if p.says and p.bits >= _LEAST_BITS), key=lambda p: -p.bits)
    if not telling:
        return "nothing that single offsets show"
    return ", ".join(f"{p.says} {place(p.offset).removesuffix(' of target')}" for p in telling) + " of target"


def _line(item: Place) -> str:
    likely = ", ".join(f"{k} {share:.0%}" for k, share in item.likely)
    return f"        {item.offset:+d}  {item.bits:4.1f} bits  {likely}"
