"""Two languages, A and B, in words: who understands whom, and the list of messages of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import UNKNOWN, FloatArray
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.translating import translate
from spatial_game.studies.sides import Direction
from spatial_game.tables import Table
from spatial_game.text import between, counted

LISTED = 20
"""Messages of the lists."""

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
        _in_words(one, messages),
        map(one.spelt, messages),
        share.tolist(),
        map(other.spelt, translated),
        _in_words(other, translated),
        strict=True,
    )
    return Table.of("A says | A's message | Share :.1% | B's message | B says", rows)


def changes(one: Dictionary, other: Dictionary, most: int | None = LISTED) -> Table:
    """Return the messages of A and B (None: all) whose shares differ most, if both have the same words.

    A message is kept if both dictionaries have it, lost if A's alone has it, and added if B's alone has it.
    """
    messages = np.unique(np.concatenate([one.messages, other.messages]), axis=0)
    shares = np.array([_shares(each, messages) for each in (one, other)])
    order = np.lexsort((-shares.max(axis=0), -np.abs(shares[0] - shares[1])))[:most]
    kept, share = messages[order], shares[:, order].T.tolist()
    status = ["added" if not a else "kept" if b else "lost" for a, b in share]
    says = zip(_in_words(one, kept), _in_words(other, kept), strict=True)
    rows = (
        (one.spelt(message), now, a, b, a_says if a else None, b_says if b else None)
        for message, now, (a, b), (a_says, b_says) in zip(kept, status, share, says, strict=True)
    )
    return Table.of("Message | In B, it is | Share in A :.1% | Share in B :.1% | A says | B says", rows)


def changes_text(one: Dictionary, other: Dictionary) -> str:
    """Return how many messages are kept, lost and added, and how often these are sent."""
    of_a, in_b = (_shares(each, one.messages) for each in (one, other))
    of_b, in_a = (_shares(each, other.messages) for each in (other, one))
    lost, added = in_b == 0, in_a == 0
    return (
        f"Both have the same words. Of A's {counted(len(lost), 'message')}, B keeps {np.sum(~lost):,}; "
        f"{np.sum(lost):,} are lost ({of_a[lost].sum():.1%} of A's episodes). {np.sum(added):,} are added "
        f"({of_b[added].sum():.1%} of B's episodes)."
    )


def _shares(dictionary: Dictionary, messages: IntArray) -> FloatArray:
    """Return the shares (B,) of messages (B, T) in the episodes of a dictionary; 0 if it has not got them."""
    rows, share = dictionary.rows(messages), dictionary.episodes / dictionary.episodes.sum()
    return np.where(rows == UNKNOWN, 0.0, share[rows])


def _in_words(dictionary: Dictionary, messages: IntArray) -> list[str]:
    words = interpreter(dictionary)
    return [reading_text(reading, words.classes) for reading in words.read(messages)]
