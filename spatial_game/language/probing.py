"""Asking a receiver: does it understand what a lexicon says, and does it mind each part of it?

A message says several things at once: 1-3 one left and 20-32 one right. Take two messages: one is true of a
window, and the other is true except for one part. If the receiver understands the first more often than the
second, this part is a cause of its choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.evaluation import Proportion, share_of, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import ask_sender, won
from spatial_game.json_text import plain
from spatial_game.language.counting.places import blocks, categories_at_places
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.rule_table import RuleTable
from spatial_game.language.lexicon.wording import set_kind
from spatial_game.language.players import UNSAID, Composer, Decoder
from spatial_game.tables import Table

MOST_EXCHANGES = 5_000
"""Episodes in which parts of messages are exchanged. More would take long, and change little."""
EXCHANGED = {
    "integer": "one integer",
    "band": "a band of integers",
    "set": "a set of integers",
    "class": "a class of integers",
    "edge": "an edge",
    "offset": "the offset of integers",
}
"""The kinds of parts of messages that are exchanged, with what they name."""
_PARTS = (*EXCHANGED, "nothing")
_MOST_MESSAGES = 4096
_BLOCK = 512


@dataclass(frozen=True)
class PartExchange:
    """Choices of the target when one part of a message was true and when it was false; the rest was true."""

    agreeing: Proportion
    disagreeing: Proportion


@dataclass(frozen=True)
class ProbeReport:
    """How well a receiver understands messages of a lexicon, on ordinary episodes."""

    understood: Proportion
    """Episodes in which the receiver finds the target after the message of the lexicon."""
    coverage: Proportion
    """Episodes for which the lexicon has a message."""
    own: Proportion | None
    """Episodes in which it finds the target after the sender's own message, if there was a sender."""
    read_unique: Proportion | None
    """Episodes in which the lexicon's reading of the sender's message leaves exactly one candidate."""
    read_right: Proportion | None
    """Among them, episodes in which this candidate is the target."""
    chance: float
    exchanges: Mapping[str, PartExchange]
    """By kind of part (`EXCHANGED`), whether the receiver minds it."""
    signature: str

    @property
    def relative(self) -> float | None:
        """The number of episodes understood, divided by that with the sender's own messages."""
        return self.understood.successes / self.own.successes if self.own and self.own.successes else None

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        content: dict[str, Any] = plain(vars(self))
        return {**content, "relative": self.relative}

    @property
    def exchange_table(self) -> Table:
        """How often a message is understood if a part of it is true and if it is false, by kind of part."""
        rows = tuple(
            (EXCHANGED[kind], part.agreeing.trials, part.agreeing.accuracy, part.disagreeing.accuracy)
            for kind, part in self.exchanges.items()
            if part.agreeing.trials
        )
        heading = "Part | Episodes :, | Understood if it agrees :.1% | Understood if not :.1%"
        return Table.of(heading, rows)

    def __str__(self) -> str:
        return f"{self.exchange_table.to_text()}\n{self.covered}\nsignature  {self.signature}"

    @property
    def covered(self) -> str:
        """The coverage, beside chance, in a sentence."""
        share, chance = f"{self.coverage.accuracy:.1%}", f"{self.chance:.0%}"
        return f"The lexicon can express {share} of ordinary episodes; chance is {chance}."


