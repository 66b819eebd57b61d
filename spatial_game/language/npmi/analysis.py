"""The paper's analysis, from counts to a lexicon: both of its algorithms, and which entries are listed.

A whole message may name an edge, or an integer at an offset. Or an n-gram names an integer (step 1), and
another n-gram beside it the offset of that integer (step 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, Forms, Occurrences
from spatial_game.language.counting.rows import Numbers, distinct_rows, join
from spatial_game.language.lexicon.analyses import ByNpmi, NpmiSettings
from spatial_game.language.lexicon.entries import Entry, Rule, expected_of
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.meaning import ANYWHERE, Meaning
from spatial_game.language.npmi.referents import (
    NO_INTEGER,
    Beside,
    Referents,
    best_referents,
    best_unions,
    count_beside,
    referents_of,
)

MESSAGE_TYPES = {
    "positional": "Non-Compositional Positional",
    "reserved": "Non-Compositional Positional Reserved",
    "integer": "Non-Compositional Integer",
    "compositional_integer": "Compositional Integer",
    "compositional_positional": "Compositional Positional",
}
"""The rows of the paper's table 1."""


def lexicon_by_npmi(
    counts: Counts,
    settings: NpmiSettings | None = None,
    **changes: Any,
) -> Lexicon:
    """Return the lexicon that the paper's analysis finds. `changes` are fields of `NpmiSettings`.

    Raises `ValueError` for impossible settings, and if the counts have no sources: the episodes are read
    again for offsets, and for top_n above 1.
    """
    [analysis] = analyses(counts, replace(settings or NpmiSettings(), **changes))
    return analysis.lexicon()


def analyses(
    counts: Counts,
    settings: NpmiSettings,
    thresholds: Sequence[float] | None = None,
    tops: Sequence[int] | None = None,
) -> list[Analysis]:
    """Analyse a language at every pair of a top_n and a threshold; by default, at those of the settings.

    The threshold for offsets is that of the pair, unless the settings give one of its own (as `paper` does).
    Tables that do not depend on thresholds are made once.
    """
    thresholds = [settings.threshold] if thresholds is None else thresholds
    tops = [settings.top_n] if tops is None else tops
    edges = best_referents(referents_of("edge", counts, settings))
    integers_at, integers = (
        _by_top(referents_of(kind, counts, settings), counts, settings, tops)
        for kind in ("integer_at", "integer")
    )
    step_2: dict[tuple[bytes, ...], tuple[Beside, Referents]] = {}
    return [
        _admitted(
            counts,
            replace(settings, threshold=threshold, top_n=top_n),
            [edges, integers_at[top_n], integers[top_n]],
            step_2,
        )
        for top_n in tops
        for threshold in thresholds
    ]


def _by_top(
    pairs: Referents, counts: Counts, settings: NpmiSettings, tops: Sequence[int]
) -> dict[int, Referents]:
    """Return the best referents of each form for each `top_n`."""
    several = [n for n in tops if n > 1]
    unions = best_unions(pairs, counts, settings, several) if several else {}
    return unions | ({1: best_referents(pairs)} if 1 in tops else {})


def _admitted(
    counts: Counts,
    settings: NpmiSettings,
    found: Sequence[Referents],
    step_2: dict[tuple[bytes, ...], tuple[Beside, Referents]],
) -> Analysis:
    """Return what the settings admit of these tables, and of the offsets beside the admitted integers.

    `step_2` keeps the offsets of each set of words: close settings often admit the same.
    """
    edges, integers_at, integers = (table.admitted(settings) for table in found)
    used = (integers.values != NO_INTEGER).any(axis=0)
    words = integers.form.tobytes(), integers.values[:, used].tobytes()
    if words not in step_2:
        beside = count_beside(counts, integers)
        step_2[words] = beside, beside.offsets(counts, settings)
    beside, all_offsets = step_2[words]
    offsets = all_offsets.admitted(settings)
    at_one_offset = _stands_at_one_offset(integers, counts)
    integers = _marked(integers, _is_misspelt(integers) | _is_better_elsewhere(integers) | at_one_offset)
    unlisted = _stands_beside_unlisted(offsets, beside, at_one_offset)
    offsets = _marked(offsets, _is_misspelt(offsets) | _is_better_elsewhere(offsets) | unlisted)
    split = _splits(integers_at, integers.listed(), offsets.listed(), counts)
    return Analysis(
        settings,
        counts,
        _marked(edges, _is_misspelt(edges)),
        _marked(integers_at, _is_misspelt(integers_at) | split),
        integers,
        offsets,
        split,
        clipped=sum(table.clipped for table in (*found, all_offsets)),
    )


def _marked(table: Referents, derived: Mask) -> Referents:
    return replace(table, derived=derived)


