"""Languages of which one knows what each message says: senders, and receivers that know them.

In the middle of a sequence a language has *sayings*. One is drawn for each episode, and gives the message by
the integers at one to three offsets. At an edge all languages say the edge, with one symbol, repeated.
`LANGUAGES`, at the end, is the list. The games have one axis and show whole windows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask, draw_episodes
from spatial_game.game.policies import Agents
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import FloatArray, Symbols
from spatial_game.studies.channel_noise import other_symbols

FREE = -1
"""In a message, a slot that gets a random symbol."""


@dataclass(frozen=True, eq=False)
class Saying:
    """One way to speak of a window."""

    share: float | FloatArray
    """How often it is drawn, (N, ...) by the integers at the offsets; a number: by any."""
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
        message, middle = self._at_edges(window)
        ends = self._shares(window[middle]).cumsum(axis=0)
        drawn = (ends / ends[-1] <= self.rng.random(len(window))[middle]).sum(axis=0)
        for number, saying in enumerate(self.sayings):
            here = np.flatnonzero(middle)[drawn == number]
            message[here] = self._of(saying.messages, saying, window[here])
        free = message == FREE
        message[free] = self.rng.choice(self.fillers, int(free.sum()))
        replaced = self.rng.random(message.shape) < self.noise
        other = other_symbols(message, self.config.vocab_size, self.rng)
        return np.where(replaced, other, message).astype(np.int16)

    def likelihood(self, message: IntArray, window: IntArray) -> FloatArray:
        """Return how probable messages (B, T) are for windows (B, W), (B,)."""
        at_edges, middle = self._at_edges(window)
        found = np.where(middle, 0.0, self._heard(message, at_edges))
        shares = self._shares(window[middle])
        for saying, share in zip(self.sayings, shares / shares.sum(axis=0), strict=True):
            said = self._of(saying.messages, saying, window[middle])
            found[middle] += share * self._heard(message[middle], said)
        return found

    def _at_edges(self, window: IntArray) -> tuple[Symbols, Mask]:
        """Return the messages (B, T) of windows at edges, FREE in the middle, and which are there (B,)."""
        edge = columns_of(self.config).edge_of(window)
        middle = np.full((1, self.config.message_length), FREE)
        return np.concatenate([self.edges, middle])[edge].astype(np.int16), edge == len(self.edges)

    def _shares(self, window: IntArray) -> FloatArray:
        """Return how often each saying is drawn (S, B), in windows of the middle (B, W)."""
        of = (np.broadcast_to(saying.share, saying.messages.shape[:-1]) for saying in self.sayings)
        return np.array([self._of(*each, window) for each in zip(of, self.sayings, strict=True)])

    def _of(self, table: np.ndarray, saying: Saying, window: IntArray) -> np.ndarray:
        """Return the rows (B, ...) of a saying's table (N, ...) for windows of the middle (B, W)."""
        return table[tuple(window[:, self.config.window_radius + offset] for offset in saying.offsets)]

    def _heard(self, message: IntArray, said: Symbols) -> FloatArray:
        """Return how probable messages (B, T) are, given what was said (B, T), symbols or FREE."""
        as_said = np.where(said == FREE, np.isin(message, self.fillers) / len(self.fillers), message == said)
        other = self.noise * (1 - as_said) / (self.config.vocab_size - 1)
        return np.asarray(((1 - self.noise) * as_said + other).prod(axis=1))


