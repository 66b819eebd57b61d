"""A sketch in plain English: every sentence with its figure.

The thresholds decide which sentences are written. They are listed in docs/sketch.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from spatial_game.language.page.map import ALWAYS_NAMED, usual_share
from spatial_game.language.page.sketch import Sketch

LEAST_TOLD = 0.1
"""Messages tell of a place if they carry at least this number of bits about it, an episode."""
FINER = 0.1
"""A symbol refines a place if it adds at least this share of what messages tell of the place."""
MAINLY = 0.5
"""Messages are built of parts if rules about parts alone explain this share of what is explained."""
FEW_PARTS = 0.2
"""Messages mean something as wholes if rules about parts explain less than this share; otherwise many do."""
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


# --- What is told --------------------------------------------------------------------------------------


def nothing(sketch: Sketch) -> Iterator[str]:
    """Yield that there is nothing to learn."""
    yield _carried(sketch)
    yield (
        f"There is nothing to learn: in {sketch.episodes:,} episodes, no message says anything about the "
        "window that could be measured."
    )


def told(sketch: Sketch) -> Iterator[str]:
    """Yield what messages tell of the window, and how much of it the dictionary explains."""
    yield from _taught(sketch)
    yield _carried(sketch)
    places = _told_most(sketch)
    if places:
        bits = sketch.information
        of = [
            f"{_what(sketch, place)} ({min(bits.whole[place], bits.entropy[place]):.2f} of "
            f"{bits.entropy[place]:.2f} bits)"
            for place in places[:5]
        ]
        others = _number(len(places) - 5, "other place", "other places")
        yield f"They tell of {_listed(of)}{f', and of {others}' if len(places) > 5 else ''}."
    else:
        yield f"They tell less than {LEAST_TOLD} bits of each single place."
    yield from _named(sketch)


def _taught(sketch: Sketch) -> Iterator[str]:
    """Yield that the dictionary cannot teach to read this language, or the map to speak it."""
    share, heard = sketch.explained_bits / sketch.account.message_bits, sketch.heard
    if share < TAUGHT:
        yield (
            "Its dictionary cannot teach to read this language: it explains only "
            f"{share:.0%} of what messages carry."
        )
    if heard is not None and heard.phrasebook < TAUGHT * heard.own:
        yield (
            "Its map cannot teach to speak this language: a person who uses it is understood in only "
            f"{heard.phrasebook:.0%} of the episodes."
        )


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


def built(sketch: Sketch) -> Iterator[str]:
    """Yield how a message is built, and what the receiver makes of its parts."""
    yield _parts(sketch)
    if sketch.config.message_length > 1:
        yield from _finer(sketch)
        yield _order(sketch)
    classes = sketch.words.classes
    if classes:
        which = "; ".join(line.replace(": ", " is ", 1) for line in classes[:2])
        others = "; a table below has the others" if len(classes) > 2 else ""
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
    kinds, explained = sketch.built, max(sketch.account.explained_bits, 1e-9)
    words, parts, wholes = (min(bits / explained, 1.0) for bits in (kinds.words, kinds.parts, kinds.wholes))
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
    which = "Messages" if parts < FEW_PARTS else "Many messages"
    return (
        f"{which} mean something as wholes: rules about whole messages alone explain {wholes:.0%} of what "
        f"the dictionary explains, rules about some of their symbols {parts:.0%}{beside} (they overlap)."
    )


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


def words(sketch: Sketch) -> Iterator[str]:
    """Yield how many words there are, what the map shows, and how well a person with it is understood."""
    lists, heard, book = sketch.words, sketch.heard, sketch.phrasebook
    several = f"{_number(lists.synonyms, 'meaning has', 'meanings have')} more than one form (synonyms)"
    homonyms = f"{_number(lists.homonyms, 'form has', 'forms have')} more than one meaning (homonyms)"
    yield (
        f"The dictionary has {_number(len(lists.forms), 'form', 'forms')} for "
        f"{_number(len(lists.meanings), 'meaning', 'meanings')}; {several}, and {homonyms}."
    )
    where = "each integer and each place where messages name it"
    if len(book.map) == 1:
        where = " and ".join(f"each integer {sketch.places[cell]}" for cell in book.map[0].cells)
    share = f"in {usual_share(book.map):.0%} of the episodes on average"
    yield f"The map shows, for {where}, the message that is sent most often, {share}."
    if heard is not None:
        yield (
            f"A person who sends the messages of the map is understood by the receiver in "
            f"{heard.phrasebook:.1%} of {heard.episodes:,} new episodes (chance {heard.chance:.0%})."
        )


# --- Silence -------------------------------------------------------------------------------------------


def silence(sketch: Sketch) -> Iterator[str]:
    """Yield how much is not explained, and why."""
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


def _listed(texts: Sequence[str]) -> str:
    """Return texts as a list: "a, b and c"."""
    return " and ".join([*filter(None, [", ".join(texts[:-1])]), *texts[-1:]])


def _number(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
