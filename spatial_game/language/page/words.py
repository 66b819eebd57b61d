"""The words of a language in both directions, and what whole messages mean by its dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.meaning import Meanings
from spatial_game.language.lexicon.wording import Words
from spatial_game.language.reading import AND, UNREAD, Statement, read_messages

MOST = 3_000
"""The number of most frequent messages that are read."""
WINDOWS = 3
"""Windows that are shown for each message."""
_MOST_HEARD = 200  # episodes of a message from which its share is counted

InNumbers = tuple[tuple[int, tuple[int, ...]], ...]
"""What may stand where: numbers of places (None for any cell), each with the numbers of its values."""


@dataclass(frozen=True)
class Reading:
    """An entry or a message, and what it means by the dictionary."""

    form: str
    says: tuple[tuple[str, InNumbers], ...]
    """The things that it says together, in words and by numbers; nothing if the dictionary does not say."""
    share: float | None
    """The share of its episodes in which this is true."""
    episodes: int
    windows: tuple[str, ...] = ()
    """Some of the windows for which a message was sent."""

    @property
    def meaning(self) -> str:
        """What it says, in a line."""
        return AND.join(words for words, _ in self.says) or UNREAD


@dataclass(frozen=True)
class MeaningInWords:
    """A meaning, and the forms that say it."""

    meaning: str
    forms: tuple[tuple[str, float], ...]
    """Each form with its share of the episodes in which one of them says this, the most usual first."""
    episodes: int


@dataclass(frozen=True)
class WordLists:
    """The listed entries of a dictionary, in both directions, those of most episodes first."""

    entries: tuple[Reading, ...]
    meanings: tuple[MeaningInWords, ...]
    homonyms: int
    """Entries with several senses."""
    synonyms: int
    """Meanings that several forms say."""
    classes: tuple[str, ...]
    """What the names of classes stand for, a line for each."""


def word_lists(lexicon: Lexicon) -> WordLists:
    """Return the listed entries of a lexicon in both directions."""
    words = Words(lexicon.listed, complete=True)
    entries: list[Reading] = []
    said: dict[Meanings, list[tuple[str, float]]] = {}
    for entry in lexicon.listed:
        form = entry.form.pattern(lexicon.config.message_length)
        says = (words.of_entry(entry), named_by(entry.meanings, lexicon.config))
        entries.append(Reading(form, (says,), entry.confidence, entry.episodes))
        for sense in entry.senses:
            said.setdefault(sense.meanings, []).append((form, sense.share * entry.episodes))
    meanings = [_meaning(words.of(sense), forms) for sense, forms in said.items()]
    return WordLists(
        tuple(sorted(entries, key=lambda entry: -entry.episodes)),
        tuple(sorted(meanings, key=lambda meaning: -meaning.episodes)),
        sum(len(entry.senses) > 1 for entry in lexicon.listed),
        sum(len(meaning.forms) > 1 for meaning in meanings),
        tuple(words.legend),
    )


def _meaning(words: str, forms: Sequence[tuple[str, float]]) -> MeaningInWords:
    total = sum(episodes for _, episodes in forms)
    ordered = sorted(forms, key=lambda each: -each[1])
    return MeaningInWords(words, tuple((form, n / max(total, 1)) for form, n in ordered), round(total))


def named_by(senses: Iterable[Meanings], config: GameConfig) -> InNumbers:
    """Return what senses say may stand where, meaning by meaning."""
    found = (meaning.numbers(config) for meanings in senses for meaning in meanings)
    return tuple((place, tuple(values)) for place, values in found if values)


def readings(counts: Counts, lexicon: Lexicon, ids: Numbers, window: IntArray) -> tuple[Reading, ...]:
    """Return the 3,000 most frequent messages with what they mean, the most frequent first.

    `ids` (B,) are the rows of the messages of some episodes, and `window` (B, W) their windows.
    """
    order = np.argsort(-counts.message_totals, kind="stable")[:MOST]
    by_message = np.argsort(ids, kind="stable")
    first, end = (np.searchsorted(ids[by_message], order, side) for side in ("left", "right"))
    found = []
    for i, stated in enumerate(read_messages(lexicon, counts.messages[order], complete=True)):
        sent = window[by_message[first[i] : min(end[i], first[i] + _MOST_HEARD)]]
        found.append(
            Reading(
                " ".join(map(str, counts.messages[order[i]].tolist())),
                tuple((each.words, named_by(each.senses, counts.config)) for each in stated),
                _true_share(stated, sent, counts.config),
                int(counts.message_totals[order[i]]),
                tuple(map(window_in_words, sent[:WINDOWS].tolist())),
            )
        )
    return tuple(found)


def _true_share(statements: Sequence[Statement], window: IntArray, config: GameConfig) -> float | None:
    """Return the share of windows (B, W) of which all statements are true; None without any."""
    if not statements or not len(window):
        return None
    return float(np.all([statement.true_of(window, config) for statement in statements], axis=0).mean())


def window_in_words(window: Sequence[int]) -> str:
    """Return a window as a person writes it: "?" is the target, "*" a hidden cell."""
    return " ".join({-1: "?", -2: "*"}.get(cell, str(cell)) for cell in window)