def probe(
    receiver: Receiver,
    lexicon: Lexicon,
    episodes: Episodes,
    config: GameConfig | None = None,
    *,
    sender: Sender | None = None,
    rng: np.random.Generator | None = None,
) -> ProbeReport:
    """Speak to `receiver` with `lexicon`, and exchange the parts of what is said (see `exchange_parts`).

    `episodes` are ordinary ones of the game `config` (default: the lexicon's). With a `sender`, the report
    compares the lexicon's messages and readings with those of the pair. `rng` draws the exchanged messages
    (default: a generator of seed 0).

    Raises `ValueError` for a game that is incompatible with the lexicon's.
    """
    config, rng = config or lexicon.config, rng or np.random.default_rng(0)
    composer = Composer(lexicon, config)
    said = composer.compose(episodes.window)
    wins = understood(receiver, said.message, episodes).successes
    own = read_unique = read_right = None
    if sender is not None:
        message = ask_sender(sender, episodes.window, config)
        own = share_of(won_by(receiver, message, episodes))
        read = Decoder(lexicon, config).decode(message, episodes.sequence, episodes.candidates)
        read_unique = share_of(read.unique)
        read_right = share_of(won(episodes.target_index, read.choice)[read.unique])
    return ProbeReport(
        understood=Proportion(wins, len(episodes)),
        coverage=share_of(said.expressed),
        own=own,
        read_unique=read_unique,
        read_right=read_right,
        chance=1 / config.num_candidates,
        exchanges=exchange_parts(receiver, composer, episodes[:MOST_EXCHANGES], rng),
        signature=f"{lexicon.signature} | probe n{len(episodes)}",
    )


def understood(receiver: Receiver, messages: IntArray, episodes: Episodes) -> Proportion:
    """Return the episodes won with messages (B, T), of those in which something is said."""
    spoken = np.flatnonzero((messages != UNSAID).all(axis=1))
    return share_of(won_by(receiver, messages[spoken], episodes[spoken]))


# --- The exchange of parts ----------------------------------------------------------------------------------


_Asked = dict[str, list[Numbers]]
"""For each kind of part, blocks (3, n): episodes, and messages with a true and with a false part."""


def exchange_parts(
    receiver: Receiver, composer: Composer, episodes: Episodes, rng: np.random.Generator
) -> dict[str, PartExchange]:
    """Return how a receiver takes the exchange of each kind of part (`EXCHANGED`) of messages.

    The messages are the ones that the composer sends in the episodes. For each episode and each place that
    messages name, two messages are drawn that name the same places: one is completely true, the other except
    for this part. To exchange an offset, the other message names the true integer at a wrong place.
    """
    said = composer.compose(episodes.window)
    messages, number = _most_frequent(said.message)
    pool = _Pool(composer.rules, messages)
    asked: _Asked = {kind: [] for kind in EXCHANGED}
    spoken = np.flatnonzero(said.expressed & (number >= 0))
    for block in blocks(len(spoken), _BLOCK):
        rows = spoken[block]
        _Draw(pool, rows, number[rows], episodes.window[rows], rng).into(asked)
    return {kind: _played(receiver, pool, each, episodes) for kind, each in asked.items()}


def _most_frequent(messages: IntArray) -> tuple[IntArray, Numbers]:
    """Return the most frequent distinct messages (M, T), and the row of each message among them, or -1."""
    distinct, which = distinct_rows(messages + 1)
    order = np.argsort(-np.bincount(which, minlength=len(distinct)), kind="stable")[:_MOST_MESSAGES]
    number = np.full(len(distinct), -1)
    number[order] = np.arange(len(order))
    return distinct[order] - 1, number[which]


class _Pool:
    """M messages, and what each says of each place.

    `allowed[place]` is (M, categories), `speaks` and `kind` are (M, places); `places` (M,) is a number for
    the set of places of which a message speaks. `clear` (M,): not those that name an integer without a place.
    """

    def __init__(self, rules: RuleTable, messages: IntArray) -> None:
        self.config, self.messages = rules.config, messages
        said = rules.of_messages(messages)
        about = np.where([rule.form is None for rule in rules.rules], -1, rules.place)
        number, alone = len(rules.places), [rule.is_word for rule in rules.rules]
        self.speaks = np.column_stack([said[:, about == place].sum(axis=1) > 0 for place in range(number)])
        self.clear = said[:, np.flatnonzero(alone)].sum(axis=1) == 0
        self.allowed = [rules.allowed(said, place) | ~self.speaks[:, [place]] for place in range(number)]
        # The number of a set is the exclusive or of random numbers: a game can have more places than bits.
        self.keys = np.random.default_rng(0).integers(1, 1 << 62, number)
        self.places = np.bitwise_xor.reduce(np.where(self.speaks, self.keys, 0), axis=1)
        self.kind = self._kinds()

    def _kinds(self) -> npt.NDArray[np.int8]:
        """Return (M, places), the kind of part that each message has there, as its place in `_PARTS`."""
        num_values = self.config.num_integers
        kinds = np.full(self.speaks.shape, _PARTS.index("edge"), dtype=np.int8)
        for place, allowed in enumerate(self.allowed[:-1]):
            distinct, which = np.unique(allowed, axis=0, return_inverse=True)
            names = [_PARTS.index(set_kind(np.flatnonzero(each[:num_values]).tolist())) for each in distinct]
            kinds[:, place] = np.array(names, dtype=np.int8)[which.reshape(-1)]
        return kinds


