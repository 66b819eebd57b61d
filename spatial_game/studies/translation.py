"""Does a receiver understand the sender of another language, once its messages are translated?

Translation needs nothing but both dictionaries and the message. Where it succeeds, both languages have the
same concepts, whatever their words are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes, draw_episodes
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Agents, Receiver, Sender
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.reading import Reader
from spatial_game.language.speaking import Speaker
from spatial_game.language.translating import translate
from spatial_game.studies.study import CANNOT_SAY, LEAST_SENT, Study, understood, way_to
from spatial_game.tables import Table, between

SAME, PARTLY = 2 / 3, 1 / 3
"""Parts of the way from guessing to B's own sender: from the first on, concepts are the same; below the
second, they are others."""
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
    guessing: float

    def way(self, part: Proportion) -> float | None:
        """Return how far an accuracy is on the way from guessing to its own sender; None without a way."""
        own = self.own.accuracy
        return way_to(own, self.guessing, part.accuracy) if own - self.guessing >= LEAST_SENT else None

    def to_dict(self) -> dict[str, Any]:
        """Return all accuracies with their intervals, for JSON."""
        figures = {name: getattr(self, name).to_dict() for name in _FIGURES}
        return {"way": self.way(self.translated), **figures}


_FIGURES = ("untranslated", "translated", "shuffled", "own", "to_itself")


def translation(one: Party, other: Party, num_episodes: int = 10_000, seed: int = 0) -> Study:
    """Let each receiver of two languages, A and B, choose by the translated messages of the other's sender.

    The verdict is by the direction that succeeds less: "the same concepts in other words", "partly the same
    concepts" or "other concepts" (see `SAME`); it is "cannot say" if a receiver hardly understands its own
    sender. Raises `ValueError` for languages of different games.
    """
    config = one.dictionary.config
    rng = np.random.default_rng(random_stream(seed, "translation"))
    episodes = draw_episodes(config, num_episodes, rng)
    there, back = (
        _direction(speaking, hearing, episodes, rng) for speaking, hearing in ((one, other), (other, one))
    )
    verdict = _verdict(there, back)
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
                each.way(each.translated),
            )
            for name, each in (("A to B", there), ("B to A", back))
        ),
    )
    results = {"verdict": verdict, "a_to_b": there.to_dict(), "b_to_a": back.to_dict()}
    summary = _summary(verdict, there, back, one, other)
    return Study(config, f"n{num_episodes}", seed, table, results, summary)


def bilingual(one: Dictionary, other: Dictionary) -> Table:
    """Return the most frequent messages of A: what each says, how often it is sent, and it in B's words."""
    order = np.argsort(-one.episodes, kind="stable")[:LISTED]
    messages, share = one.messages[order], one.episodes[order] / one.episodes.sum()
    translated = translate(messages, one, other)
    rows = zip(
        _in_words(one, messages),
        map(_spelt, messages),
        share.tolist(),
        map(_spelt, translated),
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
    return Direction(**figures, guessing=1 / episodes.candidates.shape[1])


def _verdict(there: Direction, back: Direction) -> str:
    """Return what the direction that succeeds less says."""
    ways = [each.way(each.translated) for each in (there, back)]
    known = [way for way in ways if way is not None]
    if len(known) < len(ways):
        return CANNOT_SAY
    if min(known) < PARTLY:
        return "other concepts"
    if min(known) < SAME:
        return "partly the same concepts"
    as_sent = [each.way(each.untranslated) or 0.0 for each in (there, back)]
    return f"the same concepts in {'the same' if min(as_sent) >= SAME else 'other'} words"


def _summary(verdict: str, there: Direction, back: Direction, one: Party, other: Party) -> str:
    """Return the figures and the verdict in sentences, and which dictionaries replace agents."""
    sentence = (
        f"B understands A in {there.untranslated.accuracy:.1%} untranslated and in "
        f"{there.translated.accuracy:.1%} translated ({between(there.translated.interval, '.1%')}); A "
        f"understands B in {back.untranslated.accuracy:.1%} and in {back.translated.accuracy:.1%} "
        f"({between(back.translated.interval, '.1%')}). Guessing gives {there.guessing:.1%}. "
    )
    said = {CANNOT_SAY: "Cannot say whether they have the same concepts: one hardly understands itself."}
    sentence += said.get(verdict, f"They have {verdict}.")
    missing = [name for name, party in (("A", one), ("B", other)) if party.agents is None]
    for name in missing:
        sentence += f" {name} has no agents here: its dictionary speaks and reads in their place."
    return sentence


def _in_words(dictionary: Dictionary, messages: np.ndarray) -> list[str]:
    words = interpreter(dictionary)
    return [reading.text(words.classes) for reading in words.read(messages)]


def _spelt(message: np.ndarray) -> str:
    return " ".join(map(str, message.tolist()))
