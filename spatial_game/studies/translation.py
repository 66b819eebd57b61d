"""Does a receiver understand the sender of another language, once its messages are translated?

Translation needs nothing but both dictionaries and the message. Where it succeeds, both languages have the
same concepts, whatever their words are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes, draw_episodes
from spatial_game.game.policies import Agents, Receiver, Sender
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.reading import Reader
from spatial_game.language.speaking import Speaker
from spatial_game.language.translating import translate
from spatial_game.proportions import Proportion
from spatial_game.studies.study import (
    CANNOT_SAY,
    IN_PART,
    LEAST_SENT,
    MOSTLY,
    Study,
    may_be_either,
    understood,
    way_text,
    way_to,
)
from spatial_game.tables import Table
from spatial_game.text import between

LISTED = 20
"""Messages of the bilingual list."""


@dataclass(frozen=True)
class Party:
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
    def understands_itself(self) -> bool:
        """Whether the receiver understands its own sender."""
        return self.own.accuracy - self.chance >= LEAST_SENT

    def way(self, accuracy: float) -> float:
        """Return how far an accuracy is on the way from guessing to its own sender."""
        return way_to(self.own.accuracy, self.chance, accuracy)

    @property
    def way_translated(self) -> float | None:
        """How far the translated messages are on that way; None without a way."""
        return self.way(self.translated.accuracy) if self.understands_itself else None

    @property
    def best(self) -> Proportion:
        """The messages that are understood better: translated, or as they are sent."""
        return max(self.translated, self.untranslated, key=lambda part: part.accuracy)

    def to_dict(self) -> dict[str, Any]:
        """Return all accuracies with their intervals, for JSON."""
        figures = {name: getattr(self, name).to_dict() for name in _FIGURES}
        return {"way": self.way_translated, **figures}


_FIGURES = ("untranslated", "translated", "shuffled", "own", "to_itself")


def translation(one: Party, other: Party, num_episodes: int = 10_000, seed: int = 0) -> Study:
    """Let each receiver of two languages, A and B, choose by the translated messages of the other's sender.

    The verdict is by the direction that succeeds less: "the same concepts in other words", "partly the same
    concepts" or "other concepts" (from `MOSTLY` and `IN_PART` of the way on). In each direction, messages
    count as they are understood better: translated, or as they are sent. It is "cannot say" if a receiver
    hardly understands its own sender, or if the interval holds both the same and other concepts.
    Raises `ValueError` for languages of different games.
    """
    config = one.dictionary.config
    rng = np.random.default_rng(random_stream(seed, "translation"))
    episodes = draw_episodes(config, num_episodes, rng)
    there, back = (
        _direction(speaking, hearing, episodes, rng) for speaking, hearing in ((one, other), (other, one))
    )
    verdict, sentence = _verdict(there, back)
    table = Table.of(
        "From, to | Untranslated :.1% | Translated :.1% | 95% interval | Shuffled :.1% | Own sender :.1% | "
        "Translated to itself :.1% | Of the way :.0%",
        (
            (
                name,
                each.untranslated.accuracy,
                each.translated.accuracy,
                between(each.translated.interval, ".1%"),
                each.shuffled.accuracy,
                each.own.accuracy,
                each.to_itself.accuracy,
                each.way_translated,
            )
            for name, each in (("A to B", there), ("B to A", back))
        ),
    )
    results = {"verdict": verdict, "a_to_b": there.to_dict(), "b_to_a": back.to_dict()}
    summary = _summary(sentence, there, back, one, other)
    return Study(config, f"n{num_episodes}", seed, table, results, summary)


def bilingual(one: Dictionary, other: Dictionary, most: int | None = LISTED) -> Table:
    """Return the most frequent messages of A (None: all): what each says, how often, and it in B's words."""
    order = np.argsort(-one.episodes, kind="stable")[:most]
    messages, share = one.messages[order], one.episodes[order] / one.episodes.sum()
    translated = translate(messages, one, other)
    rows = zip(
        _in_words(one, messages),
        map(one.spelt, messages),
        share.tolist(),
        map(other.spelt, translated),
        _in_words(other, translated),
        strict=True,
    )
    return Table.of("A says | A's message | Share :.1% | B's message | B says", rows)