@dataclass(frozen=True, eq=False)
class Knowing:
    """A receiver that takes the candidate of which a message is most probable, and guesses among equals."""

    language: KnownLanguage
    by_heart: Symbols | None = None  # (M, T), the messages that it knows; None: it knows the rule
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def choose(self, message: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,)."""
        p = candidate_likelihoods(self.language, message, sequence, candidates)
        if self.by_heart is not None:
            p *= (message[:, None] == self.by_heart).all(axis=2).any(axis=1)[:, None]
        best = p >= p.max(axis=1, keepdims=True) * (1 - 1e-9)
        return (best + self.rng.random(p.shape) / 2).argmax(axis=1)


def candidate_likelihoods(
    language: KnownLanguage, message: IntArray, sequence: IntArray, candidates: IntArray
) -> FloatArray:
    """Return how probable each message (B, T) is for each of the candidates (B, C)."""
    around = columns_of(language.config).around
    windows = (around(sequence, candidate) for candidate in candidates.T)
    return np.stack([language.likelihood(message, window) for window in windows], axis=1)


# --- Making a language --------------------------------------------------------------------------------------


class Draft:
    """The material of a language: the game, a generator, and the symbols that nothing uses so far."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self.rng, self.integers, self.length = rng, config.num_integers, config.message_length
        self.near = near(config)
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


def near(config: GameConfig) -> list[int]:
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


def _by_offset(draft: Draft) -> list[Saying]:
    composed = _compositional(draft)
    for saying in composed:
        saying.messages[:] = draft.rng.permutation(saying.messages)
    return composed


