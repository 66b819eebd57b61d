"""The results of a probe, as text and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spatial_game.game.evaluation import Proportion
from spatial_game.json_text import plain
from spatial_game.language.players.compose import Faults
from spatial_game.tables import Table

EXCHANGED = {
    "integer": "one integer",
    "band": "a band of integers",
    "set": "a set of integers",
    "class": "a class of integers",
    "edge": "an edge",
    "offset": "the offset of integers",
}
"""The kinds of parts of messages that are exchanged, with what they name."""


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
class PartExchange:
    """Choices of the target when one part of a message was true and when it was false; the rest was true."""

    agreeing: Proportion
    disagreeing: Proportion


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
