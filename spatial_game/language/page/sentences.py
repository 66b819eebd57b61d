"""A sketch in plain English: every sentence with its figure.

The thresholds decide which sentences are written. They are listed in docs/sketch.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from spatial_game.language.page.map import ALWAYS_NAMED
from spatial_game.language.page.sketch import Example, Sketch
from spatial_game.language.players.reading import UNREAD

LEAST_TOLD = 0.1
"""Messages tell of a place if they carry at least this number of bits about it, an episode."""
MOST_OF_IT = 0.8
"""A slot tells a place alone if it carries at least this share of what messages tell of the place."""
FINER = 0.1
"""A symbol refines a place if it adds at least this share of what messages tell of the place."""
MAINLY = 0.5
"""Messages are built of parts if rules about parts alone explain this share of what is explained."""
LEAST_WORDS = 0.1
"""Words for integers with words for where they stand are mentioned if they alone explain this share of it."""
LEAST_FREE = 0.05
"""Bits of free choice, or of noise, that are worth a sentence."""
LEAST_PAIRS = 30
"""Repeated windows that are needed to see free choice."""
TAUGHT = 0.75
"""A page teaches to read a language if the dictionary explains at least this share of what messages carry.

It teaches to speak it if a person with the map is understood at least this share as often as the sender."""
LEAST_SILENT = 0.05
"""The share of the bits without an explanation that is worth a reason."""


@dataclass(frozen=True)
class SketchSection:
    """A part of a sketch, in words."""

    key: Literal["told", "built", "words", "silence"]
    title: str
    sentences: tuple[str, ...]


def sections(sketch: Sketch) -> list[SketchSection]:
    """Return the sketch in words: what is told, how a message is built, its words, and its silence."""
    if sketch.says_nothing:
        return [SketchSection("told", "What is told", (_carried(sketch), _nothing(sketch)))]
    return [
        SketchSection("told", "What is told", tuple(_told(sketch))),
        SketchSection("built", "How a message is built", tuple(_built(sketch))),
        SketchSection("words", "Words", tuple(_words(sketch))),
        SketchSection("silence", "Silence", tuple(_silence(sketch))),
    ]


def first_lines(sketch: Sketch) -> list[str]:
    """Return the sketch in a few lines: what is told, and how a message is built."""
    return [sentence for section in sections(sketch)[:2] for sentence in section.sentences]


# --- What is told --------------------------------------------------------------------------------------


def _nothing(sketch: Sketch) -> str:
    return (
        f"There is nothing to learn: in {sketch.episodes:,} episodes, no message says anything about the "
        "window that could be measured."
    )


def _told(sketch: Sketch) -> Iterator[str]:
    yield from _taught(sketch)
    yield _carried(sketch)
    told = _told_most(sketch)
    if told:
        bits = sketch.information
        of = [
            f"{_what(sketch, place)} ({min(bits.whole[place], bits.entropy[place]):.2f} of "
            f"{bits.entropy[place]:.2f} bits)"
            for place in told[:5]
        ]
        others = _number(len(told) - 5, "other place", "other places")
        yield f"They tell of {_listed(of)}{f', and of {others}' if len(told) > 5 else ''}."
    else:
        yield f"They tell less than {LEAST_TOLD} bits of each single place."
    yield from _named(sketch)


def _taught(sketch: Sketch) -> Iterator[str]:
    """Yield that dictionary and map cannot teach this language, or only to speak or to read it."""
    share, heard = sketch.explained_bits / sketch.account.message_bits, sketch.heard
    reading = "" if share >= TAUGHT else f"the dictionary explains only {share:.0%} of what messages carry"
    speaking = ""
    if sketch.phrasebook.map.kind == "symbols":
        speaking = "no map of it shows what to say"
    elif heard is not None and heard.phrasebook is not None and heard.phrasebook < TAUGHT * heard.own:
        speaking = f"its map is understood in only {heard.phrasebook:.0%} of the episodes"
    if reading and speaking:
        yield f"Its dictionary and its map cannot teach this language: {reading}, and {speaking}."
    elif reading:
        yield f"Its map can teach to speak this language, but its dictionary not to read it: {reading}."
    elif speaking:
        yield f"Its dictionary can teach to read this language, but its map not to speak it: {speaking}."


def _carried(sketch: Sketch) -> str:
    account, explained = sketch.account, sketch.explained_bits
    share = explained / account.message_bits if account.message_bits else 0.0
    held = "" if account.held_out_bits is None else ", measured on held-out episodes"
    return (
        f"The messages carry {max(account.message_bits, 0):.2f} bits an episode. The dictionary explains "
        f"{max(explained, 0):.2f} of them ({max(share, 0):.0%}{held}), in "
        f"{_number(sketch.words.entries, 'entry', 'entries')}."
    )


def _named(sketch: Sketch) -> Iterator[str]:
    """Yield which cells a message names: always the same ones, or one that differs."""
    named = sketch.information.named
    best, share = named[0]
    if best and share >= ALWAYS_NAMED:
        where = _listed([sketch.places[place] for place in best])
        yield f"In {share:.0%} of the episodes, the message names what stands {where}."
        return
    one = sorted(((share, cells[0]) for cells, share in named if len(cells) == 1), reverse=True)
    together = sum(share for share, _ in one)
    if together >= ALWAYS_NAMED:
        which = _listed([f"{sketch.places[cell]} ({share:.0%})" for share, cell in one[:4]])
        yield (
            f"In {together:.0%} of the episodes, the message names one integer, but not always at the same "
            f"place: {which}."
        )


def _told_most(sketch: Sketch) -> list[int]:
    """Return the places of which messages tell, the most told first."""
    whole = sketch.information.whole
    return [place for place in np.argsort(-whole, kind="stable").tolist() if whole[place] >= LEAST_TOLD]


def _what(sketch: Sketch, place: int) -> str:
    edge = place == len(sketch.places) - 1
    return "whether the target is near an end" if edge else f"the integer {sketch.places[place]}"


# --- How a message is built ----------------------------------------------------------------------------


def _built(sketch: Sketch) -> Iterator[str]:
    yield _parts(sketch)
    if sketch.config.message_length > 1:
        yield from _slots(sketch)
        yield from _finer(sketch)
        yield _order(sketch)
    classes = sketch.words.classes
    if classes:
        which = "; ".join(line.replace(": ", " is ", 1) for line in classes[:2])
        others = "; the words below list the others" if len(classes) > 2 else ""
        number = _number(len(classes), "class", "classes")
        yield f"It has {number} of integers that follow no order: {which}{others}."
    if sketch.heard is not None:
        heard = sketch.heard
        slots = _listed([f"{share:.0%} (slot {slot})" for slot, share in enumerate(heard.exchanged, 1)])
        yield (
            f"The receiver finds the target in {heard.own:.1%} of {heard.episodes:,} new episodes (chance "
            f"{heard.chance:.0%}). With one symbol taken from another message, it still does in {slots}; "
            f"with all symbols in a random order, in {heard.shuffled:.0%}."
        )


def _parts(sketch: Sketch) -> str:
    """Say whether messages are built of parts."""
    built, explained = sketch.built, max(sketch.account.explained_bits, 1e-9)
    words, parts, wholes = (min(bits / explained, 1.0) for bits in (built.words, built.parts, built.wholes))
    if words >= MAINLY:
        return (
            "Messages have two parts, a word for an integer and a word for where it stands: they alone "
            f"explain {words:.0%} of what the dictionary explains."
        )
    paired = f", words for an integer with words for where it stands {words:.0%}"
    beside = paired if words >= LEAST_WORDS else ""
    if parts >= MAINLY or parts > wholes:
        return (
            "Messages are built of parts: rules about some of their symbols alone explain "
            f"{parts:.0%} of what the dictionary explains{beside}."
        )
    which = "Messages" if parts < 1 - MOST_OF_IT else "Many messages"
    return (
        f"{which} mean something as wholes: rules about whole messages alone explain {wholes:.0%} of what "
        f"the dictionary explains, rules about some of their symbols {parts:.0%}{beside} (they overlap)."
    )


def _slots(sketch: Sketch) -> Iterator[str]:
    """Yield which slot tells which place, if one slot tells most of it."""
    bits = sketch.information
    for place in _told_most(sketch)[:4]:
        slot = int(bits.by_slot[:, place].argmax())
        share = min(bits.by_slot[slot, place] / bits.whole[place], 1.0)
        if share >= MOST_OF_IT:
            what = _what(sketch, place)
            yield f"Slot {slot + 1} alone carries {share:.0%} of what messages tell of {what}."


def _finer(sketch: Sketch) -> Iterator[str]:
    """Yield how symbols narrow down the integer at the place of which most is told."""
    bits = sketch.information
    cells = [place for place in _told_most(sketch)[:4] if bits.named_share(place) >= ALWAYS_NAMED]
    if not cells:
        return
    place = cells[0]
    after = np.concatenate([[0.0], bits.by_prefix[:, place]])
    if (np.diff(after)[:2] < FINER * bits.whole[place]).any():
        return
    # The bits that remain of an integer where it is seen: before the message, and after each symbol.
    seen = bits.entropy[place] / np.log2(len(sketch.config.integers))
    left = np.exp2(np.maximum(bits.entropy[place] - after, 0) / max(seen, 1e-9))
    steps = _listed([f"{n:.1f} after symbol {i}" for i, n in enumerate(left[1:], 1)])
    yield (
        f"Its symbols go from coarse to fine: before the message, {left[0]:.0f} integers "
        f"{sketch.places[place]} are possible, about {steps}."
    )


def _order(sketch: Sketch) -> str:
    """Say how much symbols tell without their order."""
    bits = sketch.information
    left = float(np.minimum(bits.unordered, bits.whole).sum() / max(bits.whole.sum(), 1e-9))
    return f"Without their order, the symbols of a message tell {left:.0%} of the bits about places."


# --- Words and the map ---------------------------------------------------------------------------------


def _words(sketch: Sketch) -> Iterator[str]:
    words, heard = sketch.words, sketch.heard
    several = f"{_number(words.synonyms, 'meaning has', 'meanings have')} more than one form (synonyms)"
    homonyms = f"{_number(words.homonyms, 'form has', 'forms have')} more than one meaning (homonyms)"
    yield (
        f"The dictionary has {_number(len(words.forms), 'form', 'forms')} for "
        f"{_number(len(words.meanings), 'meaning', 'meanings')}; {several}, and {homonyms}."
    )
    yield _about_the_map(sketch)
    if heard is not None and heard.phrasebook is not None:
        yield (
            f"A person who sends the messages of the map is understood by the receiver in "
            f"{heard.phrasebook:.1%} of {heard.episodes:,} new episodes (chance {heard.chance:.0%})."
        )


def _about_the_map(sketch: Sketch) -> str:
    """Return what the map shows, in a sentence."""
    shown = sketch.phrasebook.map
    share = f"in {shown.usual.usual_share:.0%} of the episodes on average"
    if shown.kind == "symbols":
        return (
            "No integer at one place decides the message. The map shows, for each integer at a place, the "
            f"first symbol that is sent most often, {share}."
        )
    where = "each integer and each place where messages name it"
    if shown.kind != "columns":
        where = " and ".join(f"each integer {sketch.places[place]}" for place in shown.places)
    return f"The map shows, for {where}, the message that is sent most often, {share}."


# --- Silence -------------------------------------------------------------------------------------------


def _silence(sketch: Sketch) -> Iterator[str]:
    bits = sketch.account.message_bits
    unexplained = max(bits - sketch.explained_bits, 0.0)
    share = unexplained / bits if bits else 0.0
    yield f"Of {bits:.2f} bits, {unexplained:.2f} ({share:.0%}) are not explained."
    reasons = [*_reasons(sketch)]
    yield from reasons
    if share >= LEAST_SILENT and not reasons:
        pairs = _number(sketch.repeats.pairs, "pair", "pairs")
        yield (
            f"The recording shows no reason. It has {pairs} of episodes with the same window; free choice "
            f"among messages shows only in {LEAST_PAIRS} or more."
        )


def _reasons(sketch: Sketch) -> Iterator[str]:
    """Yield the reasons that the recording shows."""
    repeats, bits, half = sketch.repeats, sketch.account.message_bits, sketch.account.half_bits
    if repeats.pairs >= LEAST_PAIRS:
        same = f"in {repeats.same / repeats.pairs:.1%} of {_number(repeats.pairs, 'pair', 'pairs')}"
        free = repeats.free_bits
        if free is None or free >= LEAST_FREE:
            least = "" if free is None else f": at least {free:.2f} bits"
            yield (
                f"Where a window comes again, the sender repeats its message {same} of episodes. The rest is "
                f"free choice among messages, or noise{least}."
            )
        else:
            yield f"The sender chooses nothing freely: it repeats its message for an equal window {same}."
    if sketch.account.too_few:
        yield (
            f"There are too few episodes: half of them show {half:.2f} bits instead of {bits:.2f}. Record "
            "more to be sure."
        )


# --- Examples ------------------------------------------------------------------------------------------


def about(sketch: Sketch) -> str:
    """Return the number of episodes and the sizes of the game, in a sentence."""
    config = sketch.config
    where = f"sequences of {config.sequence_length} integers"
    if len(config.shape) > 1:
        where = f"grids of {' x '.join(map(str, config.shape))} integers"
    seen = f"{config.window_radius} on each side"
    if config.num_hidden:
        seen += f", of which it sees {config.num_visible}"
    return (
        f"From {sketch.episodes:,} episodes of a game with {where} out of {len(config.integers)}; the sender "
        f"sees the target's neighbours, {seen}; messages have {config.message_length} symbols from 0 to "
        f"{config.vocab_size - 1}; the receiver chooses among {config.num_candidates} candidates."
    )


def window_in_words(window: Sequence[int]) -> str:
    """Return a window as a person writes it: "?" is the target, "*" a hidden cell."""
    return " ".join({-1: "?", -2: "*"}.get(cell, str(cell)) for cell in window)


def example_in_words(example: Example) -> str:
    """Return an episode in words."""
    shown = window_in_words(example.window)
    says = f"says “{example.says}”" if example.says != UNREAD else "is not in the dictionary"
    text = f"The sender sees {shown} and sends [{' '.join(map(str, example.message))}], which {says}."
    if example.choice is not None and example.target is not None:
        right = example.choice == example.target
        verdict = "which is right" if right else f"but the target was {example.target}"
        text += f" The receiver chooses {example.choice}, {verdict}."
    return text


def _listed(texts: Sequence[str]) -> str:
    """Return texts as a list: "a, b and c"."""
    return " and ".join([*filter(None, [", ".join(texts[:-1])]), *texts[-1:]])


def _number(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
