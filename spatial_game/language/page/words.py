"""The words of a language, from message to meaning and from meaning to message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spatial_game.config import GameConfig
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.words import Words
from spatial_game.language.meaning import Meanings
from spatial_game.language.page.search import Named, named_by


@dataclass(frozen=True)
class FormInWords:
    """A message or a part of one, and what it means."""

    form: str
    meaning: str
    """The meanings of several entries stand one after another, each with its share."""
    share: float
    """Share of its episodes in which the meaning holds, or the most certain one of several entries."""
    episodes: int
    """Episodes with the form."""
    named: Named
    """What the meanings say may stand where."""


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
    forms: tuple[FormInWords, ...]
    meanings: tuple[MeaningInWords, ...]
    homonyms: int
    """Forms with several senses."""
    classes: tuple[str, ...]
    """What the names of classes stand for, a line for each."""

    @property
    def synonyms(self) -> int:
        """The number of meanings that several forms say."""
        return sum(len(each.forms) > 1 for each in self.meanings)


def word_lists(lexicon: Lexicon) -> WordLists:
    """Return the listed entries of a lexicon in both directions."""
    words, length = Words(lexicon.listed, complete=True), lexicon.config.message_length
    by_form: dict[str, list[Entry]] = {}
    said: dict[Meanings, list[tuple[str, float]]] = {}
    for entry in lexicon.listed:
        pattern = entry.form.pattern(length)
        by_form.setdefault(pattern, []).append(entry)
        for sense in entry.senses:
            said.setdefault(sense.meanings, []).append((pattern, sense.share * _episodes(entry)))
    forms = [_form(pattern, entries, words, lexicon.config) for pattern, entries in by_form.items()]
    meanings = [_meaning(words.of(sense), pairs) for sense, pairs in said.items()]
    return WordLists(
        len(lexicon.listed),
        tuple(sorted(forms, key=lambda form: -form.episodes)),
        tuple(sorted(meanings, key=lambda meaning: -meaning.episodes)),
        sum(any(len(entry.senses) > 1 for entry in entries) for entries in by_form.values()),
        tuple(words.legend),
    )


def _episodes(entry: Entry) -> int:
    """Return the number of episodes with the form of an entry."""
    return round(entry.count / entry.confidence) if entry.confidence else 0


def _form(pattern: str, entries: Sequence[Entry], words: Words, config: GameConfig) -> FormInWords:
    """Return a form with the meanings of all of its entries, the most certain first."""
    ordered = sorted(entries, key=lambda entry: -entry.confidence)
    meanings = [words.of_entry(entry) for entry in ordered]
    if len(entries) > 1:
        meanings = [
            meaning if len(entry.senses) > 1 else f"{meaning} ({entry.confidence:.0%})"
            for entry, meaning in zip(ordered, meanings, strict=True)
        ]
    named = tuple(each for entry in ordered for each in named_by(entry.meanings, config))
    return FormInWords(
        pattern, "; ".join(meanings), ordered[0].confidence, max(map(_episodes, entries)), named
    )


def _meaning(words: str, forms: Sequence[tuple[str, float]]) -> MeaningInWords:
    total = sum(episodes for _, episodes in forms)
    ordered = sorted(forms, key=lambda each: -each[1])
    return MeaningInWords(words, tuple((form, n / max(total, 1)) for form, n in ordered), round(total))
