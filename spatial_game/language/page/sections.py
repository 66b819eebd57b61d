"""The page of a language in plain English: sentences, each with its figure, and tables.

The terminal and HTML show them alike. The thresholds decide which sentences are written; docs/sketch.md lists
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.language.lexicon.wording import all_in_words, edge_in_words
from spatial_game.language.page.map import ALWAYS_NAMED, NONE, Usual, usual_share
from spatial_game.language.page.sketch import Sketch
from spatial_game.tables import Table, Value

LEAST_ABOUT_PLACE = 0.1
"""Messages tell of a place if they carry at least this number of bits about it, an episode."""
FINER = 0.1
"""A symbol refines a place if it adds at least this share of what messages tell of the place."""
LEAST_FREE = 0.05
"""Bits of free choice, or of noise, that are worth a sentence."""
LEAST_PAIRS = 30
"""Repeated windows that are needed to see free choice."""
BUILT = {
    "wholes": ("Messages mean something as wholes", "rules about whole messages"),
    "parts": ("Messages are built of parts", "rules about some symbols"),
    "words": (
        "Messages have two parts, a word for an integer and a word for where it stands",
        "words for integers and for where they stand",
    ),
}
"""How messages are built if rules of this kind alone explain most, and the name of these rules."""
EXAMPLES = 3
_MOST_PLACES = 5  # in a sentence
_MOST_SLOTS = 8  # columns of the table of bits
_LEAST_SHOWN = 0.005  # bits; a place with less would show 0.00 in the table


@dataclass(frozen=True)
class SketchSection:
    """A part of a page: a title, sentences, and tables by their titles."""

    title: str
    sentences: tuple[str, ...]
    tables: Mapping[str, Table]


def sections(sketch: Sketch) -> list[SketchSection]:
    """Return what is told, how a message is built, its words, its silence, and examples."""
    if sketch.says_nothing:
        return [_section("What is told", _nothing(sketch))]
    return [
        _section("What is told", _told(sketch), _bits(sketch)),
        _section("How a message is built", _built(sketch)),
        _section("Words", _words(sketch), _lists(sketch)),
        _section("Silence", _silence(sketch)),
        _section("Examples", [_about(sketch)], _examples(sketch)),
    ]


def _section(title: str, said: Iterable[str], tables: Mapping[str, Table] | None = None) -> SketchSection:
    """Return a section without its empty tables."""
    filled = {name: table for name, table in (tables or {}).items() if table.rows}
    return SketchSection(title, tuple(said), filled)


def first_lines(sketch: Sketch) -> list[str]:
    """Return the sketch in a few lines: what is told, and how a message is built."""
    return [sentence for section in sections(sketch)[:2] for sentence in section.sentences]


# --- What is told -------------------------------------------------------------------------------------------


def _nothing(sketch: Sketch) -> Iterator[str]:
    """Yield that there is nothing to learn."""
    yield _carried(sketch)
    yield (
        f"There is nothing to learn: in {sketch.episodes:,} episodes, no message says anything about the "
        "window that could be measured."
    )


def _carried(sketch: Sketch) -> str:
    """Return how many bits messages carry, and how many of them the dictionary explains."""
    account, explained = sketch.account, max(sketch.explained_bits, 0.0)
    share = explained / account.message_bits if account.message_bits else 0.0
    held = "" if account.held_out_bits is None else ", measured on held-out episodes"
    return (
        f"The messages carry {max(account.message_bits, 0):.2f} bits an episode. The dictionary explains "
        f"{explained:.2f} of them ({share:.0%}{held}), in "
        f"{_number(len(sketch.words.entries), 'entry', 'entries')}."
    )


def _told(sketch: Sketch) -> Iterator[str]:
    """Yield what messages tell of the window, how much the dictionary explains, and what they name."""
    yield _carried(sketch)
    bits, edge = sketch.information, len(sketch.places) - 1
    of = [
        f"{'whether the target is' if place == edge else 'the integer'} {sketch.places[place]} "
        f"({min(bits.whole[place], bits.entropy[place]):.2f} of {bits.entropy[place]:.2f} bits)"
        for place in _places_by_bits(sketch, LEAST_ABOUT_PLACE)[:_MOST_PLACES]
    ]
    nothing = f"less than {LEAST_ABOUT_PLACE} bits about each single place"
    yield f"They tell {f'most about {_listed(of)}' if of else nothing}."
    best, share = bits.named[0]
    one = sorted(((share, cells[0]) for cells, share in bits.named if len(cells) == 1), reverse=True)
    together = sum(share for share, _ in one)
    if best and share >= ALWAYS_NAMED:
        where = _listed([sketch.places[place] for place in best])
        yield f"In {share:.0%} of the episodes, the message names what stands {where}."
    elif together >= ALWAYS_NAMED:
        which = _listed([f"{sketch.places[cell]} ({share:.0%})" for share, cell in one[:4]])
        yield (
            f"In {together:.0%} of the episodes, the message names one integer, but not always at the same "
            f"place: {which}."
        )


def _places_by_bits(sketch: Sketch, least: float) -> list[int]:
    """Return the places of which messages tell this number of bits, the most told first."""
    whole = sketch.information.whole
    return [place for place in np.argsort(-whole, kind="stable").tolist() if whole[place] >= least]


def _bits(sketch: Sketch) -> dict[str, Table]:
    """Return what slots and whole messages tell of each place, the most told first."""
    bits = sketch.information
    slots = range(min(sketch.config.message_length, _MOST_SLOTS))
    rows: list[tuple[Value, ...]] = []
    for place in _places_by_bits(sketch, _LEAST_SHOWN):
        most = float(bits.entropy[place])
        told = [max(float(part), 0.0) for part in bits.by_slot[slots, place]]
        rows.append((sketch.places[place], *told, min(float(bits.whole[place]), most), most))
    heading = f"Place | {''.join(f'Slot {slot + 1} :.2f | ' for slot in slots)}Message :.2f | Of :.2f"
    title = "Bits about each place (message: by all slots; of: what there is to tell)"
    return {title: Table.of(heading, rows)}


# --- How a message is built ---------------------------------------------------------------------------------


def _built(sketch: Sketch) -> Iterator[str]:
    """Yield how a message is built, and what the receiver makes of its parts."""
    explained = max(sketch.account.explained_bits, 1e-9)
    share = {kind: min(bits / explained, 1.0) for kind, bits in sketch.built.items()}
    best, *others = sorted(BUILT, key=lambda kind: -share[kind])
    shown = [best, *(kind for kind in others if share[kind] >= 0.005)]
    alone = _listed([f"{BUILT[kind][1]} {share[kind]:.0%}" for kind in shown])
    yield f"{BUILT[best][0]}. Each kind of rules alone explains this share of what all explain: {alone}."
    if sketch.config.message_length > 1:
        yield from _finer(sketch)
        bits = sketch.information
        left = float(np.minimum(bits.unordered, bits.whole).sum() / max(bits.whole.sum(), 1e-9))
        yield f"Without their order, the symbols of a message tell {left:.0%} of the bits about places."
    heard = sketch.heard
    if heard is not None:
        slots = _listed([f"{share:.0%} (slot {slot})" for slot, share in enumerate(heard.exchanged, 1)])
        yield (
            f"The receiver finds the target in {heard.own:.1%} of {heard.episodes:,} new episodes (chance "
            f"{heard.chance:.0%}). With one symbol taken from another message, it still does in {slots}; "
            f"with all symbols in a random order, in {heard.shuffled:.0%}."
        )


def _finer(sketch: Sketch) -> Iterator[str]:
    """Yield how symbols narrow down the integer at the place of which most is told."""
    bits = sketch.information
    told = _places_by_bits(sketch, LEAST_ABOUT_PLACE)
    place = next((place for place in told if bits.named_share(place) >= ALWAYS_NAMED), None)
    if place is None:
        return
    after = np.concatenate([[0.0], bits.by_prefix[:, place]])
    if (np.diff(after)[:2] < FINER * bits.whole[place]).any():
        return
    # The bits that remain of an integer where it is seen: before the message, and after each symbol.
    seen = bits.entropy[place] / np.log2(sketch.config.num_integers)
    left = np.exp2(np.maximum(bits.entropy[place] - after, 0) / max(seen, 1e-9))
    steps = _listed([f"{n:.1f} after symbol {i}" for i, n in enumerate(left[1:], 1)])
    yield (
        f"Its symbols go from coarse to fine: before the message, {left[0]:.0f} integers "
        f"{sketch.places[place]} are possible, about {steps}."
    )


# --- Words and the map --------------------------------------------------------------------------------------


def _words(sketch: Sketch) -> Iterator[str]:
    """Yield how many words there are, what the map shows, and how well a person with it is understood."""
    lists, heard, book = sketch.words, sketch.heard, sketch.phrasebook
    yield (
        f"The dictionary has {_number(len(lists.entries), 'entry', 'entries')} for "
        f"{_number(len(lists.meanings), 'meaning', 'meanings')}; "
        f"{_number(lists.synonyms, 'meaning has', 'meanings have')} more than one form (synonyms), and "
        f"{_number(lists.homonyms, 'entry has', 'entries have')} more than one meaning (homonyms)."
    )
    if lists.classes:
        number = _number(len(lists.classes), "class", "classes")
        yield f"It has {number} of integers that follow no order; a table below has their members."
    where = "each integer and each place where messages name it"
    if len(book.map) == 1:
        where = " and ".join(f"each integer {sketch.places[cell]}" for cell in book.map[0].places)
    share = f"in {usual_share(book.map):.0%} of the episodes on average"
    yield f"The map shows, for {where}, the message that is sent most often, {share}."
    if heard is not None:
        yield (
            f"A person who sends the messages of the map is understood by the receiver in "
            f"{heard.phrasebook:.1%} of {heard.episodes:,} new episodes (chance {heard.chance:.0%})."
        )


def _lists(sketch: Sketch) -> dict[str, Table]:
    """Return the messages near an end, the classes, and the words in both directions."""
    edges = (
        (edge_in_words(name).removeprefix("the target is "), _usual(sketch, own), usual_share([own]))
        for name, own in sketch.phrasebook.edges.items()
    )
    classes = ((name, members) for name, _, members in (c.partition(": ") for c in sketch.words.classes))
    meanings = (
        (each.meaning, "; ".join(f"{form} ({share:.0%})" for form, share in each.forms), each.episodes)
        for each in sketch.words.meanings
    )
    entries = ((each.form, each.meaning, each.share, each.episodes) for each in sketch.words.entries)
    return {
        "Near an end, instead of the map": Table.of(
            "Where the target is | The usual message | In :.0%", edges
        ),
        "Members of the classes": Table.of("Class | Integers", classes),
        "From meaning to message": Table.of(
            "Meaning | Said by (share of these episodes) | Episodes :,", meanings
        ),
        "From message to meaning (m1, m2, ...: any symbol; [.. 7 ..]: at any slot)": Table.of(
            "Message | Meaning | True in :.0% | Episodes :,", entries
        ),
    }


def _usual(sketch: Sketch, usual: Usual) -> str:
    """Return the usual message at an edge, or those by the integer at a cell."""
    integers: dict[int, list[int]] = {}
    for integer, message in enumerate(usual.message.ravel().tolist()):
        integers.setdefault(message, []).append(integer)
    texts = {sketch.phrasebook.text(row): values for row, values in integers.items() if row != NONE}
    if not usual.places:
        return "".join(map(str, texts))
    listed = "; ".join(f"{text} ({all_in_words(values)})" for text, values in texts.items())
    return f"by the integer {sketch.places[usual.places[0]]}: {listed}"


# --- Silence, and examples ----------------------------------------------------------------------------------


def _silence(sketch: Sketch) -> Iterator[str]:
    """Yield how much is not explained, and the reasons that the recording shows."""
    account, repeats = sketch.account, sketch.repeats
    unexplained = max(account.message_bits - sketch.explained_bits, 0.0)
    share = unexplained / account.message_bits if account.message_bits else 0.0
    yield f"Of {account.message_bits:.2f} bits, {unexplained:.2f} ({share:.0%}) are not explained."
    if repeats.pairs >= LEAST_PAIRS:
        why = "it chooses nothing freely"
        if repeats.free_bits >= LEAST_FREE:
            why = f"at least {repeats.free_bits:.2f} bits are free choice among messages, or noise"
        same = f"{repeats.same / repeats.pairs:.1%} of {repeats.pairs:,} pairs of episodes"
        yield f"Where a window comes again, the sender repeats its message in {same}: {why}."
    if account.too_few:
        yield (
            f"There are too few episodes: half of them show {account.half_bits:.2f} bits instead of "
            f"{account.message_bits:.2f}. Record more to be sure."
        )


def _about(sketch: Sketch) -> str:
    """Return the number of episodes and the sizes of the game, in a sentence."""
    config = sketch.config
    where = f"sequences of {config.sequence_length} integers"
    if len(config.shape) > 1:
        where = f"grids of {' x '.join(map(str, config.shape))} integers"
    seen = f"{config.window_radius} on each side"
    if config.num_hidden:
        seen += f", of which it sees {config.num_visible}"
    return (
        f"From {sketch.episodes:,} episodes of a game with {where} out of {config.num_integers}; the sender "
        f"sees the target's neighbours, {seen}; messages have {config.message_length} symbols from 0 to "
        f"{config.vocab_size - 1}; the receiver chooses among {config.num_candidates} candidates."
    )


def _examples(sketch: Sketch) -> dict[str, Table]:
    """Return a window of some messages, from the most frequent to a rare one, and what they mean."""
    shown = [each for each in sketch.readings if each.windows]
    rows = ((each.windows[0], each.form, each.meaning) for each in shown[:: max(len(shown) // EXAMPLES, 1)])
    return {"Episodes": Table.of("The sender sees | It sends | By the dictionary", [*rows][:EXAMPLES])}


def _listed(texts: Sequence[str]) -> str:
    """Return texts as a list: "a, b and c"."""
    return " and ".join([*filter(None, [", ".join(texts[:-1])]), *texts[-1:]])


def _number(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
