"""A language on one page: its dictionary, its pictures, and what its messages mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.build import build_dictionary, fitted_bits
from spatial_game.language.dictionary.classes import InFull
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.interpreter import Interpreter, interpreter
from spatial_game.language.dictionary.readings import LEAST_SURE, Reading
from spatial_game.language.pictures.heat import HeatMap, heat_maps, heat_maps_within
from spatial_game.language.pictures.maps import Maps, maps_of
from spatial_game.language.prefixes import Prefixes, bits_without_order, prefixes_of
from spatial_game.language.relations import Agreement, agreement_of_slots, slot_of_offset
from spatial_game.proportions import Proportion
from spatial_game.text import between

MOST = 2_500
"""The number of most frequent messages that are read."""
MOST_RARE = 50_000
"""The number of messages after these of which the page knows in how many episodes they were sent."""
LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE = 0.02, 0.01
"""A dictionary that explains fewer bits, or a smaller share of the messages' bits, explains nothing."""
UNDERSTOOD = 0.9
"""A dictionary that explains less than this part of the messages' bits leaves much open."""
MOST_FIRSTS = 40
"""The most first symbols within which one can look."""
NOT_ASKED: Mapping[str, Any] = {
    "verdict": "cannot say",
    "sentence": "Cannot say whether its symbols combine: no receiver was asked.",
}
_MOST_EPISODES = 400_000
_WINDOWS = 2  # that are shown for each message


@dataclass(frozen=True)
class Message:
    """A message, what it means, and how often that is true."""

    symbols: tuple[int, ...]
    text: str
    """Its symbols by their names."""
    reading: Reading
    episodes: int
    true: Proportion
    """In how many of its held-out episodes the reading is true."""
    sent_for: tuple[tuple[int, ...], ...]
    """Some of the windows for which it was sent."""

    @property
    def is_sure(self) -> bool:
        """Whether the reading may be true at least half of the time: no interval of its truth excludes it."""
        return self.reading.is_sure and self.true.interval[1] >= LEAST_SURE

    @property
    def measured(self) -> str:
        """In how many held-out episodes it is true: "4 of 5 (38% to 96%)", or nothing without any."""
        true = self.true
        return f"{true.num_correct:,} of {true.trials:,} ({self.ends})" if true.trials else ""

    @property
    def ends(self) -> str:
        """The interval of how often it is true in held-out episodes: "38% to 96%"."""
        return between(self.true.interval, ".0%")


