"""The words of a language over time: when they appear, what they mean, how they drift, and when they die."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import carriers
from spatial_game.language.counting.rows import distinct_rows
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.words import Words

Bits = npt.NDArray[np.uint8]
"""One bit for each window."""
SAME_USE = 0.5
"""A word keeps its meaning while more than this share of the windows of two frames together are the same."""


@dataclass(frozen=True)
class Stay:
    """A meaning that a word has from one frame to another; the dictionary need not list it between them."""

    meaning: str
    """What the dictionary says in most of these frames; of several meanings, the last."""
    first: int
    last: int


@dataclass(frozen=True)
class Word:
    """A form that the dictionary of at least one frame lists."""

    form: str
    stays: tuple[Stay, ...]
    episodes: int
    """Episodes with the form, in all frames in which the dictionary lists it."""


class _Open:
    """A stay that may go on."""

    def __init__(self, frame: int, meaning: str, used: Bits) -> None:
        self.used, self.frames, self.meanings = used, [frame], [meaning]

    def is_same(self, meaning: str, used: Bits) -> bool:
        """Return whether this is the same meaning: in the same words, or used for the same windows."""
        shared, together = (
            int(np.bitwise_count(bits).sum()) for bits in (self.used & used, self.used | used)
        )
        return meaning in self.meanings or shared > SAME_USE * together

    def close(self) -> Stay:
        """Return the stay."""
        often = Counter(self.meanings)
        meaning = max(reversed(self.meanings), key=often.__getitem__)
        return Stay(meaning, self.frames[0], self.frames[-1])


def words(lexicons: Sequence[Lexicon], messages: IntArray) -> list[Word]:
    """Return the words of a sender over F frames, the most used first.

    `messages` (F, B, T): what it sends in each frame, for the same windows. `lexicons`: their dictionaries.
    """
    stays: dict[str, list[_Open]] = {}
    episodes = Counter[str]()
    for frame, (lexicon, message) in enumerate(zip(lexicons, messages, strict=True)):
        distinct, number = distinct_rows(message)
        having = carriers([entry.form for entry in lexicon.listed], distinct).toarray().astype(bool)
        for entry, has in zip(lexicon.listed, having, strict=True):
            form, meaning = entry.form.pattern(message.shape[1]), _meaning(entry)
            used = np.packbits(has[number])
            episodes[form] += int(np.bitwise_count(used).sum())
            of_form = stays.setdefault(form, [])
            if of_form and of_form[-1].is_same(meaning, used):
                of_form[-1].frames.append(frame)
                of_form[-1].meanings.append(meaning)
            else:
                of_form.append(_Open(frame, meaning, used))
    found = [Word(form, tuple(s.close() for s in of_form), episodes[form]) for form, of_form in stays.items()]
    return sorted(found, key=lambda word: -word.episodes)


def _meaning(entry: Entry) -> str:
    """Return the meaning of an entry in words; of more than two senses, only the first one."""
    (first, share), *others = entry.senses
    return f"{Words(()).of(first)} ({share:.0%}) or others" if len(others) > 1 else Words(()).of_entry(entry)


def story(word: Word, times: Sequence[str], unit: str) -> str:
    """Return what a word means, and when: "36 one left, steps 400 to 900; then 36 or 37 one left".

    `times`: the numbers of the frames. `unit`: "step" or "generation". A time that lasts from the first frame
    or to the last one is left open.
    """
    return "; then ".join(_told(stay, times, unit, first=i == 0) for i, stay in enumerate(word.stays))


def _told(stay: Stay, times: Sequence[str], unit: str, *, first: bool) -> str:
    since, until = stay.first > 0, stay.last < len(times) - 1
    begin, end = times[stay.first], times[stay.last]
    if since and until:
        when = f"{unit} {begin}" if stay.first == stay.last else f"{unit}s {begin} to {end}"
    elif until:
        when = f"until {unit} {end}"
    elif since:
        when = f"from {unit} {begin} on" if first else ""
    else:
        when = "always"
    return f"{stay.meaning}, {when}" if when else stay.meaning
