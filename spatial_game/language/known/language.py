"""A known language: words for what a window shows, a speaker, and the truth that follows from the words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, Offset, require
from spatial_game.game.episodes import HIDDEN, IntArray
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import EDGE, edge_names, near_offsets, values_at_places
from spatial_game.language.counting.rows import Symbols
from spatial_game.language.lexicon.meaning import Meaning, Meanings

KnownEntry: TypeAlias = tuple[Form, Meanings]
"""An entry of a true lexicon: a form, and what it means in one of its senses."""
Topic: TypeAlias = Offset | str
"""What a word may depend on: the integer at an offset, or `NAMED` or `PLACE`."""

NAMED = "named"
"""The topic of one visible integer, drawn at random in each episode."""
PLACE = "place"
"""The topic of the offset of that integer, by its number among those of a window of the middle."""
FREE = -1
"""In a word, a slot for any of the language's symbols."""


@dataclass(frozen=True)
class Unit:
    """Words for groups of the values of some topics."""

    slots: tuple[int, ...] | None
    """Where its words stand; None for anywhere, before or after those of the other units."""
    groups: Mapping[Topic, IntArray]
    """For each topic, the number of the group of each of its values."""
    words: Symbols
    """(groups of each topic ..., variants, symbols of a word), symbols or FREE."""
    shares: npt.NDArray[np.float64]
    """(variants,), how often each variant is used."""
    senses: frozenset[KnownEntry] | None = None
    """What its words mean, if not the groups together."""

    def said(self, topics: Mapping[Topic, IntArray], rng: np.random.Generator) -> Symbols:
        """Return the words (B, symbols) for the values (B,) of each topic."""
        number = [group[topics[topic]] for topic, group in self.groups.items()]
        variant = rng.choice(len(self.shares), len(number[0]), p=self.shares)
        words: Symbols = self.words[(*number, variant)]
        return words

    def truth(self, config: GameConfig) -> frozenset[KnownEntry]:
        """Return the meaning of every variant of every word."""
        if self.senses is not None:
            return self.senses
        entries = set()
        for *number, variant in np.ndindex(self.words.shape[:-1]):
            values = {
                topic: tuple(np.flatnonzero(group == one).tolist())
                for one, (topic, group) in zip(number, self.groups.items(), strict=True)
            }
            entries.add((form_of(self.slots, self.words[(*number, variant)]), _meanings(config, values)))
        return frozenset(entries)


@dataclass(frozen=True)
class KnownLanguage:
    """A sender of a known language (a `Sender`), with its true lexicon."""

    name: str
    config: GameConfig
    truth: frozenset[KnownEntry]
    edges: Symbols  # (W - 1, T), the message of each edge
    units: tuple[Unit, ...]
    fillers: Symbols  # (S,), symbols for free slots
    noise: float  # a symbol is replaced by another one, uniformly, with this probability
    rng: np.random.Generator

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        values = values_at_places(self.config, window)
        edge, cells = values[:, -1], values[:, near_offsets(self.config)]
        middle = edge == len(self.edges)
        message = np.full((len(window), self.edges.shape[1]), FREE, dtype=np.int16)
        message[~middle] = self.edges[edge[~middle]]
        message[middle] = self._about(cells[middle])
        free = message == FREE
        message[free] = self.rng.choice(self.fillers, int(free.sum()))
        return self._disturbed(message)

    def without_noise(self) -> KnownLanguage:
        """Return the same language without noise, with a separate random stream."""
        return replace(self, noise=0.0, rng=self.rng.spawn(1)[0])

    def _about(self, cells: IntArray) -> Symbols:
        """Return the messages for the cells (B, W - 1) of windows of the middle."""
        rows = np.arange(len(cells))
        place = np.argmax(self.rng.random(cells.shape) * (cells != HIDDEN), axis=1)
        topics: dict[Topic, IntArray] = dict(zip(near(self.config), cells.T, strict=True))
        topics |= {NAMED: cells[rows, place], PLACE: place}
        message = np.full((len(cells), self.edges.shape[1]), FREE, dtype=np.int16)
        layouts = _layouts(self.units, self.edges.shape[1])
        layout = self.rng.integers(len(layouts), size=len(cells))
        for unit, slots in zip(self.units, zip(*layouts, strict=True), strict=True):
            message[rows[:, None], np.array(slots)[layout]] = unit.said(topics, self.rng)
        return message

    def _disturbed(self, message: Symbols) -> Symbols:
        replaced = self.rng.random(message.shape) < self.noise
        others = self.rng.integers(1, self.config.vocab_size, message.shape)
        return np.where(replaced, (message + others) % self.config.vocab_size, message).astype(np.int16)


