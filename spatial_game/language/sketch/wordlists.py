"""The words of a language, from message to meaning and from meaning to message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import Sense
from spatial_game.language.dictionary.words import Words


@dataclass(frozen=True)
class Form:
    """A message or a part of one, and what it means."""

    form: str
    meaning: str
    share: float
    """Share of its episodes in which the meaning holds."""
    episodes: int
    """Episodes with the form."""


@dataclass(frozen=True)
class Meaning:
    """A meaning, and the forms that say it."""

    meaning: str
    forms: tuple[tuple[str, float], ...]
    """Each form with its share of the episodes in which one of them says this, the most usual first."""
    episodes: int


@dataclass(frozen=True)
class WordLists:
    """The listed entries of a dictionary, in both directions, those of most episodes first."""

    forms: tuple[Form, ...]
    meanings: tuple[Meaning, ...]
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
    forms, said = [], dict[Sense, list[tuple[str, float]]]()
    for entry in lexicon.listed:
        pattern = entry.form.pattern(length)
        total = round(entry.count / entry.confidence) if entry.confidence else 0
        forms.append(Form(pattern, words.of_entry(entry), entry.confidence, total))
        for sense, share in entry.senses:
            said.setdefault(sense, []).append((pattern, share * total))
    meanings = [_meaning(words.of(sense), pairs) for sense, pairs in said.items()]
    return WordLists(
        tuple(sorted(forms, key=lambda form: -form.episodes)),
        tuple(sorted(meanings, key=lambda meaning: -meaning.episodes)),
        sum(len(entry.senses) > 1 for entry in lexicon.listed),
        tuple(words.legend),
    )


def _meaning(words: str, forms: Sequence[tuple[str, float]]) -> Meaning:
    total = sum(episodes for _, episodes in forms)
    ordered = sorted(forms, key=lambda each: -each[1])
    return Meaning(words, tuple((form, n / max(total, 1)) for form, n in ordered), round(total))
