"""A language in three sentences: what it tells, how it is built, and whether its symbols combine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.language.counting.counts import HELD_OUT
from spatial_game.language.page.content import Page
from spatial_game.language.pictures.grid import window_lines
from spatial_game.language.pictures.maps import LEAST_TOLD
from spatial_game.language.wording import listed, number_text, variable_texts
from spatial_game.text import counted

TOLD_ALIKE = 0.8
"""Of three offsets or more, messages tell alike if they tell of each at least this part of what they tell of
another."""
MUCH = 0.5
"""What is told of most, and all of which at least this part of that is told, stands in the answer."""
FEW_HELD_OUT = 100
"""With fewer held-out episodes, a dictionary that finds nothing proves nothing."""
MOST_NAMED = 4
"""The most symbols after the first one, and the most variables, that a sentence names."""
NEAR_AN_END = "whether the target is near an end"
"""What the edge is."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


@dataclass(frozen=True)
class Answer:
    """A question about a language, its answer in a few words, and in a sentence with figures."""

    question: str
    answer: str
    sentence: str
    examples: tuple[tuple[str, str], ...] = ()
    """What an example shows, with its message, and the window that it is about, row by row."""


def summary(page: Page) -> list[Answer]:
    """Return what one wants to know of a language first."""
    return [
        Answer("What does it tell?", *_tells(page)),
        Answer("How is it built?", *_built(page)),
        Answer(
            "Do its symbols combine?", _verdict(page.combines), page.combines["sentence"], _examples(page)
        ),
    ]


def game_in_short(page: Page) -> str:
    """Return the game and the number of episodes in a line."""
    config = page.config
    where = "a row" if len(config.shape) == 1 else f"a grid of {' x '.join(map(str, config.shape))}"
    seen = f"{config.num_shown} of the" if config.num_hidden else "the"
    return (
        f"{config.num_integers} integers in {where}; the sender sees {seen} {config.window_size - 1} "
        f"around the target; messages of {counted(config.message_length, 'symbol')}, each one of "
        f"{config.vocab_size}; "
        f"{config.num_candidates} candidates; {counted(page.dictionary.total, 'episode')} with "
        f"{counted(len(page.sent), 'different message')}"
    )


def _verdict(combines: Mapping[str, Any]) -> str:
    """Return a verdict in a few words: "They combine in part, perhaps mostly"."""
    if combines["verdict"] == "cannot say":
        return "Cannot say"
    degree = combines.get("degree")
    perhaps = "".join(f", perhaps {each}" for each in combines.get("perhaps", ()))
    return f"They {combines['verdict']}{f' {degree}' if degree in ('fully', 'mostly') else ''}{perhaps}"


def never_sent_text(combines: Mapping[str, Any], guessing: float) -> str:
    """Return how well the receiver understood messages that were never sent, or why that is not known."""
    if not (asked := combines.get("asked", {}).get(combines.get("composer"))):
        return str(combines["sentence"])
    return (
        f"This receiver understood {asked['accuracy']:.1%} of messages that were never sent "
        f"(guessing: {guessing:.1%})."
    )


def _examples(page: Page) -> tuple[tuple[str, str], ...]:
    """Return a never-sent message that the receiver understands, and one that it does not.

    If symbols hardly combine, one that is understood shows luck: it is left out.
    """
    names = {"right": "understood", "wrong": "not understood"}
    shown = [name for name in names if name == "wrong" or page.combines.get("degree") != "hardly"]
    return tuple(
        (
            f"Never sent, and {names[choice]}: {page.dictionary.spelt(message)}, for",
            "\n".join(window_lines(page.config, window)),
        )
        for choice, (message, window) in page.combines.get("examples", {}).items()
        if choice in shown
    )


def warnings(page: Page) -> Iterator[str]:
    """Yield what keeps the page from being trusted."""
    bits = page.dictionary.bits
    if bits.of_another_game:
        yield (
            "The data are of another game: the dictionary explains more than messages carry, so the windows "
            "are not distributed as the game draws them, and these figures do not hold."
        )
    if page.says_nothing and bits.episodes < FEW_HELD_OUT:
        yield (
            f"A page of {counted(page.dictionary.total, 'episode')} cannot show that messages say nothing: "
            f"take at least {HELD_OUT * FEW_HELD_OUT:,}."
        )
    if page.too_few and not page.says_nothing:
        yield bits.too_few_text(page.fitted_bits)


