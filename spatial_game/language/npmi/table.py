"""The table that the paper's analysis makes: forms with their referents, and its file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig, Offset
from spatial_game.files import write_text
from spatial_game.game.episodes import Mask
from spatial_game.json_text import to_json
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form, Occurrences, occurrences
from spatial_game.language.counting.places import edge_names
from spatial_game.language.counting.rows import Numbers, join
from spatial_game.language.npmi.associations import NO_INTEGER, Associations
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.wording import place_of_table_3
from spatial_game.tables import Table

FILE_KIND = "npmi-table"
"""The field `kind` of the file, by which programs tell it from other JSON files."""
FORMAT_VERSION = 1
KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "integer": "Compositional Integer",
    "offset": "Compositional Positional",
}
"""The kinds of referents, with the names that the paper's table 3 gives to the types of their forms."""
MESSAGE_TYPES = {
    "positional": "Non-Compositional Positional",
    "reserved": "Non-Compositional Positional Reserved",
    "integer": "Non-Compositional Integer",
    "compositional_integer": "Compositional Integer",
    "compositional_positional": "Compositional Positional",
}
"""The types of messages in the paper's table 1."""
READABLE = "readable"
"""The messages of any type that says where the target is: whole messages, and those of an integer and an
offset."""


@dataclass(frozen=True)
class Referent:
    """What a form refers to: an edge, integers at an offset, integers at any offset, or an offset alone."""

    edge: str | None = None
    """The name of an edge: see `GameConfig.edges`."""
    integers: tuple[int, ...] = ()
    """One of them is there; the most frequent first."""
    offset: Offset | None = None
    """Signed distance from the target, negative to the left; in a grid, a step on each axis."""

    def __str__(self) -> str:
        """Return the referent in the words of the paper's table 3."""
        if self.edge is not None:
            return self.edge
        integers = " or ".join(map(str, self.integers))
        if self.offset is None:
            return f"integer {integers}"
        return f"{integers or '?'} is {place_of_table_3(self.offset)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that the referent has, for JSON."""
        return {name: value for name, value in vars(self).items() if value not in (None, ())}


@dataclass(frozen=True)
class NpmiEntry:
    """A form with its referent, and how closely the two go together."""

    form: Form
    referent: Referent
    joint: int
    """Episodes with both form and referent."""
    form_total: int
    """Episodes with the form; of an offset, those in which the message names an integer beside the form."""
    referent_total: int
    """Episodes with the referent; of an offset, those in which the message names an integer there."""
    npmi: float
    """In -1..1, by the estimator of the settings."""
    p_value: float
    """The hypergeometric tail; of several integers, that of the least significant one."""
    q_value: float
    """The same, corrected for all pairs of its kind (Benjamini and Hochberg 1995)."""

    @property
    def confidence(self) -> float:
        """Share of the form's episodes in which the referent holds."""
        return self.joint / self.form_total

    def to_dict(self) -> dict[str, Any]:
        """Return the entry, for JSON."""
        form = {"form": list(self.form.symbols), "slot": self.form.slot, "referent": self.referent.to_dict()}
        return form | {name: value for name, value in vars(self).items() if name not in form}


@dataclass(frozen=True)
class TypeShare:
    """How much of a language is messages of one type."""

    messages: int
    """Number of distinct messages."""
    vocabulary: float
    """Share of the distinct messages."""
    episodes: float
    """Share of the episodes."""


