"""What the page of a language shows, as figures. `sections` puts them into sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.counts import Block, Counts
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.build import build_dictionary, fitted_bits
from spatial_game.language.dictionary.classes import InFull
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.doubts import ANOTHER_GAME, TOO_FEW, doubts
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.interpreter import Interpreter, interpreter
from spatial_game.language.dictionary.readings import Reading
from spatial_game.language.dictionary.thresholds import LEAST_SURE, NEARLY_ALWAYS
from spatial_game.language.dictionary.variable import count_symbols
from spatial_game.language.pictures.heat import HeatMap, heat_maps, heat_maps_within
from spatial_game.language.pictures.maps import LEAST_TOLD, Maps, maps_of
from spatial_game.language.prefixes import Prefixes, bits_without_order, prefixes_of
from spatial_game.language.relations import Agreement, agreement_of_slots, slot_of_offset
from spatial_game.proportions import Proportion
from spatial_game.recording import NOBODY

MOST = 2_500
"""The number of most frequent messages that are read."""
MOST_RARE = 50_000
"""The number of messages after these of which the page knows in how many episodes they were sent."""
LEAST_EXPLAINED, LEAST_EXPLAINED_SHARE = 0.02, 0.01
"""A dictionary that explains fewer bits, or a smaller share of the messages' bits, explains nothing."""
LEAST_REPEATED = 0.5
"""Symbols repeat each other if they tell at least this number of bits more by themselves than together."""
MOST_FIRSTS = 40
"""The most first symbols within which one can look."""
NUM_EXAMPLES, MOST_TRIED, LEAST_TRUE = 3, 100, 0.9
"""The number of examples, the number of the most frequent messages from which they are chosen, and the least
share of their held-out episodes in which they are true."""
NOT_ASKED: Mapping[str, Any] = {
    "verdict": "cannot say",
    "sentence": "Cannot say whether its symbols combine: no receiver was asked.",
    "grounds": "No receiver was asked.",
}
_MOST_EPISODES = 400_000
_WINDOWS = 2  # that are shown for each message


@dataclass(frozen=True, eq=False)
class Message:
    """A message, what it means, how often that is true, and how often the receiver is right after it."""

    symbols: tuple[int, ...]
    text: str
    """Its symbols by their names."""
    reading: Reading
    episodes: int
    true: Proportion
    """In how many of its held-out episodes the reading is true."""
    right: Proportion
    """In how many of its episodes the receiver is right, of those with a choice."""
    windows: tuple[tuple[int, ...], ...]
    """Some of the windows for which it was sent."""

    @cached_property
    def is_sure(self) -> bool:
        """Whether it has a reading that may be true at least half of the time, by both of its intervals."""
        may_be_true = self.reading.is_sure and self.true.interval[1] >= LEAST_SURE
        return bool(self.reading.senses) and may_be_true

    @cached_property
    def is_missed(self) -> bool:
        """Whether its reading is sure, but its interval says that the receiver is not nearly always right."""
        return self.is_sure and self.right.interval[1] < NEARLY_ALWAYS


@dataclass(frozen=True, eq=False)
class Example:
    """A message in one of its episodes."""

    message: Message
    window: tuple[int, ...]
    beginnings: tuple[Reading, ...]
    """What its first two symbols say, its first three, ..., and the whole message."""

    def is_clear(self, reading: Reading) -> bool:
        """Whether a beginning says one thing, which is sure, and true of the window."""
        says_one = len(reading.senses) == 1 and reading.is_sure
        return says_one and bool(reading.true_of(np.array([self.window]))[0])

    @property
    def steps(self) -> int:
        """The number of clear beginnings of which no two say the same."""
        return len({reading.senses[0].of_cells for reading in self.beginnings if self.is_clear(reading)})

    @property
    def left(self) -> float:
        """The share of all integers that its message leaves, at all cells together that it speaks of."""
        num_integers = self.message.reading.config.num_integers
        sizes = (len(each.values) / num_integers for each in self.message.reading.senses[0].statements)
        return math.prod(sizes)


