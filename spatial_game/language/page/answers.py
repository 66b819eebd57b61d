"""What a language tells, how it is built, and whether its symbols combine: three short answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.language.counting.counts import HELD_OUT
from spatial_game.language.dictionary.doubts import TOO_FEW
from spatial_game.language.page.content import Page
from spatial_game.language.pictures.grid import window_lines
from spatial_game.language.wording import end_text, listed, number_text, offset_text, symbols_text
from spatial_game.tables import Table
from spatial_game.text import counted

MOSTLY_FOUND = 2 / 3
"""With a smaller share of the bits, a dictionary says what it finds beside what messages carry.

In 40,000 episodes of 34 bundled pairs, this is so of `grid-8x8` and `local-60` alone."""
MUCH = 0.5
"""Variables of which messages tell at least this part of what they tell of the best one are in the answer."""
MOST_NAMED = 3
"""The most offsets that are named; more are counted."""
FEW_HELD_OUT = 100
"""With fewer held-out episodes, a dictionary that finds nothing proves nothing."""
BUILT = {
    "one symbol": ("One symbol", "Each message is one symbol."),
    "where and what": ("Where and what", "One slot says where, and the others what stands there."),
    "address": (
        "An address",
        "The first symbol names a part of what may be seen, and each later one a part of that part, as a "
        "street is in a town.",
    ),
    "whole": ("Whole messages", "Its symbols tell most together, and little by themselves."),
    "symbol by symbol": (
        "Each symbol tells a part",
        "It does not follow that the receiver understands new messages which are made of them.",
    ),
}
"""The answer, and a sentence about it, by how messages are built."""


@dataclass(frozen=True)
class Answer:
    """A question about a language, its answer in a few words, and in a sentence or two."""

    question: str
    answer: str
    sentence: str
    examples: tuple[tuple[str, str], ...] = ()
    """What an example shows, with its message, and the window that it is about, row by row."""


def answers(page: Page) -> list[Answer]:
    """Return what one wants to know of a language first."""
    combine = _verdict(page.combines), f"{page.combines['grounds']}{_receiver(page)}", _examples(page)
    return [
        Answer("What does it tell?", *_tells(page)),
        Answer("How is it built?", *_built(page)),
        Answer("Do its symbols combine?", *combine),
    ]


def rules(page: Page) -> str:
    """Return the rules of the game, and the number of episodes."""
    config = page.config
    where, side = f"A sequence has {config.sequence_length}", "on each side"
    if len(config.shape) > 1:
        where, side = f"A grid has {' x '.join(map(str, config.shape))}", "in each direction"
    sees = f"the integers around one of them, the target ({config.window_radius} {side})"
    if config.num_hidden:
        sees = f"{config.num_visible} of {sees}"
    return (
        f"{where} different integers from 0 to {config.num_integers - 1}. The sender sees {sees}, but not "
        f"the target itself, and sends a message of {counted(config.message_length, 'symbol')} from "
        f"{symbols_text(page.dictionary.symbol_names)}. The receiver sees all integers and the message, "
        f"and chooses the target among {config.num_candidates} candidates. This page counts "
        f"{counted(page.dictionary.total, 'episode')} with {counted(len(page.sent), 'different message')}."
    )


def variable_names(page: Page) -> list[str]:
    """Return the variables of a page in words: the offsets, then whether the target is near an end."""
    near = f"whether the target is near {end_text(page.config)}"
    view = "which cells are seen" if page.config.num_hidden else near
    return [*map(offset_text, page.config.offsets), view]


def table_of_variables(page: Page) -> Table:
    """Return what messages tell of each variable, in bits, and the most possible."""
    names = variable_names(page)
    return Table.of(
        "About | Told :.1f | Possible :.1f", ((names[i], bits, most) for i, bits, most in page.bits_told)
    )


def table_of_slots(page: Page) -> Table:
    """Return what the symbols of each slot tell, in bits: by themselves, and after those before them."""
    steps = page.prefixes.added
    rows = ((slot + 1, page.prefixes.alone[slot], step) for slot, step in enumerate(steps))
    return Table.of("Slot | By itself :.1f | After those before :.1f", rows)


def _tells(page: Page) -> tuple[str, str]:
    bits, config = page.dictionary.bits, page.config
    if page.says_nothing:
        return "Nothing that was found", (
            "The dictionary finds nothing: no message says anything about any one offset that could be "
            "measured. It does not find what messages say of several offsets together, such as a sum."
        )
    most, explained = _most_told(page), bits.messages
    if explained < MOSTLY_FOUND * bits.entropy:
        most = f"Of {bits.entropy:.1f} bits, {explained:.1f} were found: {most[:1].lower()}{most[1:]}"
    return most, (
        f"Messages carry {bits.entropy:.1f} bits, and the dictionary explains {explained:.1f} of them, in "
        f"episodes that it was not built from.{_missing(page)} One bit halves what is possible: to name one "
        f"of {config.num_integers} integers takes {np.log2(config.num_integers):.1f}."
    )


def _missing(page: Page) -> str:
    """Return what the bits may be about that a dictionary does not explain, if there are many of them."""
    bits, ways = page.dictionary.bits, "in ways that are not listed, such as several integers at once"
    if bits.messages >= MOSTLY_FOUND * bits.entropy:
        return ""
    rest = f"the other {bits.entropy - bits.messages:.1f}"
    if page.combines.get("says_the_same"):
        return (
            f" The sender sends the same message whenever it sees the same window. So {rest} are not random: "
            f"they are about the window, too, {ways}."
        )
    return f" {capital(rest)} may be random, or about the window, too, {ways}."


def _most_told(page: Page) -> str:
    """Return what messages tell most of, from left to right, without figures."""
    names, view = variable_names(page), len(page.config.offsets)
    much = sorted(variable for variable, bits, _ in page.bits_told if bits >= MUCH * page.bits_told[0][1])
    offsets = [names[variable] for variable in much if variable < view]
    found = [f"the integer{'s' if len(offsets) > 1 else ''} {listed(offsets, ' and ')}"] if offsets else []
    if len(offsets) > MOST_NAMED:
        found = [f"the integers at {number_text(len(offsets))} offsets"]
    found += [names[view]] if view in much else []
    if less := sum(variable < view and variable not in much for variable, *_ in page.bits_told):
        others = f"{'other ' if offsets else ''}offset{'s' if less > 1 else ''}"
        found.append(f"less of {number_text(less)} {others}")
    return capital(listed(found, ", and ")) or "A little of everything"


def _built(page: Page) -> tuple[str, str]:
    if page.says_nothing:
        return "Cannot say", "Nothing was found that messages tell."
    answer, sentence = BUILT[page.built]
    if page.offset_slot and page.built == "where and what":
        slot, share = page.offset_slot
        sentence += f" Slot {slot + 1} tells {share:.0%} of which cell a message speaks of."
    if page.repeats and page.built == "symbol by symbol":
        answer += ", some of it twice"
    if page.built in ("address", "whole", "symbol by symbol"):
        alone, after = page.prefixes.later
        tell = (
            f"the later symbols tell {alone:.1f} bits by themselves, and {after:.1f} after those before them"
        )
        sentence = f"In the dictionary, {tell}. {sentence}"
    if (held_out := page.dictionary.bits.episodes) < FEW_HELD_OUT:
        sentence += f" This was measured on {counted(held_out, 'held-out episode')}: more may show otherwise."
    return answer, sentence


def _verdict(combines: Mapping[str, Any]) -> str:
    """Return a verdict in a few words: "They combine in part, perhaps mostly"."""
    if combines["verdict"] == "cannot say":
        return "Cannot say"
    degree = combines.get("degree")
    perhaps = "".join(f", perhaps {each}" for each in combines.get("perhaps", ()))
    return f"They {combines['verdict']}{f' {degree}' if degree in ('fully', 'mostly') else ''}{perhaps}"


def _receiver(page: Page) -> str:
    """Return how often the receiver finds the target, and what it ignores, if it was asked."""
    own = page.right.accuracy if page.right.trials else page.combines.get("own", {}).get("accuracy")
    ignores = page.combines.get("ignores") or ""
    if own is None:
        return ignores
    guessing = f"guessing: {1 / page.config.num_candidates:.1%}"
    return f" The receiver finds the target in {own:.1%} of the episodes ({guessing}). {ignores}".rstrip()


def never_sent_text(combines: Mapping[str, Any], guessing: float) -> str:
    """Return how well the receiver understands messages that were never sent, or why that is not known."""
    if not (asked := combines.get("asked", {}).get(combines.get("composed"))):
        return str(combines["sentence"])
    return (
        f"The receiver: it finds the target after {asked['accuracy']:.1%} of messages that were never sent "
        f"and need two symbols (guessing: {guessing:.1%})."
    )


def _examples(page: Page) -> tuple[tuple[str, str], ...]:
    """Return a never-sent message that the receiver understands, and one that it does not."""
    names = {"right": "understood", "wrong": "not understood"}
    return tuple(
        (
            f"Never sent, and {names[choice]}: {page.dictionary.spelt(each['message'])} "
            f"(right for {each['num_correct']} of {each['trials']} windows), such as for",
            "\n".join(window_lines(page.config, each["window"])),
        )
        for choice, each in page.combines.get("examples", {}).items()
    )


def warnings(page: Page) -> Iterator[str]:
    """Yield what keeps the page from being trusted."""
    bits = page.dictionary.bits
    yield from (text for doubt, text in page.doubts.items() if doubt != TOO_FEW or not page.says_nothing)
    if page.says_nothing and bits.episodes < FEW_HELD_OUT:
        yield (
            f"A page of {counted(page.dictionary.total, 'episode')} cannot show that messages say nothing: "
            f"take at least {HELD_OUT * FEW_HELD_OUT:,}."
        )
    if page.too_few and not page.says_nothing:
        yield (
            "With more episodes, the dictionary explains more: its bits are a lower bound. These may change "
            "either way: which integers symbols and messages name, how often that is true, synonyms and "
            "homonyms. How often the receiver is right does not depend on the dictionary."
        )


def capital(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]