@dataclass(frozen=True, eq=False)
class NpmiTable:
    """The forms and referents that the paper's analysis admits, and the types of messages that follow."""

    settings: NpmiSettings
    """With every default filled in."""
    counts: Counts
    admitted: Mapping[str, Associations]
    """The entries of each of `KINDS` as arrays. Offsets are counted in the episodes in which the message
    names a visible integer."""
    clipped: int
    """NPMIs that the estimator put outside [-1, 1], admitted or not; 0 for `exact`."""

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.counts.config

    @property
    def signature(self) -> str:
        """Game, episodes, settings, seeds and version in one phrase, to stand beside every figure."""
        return self.counts.signature(self.settings.signature)

    @cached_property
    def entries(self) -> tuple[NpmiEntry, ...]:
        """The admitted forms with their referents, in the order of `KINDS`, of referents, and of forms."""
        return tuple(entry for entries in self.admitted.values() for entry in _entries(entries, self.config))

    def of_kind(self, kind: str, best: int | None = None) -> tuple[NpmiEntry, ...]:
        """Return the entries of a kind, one of `KINDS`; or the `best` of them, with the most episodes."""
        if kind not in KINDS:
            raise ValueError(f"kind must be among {', '.join(KINDS)}; got {kind!r}")
        entries = self.admitted[kind]
        rows = np.argsort(-entries.joint, kind="stable")[:best]
        return tuple(_entries(entries.take(np.sort(rows)), self.config))

    @cached_property
    def messages_of_type(self) -> dict[str, Mask]:
        """The distinct messages (M,) of each type: `MESSAGE_TYPES`, the paper's table 1, then `READABLE`.

        A message may be of several types. `reserved`: positional, and it repeats one symbol, which is
        reserved for edges (`_reserved_symbols`). `compositional_positional`: with an integer n-gram and,
        beside it, an n-gram for an offset.
        """
        messages, first = self.counts.messages, self.counts.messages[:, 0]
        repeats = (messages == first[:, None]).all(axis=1) & (messages.shape[1] > 1)
        words, offsets = (occurrences(self.admitted[kind].forms, messages) for kind in ("integer", "offset"))
        whole = self.admitted["edge"].form, self.admitted["integer_at"].form
        positional, integer, has_word, composed = (
            np.isin(np.arange(len(messages)), rows)
            for rows in (*whole, words.message, _with_both(words, offsets))
        )
        return {
            "positional": positional,
            "reserved": positional & repeats & _reserved_symbols(self.counts)[first],
            "integer": integer,
            "compositional_integer": has_word,
            "compositional_positional": composed,
            READABLE: positional | integer | composed,
        }

    @cached_property
    def types(self) -> dict[str, TypeShare]:
        """How much of the language is messages of each type; 0 without episodes."""
        number, episodes = max(len(self.counts.messages), 1), max(self.counts.total, 1)
        return {
            name: TypeShare(
                messages=int(mask.sum()),
                vocabulary=float(mask.sum() / number),
                episodes=float(self.counts.message_totals[mask].sum() / episodes),
            )
            for name, mask in self.messages_of_type.items()
        }

    @property
    def coverage(self) -> float:
        """Share of the episodes whose message says where the target is."""
        return self.types[READABLE].episodes

    # --- For people ---

    def shown(self, best: int | None = None) -> Table:
        """Return the entries as in the paper's table 3, with their counts.

        `best`: only this number of entries of each kind, the ones with the most episodes.
        """
        rows = (
            (
                *(e.form.pattern(self.config.message_length), name, str(e.referent)),
                *(e.npmi, e.confidence, e.joint, e.form_total, e.referent_total, e.p_value, e.q_value),
            )
            for kind, name in KINDS.items()
            for e in self.of_kind(kind, best)
        )
        figures = "NPMI :.2f | Confidence :.0% | Together :, | Form :, | Referent :, | p :.1e | q :.1e"
        return Table.of(f"Message | Type | Meaning | {figures}", rows)

    def shown_types(self) -> Table:
        """Return the types of messages (the paper's table 1), with their shares of messages and episodes."""
        names = MESSAGE_TYPES | {READABLE: "Any that says where the target is"}
        rows = ((names[name], *vars(share).values()) for name, share in self.types.items())
        return Table.of("Type | Messages :, | Vocabulary :.1% | Episodes :.1%", rows)

    # --- The file ---

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON holds it."""
        return {
            "kind": FILE_KIND,
            "format_version": FORMAT_VERSION,
            "config": self.config,
            "settings": self.settings,
            "entries": self.entries,
            "types": self.types,
            "episodes": self.counts.total,
            "named": self.admitted["offset"].total,
            "clipped": self.clipped,
            "signature": self.signature,
            "provenance": self.counts.provenance,
        }

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table as JSON, with a line for each entry.

        An existing file is replaced only when all is written.
        """
        content = self.to_dict()
        entries = ",\n".join(f"  {to_json(entry)}" for entry in content.pop("entries"))
        head = to_json(content, indent=1).removesuffix("\n}")
        write_text(path, f'{head},\n "entries": [\n{entries}\n ]\n}}\n')


def _entries(entries: Associations, config: GameConfig) -> Iterator[NpmiEntry]:
    """Yield the entries of one kind, in order."""
    names = ("joint", "form_total", "referent_total", "npmi", "p_value", "q_value")
    figures = zip(*(getattr(entries, name).tolist() for name in names), strict=True)
    forms, places, integers = entries.forms, entries.place.tolist(), entries.integers.tolist()
    for row, figures_of_row in enumerate(figures):
        if entries.kind == "edge":
            referent = Referent(edge=edge_names(config)[places[row]])
        else:
            offset = None if entries.kind == "integer" else config.offsets[places[row]]
            referent = Referent(None, tuple(n for n in integers[row] if n != NO_INTEGER), offset)
        yield NpmiEntry(forms.form(row), referent, *figures_of_row)


def _reserved_symbols(counts: Counts) -> Mask:
    """Return (V,), the symbols that are "reserved only for" edges (section 5.1): not sent elsewhere."""
    having = np.zeros((counts.config.vocab_size, len(counts.messages)), dtype=np.int64)
    for symbols in counts.messages.T:
        having[symbols, np.arange(len(symbols))] = 1
    at_edge = having @ counts.edges[:, :-1].sum(axis=1)
    total = having @ counts.message_totals
    return np.asarray((total > 0) & (at_edge == total))


def _with_both(words: Occurrences, offsets: Occurrences) -> Numbers:
    """Return the messages, perhaps repeated, in which a word and an n-gram for an offset share no slot."""
    one, other = join(words.message, offsets.message)
    words, offsets = words.take(one), offsets.take(other)
    apart = (words.slot + words.length <= offsets.slot) | (offsets.slot + offsets.length <= words.slot)
    return words.message[apart]