def _direction(speaking: Party, hearing: Party, episodes: Episodes, rng: np.random.Generator) -> Direction:
    """Let one language speak, and the other hear."""

    def sent_by(party: Party) -> np.ndarray:
        return ask_sender(party.sender, episodes.window, party.dictionary.config)

    sent, own = sent_by(speaking), sent_by(hearing)
    translated = translate(sent, speaking.dictionary, hearing.dictionary)
    messages = {
        "untranslated": sent,
        "translated": translated,
        "shuffled": rng.permutation(translated),
        "own": own,
        "to_itself": translate(own, hearing.dictionary, hearing.dictionary),
    }
    figures = {name: understood(hearing.receiver, each, episodes) for name, each in messages.items()}
    return Direction(**figures, chance=1 / episodes.candidates.shape[1])


def _verdict(there: Direction, back: Direction) -> tuple[str, str]:
    """Return what the direction that succeeds less says, and the same in a sentence."""
    ways = there, back
    cannot = "Cannot say whether they have the same concepts"
    if not all(each.understands_itself for each in ways):
        return CANNOT_SAY, f"{cannot}: one hardly understands itself."
    least = min(each.way(each.best.accuracy) for each in ways)
    low, high = (min(each.way(each.best.interval[end]) for each in ways) for end in (0, 1))
    if may_be_either(low, high):
        return CANNOT_SAY, f"{cannot}: too few episodes were played ({there.own.trials:,})."
    verdict, lowest, highest = (f"{_degree(way)} concepts" for way in (least, low, high))
    reach = "" if lowest == highest else f" By its interval, it may be anything from {lowest} to {highest}."
    if least >= MOSTLY:
        as_sent = min(each.way(each.untranslated.accuracy) for each in ways)
        verdict += f" in {'the same' if as_sent >= MOSTLY else 'other'} words"
    one, other = (each.way(each.best.accuracy) for each in ways)
    directions = ("A to B", "B to A") if one < other else ("B to A", "A to B")
    both = (
        ""
        if _degree(one) == _degree(other)
        else (
            f" This is the verdict from {directions[0]}; from {directions[1]}, they would have "
            f"{_degree(max(one, other))} concepts."
        )
    )
    return verdict, f"They have {verdict}.{both}{reach}"


def _degree(way: float) -> str:
    """Return how alike concepts are: `way` is how far translations are from guessing to the own sender."""
    return "other" if way < IN_PART else "partly the same" if way < MOSTLY else "the same"


def _summary(verdict: str, there: Direction, back: Direction, one: Party, other: Party) -> str:
    """Return the figures and the verdict in sentences, and which dictionaries replace agents."""
    sentence = (
        f"{verdict} A's messages lead B's receiver to the target in {there.untranslated.accuracy:.1%} of the "
        f"episodes as they are sent, and in {there.translated.accuracy:.1%} "
        f"({between(there.translated.interval, '.1%')}) once they are translated; B's messages lead A's "
        f"receiver there in {back.untranslated.accuracy:.1%} and in {back.translated.accuracy:.1%} "
        f"({between(back.translated.interval, '.1%')}). Guessing gives {there.chance:.1%}."
    )
    if there.understands_itself and back.understands_itself:
        ways = [way_text(each.way(each.translated.accuracy)) for each in (there, back)]
        sentence += (
            f" Translated, they are {ways[0]} and {ways[1]} of the way from "
            f"guessing to the messages of the receivers' own senders ({there.own.accuracy:.1%} and "
            f"{back.own.accuracy:.1%})."
        )
    missing = [name for name, party in (("A", one), ("B", other)) if party.agents is None]
    for name in missing:
        sentence += f" {name} has no agents here: its dictionary speaks and reads in their place."
    return sentence


def _in_words(dictionary: Dictionary, messages: np.ndarray) -> list[str]:
    words = interpreter(dictionary)
    return [reading.text(words.classes) for reading in words.read(messages)]
