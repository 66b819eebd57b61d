"""A film of a language: everything that is shown of it, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.film.dialects import Branch, agreement, tree
from spatial_game.language.film.maps import MapFrames, map_frames
from spatial_game.language.film.words import Word, words


@dataclass(frozen=True)
class Reel:
    """What a film is made of: what S senders send in F frames for the same windows."""

    config: GameConfig
    unit: Literal["step", "generation"]
    """What the frames are."""
    times: tuple[int, ...]
    """The number of each frame: a step of training, or a generation."""
    senders: tuple[str, ...]
    window: IntArray  # (B, W)
    messages: IntArray  # (S, F, B, T)
    lexicons: Sequence[Sequence[Lexicon]]  # (S, F), with accounts
    accuracy: FloatArray  # (S, F), of the pairs in these episodes
    effects: FloatArray  # (S, F, 2), of an exchanged integer's part and offset's part; NaN where unknown
    replaced: tuple[tuple[tuple[int, str], ...], ...] = ()
    """When each sender, or the receiver of its pair, was replaced by a newcomer: steps and roles."""


@dataclass(frozen=True)
class Figures:
    """What is measured of a sender in a frame. None: it could not be measured."""

    accuracy: float
    """The share of the episodes in which its receiver is right."""
    kept: float | None
    """The share of the windows for which it sends the same message as in the frame before."""
    integer_effect: float | None
    """How often its receiver follows the part of a message that names the integer, if parts are exchanged."""
    offset_effect: float | None
    """The same for the part that names the offset."""
    message_bits: float
    """What messages carry an episode."""
    explained_bits: float
    """What the frame's dictionary explains of them, on held-out episodes."""
    kilobits: float
    """The length of the dictionary."""
    entries: int
    """Entries of the dictionary."""


@dataclass(frozen=True)
class Film:
    """A language over its training or its generations."""

    config: GameConfig
    unit: str
    times: tuple[int, ...]
    senders: tuple[str, ...]
    windows: int
    maps: MapFrames
    figures: tuple[tuple[Figures, ...], ...]  # (S, F)
    words: tuple[tuple[Word, ...], ...]
    """The words of each sender, the most used first."""
    agreement: FloatArray  # (F, S, S), see `dialects.agreement`
    trees: tuple[tuple[Branch, ...], ...]
    """The tree of the senders in each frame; empty for one sender."""
    replaced: tuple[tuple[tuple[int, str], ...], ...]
    """As in `Reel`."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON. In the maps, -1 stands where nothing was sent."""
        return {
            "game": self.config.to_dict(),
            "unit": self.unit,
            "times": list(self.times),
            "senders": list(self.senders),
            "windows": self.windows,
            "replaced": self.replaced,
            "figures": [[asdict(each) for each in of_sender] for of_sender in self.figures],
            "words": [[asdict(word) for word in of_sender] for of_sender in self.words],
            "agreement": self.agreement.tolist(),
            "map": {
                "kind": self.maps.kind,
                "offsets": self.maps.offsets,
                "messages": self.maps.messages.tolist(),
                "message": self.maps.message.tolist(),
            },
        }


def film(reel: Reel) -> Film:
    """Return the film of what senders send. The same reel gives the same film."""
    best = np.unravel_index(int(reel.accuracy.argmax()), reel.accuracy.shape)
    same = agreement(reel.messages)
    rows = range(len(reel.senders))
    return Film(
        reel.config,
        reel.unit,
        reel.times,
        reel.senders,
        len(reel.window),
        map_frames(reel.config, reel.window, reel.messages, (int(best[0]), int(best[1]))),
        tuple(tuple(_figures(reel, row, frame) for frame in range(len(reel.times))) for row in rows),
        tuple(tuple(words(reel.lexicons[row], reel.messages[row])) for row in rows),
        same,
        tuple(tree(of_frame) for of_frame in same),
        reel.replaced or ((),) * len(rows),
    )


def _figures(reel: Reel, sender: int, frame: int) -> Figures:
    lexicon, sent = reel.lexicons[sender][frame], reel.messages[sender]
    account = lexicon.account
    assert account is not None  # a reel's lexicons are made by description length
    held = account.held_out_bits
    integer, offset = (None if np.isnan(e) else float(e) for e in reel.effects[sender, frame])
    kept = float((sent[frame] == sent[frame - 1]).all(axis=1).mean()) if frame else None
    return Figures(
        float(reel.accuracy[sender, frame]),
        kept,
        integer,
        offset,
        account.message_bits,
        max(account.explained_bits if held is None else held, 0.0),
        account.kilobits,
        len(lexicon.listed),
    )
