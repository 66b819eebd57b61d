"""The words of a language in both directions, and what whole messages mean by its dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.wording import Words, all_in_words
from spatial_game.language.meaning import Meanings
from spatial_game.language.reading import AND, UNREAD, Statement, read_messages

MOST = 3_000
"""The number of most frequent messages that are read."""
WINDOWS = 3
"""Windows that are shown for each message."""
_ALIKE = 2  # integers in which a class differs from another that it is told by
_MOST_HEARD = 200  # episodes of a message from which its share is counted

Named = tuple[tuple[int | None, tuple[int, ...]], ...]
"""What may stand where: numbers of places (None for any cell), each with the numbers of its values."""


@dataclass(frozen=True)
class Reading:
    """A message or a part of one, and what it means by the dictionary."""

    form: str
    says: tuple[tuple[str, Named], ...]
    """The things that it says together, in words and by numbers; nothing if the dictionary does not say.

    Of a form with several entries, one text has all their meanings, each with its share."""
    share: float | None
    """The share of its episodes in which this is true; of several entries, that of the most certain one."""
    episodes: int
    windows: tuple[str, ...] = ()
    """Some of the windows for which a whole message was sent."""

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

    entries: int
    forms: tuple[Reading, ...]
    meanings: tuple[MeaningInWords, ...]
    homonyms: int
    """Forms with several senses."""
    synonyms: int
    """Meanings that several forms say."""
    classes: tuple[str, ...]
    """What the names of classes stand for, a line for each."""


def word_lists(lexicon: Lexicon) -> WordLists:
    """Return the listed entries of a lexicon in both directions."""
    words, length = Words(lexicon.listed, complete=True), lexicon.config.message_length
    by_form: dict[str, list[Entry]] = {}
    said: dict[Meanings, list[tuple[str, float]]] = {}
    for entry in lexicon.listed:
        pattern = entry.form.pattern(length)
        by_form.setdefault(pattern, []).append(entry)
        for sense in entry.senses:
            said.setdefault(sense.meanings, []).append((pattern, sense.share * entry.episodes))
    forms = [_form(pattern, entries, words, lexicon.config) for pattern, entries in by_form.items()]
    meanings = [_meaning(words.of(sense), pairs) for sense, pairs in said.items()]
    return WordLists(
        len(lexicon.listed),
        tuple(sorted(forms, key=lambda form: -form.episodes)),
        tuple(sorted(meanings, key=lambda meaning: -meaning.episodes)),
        sum(any(len(entry.senses) > 1 for entry in entries) for entries in by_form.values()),
        sum(len(meaning.forms) > 1 for meaning in meanings),
        _classes(words),
    )


def _classes(words: Words) -> tuple[str, ...]:
    """Return the members of each class, or how it differs from an earlier one by one or two integers."""
    lines, earlier = [], dict[frozenset[int], str]()
    for values, name in words.classes.items():
        members = frozenset(values)
        like = next((other for other in earlier if len(members ^ other) <= _ALIKE), None)
        if like is None:
            earlier[members] = name
            lines.append(f"{name}: {all_in_words(values)}")
        else:
            parts = {"with": members - like, "without": like - members}
            differs = (f"{which} {' and '.join(map(str, sorted(n)))}" for which, n in parts.items() if n)
            lines.append(f"{name}: {earlier[like]} {' and '.join(differs)}")
    return tuple(lines)


def _form(pattern: str, entries: Sequence[Entry], words: Words, config: GameConfig) -> Reading:
    """Return a form with the meanings of all of its entries, the most certain first."""
    ordered = sorted(entries, key=lambda entry: -entry.confidence)
    meanings = [words.of_entry(entry) for entry in ordered]
    if len(entries) > 1:
        meanings = [
            meaning if len(entry.senses) > 1 else f"{meaning} ({entry.confidence:.0%})"
            for entry, meaning in zip(ordered, meanings, strict=True)
        ]
    named = tuple(each for entry in ordered for each in named_by(entry.meanings, config))
    says = (("; ".join(meanings), named),)
    return Reading(pattern, says, ordered[0].confidence, max(entry.episodes for entry in entries))


def _meaning(words: str, forms: Sequence[tuple[str, float]]) -> MeaningInWords:
    total = sum(episodes for _, episodes in forms)
    ordered = sorted(forms, key=lambda each: -each[1])
    return MeaningInWords(words, tuple((form, n / max(total, 1)) for form, n in ordered), round(total))


def named_by(senses: Iterable[Meanings], config: GameConfig) -> Named:
    """Return what senses say may stand where, meaning by meaning."""
    found = (meaning.numbers(config) for meanings in senses for meaning in meanings)
    return tuple((each[0], tuple(each[1])) for each in found if each is not None and each[1])


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