class Draft:
    """The material of a language: the game, a generator, and the symbols that edges do not use."""

    def __init__(self, name: str, config: GameConfig, rng: np.random.Generator) -> None:
        self.name, self.config, self.rng = name, config, rng
        self.num_integers, self.num_near = config.num_integers, config.window_size - 1
        self.slots = tuple(range(config.message_length))
        self.require(
            config.vocab_size >= self.num_near + 4, f"vocab_size >= {self.num_near + 4}", config.vocab_size
        )
        self.symbols = rng.permutation(config.vocab_size).astype(np.int16)
        self.edges = np.repeat(self.deal(self.num_near)[:, None], config.message_length, axis=1)
        self.left, self.right = self.steps(-1), self.steps(1)

    def require(self, holds: bool, rule: str, value: object) -> None:
        """Raise `ValueError` for a game in which the language cannot be spoken."""
        require(holds, f"{self.name} needs {rule}", value)

    def deal(self, number: int) -> Symbols:
        """Take symbols that no other word uses."""
        dealt = self.config.vocab_size - len(self.symbols)
        rule = f"vocab_size >= {dealt + number}"
        self.require(len(self.symbols) >= number, rule, self.config.vocab_size)
        symbols, self.symbols = np.split(self.symbols, [number])
        return symbols

    def steps(self, step: int, axis: int = -1) -> Offset:
        """Return the offset of these steps along an axis (default: the last): -1 is the left neighbour."""
        along = [0] * len(self.config.shape)
        along[axis] = step
        return tuple(along) if len(along) > 1 else step

    def slots_and_offsets(self) -> list[tuple[int, Offset]]:
        """Return pairs of a slot and an offset along an axis, nearest first."""
        distances, axes = range(1, self.config.window_radius + 1), range(len(self.config.shape))
        offsets = [self.steps(side * n, axis) for n in distances for side in (-1, 1) for axis in axes]
        return list(zip(self.slots, offsets, strict=False))

    # --- Groups of the values of a topic

    def each(self, topic: Topic = NAMED) -> IntArray:
        """Return groups of one value each."""
        return np.arange(self.num_near if topic == PLACE else self.num_integers)

    def bands(self, number: int = 8) -> IntArray:
        """Return at most this number of bands of integers, of random widths of at least 2."""
        self.require(self.num_integers >= 4, "at least 4 integers", self.num_integers)
        number = max(2, min(number, self.num_integers // 3))
        gaps = self.rng.choice(np.arange(2, self.num_integers - number + 1), number - 1, replace=False)
        starts = np.sort(gaps) + np.arange(number - 1)
        return np.searchsorted(starts, np.arange(self.num_integers), side="right")

    def sets(self, size: int) -> IntArray:
        """Return random sets with this number of integers."""
        return self.rng.permutation(self.num_integers) // size

    def classes(self) -> IntArray:
        """Return two classes, each of half of the integers."""
        return self.rng.permutation(self.num_integers) % 2

    # --- Words

    def words_apart(self, number: int, length: int) -> Symbols:
        """Return random words that differ in all slots; if symbols are few, in two slots, or else in one."""
        if number <= len(self.symbols):
            return np.stack([self.rng.permutation(self.symbols)[:number] for _ in range(length)], axis=1)
        if length < 3:
            return self.words(number, length, self.symbols)
        many = self.words(min(20 * number, len(self.symbols) ** length), length, self.symbols)
        seen: set[tuple[int, ...]] = set()
        kept: list[list[int]] = []
        for word in many.tolist():
            parts = {(slot, *word[:slot], *word[slot + 1 :]) for slot in range(length)}
            if not parts & seen and len(kept) < number:
                seen |= parts
                kept.append(word)
        self.require(len(kept) == number, f"{number} words that differ in two slots", len(kept))
        return np.array(kept, dtype=np.int16)

    def words_of_few(self, number: int, length: int) -> Symbols:
        """Return random words of as few symbols as possible, so that no part of a word tells which it is."""
        return self.words(number, length, self.deal(fewest_symbols(number, length)))

    def words(self, number: int, length: int, symbols: Symbols) -> Symbols:
        """Return random distinct words (number, length) of these symbols."""
        space = len(symbols) ** length
        self.require(space >= number, f"{number} words of length {length} of {len(symbols)} symbols", space)
        if space >= 2**62:  # two equal words are as good as impossible
            return self.rng.choice(symbols, (number, length))
        powers = len(symbols) ** np.arange(length)[::-1]
        return symbols[self.rng.choice(space, number, replace=False)[:, None] // powers % len(symbols)]

    def unit(
        self,
        slots: Sequence[int] | None,
        groups: Mapping[Topic, IntArray],
        words: Symbols | None = None,
        *,
        variants: int = 1,
        zipf: float = 0.0,
        senses: frozenset[KnownEntry] | None = None,
    ) -> Unit:
        """Return a unit with words for all groups, and variants that are as frequent as rank**-zipf.

        `words`: (groups ..., variants, symbols), or reshaped to that; by default as different as possible.
        """
        sizes = [int(group.max()) + 1 for group in groups.values()]
        if words is None:
            length = len(self.slots) if slots is None else len(slots)
            words = self.words_apart(variants * math.prod(sizes), length)
        words = words.reshape(*sizes, -1, words.shape[-1])
        shares = np.arange(1, words.shape[-2] + 1) ** -zipf
        at = None if slots is None else tuple(slots)
        return Unit(at, groups, words, shares / shares.sum(), senses)


def fewest_symbols(number: int, length: int) -> int:
    """Return the smallest number of symbols, at least 2, of which there are this number of words."""
    return next(base for base in itertools.count(2) if base**length >= number)


def form_of(slots: Sequence[int] | None, word: Symbols) -> Form:
    """Return the form of a word in these slots, some of which may be free; None: at any slot."""
    if slots is None:
        return Form(tuple(word.tolist()), None)
    return Form.at({slot: int(s) for slot, s in zip(slots, word, strict=True) if s != FREE})


def _meanings(config: GameConfig, values: dict[Topic, tuple[int, ...]]) -> Meanings:
    """Return what a word means, from the values of its topics."""
    if PLACE in values:
        (number,) = values[PLACE]
        return (Meaning(near(config)[number], values.get(NAMED, ())),)
    return tuple(Meaning(None if topic == NAMED else topic, those) for topic, those in values.items())


def near(config: GameConfig) -> list[Offset]:
    """Return the offsets of a window of the middle: on one axis -r..r without 0."""
    return [config.offsets[number] for number in near_offsets(config)]


def _layouts(units: Sequence[Unit], message_length: int) -> list[list[tuple[int, ...]]]:
    """Return the slots of each unit, in every order of units that stand anywhere and of free slots."""
    fixed = [unit.slots for unit in units if unit.slots is not None]
    if len(fixed) == len(units):
        return [fixed]
    sizes = [unit.words.shape[-1] for unit in units]
    sizes += [1] * (message_length - sum(sizes))
    layouts = []
    for order in itertools.permutations(range(len(sizes))):
        starts = np.cumsum([0, *(sizes[number] for number in order)])
        start = dict(zip(order, starts.tolist(), strict=False))
        layouts.append([tuple(range(start[i], start[i] + sizes[i])) for i in range(len(units))])
    return layouts


def make_language(
    name: str,
    least_length: int,
    units_of: Callable[[Draft], Sequence[Unit]],
    config: GameConfig,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
) -> KnownLanguage:
    """Return a language of the units that a function drafts; it keeps the generator.

    `least_length`: the fewest symbols of a message. `noise`: the probability that another symbol replaces
    one.

    Raises `ValueError` that names the rule and the value if the language does not fit the game.
    """
    require(0 <= noise <= 1, "noise must be in 0..1", noise)
    draft, length = Draft(name, config, rng), config.message_length
    draft.require(length >= least_length, f"message_length >= {least_length}", length)
    units = tuple(units_of(draft))
    one_will_do = all({NAMED, PLACE}.issuperset(unit.groups) for unit in units)
    draft.require(one_will_do or config.num_hidden == 0, "windows seen in full", config.num_visible)
    truth: set[KnownEntry] = {
        (Form(tuple(message), 0), (Meaning(EDGE, (edge,)),))
        for message, edge in zip(draft.edges.tolist(), edge_names(config), strict=False)
    }
    truth.update(*(unit.truth(config) for unit in units))
    return KnownLanguage(name, config, frozenset(truth), draft.edges, units, draft.symbols, noise, rng)