def told(page: Page) -> list[tuple[int, float, float]]:
    """Return the variables of which messages tell, what they tell and the most possible: what is told most of
    first."""
    bits = page.dictionary.bits
    pairs = zip(bits.messages_by_variable, bits.possible_by_variable, strict=True)
    found = [(variable, min(each, most), most) for variable, (each, most) in enumerate(pairs)]
    return sorted((each for each in found if each[1] >= LEAST_TOLD), key=lambda each: -each[1])


def _tells(page: Page) -> tuple[str, str]:
    if page.says_nothing:
        return "Nothing that was found", (
            "The dictionary finds nothing: no message says anything about any one offset that could be "
            "measured. It does not find what messages say of several offsets together, such as a sum."
            f"{_receiver(page)}"
        )
    groups = _groups(page)
    return _told_in_short(groups, len(page.config.offsets)), _told_in_bits(page, groups)


def _told_in_short(groups: Sequence[_Group], view: int) -> str:
    """Return what messages tell most of, without figures. `view` is the number of the view."""
    much = [group for group in groups if group.bits >= MUCH * groups[0].bits]
    less = groups[len(much) :]
    if much and much[-1].bits >= TOLD_ALIKE * much[0].bits:
        much.sort(key=lambda group: group.first)
    names = [group.name for group in much]
    if much and not much[0].offsets_alike and all(group.first < view for group in much):
        names[0] = f"the integer{'s' if len(names) > 1 else ''} {names[0]}"
    if len(names) > MOST_NAMED:
        named, others = much[: MOST_NAMED - 1], much[MOST_NAMED - 1 :]
        names[MOST_NAMED - 1 :] = [_others(others, [*named, *less], view)]
    elif much and sum(group.bits for group in less) >= MUCH * much[0].bits:
        names.append(f"a little of {_others(less, much, view)}")
    return capital(listed(names, " and ")) or "A little of everything"


def _told_in_bits(page: Page, groups: Sequence[_Group]) -> str:
    """Return what messages tell, and of what, with figures."""
    bits, config = page.dictionary.bits, page.config
    about = (
        f": {listed(_parts(page, groups), ' and ')}" if groups else ", but little about each single offset"
    )
    rest = ""
    if page.leaves_much:
        some = "about " if bits.has_few else ""
        rest = f" Messages carry {some}{bits.entropy:.1f} bits; the dictionary does not explain the rest."
    naming = (
        f"To name one of {config.num_integers} integers takes {np.log2(config.num_integers):.1f} bits in "
        "each episode in which the sender sees it."
    )
    total = min(bits.messages, bits.entropy)
    return f"A message tells {total:.1f} bits of what the sender sees{about}.{rest} {naming}{_receiver(page)}"


def _parts(page: Page, groups: Sequence[_Group]) -> list[str]:
    """Return a phrase for each group, and one for all that are not named."""
    view = len(page.config.offsets)
    first_offset = next((group for group in groups if group.first < view), None)
    parts = [
        group.phrase(is_first=group is groups[0], is_first_offset=group is first_offset) for group in groups
    ]
    if len(parts) > MOST_NAMED + 1:
        others = sum(group.bits for group in groups[MOST_NAMED:])
        parts[MOST_NAMED:] = [f"{others:.1f} about {number_text(len(parts) - MOST_NAMED)} others"]
    elif len(told(page)) < view:
        parts.append("next to nothing about others")
    return parts


def _receiver(page: Page) -> str:
    """Return how often the receiver finds the target, and what it ignores, if it was asked."""
    said = ""
    if own := page.combines.get("own"):
        found = f"{own['accuracy']:.1%} of the episodes (guessing: {1 / page.config.num_candidates:.1%})"
        said = f" The receiver finds the target in {found}."
    ignores = page.combines.get("ignores")
    return f"{said} {ignores}" if ignores else said


@dataclass(frozen=True)
class _Group:
    """What messages tell of a variable, or of all offsets together if they are told alike."""

    first: int
    """The number of the variable, or of the first of the offsets."""
    what: str
    """The variable in words, or the number of the offsets."""
    bits: float
    """What is told, of all of them together."""
    of_each: str
    """The same of each of them, such as "1.9" or "1.8 to 1.9"."""
    most: str
    """The most that can be told of each of them."""
    offsets_alike: bool = False
    gloss: str = ""
    """What the variable is, in brackets."""

    @property
    def name(self) -> str:
        """The group without figures."""
        return f"{self.what} alike" if self.offsets_alike else self.what

    def phrase(self, *, is_first: bool, is_first_offset: bool) -> str:
        """Return the group with figures. The first ones of a sentence say of what kind they are."""
        if self.offsets_alike:
            of_most = "all that is" if self.of_each == self.most else f"of {self.most}"
            return f"{self.of_each} about each of {self.what} ({of_most} possible)"
        possible, integer = " possible" * is_first, "the integer " * is_first_offset
        return f"{self.of_each} of {self.most}{possible} about {integer}{self.what}{self.gloss}"


