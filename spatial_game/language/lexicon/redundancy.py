"""Which admitted entries say nothing that another does not say better.

They are marked `derived`: they stay in the file, but are left out of tables and of composing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, FormTable, distinct_rows, locate
from spatial_game.language.lexicon.best_referents import NO_INTEGER, Candidates
from spatial_game.language.lexicon.offsets import OffsetCounts, matches

_ANY_SYMBOL = -2

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

# A slot with this share of an n-gram's meaning is the slot of it.
_SLOT_SHARE = 0.9
# An integer that stands at one offset so often is not a word for the integer wherever it stands.
_OFFSET_SHARE = 0.8
# An offset that stands beside words which are not listed so often says nothing that could be composed.
_UNLISTED_SHARE = 0.8
# A form of the same meaning, one symbol away and so much rarer, is a misspelling of the other.
_MISSPELLING = 20


def derived_by_slot(entries: Candidates) -> Mask:
    """An entry at a slot when the slot has under 90% of the any-slot joint; else the any-slot one."""
    entry_of = np.full(len(entries.forms) + 1, -1)
    entry_of[entries.form] = np.arange(len(entries))
    anywhere = entry_of[_any_slot_form(entries.forms)[entries.form]]
    at_slot = entries.forms.slot[entries.form] != ANY
    values = np.sort(entries.values, axis=1)  # of several integers, which comes first says nothing
    same = (values == values[anywhere]).all(axis=1) & (entries.place == entries.place[anywhere])
    twins = np.flatnonzero(at_slot & (anywhere >= 0) & same)
    mostly_here = entries.joint[twins] >= _SLOT_SHARE * entries.joint[anywhere[twins]]
    derived = np.zeros(len(entries), dtype=bool)
    derived[twins[~mostly_here]] = True
    derived[anywhere[twins[mostly_here]]] = True
    return derived


def _any_slot_form(forms: FormTable) -> npt.NDArray[np.int64]:
    """(F,), the row of the form with the same symbols at any slot; -1 if there is none."""
    if len(forms) == 0:
        return np.zeros(0, dtype=np.int64)
    _, group = distinct_rows(forms.symbols + np.int16(1))  # padding becomes 0
    any_row = np.full(int(group.max()) + 1, -1)
    anywhere = np.flatnonzero(forms.slot == ANY)
    any_row[group[anywhere]] = anywhere
    return any_row[group]


def derived_by_offset(integers: Candidates, counts: Counts) -> Mask:
    """An n-gram whose integer stands at one offset in 80% or more of its joint."""
    num_offsets, num_integers = len(counts.config.offsets), len(counts.config.integers)
    if len(integers) == 0:
        return np.zeros(0, dtype=bool)
    together = integers.forms.incidence[integers.form] @ counts.integers_at
    columns = np.arange(num_offsets)[:, None, None] * num_integers + integers.values
    rows = np.broadcast_to(np.arange(len(integers))[:, None], columns.shape)
    present = integers.values != NO_INTEGER
    episodes = np.asarray(together[rows.reshape(-1), np.where(present, columns, 0).reshape(-1)]).reshape(
        columns.shape
    )
    at_offset = np.where(present, episodes, 0).sum(axis=2)
    return np.asarray(at_offset.max(axis=0) >= _OFFSET_SHARE * integers.joint)


def derived_by_spelling(entries: Candidates) -> Mask:
    """A form of two or more symbols, one symbol away from one at the same slot with the same referent that
    has at least 20 times the joint: what noise in the channel makes of it."""
    forms = entries.forms
    symbols, slot, length = forms.symbols[entries.form], forms.slot[entries.form], forms.length[entries.form]
    values = np.sort(entries.values, axis=1)
    derived = np.zeros(len(entries), dtype=bool)
    for column in range(symbols.shape[1] if len(entries) else 0):
        left_out = symbols.copy()
        left_out[:, column] = _ANY_SYMBOL
        alike = np.column_stack([left_out, slot, length, entries.place, values])
        _, group = distinct_rows(alike - alike.min())
        most = np.zeros(int(group.max()) + 1, dtype=np.int64)
        np.maximum.at(most, group, entries.joint)
        derived |= (length >= 2) & (column < length) & (most[group] >= _MISSPELLING * entries.joint)
    return derived


def derived_by_words(offsets: Candidates, beside: OffsetCounts, unlisted: Mask) -> Mask:
    """An offset with 80% or more of its joint beside words of `unlisted` integers: nothing could be composed.

    Parts of whole messages, each for one integer at one offset, look like such words and offsets.
    """
    named = beside.episodes * unlisted[beside.entry][:, None]
    with_unlisted = offsets.forms.incidence[offsets.form] @ named
    joint = with_unlisted[np.arange(len(offsets)), offsets.place]
    return np.asarray(joint >= _UNLISTED_SHARE * offsets.joint)


def derived_by_splitting(
    integers_at: Candidates, integers: Candidates, offsets: Candidates, counts: Counts
) -> Mask:
    """A whole message that splits into a listed integer and a listed offset with its meaning.

    `integers` and `offsets` are the listed entries. The two stand beside each other, not across.
    """
    carriers = integers_at.form
    entry, row = _occurrences(integers, integers.forms, carriers)
    wanted, offered = integers_at.values[row], integers.values[entry]
    included = (wanted[:, :, None] == offered[:, None, :]).any(axis=2) | (wanted == NO_INTEGER)
    same_integer = included.all(axis=1)
    words = (entry[same_integer], row[same_integer])

    entry, row = _occurrences(offsets, integers.forms, carriers)
    same_offset = integers_at.place[row] == offsets.place[entry]
    places = (entry[same_offset], row[same_offset])
    return _side_by_side(counts.messages[carriers], integers, words, offsets, places)


def composed(integers: Candidates, offsets: Candidates, counts: Counts) -> Mask:
    """(M,), the distinct messages with an integer n-gram of these and, beside it, an offset n-gram."""
    everything = np.arange(len(counts.messages))
    words = _occurrences(integers, integers.forms, everything)
    places = _occurrences(offsets, integers.forms, everything)
    return _side_by_side(counts.messages, integers, words, offsets, places)


def _occurrences(entries: Candidates, ngrams: FormTable, carriers: Numbers) -> tuple[Numbers, Numbers]:
    """(entry, number of the carrier) wherever the entry's form occurs in that message.

    `ngrams` has the forms of all messages, so also those of the entries, which may come from another table.
    """
    if len(entries) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    forms = entries.forms
    row = locate(ngrams, forms.symbols[entries.form], forms.slot[entries.form])
    cells = ngrams.incidence[row][:, carriers].tocoo()
    return cells.row.astype(np.int64), cells.col.astype(np.int64)


def _side_by_side(
    messages: IntArray,
    integers: Candidates,
    words: tuple[Numbers, Numbers],
    offsets: Candidates,
    places: tuple[Numbers, Numbers],
) -> Mask:
    """The messages in which one of its words and one of its places stand without sharing a slot."""
    length = messages.shape[1]
    spans = [(slot, n) for n in range(1, length) for slot in range(length - n + 1)]
    word_at = _spans(messages, spans, integers, *words)
    place_at = _spans(messages, spans, offsets, *places)
    found = np.zeros(len(messages), dtype=bool)
    for i, (slot, n) in enumerate(spans):
        for j, (other, m) in enumerate(spans):
            if slot + n <= other or other + m <= slot:
                found |= word_at[:, i] & place_at[:, j]
    return found


def _spans(
    messages: IntArray, spans: list[tuple[int, int]], entries: Candidates, entry: Numbers, row: Numbers
) -> Mask:
    """(B, spans), whether at that span (slot, length) of the message one of its entries stands."""
    found = np.zeros((len(messages), len(spans)), dtype=bool)
    form = entries.form[entry]
    symbols, lengths, fixed = (
        entries.forms.symbols[form],
        entries.forms.length[form],
        entries.forms.slot[form],
    )
    for i, (slot, n) in enumerate(spans):
        here = (lengths == n) & ((fixed == slot) | (fixed == ANY))
        here[here] = matches(messages[row[here]], symbols[here], lengths[here], slot)
        found[row[here], i] = True
    return found