def _mixture(draft: Draft) -> list[Saying]:
    composed, whole = _compositional(draft), draft.rng.permutation(draft.integers)[: draft.integers // 4]
    messages = draft.spelt(4 * len(whole), draft.length).reshape(4, len(whole), -1)
    for saying, own in zip(composed, messages, strict=True):
        saying.messages[whole] = own
    return composed


def _half(draft: Draft) -> list[Saying]:
    composed, odd = _compositional(draft), draft.rng.permutation(draft.integers)[: draft.integers // 2]
    messages = np.concatenate([saying.messages[odd] for saying in composed])
    for saying, others in zip(composed, np.split(draft.rng.permutation(messages), 4), strict=True):
        saying.messages[odd] = others
    return composed


def _sets(draft: Draft) -> list[Saying]:
    of = draft.sets(3)
    return [Saying(1.0, (-1,), draft.distinct(int(of.max()) + 1)[of])]


def _bands(draft: Draft) -> list[Saying]:
    return _in_each_slot(draft, lambda: draft.deal(5)[draft.bands(5)])


def _classes(draft: Draft) -> list[Saying]:
    return _in_each_slot(draft, lambda: draft.deal(6)[draft.rng.permutation(draft.integers) % 6])


def _in_each_slot(draft: Draft, symbols: Callable[[], Symbols]) -> list[Saying]:
    """Return a saying with a symbol (N,) in each slot, for the integer at one of three offsets."""
    parts = [symbols()[:, None] for _ in range(draft.length)]
    return [Saying(1.0, (-1, 1, -2)[: draft.length], joined(*_crossed(parts)))]


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


def _three_senses(draft: Draft) -> list[Saying]:
    return _several_senses(draft, (1 / 3, 1 / 3, 1 / 3))


def _rare_sense(draft: Draft) -> list[Saying]:
    return _several_senses(draft, (0.5, 0.42, 0.08))


def _several_senses(draft: Draft, shares: Sequence[float]) -> list[Saying]:
    words = draft.distinct(draft.integers)
    return [
        Saying(share, (offset,), draft.rng.permutation(words))
        for share, offset in zip(shares, (-1, 1, -2), strict=True)
    ]


def _rare_offsets(draft: Draft) -> list[Saying]:
    return [
        replace(saying, share=share)
        for saying, share in zip(_holistic(draft), (0.03, 0.47, 0.47, 0.03), strict=True)
    ]


def _larger(draft: Draft) -> list[Saying]:
    number = np.arange(draft.integers)
    return [Saying(1.0, (-1, 1), draft.distinct(draft.integers)[np.maximum(number[:, None], number)])]


def _sums(draft: Draft) -> list[Saying]:
    number = np.arange(draft.integers)
    total = (number[:, None] + number) % draft.integers
    return [Saying(1.0, (-1, 1), draft.distinct(draft.integers)[total])]


def _sums_of_bands(draft: Draft) -> list[Saying]:
    band = np.arange(draft.integers) * 10 // draft.integers
    return [Saying(1.0, (-1, 1), draft.distinct(19)[band[:, None] + band])]


def _two_neighbours(draft: Draft) -> list[Saying]:
    band = np.arange(draft.integers) * 10 // draft.integers
    return [Saying(1.0, (-1, 1), draft.distinct(100).reshape(10, 10, -1)[band[:, None], band])]


def _edges(draft: Draft) -> list[Saying]:
    return [Saying(1.0, (-1,), np.repeat(draft.distinct(1), draft.integers, axis=0))]


def _crossed(parts: Sequence[Symbols]) -> Iterator[Symbols]:
    """Yield parts (N, symbols) along axes of their own: the first by the first offset, and so on."""
    for axis, part in enumerate(parts):
        yield part.reshape(*(-1 if axis == other else 1 for other in range(len(parts))), part.shape[-1])


LANGUAGES: dict[str, Callable[[Draft], list[Saying]]] = {
    # A symbol for the offset, then a word for the integer that stands there
    "compositional": _compositional,
    # The same; the words of an offset are those of other integers at the next one
    "by-offset": _by_offset,
    # The same as compositional, in either order
    "either-order": _either_order,
    # As compositional; some words have one symbol less, and a random one behind
    "two-lengths": _two_lengths,
    # A message for each integer at each offset, whose parts say little
    "holistic": _holistic,
    # A quarter of the integers holistic, the others compositional
    "mixture": _mixture,
    # As compositional; the messages of half of the integers are shuffled, so that their parts say nothing
    "half-and-half": _half,
    # The set of the integer one left, of three
    "sets": _sets,
    # In each slot the band of the integer at one offset
    "bands": _bands,
    # In each slot one of six random classes of the integer at one offset
    "classes": _classes,
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
    # A word for one integer one left, another one right, or a third one two left
    "three-senses": _three_senses,
    # The same; the third thing is said in 8% of the episodes
    "rare-sense": _rare_sense,
    # As holistic; the outer offsets are rare
    "rare-offsets": _rare_offsets,
    # A word for the larger one of the integers one left and one right
    "larger-of-two": _larger,
    # A word for the sum of both, which says nothing of one of them
    "sums": _sums,
    # A word for the sum of the bands of both
    "sums-of-bands": _sums_of_bands,
    # A word for the bands of both
    "two-neighbours": _two_neighbours,
    # Edges, and nothing else
    "edges": _edges,
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


def with_gaps(language: KnownLanguage, share: float) -> KnownLanguage:
    """Return the language without a random share of its messages: it says something else that is true.

    Where it has nothing else to say, the last symbol is that of an edge.
    """
    symbols = (language.config.vocab_size,) * language.config.message_length
    never = np.random.default_rng(1).random(symbols) < share
    sayings = [
        replace(each, share=np.where(never[tuple(np.moveaxis(each.messages, -1, 0))], 0.0, each.share))
        for each in language.sayings
    ]
    open_ended = language.sayings[0].messages.copy()
    open_ended[..., -1] = language.edges[0, 0]
    otherwise = Saying(1e-9, language.sayings[0].offsets, open_ended)
    return replace(language, sayings=(*sayings, otherwise))


def known_agents(language: KnownLanguage, by_rule: bool, gaps: float = 0.0) -> Agents:
    """Return the sender of a language, and a receiver that knows its rule, or what was sent by heart."""
    sender = with_gaps(language, gaps)
    exact = replace(language, noise=0.0)
    episodes = draw_episodes(language.config, 60_000, np.random.default_rng(5))
    sent = None if by_rule else np.unique(replace(sender, noise=0.0).send(episodes.window), axis=0)
    return Agents(sender, Knowing(exact, sent), language.config)
