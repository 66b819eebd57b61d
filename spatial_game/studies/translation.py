"""Does a receiver understand the sender of another language, once its messages are translated?

Translation needs nothing but both dictionaries and the message. Where it succeeds, both languages have the
same concepts, whatever their words are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.policies import Agents, Receiver, Sender
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.reading import Reader
from spatial_game.language.speaking import Speaker
from spatial_game.language.translating import translate
from spatial_game.proportions import Proportion
from spatial_game.studies import translation_text
from spatial_game.studies.study import (
    CANNOT_SAY,
    IN_PART,
    LEAST_SENT,
    MOSTLY,
    Scale,
    Study,
    may_be_either,
    understood,
)

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


def translation(one: Side, other: Side, num_episodes: int = 10_000, seed: int = 0) -> Study:
    """Let each receiver of two languages, A and B, choose by the translated messages of the other's sender.

    Each direction has a verdict: "the same concepts in other words", "partly the same concepts" or "other
    concepts" (from `MOSTLY` and `IN_PART` of the scale on). Messages count as they are understood better:
    translated, or as they are sent. It is "cannot say" if the receiver hardly understands its own sender, or
    if the interval holds both the same and other concepts.
    Raises `ValueError` for languages of different games.
    """
    config = one.dictionary.config
    rng = np.random.default_rng(random_stream(seed, "translation"))
    episodes = draw_episodes(config, num_episodes, rng)
    there, back = (
        _direction(speaking, hearing, episodes, rng) for speaking, hearing in ((one, other), (other, one))
    )
    without_agents = [name for name, side in (("A", one), ("B", other)) if side.agents is None]
    return Study(
        config,
        f"n{num_episodes}",
        seed,
        translation_text.table(there, back),
        {
            "a_to_b": there.to_dict(),
            "b_to_a": back.to_dict(),
            "same_words": there.verdict == back.verdict == SAME_WORDS,
        },
        translation_text.sentences(there, back, without_agents),
        translation_text.KEY,
    )


def concepts(scaled: float) -> str:
    """Return which concepts two languages have: `scaled` is how well translations are understood."""
    if scaled < IN_PART:
        return "other concepts"
    return "partly the same concepts" if scaled < MOSTLY else "the same concepts"


def _direction(speaking: Side, hearing: Side, episodes: Episodes, rng: np.random.Generator) -> Direction:
    """Let one language speak, and the other hear."""
    sent, own = (
        ask_sender(side.sender, episodes.window, side.dictionary.config) for side in (speaking, hearing)
    )
    translated = translate(sent, speaking.dictionary, hearing.dictionary)
    messages: dict[str, IntArray] = {
        "untranslated": sent,
        "translated": translated,
        "shuffled": rng.permutation(translated),
        "own": own,
        "to_itself": translate(own, hearing.dictionary, hearing.dictionary),
    }
    figures = {name: understood(hearing.receiver, each, episodes) for name, each in messages.items()}
    return Direction(**figures, chance=1 / episodes.candidates.shape[1])
