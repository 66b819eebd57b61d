"""The redundancy filter: mark admitted entries that a better entry makes redundant.

A redundant entry is marked `derived`. It stays in the file, but tables and composing leave it out.
"""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, Forms, Occurrences
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.npmi.offsets import OffsetCounts
from spatial_game.language.npmi.referents import NO_INTEGER, BestReferents

_ANY_SYMBOL = -2

# A slot with this share of an n-gram's episodes is the n-gram's own slot.
_SLOT_SHARE = 0.9
# An n-gram whose integer stands at one offset so often is no word for the integer at any offset.
_OFFSET_SHARE = 0.8
# An offset that stands so often beside words that are not listed cannot be composed with anything.
_UNLISTED_SHARE = 0.8
# A form with the same meaning, one symbol away and rarer by this factor, is a misspelling of the other.
_MISSPELLING = 20


def derived_by_slot(entries: BestReferents) -> Mask:
    """Mark an entry at a slot if the slot has under 90% of the any-slot joint, else the any-slot entry."""
    forms = entries.forms
    anywhere = _same_at_any_slot(forms)
    values = np.sort(entries.values, axis=1)  # the order of several integers does not matter
    same = (values == values[anywhere]).all(axis=1) & (entries.place == entries.place[anywhere])
    twins = np.flatnonzero((forms.slot != ANY) & (anywhere >= 0) & same)
    mostly_here = entries.joint[twins] >= _SLOT_SHARE * entries.joint[anywhere[twins]]
    derived = np.zeros(len(entries), dtype=bool)
    derived[twins[~mostly_here]] = True
    derived[anywhere[twins[mostly_here]]] = True
    return derived


def _same_at_any_slot(forms: Forms) -> Numbers:
    """(F,), the row of the form with the same symbols at any slot; -1 if there is none."""
    _, group = distinct_rows(forms.symbols + np.int16(1))  # padding becomes 0
    any_row = np.full(int(group.max(initial=-1)) + 1, -1)
    anywhere = np.flatnonzero(forms.slot == ANY)
    any_row[group[anywhere]] = anywhere
    return any_row[group]


def derived_by_offset(integers: BestReferents, counts: Counts) -> Mask:
    """Mark an n-gram whose integer stands at one offset in 80% or more of its joint."""
    config = counts.config
    together = (integers.table.incidence[integers.form] @ counts.integers_at).tocoo()
    offset, value = np.divmod(together.col, len(config.integers))
    named = (integers.values[together.row] == value[:, None]).any(axis=1)
    at_offset = np.zeros((len(integers), len(config.offsets)), dtype=np.int64)
    np.add.at(at_offset, (together.row[named], offset[named]), together.data[named])
    return np.asarray(at_offset.max(axis=1) >= _OFFSET_SHARE * integers.joint)


def derived_by_spelling(entries: BestReferents) -> Mask:
    """Mark a form of two or more symbols that noise in the channel makes of a much more frequent one.

    The other form has one different symbol, the same slot and referent, and at least 20 times the joint.
    """
    forms = entries.forms
    values = np.sort(entries.values, axis=1)
    derived = np.zeros(len(entries), dtype=bool)
    for column in range(forms.symbols.shape[1] if len(entries) else 0):
        without = forms.symbols.copy()
        without[:, column] = _ANY_SYMBOL
        alike = np.column_stack([without, forms.slot, forms.length, entries.place, values])
        _, group = distinct_rows(alike - alike.min())
        most = np.zeros(int(group.max()) + 1, dtype=np.int64)
        np.maximum.at(most, group, entries.joint)
        rare = most[group] >= _MISSPELLING * entries.joint
        derived |= (forms.length >= 2) & (column < forms.length) & rare
    return derived


def derived_by_words(offsets: BestReferents, beside: OffsetCounts, unlisted: Mask) -> Mask:
    """Mark an offset with 80% or more of its joint beside words of `unlisted` integers.

    Nothing could be composed with it. Parts of whole messages, each for one integer at one offset, look like
    such words and offsets.
    """
    named = beside.episodes * unlisted[beside.entry][:, None]
    with_unlisted = offsets.table.incidence[offsets.form] @ named
    joint = with_unlisted[np.arange(len(offsets)), offsets.place]
    return np.asarray(joint >= _UNLISTED_SHARE * offsets.joint)


def derived_by_splitting(
    integers_at: BestReferents, integers: BestReferents, offsets: BestReferents, counts: Counts
) -> Mask:
    """Mark a whole message that splits into a listed integer and a listed offset with its meaning.

    `integers` and `offsets` are the listed entries. The two stand beside each other in the message.
    """
    messages = counts.messages[integers_at.form]
    words, places = integers.occurrences(messages), offsets.occurrences(messages)
    wanted, offered = integers_at.values[words.message], integers.values[words.form]
    included = (wanted[:, :, None] == offered[:, None, :]).any(axis=2) | (wanted == NO_INTEGER)
    same_offset = integers_at.place[places.message] == offsets.place[places.form]
    return _side_by_side(messages, words.take(included.all(axis=1)), places.take(same_offset))


def composed(integers: BestReferents, offsets: BestReferents, counts: Counts) -> Mask:
    """(M,), the distinct messages with an integer n-gram of these and, beside it, an offset n-gram."""
    messages = counts.messages
    return _side_by_side(messages, integers.occurrences(messages), offsets.occurrences(messages))


def _side_by_side(messages: IntArray, words: Occurrences, places: Occurrences) -> Mask:
    """(M,), the messages in which one of the words and one of the places are `apart`.

    It is enough to look at the one that ends first and the one that starts last.
    """

    def extent(found: Occurrences) -> tuple[Numbers, Numbers]:
        first_end = np.full(len(messages), messages.shape[1] + 1)
        last_start = np.full(len(messages), -1)
        np.minimum.at(first_end, found.message, found.slot + found.length)
        np.maximum.at(last_start, found.message, found.slot)
        return first_end, last_start

    word_end, word_start = extent(words)
    place_end, place_start = extent(places)
    return np.asarray((word_end <= place_start) | (place_end <= word_start))
