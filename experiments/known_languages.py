"""Languages whose words are known: senders to judge a dictionary by, and the best reader of each.

In the middle of a sequence a language has *sayings*. One is drawn for each episode, and gives the message by
the integers at one to three offsets. At an edge all languages say the edge, with one symbol, repeated.
`LANGUAGES`, at the end, is the list. The games have one axis and show whole windows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import FloatArray, Symbols, distinct_rows
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import divergence
from spatial_game.studies.channel_noise import other_symbols

FREE = -1
"""In a message, a slot that gets a random symbol."""
LEAST_BITS = 0.3
"""What a message must tell of a place to count as saying a set there."""


@dataclass(frozen=True, eq=False)
class Saying:
    """One way to speak of a window."""

    share: float
    """How often it is drawn."""
    offsets: tuple[int, ...]
    messages: Symbols  # (N, ..., T), the message by the integers at the offsets; symbols or FREE


@dataclass(frozen=True, eq=False)
class KnownLanguage:
    """A sender of a known language (a `Sender`)."""

    config: GameConfig
    edges: Symbols  # (W - 1, T), the message of each edge
    sayings: tuple[Saying, ...]
    fillers: Symbols  # (S,), the symbols of free slots
    noise: float  # a symbol is replaced by another one, any of them, with this probability
    rng: np.random.Generator

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        edge, size = columns_of(self.config).edge_of(window), self.config.vocab_size
        shares = [saying.share for saying in self.sayings]
        drawn = self.rng.choice(len(shares), len(window), p=shares)
        message = self._at_edges(edge)
        for number, saying in enumerate(self.sayings):
            here = np.flatnonzero((edge == len(self.edges)) & (drawn == number))
            message[here] = self._said(saying, window[here])
        free = message == FREE
        message[free] = self.rng.choice(self.fillers, int(free.sum()))
        replaced = self.rng.random(message.shape) < self.noise
        return np.where(replaced, other_symbols(message, size, self.rng), message).astype(np.int16)

    def likelihood(self, message: IntArray, window: IntArray) -> FloatArray:
        """Return how probable messages (B, T) are for windows (B, W), (B,)."""
        edge = columns_of(self.config).edge_of(window)
        middle = edge == len(self.edges)
        found = np.where(middle, 0.0, self._heard(message, self._at_edges(edge)))
        for saying in self.sayings:
            said = self._said(saying, window[middle])
            found[middle] += saying.share * self._heard(message[middle], said)
        return found

    def sets(self) -> tuple[Symbols, dict[int, tuple[FloatArray, FloatArray]]]:
        """Return the messages of the middle (M, T), and for each offset how probable each integer is (M, N).

        The probabilities come with their bits (M,). That a window does not repeat integers counts among those
        that a message depends on. It is ignored elsewhere.
        """
        integers = self.config.num_integers
        messages, weights, values = [], [], []
        for saying in self.sayings:
            value = np.indices((integers,) * len(saying.offsets)).reshape(len(saying.offsets), -1)
            distinct = (np.diff(np.sort(value, axis=0), axis=0) > 0).all(axis=0)
            messages.append(saying.messages.reshape(-1, self.config.message_length)[distinct])
            values.append(value[:, distinct])
            weights.append(np.full(distinct.sum(), saying.share / distinct.sum()))
        known, row = distinct_rows(np.concatenate(messages) + 1)
        rows = np.split(row, np.cumsum([len(each) for each in weights])[:-1])
        found = {}
        for offset in _near(self.config):
            p = np.zeros((len(known), integers))
            for saying, of, weight, value in zip(self.sayings, rows, weights, values, strict=True):
                if offset in saying.offsets:
                    np.add.at(p, (of, value[saying.offsets.index(offset)]), weight)
                else:
                    p += np.bincount(of, weight, minlength=len(known))[:, None] / integers
            p /= p.sum(axis=1, keepdims=True)
            found[offset] = p, (p * np.log2(np.maximum(p * integers, 1e-12))).sum(axis=1)
        return (known - 1).astype(np.int16), found

    def _at_edges(self, edge: IntArray) -> Symbols:
        """Return the messages (B, T) of edges (B,); FREE in the middle."""
        middle = np.full((1, self.config.message_length), FREE)
        return np.concatenate([self.edges, middle])[edge].astype(np.int16)

    def _said(self, saying: Saying, window: IntArray) -> Symbols:
        """Return what a saying says of windows of the middle (B, W)."""
        centre = self.config.window_radius
        said: Symbols = saying.messages[tuple(window[:, centre + offset] for offset in saying.offsets)]
        return said

    def _heard(self, message: IntArray, said: Symbols) -> FloatArray:
        """Return how probable messages (B, T) are, given what was said (B, T), symbols or FREE."""
        as_said = np.where(said == FREE, np.isin(message, self.fillers) / len(self.fillers), message == said)
        other = self.noise * (1 - as_said) / (self.config.vocab_size - 1)
        return np.asarray(((1 - self.noise) * as_said + other).prod(axis=1))


# --- Making a language --------------------------------------------------------------------------------------


class Draft:
    """The material of a language: the game, a generator, and the symbols that nothing uses so far."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self.rng, self.integers, self.length = rng, config.num_integers, config.message_length
        self.near = _near(config)
        self.symbols = rng.permutation(config.vocab_size).astype(np.int16)

    def deal(self, number: int) -> Symbols:
        """Take symbols that nothing else uses."""
        require(len(self.symbols) >= number, f"vocab_size must leave {number} symbols", len(self.symbols))
        symbols, self.symbols = np.split(self.symbols, [number])
        return symbols

    def spelt(self, number: int, length: int) -> Symbols:
        """Return distinct words (number, length) of as few new symbols as possible, so parts say little."""
        base = next(base for base in itertools.count(2) if base**length >= number)
        return self._words(number, length, self.deal(base))

    def distinct(self, number: int) -> Symbols:
        """Return distinct messages (number, T) of all symbols that are left."""
        return self._words(number, self.length, self.symbols)

    def _words(self, number: int, length: int, symbols: Symbols) -> Symbols:
        codes = self.rng.choice(len(symbols) ** length, number, replace=False)
        return symbols[codes[:, None] // len(symbols) ** np.arange(length) % len(symbols)]

    def bands(self, number: int) -> IntArray:
        """Return the number of the band of each integer; at most this number of bands, of at least 2."""
        number = min(number, self.integers // 3)
        gaps = self.rng.choice(np.arange(2, self.integers - number + 1), number - 1, replace=False)
        starts = np.sort(gaps) + np.arange(number - 1)
        return np.searchsorted(starts, np.arange(self.integers), side="right")

    def sets(self, size: int) -> IntArray:
        """Return the number of the set of each integer; sets are random, of this size."""
        return self.rng.permutation(self.integers) // size

    def of_one_cell(self, messages_at: Callable[[int], Symbols]) -> list[Saying]:
        """Return sayings about one cell, drawn at random; `messages_at` gives those (N, T) of its number."""
        share = 1 / len(self.near)
        return [Saying(share, (offset,), messages_at(cell)) for cell, offset in enumerate(self.near)]


def _near(config: GameConfig) -> list[int]:
    """Return the offsets of a window in the middle of a sequence."""
    radius = config.window_radius
    return [*range(-radius, 0), *range(1, radius + 1)]


def joined(*parts: IntArray) -> Symbols:
    """Return parts of messages (..., symbols) beside each other; their other axes are broadcast."""
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    wide = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts]
    return np.concatenate(wide, axis=-1).astype(np.int16)


def _compositional(draft: Draft) -> list[Saying]:
    offsets, integers = draft.deal(4), draft.spelt(draft.integers, draft.length - 1)
    return draft.of_one_cell(lambda cell: joined(offsets[[cell]], integers))


def _either_order(draft: Draft) -> list[Saying]:
    before = _compositional(draft)
    after = [replace(each, messages=np.roll(each.messages, -1, axis=-1)) for each in before]
    return [replace(each, share=each.share / 2) for each in (*before, *after)]


def _two_lengths(draft: Draft) -> list[Saying]:
    offsets, few = draft.deal(4), min(draft.integers // 2, 8)
    short = joined(draft.spelt(few, draft.length - 2), np.array([FREE]))
    integers = np.concatenate([short, draft.spelt(draft.integers - few, draft.length - 1)])
    integers = draft.rng.permutation(integers)
    return draft.of_one_cell(lambda cell: joined(offsets[[cell]], integers))


def _holistic(draft: Draft) -> list[Saying]:
    messages = draft.spelt(4 * draft.integers, draft.length).reshape(4, draft.integers, -1)
    return draft.of_one_cell(lambda cell: messages[cell])


def _mixture(draft: Draft) -> list[Saying]:
    composed, whole = _compositional(draft), draft.rng.permutation(draft.integers)[: draft.integers // 4]
    messages = draft.spelt(4 * len(whole), draft.length).reshape(4, len(whole), -1)
    for saying, own in zip(composed, messages, strict=True):
        saying.messages[whole] = own
    return composed


def _sets(draft: Draft) -> list[Saying]:
    of = draft.sets(3)
    return [Saying(1.0, (-1,), draft.distinct(int(of.max()) + 1)[of])]


def _bands(draft: Draft) -> list[Saying]:
    parts = [draft.deal(5)[draft.bands(5)][:, None] for _ in range(draft.length)]
    offsets = (-1, 1, -2)[: draft.length]
    return [Saying(1.0, offsets, joined(*_crossed(parts)))]


def _any_order(draft: Draft) -> list[Saying]:
    number = len(draft.symbols) // draft.length
    size = -(-draft.integers // number)
    parts = _crossed([draft.deal(number)[draft.sets(size)][:, None] for _ in range(draft.length)])
    orders = [joined(*order) for order in itertools.permutations(parts)]
    return [Saying(1 / len(orders), (-1, 1, -2)[: draft.length], messages) for messages in orders]


def _class_and_message(draft: Draft) -> list[Saying]:
    of, symbols = draft.rng.permutation(draft.integers) % 2, draft.deal(6).reshape(3, 2, 1)
    words = draft.spelt(draft.integers, draft.length - 1)
    return [Saying(1 / 3, (1, -1), joined(*_crossed([variant[of], words]))) for variant in symbols]


def _class_chooses(draft: Draft) -> list[Saying]:
    of = draft.rng.permutation(draft.integers) % 2
    words = draft.distinct(2 * draft.integers).reshape(2, draft.integers, -1)
    return [Saying(1.0, (1, -1), words[of])]


def _rarer_synonyms(draft: Draft) -> list[Saying]:
    shares = np.array([6, 3, 2]) / 11
    words = draft.distinct(3 * draft.integers).reshape(3, draft.integers, -1)
    return [Saying(float(share), (-1,), each) for share, each in zip(shares, words, strict=True)]


def _prefix_code(draft: Draft) -> list[Saying]:
    few = draft.integers // 10
    short, first, second = draft.deal(few), draft.deal(6), draft.deal(9)
    number = draft.rng.permutation(54)[: draft.integers - few]
    long = np.stack([first[number // 9], second[number % 9]], axis=1)
    words = np.concatenate([joined(short[:, None], np.array([FREE])), long])
    rest = np.full(draft.length - 2, FREE)
    return [Saying(1.0, (-1,), joined(draft.rng.permutation(words), rest))]


def _two_senses(draft: Draft) -> list[Saying]:
    words = draft.distinct(draft.integers)
    return [Saying(0.5, (-1,), words), Saying(0.5, (1,), np.roll(words, 1, axis=0))]


def _larger(draft: Draft) -> list[Saying]:
    number = np.arange(draft.integers)
    return [Saying(1.0, (-1, 1), draft.distinct(draft.integers)[np.maximum(number[:, None], number)])]


def _crossed(parts: Sequence[Symbols]) -> Iterator[Symbols]:
    """Yield parts (N, symbols) along axes of their own: the first by the first offset, and so on."""
    for axis, part in enumerate(parts):
        yield part.reshape(*(-1 if axis == other else 1 for other in range(len(parts))), part.shape[-1])


LANGUAGES: dict[str, Callable[[Draft], list[Saying]]] = {
    # A symbol for the offset, then a word for the integer that stands there
    "compositional": _compositional,
    # The same, in either order
    "either-order": _either_order,
    # The same; some words have one symbol less, and a random one behind
    "two-lengths": _two_lengths,
    # A message for each integer at each offset, whose parts say little
    "holistic": _holistic,
    # A quarter of the integers holistic, the others compositional
    "mixture": _mixture,
    # The set of the integer one left, of three
    "sets": _sets,
    # In each slot the band of the integer at one offset
    "bands": _bands,
    # A symbol for the set of the integer at each of three offsets, in any order
    "any-order": _any_order,
    # One of three symbols for the class of the integer one right, then a word for the one left
    "class-and-word": _class_and_message,
    # One of two words for the integer one left, by the class of the one right
    "class-chooses": _class_chooses,
    # One of three words for the integer one left; two of them are rarer
    "rarer-synonyms": _rarer_synonyms,
    # A word of one symbol or of two for the integer one left, then random ones
    "prefix-code": _prefix_code,
    # A word for one integer one left or for another one right
    "two-senses": _two_senses,
    # A word for the larger one of the integers one left and one right
    "larger-of-two": _larger,
}
"""The sayings of each language, made with the symbols that its edges leave."""


def known_language(
    name: str, config: GameConfig, rng: np.random.Generator, noise: float = 0.0
) -> KnownLanguage:
    """Return a language for a game; it keeps the generator, which makes its words and draws its messages."""
    draft = Draft(config, rng)
    edges = np.repeat(draft.deal(config.window_size - 1)[:, None], config.message_length, axis=1)
    sayings, every = tuple(LANGUAGES[name](draft)), np.setdiff1d(np.arange(config.vocab_size), edges)
    return KnownLanguage(config, edges, sayings, every.astype(np.int16), noise, rng)


# --- Judging ------------------------------------------------------------------------------------------------


def best_share(language: KnownLanguage, messages: IntArray, episodes: Episodes) -> float:
    """Return how often the best possible reader finds the target; it guesses among equals.

    It knows the language and its noise, and takes the candidate for which the message is most probable.
    """
    columns = columns_of(language.config)
    windows = [columns.around(episodes.sequence, candidate) for candidate in episodes.candidates.T]
    p = np.stack([language.likelihood(messages, window) for window in windows], axis=1)
    best = p >= p.max(axis=1, keepdims=True) * (1 - 1e-9)
    right = best[np.arange(len(best)), episodes.target_index]
    return float((right / best.sum(axis=1)).mean())


def overlaps(language: KnownLanguage, dictionary: Dictionary) -> FloatArray:
    """Return how much the sets of words overlap the true ones (Jaccard 1912); 1 is the same set.

    A set is the integers that a word makes more probable at an offset. There is one wherever a word of the
    language without noise tells at least `LEAST_BITS` by the dictionary, or in truth; if only one of the two
    has a set, the overlap is 0.
    """
    known, truth = language.sets()
    row = _row_without_free(known, dictionary.messages)
    words = dictionary.messages[row >= 0]
    found = []
    for offset, (p, bits) in truth.items():
        variable = dictionary.variables[dictionary.config.offsets.index(offset)]
        read = variable.by_messages(words, np.flatnonzero(row >= 0))
        ours = (read > variable.prior) & (divergence(read, variable.prior) >= LEAST_BITS)[:, None]
        theirs = ((p > 1 / p.shape[1] + 1e-9) & (bits >= LEAST_BITS)[:, None])[row[row >= 0]]
        either = (ours | theirs).sum(axis=1)
        found.append(((ours & theirs).sum(axis=1) / np.maximum(either, 1))[either > 0])
    return np.concatenate(found)


def _row_without_free(known: Symbols, messages: IntArray) -> IntArray:
    """Return the row (B,) of each of the messages (B, T) among known ones with FREE slots; -1 for others."""
    rows = {tuple(message): row for row, message in enumerate(known.tolist())}
    found = np.full(len(messages), -1)
    for free in np.unique(known == FREE, axis=0):
        fixed = np.where(free, FREE, messages).tolist()
        found = np.maximum(found, [rows.get(tuple(message), -1) for message in fixed])
    return found