def _groups(page: Page) -> list[_Group]:
    """Return what messages tell of, that of which most is told first."""
    names, view, found = variable_texts(page.config), len(page.config.offsets), told(page)
    edge = "" if page.config.num_hidden else f" ({NEAR_AN_END})"
    offsets = [each for each in found if each[0] < view]
    alike = len(offsets) > 2 and offsets[-1][1] >= TOLD_ALIKE * offsets[0][1]
    groups = [
        _Group(variable, names[variable], bits, f"{bits:.1f}", f"{most:.1f}", gloss=edge * (variable == view))
        for variable, bits, most in found
        if variable == view or not alike
    ]
    if alike:
        number, total = number_text(len(offsets)), sum(bits for _, bits, _ in offsets)
        of_each, most = (_range([each[i] for each in offsets]) for i in (1, 2))
        groups.append(_Group(min(offsets)[0], f"{number} offsets", total, of_each, most, offsets_alike=True))
    return sorted(groups, key=lambda group: -group.bits)


def _others(groups: Sequence[_Group], named: Sequence[_Group], view: int) -> str:
    """Return the number of groups: "two other offsets", or "eight offsets" if all that is named is the view.

    `named` are the other groups.
    """
    if any(group.first == view for group in groups):
        return f"{number_text(len(groups))} others"
    other = any(group.first < view for group in named)
    return f"{number_text(len(groups))} {'other offsets' if other else 'offsets'}"


def _built(page: Page) -> tuple[str, str]:
    prefixes = page.prefixes
    first, *later = prefixes.added
    if page.says_nothing:
        return "Cannot say", "Cannot say: nothing was found that messages tell."
    if not later:
        return "One symbol", f"Each message is one symbol, which tells {first:.1f} bits."
    found = f"{_in_turn(first, later)}. {_alone(prefixes.alone[1:])}"
    if page.place:
        slot, share = page.place
        what = sum(page.dictionary.bits.slots_by_variable[slot][:-1])
        also = f", and {what:.1f} bits of what stands there" if what >= LEAST_TOLD else ""
        return "Where and what", (
            f"Slot {slot + 1} says where: it alone tells {share:.0%} of which cell a message speaks "
            f"of{also}. The others say what stands there. Read in turn, {found}"
        )
    if prefixes.built == "address":
        return "An address", (
            f"Like an address, a later symbol says what is within the part that the first one names: {found} "
            "So one needs the symbols before to read the later ones."
        )
    if prefixes.built == "whole":
        return "Whole messages", f"Its symbols tell most together: {found}"
    repeats = sum(prefixes.alone) > sum(prefixes.added) + 0.5
    repeated = " They repeat part of each other." if repeats else ""
    return f"Each symbol tells a part{', some of it twice' if repeats else ''}", (
        f"Symbol by symbol: {found}{repeated} So later symbols say much the same after any first one. "
        "It does not follow that the receiver understands new messages which are made of them."
    )


def _in_turn(first: float, later: Sequence[float]) -> str:
    """Return what symbols tell in turn: "the first tells 3.5 bits and the second 2.9 more"."""
    names = ORDINALS[1 : len(later) + 1]
    if len(later) > MOST_NAMED:
        names, later = ("others",), [sum(later)]
    more = [f"the {name} {bits:.1f} more" for name, bits in zip(names, later, strict=True)]
    return listed([f"the first symbol tells {first:.1f} bits", *more], " and ")


def _alone(later: Sequence[float]) -> str:
    """Return what later symbols tell without the others: "the second tells 3.0 bits and the third 1.8"."""
    if len(later) > MOST_NAMED:
        return f"Without the others, each later symbol tells {_range(later)} bits."
    first, *rest = later
    more = [f"the {name} {bits:.1f}" for name, bits in zip(ORDINALS[2:], rest, strict=False)]
    return f"Without the others, {listed([f'the second tells {first:.1f} bits', *more], ' and ')}."


def _range(values: Sequence[float]) -> str:
    ends = dict.fromkeys(f"{each:.1f}" for each in (min(values), max(values)))
    return " to ".join(ends)


def capital(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]