@dataclass(frozen=True, eq=False)
class Page:
    """What the page of a language shows. `sections` puts it into words."""

    name: str
    """The agents, or the recording."""
    dictionary: Dictionary
    messages: tuple[Message, ...]
    """The most frequent messages, at most `MOST`, the most frequent one first."""
    rare: IntArray  # (R, T), the most frequent messages after these, at most `MOST_RARE`
    sent: Numbers  # (M,), in how many episodes each message was sent, the most frequent one first
    fitted_bits: float
    """What the dictionary explains of the episodes that it was built from, in bits an episode."""
    prefixes: Prefixes
    place: tuple[int, float] | None
    """The slot that names the offset of which a message speaks, and the share of it that it tells."""
    bits_without_order: float
    """The bits that messages tell if one does not know the order of their symbols."""
    agreement: Agreement | None
    """Whether symbols mean the same in another slot."""
    maps: Maps
    heat_maps: Sequence[HeatMap]
    within: Mapping[int, Sequence[HeatMap]]
    """What second symbols say, by the first symbol."""
    at_edges: Sequence[tuple[tuple[int, ...], int, int]]
    """By edge: the message that is sent most often there, in how many episodes, and of how many."""
    combines: Mapping[str, Any]
    """The `verdict` whether symbols combine, a `sentence` with its figures, and, if a receiver was asked, how
    far on the `way` from guessing to messages that are sent it is, with the interval, `examples`, what it
    `ignores`, and which symbols are `alike` to it."""
    command: str
    """The command that wrote the page, or nothing."""

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.dictionary.config

    @cached_property
    def interpreter(self) -> Interpreter:
        """What the dictionary says, in words."""
        return interpreter(self.dictionary)

    @cached_property
    def classes(self) -> InFull:
        """The names of its sets of integers."""
        return self.interpreter.in_full

    @property
    def built(self) -> str:
        """How messages are built: "where and what" if a slot names the offset, or as the prefixes say."""
        return "where and what" if self.place and len(self.prefixes.added) > 1 else self.prefixes.built

    @property
    def tells_edge_most(self) -> bool:
        """Whether messages tell more of the edge than of any offset."""
        *of_offsets, of_view = self.dictionary.bits.messages_by_variable
        return not self.config.num_hidden and of_view > max(of_offsets)

    @property
    def said_by_themselves(self) -> list[HeatMap]:
        """The heat maps of symbols by themselves: of an address, those of the first slot."""
        return [each for each in self.heat_maps if each.slot == 0 or self.built != "address"]

    @property
    def says_nothing(self) -> bool:
        """Whether the dictionary finds nothing: it explains next to no bits."""
        bits = self.dictionary.bits
        least = max(LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE * bits.entropy)
        return min(bits.messages, bits.entropy) < least

    @property
    def leaves_much(self) -> bool:
        """Whether messages carry more than the dictionary explains."""
        bits = self.dictionary.bits
        return min(bits.messages, bits.entropy) < UNDERSTOOD * bits.entropy - bits.by_chance

    @property
    def too_few(self) -> bool:
        """Whether there are too few episodes: the dictionary says much that is so by chance."""
        return bool(self.dictionary.bits.too_few_text(self.fitted_bits))

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, for JSON."""
        return {
            "name": self.name,
            "signature": self.dictionary.signature,
            "episodes": self.dictionary.total,
            "bits": asdict(self.dictionary.bits),
            "fitted_bits": self.fitted_bits,
            "says_nothing": self.says_nothing,
            "too_few": self.too_few,
            "of_another_game": self.dictionary.bits.of_another_game,
            "bits_of_prefixes": self.prefixes.bits,
            "built": self.built,
            "place": self.place,
            "bits_without_order": self.bits_without_order,
            "combines": self.combines,
        }


def make_page(
    counts: Counts,
    dictionary: Dictionary | None = None,
    *,
    name: str = "",
    combines: Mapping[str, Any] = NOT_ASKED,
    command: str = "",
) -> Page:
    """Return the page of a language.

    `dictionary`: its dictionary; made from the counts by default. `combines`: the verdict whether its symbols
    combine. The same input gives the same page.

    Raises `ValueError` for counts without episodes, or without sources.
    """
    dictionary = dictionary or build_dictionary(counts)
    maps = maps_of(counts, dictionary)
    firsts = list(maps.colours)[:MOST_FIRSTS] if counts.config.message_length > 1 else []
    return Page(
        name or "this recording",
        dictionary,
        _messages(counts, dictionary),
        counts.messages[_by_frequency(counts)[MOST : MOST + MOST_RARE]],
        np.sort(counts.message_totals)[::-1],
        fitted_bits(dictionary, counts),
        prefixes_of(counts, dictionary),
        slot_of_offset(dictionary),
        bits_without_order(counts, dictionary),
        agreement_of_slots(dictionary, np.random.default_rng(random_stream(0, "page"))),
        maps,
        heat_maps(dictionary, maps.orders),
        {first: heat_maps_within(counts, dictionary, first, maps.orders) for first in firsts},
        _at_edges(counts),
        combines,
        command,
    )


def _at_edges(counts: Counts) -> list[tuple[tuple[int, ...], int, int]]:
    messages = map(tuple, counts.messages[counts.edges.argmax(axis=0)].tolist())
    often, total = counts.edges.max(axis=0), counts.edges.sum(axis=0)
    return [*zip(messages, often.tolist(), total.tolist(), strict=True)]


def _by_frequency(counts: Counts) -> Numbers:
    """Return the rows of messages, the most frequent one first."""
    return np.argsort(-counts.message_totals, kind="stable")


def _messages(counts: Counts, dictionary: Dictionary) -> tuple[Message, ...]:
    """Return the most frequent messages with what they mean, and how often that is true when held out."""
    ids, window, held_out = _first_episodes(counts)
    order = _by_frequency(counts)[:MOST]
    by_message = np.argsort(ids, kind="stable")
    first, end = (np.searchsorted(ids[by_message], order, side) for side in ("left", "right"))
    found = []
    for i, reading in enumerate(interpreter(dictionary).read(counts.messages[order])):
        own = by_message[first[i] : end[i]]
        measured = window[own[held_out[own]]]
        symbols = tuple(counts.messages[order[i]].tolist())
        found.append(
            Message(
                symbols,
                dictionary.spelt(symbols),
                reading,
                episodes=int(counts.message_totals[order[i]]),
                true=Proportion.of(reading.true_of(measured)),
                sent_for=tuple(map(tuple, window[own[:_WINDOWS]].tolist())),
            )
        )
    return tuple(found)


def _first_episodes(counts: Counts) -> tuple[Numbers, IntArray, Mask]:
    """Read the first 400,000 episodes: rows of messages (B,), windows (B, W), and which are held out (B,)."""
    parts, number = [], 0
    for part in counts.episodes("a page needs"):
        parts.append(part)
        number += len(part[0])
        if number >= _MOST_EPISODES:
            break
    ids, windows, held_out, _ = zip(*parts, strict=True)
    return np.concatenate(ids), np.concatenate(windows), np.concatenate(held_out)
