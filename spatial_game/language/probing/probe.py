"""Asking a receiver with composed messages: does it understand what the lexicon says?"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import Proportion, share_of, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import won
from spatial_game.json_text import plain
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.players.compose import Composed, Composer, Faults
from spatial_game.language.players.decode import NOTHING, Decoder
from spatial_game.language.probing.exchange import EXCHANGED, PartExchange, exchange_parts
from spatial_game.tables import Table

MOST_EXCHANGES = 5_000
"""Episodes in which parts of messages are exchanged. More would take long, and change little."""


@dataclass(frozen=True)
class LexiconInPlay:
    """The lexicon in place of the sender and of the receiver, on the same ordinary episodes."""

    understood: Proportion
    """Episodes in which the receiver finds the target after a composed message."""
    own: Proportion
    """Episodes in which it finds the target after the sender's own message."""
    expressed: Proportion
    """Episodes for which the lexicon has a message."""
    read_unique: Proportion
    """Episodes in which the lexicon's reading of the sender's message leaves exactly one candidate."""
    read_right: Proportion
    """Among them, episodes in which this candidate is the target."""

    @property
    def relative(self) -> float | None:
        """Accuracy with composed messages, divided by the pair's own accuracy."""
        return self.understood.successes / self.own.successes if self.own.successes else None

    def to_dict(self) -> dict[str, Any]:
        """Return shares for JSON; null without episodes."""
        shares = {
            field.name: part.accuracy if (part := getattr(self, field.name)).trials else None
            for field in dataclasses.fields(self)
        }
        return {**shares, "relative": self.relative, "episodes": self.own.trials}


@dataclass(frozen=True)
class ProbeReport:
    """How well a receiver understands messages of a lexicon."""

    ordinary: Proportion
    """Ordinary episodes told with the most probable message, where there is one: those that were won."""
    coverage: Proportion
    """Ordinary episodes that the lexicon can express."""
    chance: float
    faults: Faults
    signature: str
    spoken: LexiconInPlay | None = None
    """The lexicon in place of either agent, if there was a sender."""
    exchanges: Mapping[str, PartExchange] = dataclasses.field(default_factory=dict)
    """By kind of part (`EXCHANGED`), whether the receiver minds it."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        content: dict[str, Any] = plain(vars(self))
        return content

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
        covered = f"The lexicon can express {self.coverage.accuracy:.1%} of ordinary episodes"
        chance = f"chance is {self.chance:.0%}"
        return f"{self.exchange_table.to_text()}\n{covered}; {chance}.\nsignature  {self.signature}"


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

    `episodes` are ordinary ones of the game `config` (default: the lexicon's). `rng` draws the exchanged
    messages (default: a generator of seed 0). With a `sender`, the report compares the lexicon with it
    (`LexiconInPlay`).

    Raises `ValueError` for a game that is incompatible with the lexicon's.
    """
    config, rng = config or lexicon.config, rng or np.random.default_rng(0)
    composer = Composer(lexicon, config)
    said = composer.compose(episodes.window)
    wins = understood(receiver, said.message, episodes)
    return ProbeReport(
        ordinary=wins,
        coverage=share_of(said.expressed),
        chance=1 / config.num_candidates,
        faults=composer.faults,
        signature=f"{lexicon.signature} | probe n{len(episodes)}",
        spoken=None if sender is None else _spoken(sender, receiver, composer, said, wins, episodes),
        exchanges=exchange_parts(receiver, composer, episodes[:MOST_EXCHANGES], rng),
    )


def _spoken(
    sender: Sender,
    receiver: Receiver,
    composer: Composer,
    said: Composed,
    wins: Proportion,
    episodes: Episodes,
) -> LexiconInPlay:
    """Return how well the lexicon speaks to the receiver and reads the sender."""
    own = sender.send(episodes.window)
    read = Decoder(composer.lexicon, composer.config).decode(own, episodes.sequence, episodes.candidates)
    return LexiconInPlay(
        understood=Proportion(wins.successes, len(episodes)),
        own=share_of(won_by(receiver, own, episodes)),
        expressed=share_of(said.expressed),
        read_unique=share_of(read.unique),
        read_right=share_of(won(episodes.target_index, read.choice)[read.unique]),
    )


def understood(receiver: Receiver, messages: IntArray, episodes: Episodes) -> Proportion:
    """Return the episodes won with messages (B, T), of those in which something is said."""
    spoken = np.flatnonzero((messages != NOTHING).all(axis=1))
    return share_of(won_by(receiver, messages[spoken], episodes[spoken]))