@dataclass(frozen=True, eq=False)
class Page:
    """What the page of a language shows."""

    name: str
    """The agents, or the recording."""
    dictionary: Dictionary
    messages: tuple[Message, ...]
    """The most frequent messages, at most `MOST`, the most frequent one first."""
    rare: IntArray  # (R, T), the most frequent messages after these, at most `MOST_RARE`
    sent: Numbers  # (M,), in how many episodes each message was sent, the most frequent one first
    right: Proportion
    """In how many episodes the receiver is right, of those with a choice."""
    fitted_bits: float
    """What the dictionary explains of the episodes that it was built from, in bits an episode."""
    doubts: Mapping[str, str]
    """What keeps its figures from being trusted, in sentences."""
    prefixes: Prefixes
    offset_slot: tuple[int, float] | None
    """The slot that names the offset of which a message speaks, and the share of it that it tells."""
    bits_without_order: float
    """The bits that messages tell if one does not know the order of their symbols."""
    agreement: Agreement | None
    """Whether symbols mean the same in another slot."""
    held_out_symbols: Numbers  # (T, S, columns), held-out episodes with each symbol in each slot and column
    maps: Maps
    heat_maps: Sequence[HeatMap]
    within: Mapping[int, Sequence[HeatMap]]
    """What second symbols say, by the first symbol."""
    at_edges: Sequence[tuple[tuple[int, ...], int, int]]
    """By edge: the message that is sent most often there, in how many episodes, and of how many."""
    combines: Mapping[str, Any]
    """The `verdict` whether symbols combine, its `grounds`, a `sentence` with both, and, if agents were
    asked, how far from guessing to messages that are `sent` the receiver is (`scaled`), with the interval,
    `examples`, what it `ignores`, which symbols are `alike` to it, and whether the sender `says_the_same` of
    a window again."""
    command: str
    """The command that wrote the page, or nothing."""

    def true_in_held_out(self, entries: Iterable[Entry]) -> Proportion:
        """Return in how many held-out episodes entries of symbols are true, of those that show the offset."""
        true, trials = 0, 0
        for each in entries:
            of_symbol = self.held_out_symbols[each.ngram.slot or 0, each.ngram.symbols[0]]
            by_value = of_symbol[self.dictionary.columns.about(each.index)]
            true, trials = true + int(by_value[list(each.values)].sum()), trials + int(by_value.sum())
        return Proportion(true, trials)

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.dictionary.config

    @property
    def reads_all(self) -> bool:
        """Whether all messages are read."""
        return len(self.messages) == len(self.sent)

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
        return "where and what" if self.offset_slot and len(self.prefixes.added) > 1 else self.prefixes.built

    @property
    def repeats(self) -> bool:
        """Whether symbols tell much of the same, and surely share bits."""
        twice = sum(self.prefixes.alone) - sum(self.prefixes.added)
        return twice >= LEAST_REPEATED and self.prefixes.shared > 0

    @cached_property
    def bits_told(self) -> list[tuple[int, float, float]]:
        """The variables of which messages tell, what they tell and the most possible, that of which they tell
        most first."""
        bits = self.dictionary.bits
        pairs = zip(bits.messages_by_variable, bits.possible_by_variable, strict=True)
        found = [(variable, each, most) for variable, (each, most) in enumerate(pairs)]
        return sorted((each for each in found if each[1] >= LEAST_TOLD), key=lambda each: -each[1])

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
        return bits.messages < least

    @property
    def too_few(self) -> bool:
        """Whether there are too few episodes: the dictionary says much that is so by chance."""
        return TOO_FEW in self.doubts

    @cached_property
    def examples(self) -> list[Example]:
        """Examples, of different first symbols, of which each symbol adds to what the message says so far.

        They are chosen from the most frequent messages that the receiver does not miss and whose reading is
        sure and true in nearly all held-out episodes: from those that say something of cells, if any do.
        Those come first that are not about an edge, and leave fewest integers at the cells they speak of.
        """
        sure = [
            each
            for each in self.messages[:MOST_TRIED]
            if each.is_sure and not each.is_missed and each.true.accuracy >= LEAST_TRUE
        ]
        tried = [each for each in sure if any(sense.of_cells for sense in each.reading.senses)] or sure
        examples = self._examples_of(tried)
        examples.sort(key=lambda each: (-each.steps, each.message.reading.at_edges is not None, each.left))
        by_first: dict[int, Example] = {}
        for each in examples:
            by_first.setdefault(each.message.symbols[0], each)
        return [*by_first.values()][:NUM_EXAMPLES]

    def _examples_of(self, messages: Sequence[Message]) -> list[Example]:
        """Return messages with what their beginnings say, in windows of which they are true."""
        if not messages:
            return []
        cut = enumerate(self.prefixes.dictionaries[1:-1], 2)
        shorter = (
            interpreter(dictionary).read(np.array([each.symbols[:number] for each in messages]))
            for number, dictionary in cut
        )
        found = []
        for each, *beginnings in zip(messages, *shorter, [each.reading for each in messages], strict=True):
            true = each.reading.true_of(np.array(each.windows))
            if true.any():
                found.append(Example(each, each.windows[int(true.argmax())], tuple(beginnings)))
        return found

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
            "of_another_game": ANOTHER_GAME in self.doubts,
            "bits_of_prefixes": self.prefixes.bits,
            "built": self.built,
            "offset_slot": self.offset_slot,
            "bits_without_order": self.bits_without_order,
            "receiver": self.right.to_dict() if self.right.trials else None,
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
    order = np.argsort(-counts.message_totals, kind="stable")
    episodes = _first_episodes(counts)
    return Page(
        name or "this recording",
        dictionary,
        tuple(_messages(counts, dictionary, order[:MOST], episodes)),
        counts.messages[order[MOST : MOST + MOST_RARE]],
        counts.message_totals[order],
        _right(episodes.right),
        fitted_bits(dictionary, counts),
        doubts(dictionary, counts),
        prefixes_of(counts, dictionary),
        slot_of_offset(dictionary),
        bits_without_order(counts, dictionary),
        agreement_of_slots(dictionary, np.random.default_rng(random_stream(0, "page"))),
        count_symbols(counts.held_out, counts.messages, counts.config.vocab_size),
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


def _messages(counts: Counts, dictionary: Dictionary, order: Numbers, episodes: Block) -> Iterator[Message]:
    """Yield messages by their rows, with what they mean, how often that is true, and how often understood."""
    ids, window, held_out, right = episodes
    by_message = np.argsort(ids, kind="stable")
    first, end = (np.searchsorted(ids[by_message], order, side) for side in ("left", "right"))
    readings = interpreter(dictionary).read(counts.messages[order])
    for i, (row, reading) in enumerate(zip(order, readings, strict=True)):
        own = by_message[first[i] : end[i]]
        symbols = tuple(counts.messages[row].tolist())
        yield Message(
            symbols,
            dictionary.spelt(symbols),
            reading,
            episodes=int(counts.message_totals[row]),
            true=Proportion.of(reading.true_of(window[own[held_out[own]]])),
            right=_right(right[own]),
            windows=tuple(map(tuple, window[own[:_WINDOWS]].tolist())),
        )


def _right(right: IntArray) -> Proportion:
    """Return how often the receiver is right, by episodes (B,) as in a `Block`."""
    return Proportion.of(right[right != NOBODY] == 1)


def _first_episodes(counts: Counts) -> Block:
    """Read the first 400,000 episodes."""
    blocks, number = [], 0
    for block in counts.episodes("a page needs"):
        blocks.append(block)
        number += len(block.message)
        if number >= _MOST_EPISODES:
            break
    return Block(*map(np.concatenate, zip(*blocks, strict=True)))