class _Draw:
    """Draws messages for B episodes, given what was said in each, a row of the pool (B,)."""

    def __init__(
        self, pool: _Pool, rows: Numbers, said: Numbers, window: IntArray, rng: np.random.Generator
    ) -> None:
        self.pool, self.rows = pool, rows
        self._shown = categories_at_places(pool.config, window)
        self._lots = rng.random((len(rows), len(pool.messages)), dtype=np.float32)
        self._false = [
            ~pool.allowed[place].T[shown] if pool.speaks[:, place].any() else None
            for place, shown in enumerate(self._shown.T)
        ]
        wrong = np.zeros(self._lots.shape, dtype=np.uint8)
        for false in self._false:
            wrong += 0 if false is None else false
        self._once = (wrong == 1) & pool.clear
        self._true = (wrong == 0) & pool.clear & (pool.places == pool.places[said][:, None])

    def into(self, asked: _Asked) -> None:
        """Add pairs of messages that differ in one place, and pairs that name an integer at two offsets."""
        pool = self.pool
        for place, false in enumerate(self._false):
            if false is None:
                continue
            true = self._drawn(self._true & pool.speaks[:, place])
            fits = self._once & false & (pool.places == pool.places[true][:, None])
            other = self._drawn(fits & self._same_kind(true, place, place))
            for kind in np.unique(pool.kind[pool.speaks[:, place], place]).tolist():
                if _PARTS[kind] in asked:
                    asked[_PARTS[kind]].append(self._pairs(true, other, pool.kind[true, place] == kind))
            if place < len(pool.config.offsets):
                moved = self._drawn(self._moved(true, place))
                asked["offset"].append(self._pairs(true, moved, true >= 0))

    def _moved(self, true: Numbers, place: int) -> Mask:
        """Return (B, M), the messages that name the integer of this place at a wrong place."""
        pool, found = self.pool, np.zeros(self._once.shape, dtype=bool)
        for other, false in enumerate(self._false[:-1]):
            if other != place and false is not None:
                names = pool.allowed[other].T[self._shown[:, place]] & false & self._once
                moved = pool.places[true] ^ pool.keys[place] ^ pool.keys[other]
                found |= names & (pool.places == moved[:, None]) & self._same_kind(true, place, other)
        return found

    def _same_kind(self, true: Numbers, place: int, other: int) -> Mask:
        return np.asarray(self.pool.kind[:, other] == self.pool.kind[true, place][:, None])

    def _drawn(self, allowed: Mask) -> Numbers:
        """Return (B,), a random allowed message (B, M); -1 if there is none."""
        drawn = np.where(allowed, self._lots, -1).argmax(axis=1)
        return np.where(allowed.any(axis=1), drawn, -1)

    def _pairs(self, true: Numbers, other: Numbers, wanted: Mask) -> Numbers:
        """Return the episodes and both messages, (3, n), where there are both."""
        return np.stack([self.rows, true, other])[:, (true >= 0) & (other >= 0) & wanted]


def _played(receiver: Receiver, pool: _Pool, asked: list[Numbers], episodes: Episodes) -> PartExchange:
    """Ask the receiver with both messages of each episode."""
    rows, true, false = np.concatenate([np.zeros((3, 0), dtype=np.int64), *asked], axis=1)
    said = (pool.messages[true], pool.messages[false])
    return PartExchange(*(share_of(won_by(receiver, messages, episodes[rows])) for messages in said))
