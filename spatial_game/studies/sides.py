"""Two languages, each with its dictionary, and how well one's receiver understands the other's sender."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spatial_game.game.policies import Agents, Receiver, Sender
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.reading import Reader
from spatial_game.language.speaking import Speaker
from spatial_game.proportions import Proportion
from spatial_game.studies.study import CANNOT_SAY, IN_PART, LEAST_SENT, MOSTLY, Scale, may_be_either

SAME_WORDS = "the same concepts in the same words"


@dataclass(frozen=True)
class Side:
    """One of two languages: its dictionary, and its agents. Without agents, the dictionary plays."""

    dictionary: Dictionary
    agents: Agents | None = None

    @property
    def sender(self) -> Sender:
        """The agents' sender, or the dictionary's speaker."""
        return self.agents.sender if self.agents else Speaker(self.dictionary)

    @property
    def receiver(self) -> Receiver:
        """The agents' receiver, or the dictionary's reader."""
        return self.agents.receiver if self.agents else Reader(self.dictionary)


@dataclass(frozen=True)
class Direction:
    """How well the receiver of one language understands the sender of another."""

    untranslated: Proportion
    translated: Proportion
    shuffled: Proportion
    """With each translation in another episode."""
    own: Proportion
    """With the messages of its own sender."""
    to_itself: Proportion
    """With those messages translated into its own language, by its own dictionary."""
    chance: float

    @property
    def scale(self) -> Scale:
        """The scale from guessing to its own sender."""
        return Scale(self.chance, self.own.accuracy)

    @property
    def understands_itself(self) -> bool:
        """Whether the receiver understands its own sender."""
        return self.own.accuracy - self.chance >= LEAST_SENT

    @property
    def scaled(self) -> float | None:
        """Where the translated messages are on the scale; None if the receiver hardly understands itself."""
        return self.scale.of(self.translated.accuracy) if self.understands_itself else None

    @property
    def best(self) -> Proportion:
        """The messages that are understood better: translated, or as they are sent."""
        return max(self.translated, self.untranslated, key=lambda part: part.accuracy)

    @property
    def may_be_either(self) -> bool:
        """Whether the interval holds both the same and other concepts."""
        return may_be_either(*map(self.scale.of, self.best.interval))

    @property
    def concepts_of_interval(self) -> list[str]:
        """The concepts that both ends of the interval stand for."""
        return [concepts(self.scale.of(end)) for end in self.best.interval]

    @property
    def verdict(self) -> str:
        """What this direction says of the concepts of both languages."""
        if not self.understands_itself or self.may_be_either:
            return CANNOT_SAY
        if self.scale.of(self.untranslated.accuracy) >= MOSTLY:
            return SAME_WORDS
        found = concepts(self.scale.of(self.best.accuracy))
        return f"{found} in other words" if found == concepts(1) else found

    def to_dict(self) -> dict[str, Any]:
        """Return all accuracies with their intervals, for JSON."""
        names = ("untranslated", "translated", "shuffled", "own", "to_itself")
        figures = {name: getattr(self, name).to_dict() for name in names}
        return {"verdict": self.verdict, "scaled": self.scaled, **figures}


def concepts(scaled: float) -> str:
    """Return which concepts two languages have: `scaled` is how well translations are understood."""
    if scaled < IN_PART:
        return "other concepts"
    return "partly the same concepts" if scaled < MOSTLY else "the same concepts"
