"""Two languages, A and B, in words: who understands whom, and the list of messages of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.language.comparison import LISTED, in_words
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.translating import translate
from spatial_game.studies.sides import Direction
from spatial_game.tables import Table
from spatial_game.text import between

KEY = (
    "Untranslated: the receiver hears the messages of the other language as they are sent. Translated: it "
    "hears the message of its own language that fits best what the other's dictionary says. Shuffled: "
    "translations, each sent in another episode (a control). Own sender: messages of the receiver's partner. "
    "Translated to itself: these, translated by its own dictionary, which shows what dictionaries lose. "
    "Scaled: where translations are between guessing, 0%, and the own sender, 100%."
)
"""What the columns of the table are."""


def table(there: Direction, back: Direction) -> Table:
    """Return who understands whom, from A to B and back."""
    rows = (
        (
            name,
            each.untranslated.accuracy,
            each.translated.accuracy,
            between(each.translated.interval, ".1%"),
            each.shuffled.accuracy,
            each.own.accuracy,
            each.to_itself.accuracy,
            each.scaled,
        )
        for name, each in (("A to B", there), ("B to A", back))
    )
    heading = (
        "From, to | Untranslated :.1% | Translated :.1% | 95% interval | Shuffled :.1% | Own sender :.1%"
    )
    return Table.of(f"{heading} | Translated to itself :.1% | Scaled :.0%", rows)


def sentences(there: Direction, back: Direction, without_agents: Sequence[str]) -> str:
    """Return the verdict of each direction, the better one first, and its figures."""
    figures = (
        f"A's messages lead B's receiver to the target in {there.untranslated.accuracy:.1%} of the episodes "
        f"as they are sent, and in {there.translated.accuracy:.1%} "
        f"({between(there.translated.interval, '.1%')}) once they are translated; B's messages lead A's "
        f"receiver there in {back.untranslated.accuracy:.1%} and in {back.translated.accuracy:.1%} "
        f"({between(back.translated.interval, '.1%')}). Guessing gives {there.chance:.1%}."
    )
    found = [_verdict(there, back), figures]
    if there.understands_itself and back.understands_itself:
        scaled = [each.scale.text(each.translated.accuracy) for each in (there, back)]
        found.append(
            f"Translated, they are {scaled[0]} and {scaled[1]} of the way from guessing to the messages of "
            f"the receivers' own senders ({there.own.accuracy:.1%} and {back.own.accuracy:.1%})."
        )
    found += [
        f"{name} has no agents here: its dictionary speaks and reads for them." for name in without_agents
    ]
    return " ".join(found)


def _verdict(there: Direction, back: Direction) -> str:
    """Return in a sentence which concepts both languages have."""
    cannot = "Cannot say whether they have the same concepts"
    if not (there.understands_itself and back.understands_itself):
        return f"{cannot}: one hardly understands itself."
    if there.may_be_either and back.may_be_either:
        return f"{cannot}: too few episodes were played ({there.own.trials:,})."
    if there.verdict == back.verdict:
        return f"They have {_concepts(there)}."
    named = sorted((("A to B", there), ("B to A", back)), key=lambda each: -each[1].best.accuracy)
    (one, better), (other, worse) = named
    return f"From {one}, they have {_concepts(better)}; from {other}, {_concepts(worse)}."


def _concepts(direction: Direction) -> str:
    """Return the verdict of a direction, with what else its interval includes."""
    ends = dict.fromkeys(direction.concepts_of_interval)
    if direction.may_be_either:
        return f"anything from {' to '.join(ends)}"
    others = [each for each in ends if not direction.verdict.startswith(each)]
    return direction.verdict + "".join(f" (perhaps {each})" for each in others)


def bilingual(one: Dictionary, other: Dictionary, most: int | None = LISTED) -> Table:
    """Return the most frequent messages of A (None: all): what each says, how often, and it in B's words."""
    order = np.argsort(-one.episodes, kind="stable")[:most]
    messages, share = one.messages[order], one.episodes[order] / one.episodes.sum()
    translated = translate(messages, one, other)
    rows = zip(
        in_words(one, messages),
        map(one.spelt, messages),
        share.tolist(),
        map(other.spelt, translated),
        in_words(other, translated),
        strict=True,
    )
    return Table.of("A says | A's message | Share :.1% | B's message | B says", rows)
