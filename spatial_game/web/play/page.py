"""The page for playing with trained pairs, as one file."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_episodes
from spatial_game.game.policies import Sender
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import (
    Edge,
    Integer,
    IntegerAt,
    Part,
    Sense,
    parts_of,
    senses_of,
)
from spatial_game.language.dictionary.words import Words
from spatial_game.language.players.reading import AND, read_messages
from spatial_game.web.page import as_json, asset, deflated, fragment, whole_page


@dataclass(frozen=True)
class PairInPage:
    """A pair of GRUs, or of local, landmark or product networks, for a page."""

    name: str
    config: GameConfig
    network: str
    """The kind of networks: `gru`, `local`, `landmark` or `product`."""
    inputs: str
    """How integers enter the networks: `scalars`, `embedding` or `one-hot`."""
    scaling: tuple[float, float]
    """The number that is subtracted from a scalar, and the factor for the result."""
    tensors: Mapping[str, npt.NDArray[Any]]
    """The weights, by their names in torch."""
    sender: Sender
    """The pair's sender, which shows the usual messages."""
    constants: Mapping[str, float]
    """Numbers that the networks of this package hold: `blank` and `sharp`."""
    lexicon: Lexicon | None = None
    """The lexicon that reads the messages."""


_TITLE = "Play a game of reference"


def play_page(pairs: Sequence[PairInPage]) -> str:
    """Return a stand-alone page for playing with one of these pairs."""
    return whole_page(_TITLE, play_fragment(pairs, f"<h1>{_TITLE}</h1>"))


def play_fragment(pairs: Sequence[PairInPage], title: str = "") -> str:
    """Return the same as an HTML fragment. Raises `ValueError` for grids and hidden cells."""
    for config in (pair.config for pair in pairs):
        if len(config.shape) > 1 or config.num_hidden:
            raise ValueError(f"a page must have a plain sequence and whole windows; got {config.signature}")
    return fragment(
        asset("play/play.html").replace("<!-- title -->", title),
        styles=["common.css", "play/play.css"],
        scripts=["episode.js", "play/networks.js", "play/game.js", "play/page.js"],
        data=[packed_pair(pair) for pair in pairs],
    )


def packed_pair(pair: PairInPage, part: str = "") -> dict[str, Any]:
    """Return a pair for the class `Pair` of networks.js; with a `part`, only its "sender"."""
    config = pair.config
    tensors = {
        name: np.asarray(tensor, dtype="<f4")
        for name, tensor in sorted(pair.tensors.items())
        if name.startswith(part)
    }
    return {
        "name": pair.name,
        "config": {
            **config.to_dict(),
            "num_integers": len(config.integers),
            "num_hidden": config.num_hidden,
            "edges": config.edges,
        },
        "network": pair.network,
        "inputs": pair.inputs,
        "scaling": pair.scaling,
        "constants": pair.constants,
        "shapes": {name: tensor.shape for name, tensor in tensors.items()},
        "weights": base64.b64encode(b"".join(tensor.tobytes() for tensor in tensors.values())).decode(
            "ascii"
        ),
        "dictionary": pair.lexicon and _dictionary(pair.lexicon, messages_to_read(pair.sender, config)),
    }


def messages_to_read(sender: Sender, config: GameConfig) -> IntArray:
    """Return messages (M, T) that a sender sends in 20,000 episodes, most frequent first.

    All other messages of the game follow, if it has at most 50,000.
    """
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    found, counts = np.unique(sender.send(episodes.window), axis=0, return_counts=True)
    sent = [tuple(message) for message in found[np.argsort(-counts, kind="stable")].tolist()]
    if config.vocab_size**config.message_length <= 50_000:
        sent += itertools.product(range(config.vocab_size), repeat=config.message_length)
    return np.array(list(dict.fromkeys(sent)))


def _dictionary(lexicon: Lexicon, messages: IntArray) -> str:
    """Return the meanings of these messages, with each statement and set of integers once, as deflated JSON.

    Messages are texts such as "9 9 20". Messages without a known meaning are left out.
    """
    config = lexicon.config
    spoken: dict[tuple[int, ...], list[str]] = {}
    bits: dict[tuple[int, ...], float] = {}
    statements, sets = _Numbered(), _Numbered()
    for message, said in zip(messages.tolist(), read_messages(lexicon, messages), strict=True):
        key = tuple(
            statements.number((str(each), tuple(_sense(s, config, sets) for s in senses_of(each.referent))))
            for each in said
        )
        if key:
            spoken.setdefault(key, []).append(" ".join(map(str, message)))
            bits[key] = round(
                sum(_strength(entry) for entry in {e for each in said for e in each.entries}), 2
            )
    content = {
        "sets": list(sets),
        "statements": list(statements),
        "readings": [[key, bits[key], same] for key, same in spoken.items()],
        "classes": Words(lexicon.listed).legend,
        "joint": AND,
    }
    return deflated(as_json(content).encode())


def _strength(entry: Entry) -> float:
    """Return what an entry tells: bits, or the NPMI without a description."""
    return entry.npmi if entry.bits is None else entry.bits


class _Numbered(dict[Any, int]):
    """Things in the order of their first occurrence."""

    def number(self, thing: Any) -> int:
        """Return the number of a thing."""
        return self.setdefault(thing, len(self))


def _sense(referent: Sense, config: GameConfig, sets: _Numbered) -> tuple[tuple[Any, ...], ...]:
    return tuple(_part(part, config, sets) for part in parts_of(referent))


def _part(part: Part, config: GameConfig, sets: _Numbered) -> tuple[Any, ...]:
    """Return (the mask's column,) of an edge; or (offset, number of the set), with the offset None if any."""
    if isinstance(part, Edge):
        return (config.edges.index(part.name),)
    assert isinstance(part, (Integer, IntegerAt))
    return (part.offset if isinstance(part, IntegerAt) else None, sets.number(part.values))