@dataclass(frozen=True)
class Analysis:
    """What the paper's analysis admits at one threshold and top_n, as a table for each kind of entries."""

    settings: NpmiSettings
    counts: Counts
    edges: Referents
    integers_at: Referents
    integers: Referents
    offsets: Referents
    split: Mask
    """The integers at offsets that are redundant because their message splits into integer and offset."""
    clipped: int
    """NPMIs that the estimator put outside [-1, 1], admitted or not."""

    @cached_property
    def message_types(self) -> dict[str, Mask]:
        """For each type of the paper's table 1, the distinct messages (M,) of that type.

        Whole messages count by their admitted entries, misspelled ones too, but those that split are
        compositional; n-grams count by their listed entries. `reserved`: positional and also reserved
        (`Counts.reserved`). `compositional_positional`: an integer n-gram and, beside it, an offset n-gram.
        """
        messages, reserved = self.counts.messages, self.counts.reserved
        words, places = (table.listed().occurrences(messages) for table in (self.integers, self.offsets))
        positional, integer, has_word = (
            np.isin(np.arange(len(messages)), rows)
            for rows in (self.edges.form, self.integers_at.form[~self.split], words.message)
        )
        return {
            "positional": positional,
            "reserved": positional & reserved,
            "integer": integer,
            "compositional_integer": has_word,
            "compositional_positional": _side_by_side(messages, words, places),
        }

    @property
    def readable(self) -> Mask:
        """(M,), the distinct messages that say where the target is: whole, or as integer and offset."""
        types = self.message_types
        return types["positional"] | types["integer"] | types["compositional_positional"]

    def lexicon(self) -> Lexicon:
        """Return the lexicon of these tables: entries by kind, then by referent, then by form."""
        counts, settings = self.counts, self.settings
        tables = (self.edges, self.integers_at, self.integers, self.offsets)
        entries = [entry for table in tables for entry in _entries(table, counts.config)]
        coverage, analysis = counts.episode_share(self.readable), ByNpmi(settings.resolved(), self.clipped)
        return Lexicon.of_counts(counts, analysis, entries, coverage, settings.signature)


def _entries(table: Referents, config: GameConfig) -> Iterator[Entry]:
    """Yield the entries of a table, in the order of referents, then of forms.

    The probability of a rule is the Krichevsky-Trofimov estimate. What was expected is what the game itself
    leads to expect.
    """
    forms, npmi = table.forms, table.npmi.tolist()
    confidence, joint = (table.joint / table.form_total).tolist(), table.joint.tolist()
    for row in table.order.tolist():
        form, place = forms.form(row), int(table.place[row])
        values = [int(value) for value in table.values[row] if value != NO_INTEGER]
        if table.kind == "edge":
            meaning = Meaning.of(config, len(config.offsets), [place])
        else:
            meaning = Meaning.of(config, ANYWHERE if table.kind == "integer" else place, values)
        probability = (joint[row] + 0.5) / (joint[row] / confidence[row] + 1)
        rule = Rule(form, meaning, probability, expected_of(meaning, config), strength=npmi[row])
        yield Entry(
            form,
            (rule,),
            npmi[row],
            confidence[row],
            joint[row],
            p_value=float(table.p_value[row]),
            q_value=float(table.q_value[row]),
            listed=not table.derived[row],
        )


# --- Entries that a better one makes redundant --------------------------------------------------------------
# They are marked `derived`: they stay in the file, but tables and composing leave them out.

_SLOT_SHARE = 0.9  # a slot with this share of an n-gram's episodes is the n-gram's own slot
_OFFSET_SHARE = 0.8  # an integer that stands at one offset so often is not named at any offset
_UNLISTED_SHARE = 0.8  # an offset so often beside words that are not listed cannot be composed with anything
_MISSPELLING = 20  # a form one symbol away from another, and rarer by this factor, is a misspelling of it
_ANY_SYMBOL = -2


def _is_better_elsewhere(entries: Referents) -> Mask:
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


def _stands_at_one_offset(integers: Referents, counts: Counts) -> Mask:
    """Mark an n-gram whose integer stands at one offset in 80% or more of its joint."""
    config = counts.config
    together = (integers.table.incidence[integers.form] @ counts.integers_at).tocoo()
    offset, value = np.divmod(together.col, config.num_integers)
    named = (integers.values[together.row] == value[:, None]).any(axis=1)
    at_offset = np.zeros((len(integers), len(config.offsets)), dtype=np.int64)
    np.add.at(at_offset, (together.row[named], offset[named]), together.data[named])
    return np.asarray(at_offset.max(axis=1) >= _OFFSET_SHARE * integers.joint)


def _is_misspelt(entries: Referents) -> Mask:
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


def _stands_beside_unlisted(offsets: Referents, beside: Beside, unlisted: Mask) -> Mask:
    """Mark an offset with 80% or more of its joint beside words of `unlisted` integers.

    Nothing could be composed with it. Parts of whole messages, each for one integer at one offset, look like
    such words and offsets.
    """
    named = beside.episodes * unlisted[beside.word][:, None]
    with_unlisted = offsets.table.incidence[offsets.form] @ named
    joint = with_unlisted[np.arange(len(offsets)), offsets.place]
    return np.asarray(joint >= _UNLISTED_SHARE * offsets.joint)


def _splits(integers_at: Referents, integers: Referents, offsets: Referents, counts: Counts) -> Mask:
    """Mark a whole message that splits into a listed integer and a listed offset with its meaning.

    `integers` and `offsets` are the listed entries. The two stand beside each other in the message.
    """
    messages = counts.messages[integers_at.form]
    words, places = integers.occurrences(messages), offsets.occurrences(messages)
    wanted, offered = integers_at.values[words.message], integers.values[words.form]
    included = (wanted[:, :, None] == offered[:, None, :]).any(axis=2) | (wanted == NO_INTEGER)
    same_offset = integers_at.place[places.message] == offsets.place[places.form]
    return _side_by_side(messages, words.take(included.all(axis=1)), places.take(same_offset))


def _side_by_side(messages: IntArray, words: Occurrences, places: Occurrences) -> Mask:
    """(M,), the messages in which one of the words and one of the places share no slot."""
    one, other = join(words.message, places.message)
    words, places = words.take(one), places.take(other)
    apart = (words.slot + words.length <= places.slot) | (places.slot + places.length <= words.slot)
    return np.isin(np.arange(len(messages)), words.message[apart])
