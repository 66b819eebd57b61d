"""The content of the page of a language: its dictionary, messages, symbols and some of its episodes.

The page itself counts the windows, messages and outcomes of the sampled episodes, which are sorted by
message. For *drawn* episodes it also has the other columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import rel_entr

from spatial_game.config import GameConfig
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import carriers
from spatial_game.language.counting.rows import distinct_rows
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import meaning_of
from spatial_game.language.dictionary.words import Words, edge_in_words, place_in_words
from spatial_game.language.measures.message_profile import profile
from spatial_game.language.players.message_model import MessageModel, divergence_bits
from spatial_game.language.players.reading import read_in_words
from spatial_game.language.tables import KIND_TITLES
from spatial_game.web.browse.sample import LOST, Rows, Sample, taken
from spatial_game.web.page import deflated

READ = 3_000
"""The number of most frequent messages whose meaning is given in words."""
EXAMPLES = 10
"""Episodes drawn for each entry, up to half of them lost."""
_EACH = 3
"""Won and lost episodes drawn for each message."""
_DRAWN_BYTES = 900_000
_MOST_INTEGERS = 2_000
"""The largest number of integers for which counts are put into words."""
_MOST_SLOTS = 8
_ABOVE = 2
"""Added to packed numbers, which makes -1 and -2 possible."""


@dataclass(frozen=True)
class Content:
    """The data of a page: a header for JSON, and columns of whole numbers."""

    header: dict[str, Any]
    columns: Mapping[str, npt.NDArray[Any]]

    def packed(self) -> str:
        """Return the length of the header, the header and the columns as text: deflated, in base64."""
        shapes, parts = {}, []
        for name, column in self.columns.items():
            shifted = column.astype(np.int64) + _ABOVE
            kind = np.min_scalar_type(int(shifted.max(initial=0)))
            shapes[name] = [kind.itemsize, *column.shape]
            parts.append(shifted.astype(kind.newbyteorder("<")).tobytes())
        head = json.dumps({**self.header, "columns": shapes}, separators=(",", ":")).encode()
        return deflated(b"".join([len(head).to_bytes(4, "little"), head, *parts]))


def content(found: Sample, counts: Counts, lexicon: Lexicon, about: Mapping[str, Any]) -> Content:
    """Return what a page shows of a sample of episodes, with the counts and the lexicon of their language.

    `about`: the title, the file names and the sentences at the top of the page.
    """
    episodes, config = found.episodes, found.episodes.config
    messages, number, ids = by_frequency(episodes.message)
    order = np.lexsort((found.row, found.outcome, ids))
    ids, outcome = ids[order], found.outcome[order]
    drawn = drawn_rows(lexicon.listed, messages, number, outcome, _most_drawn(config))
    whole = taken(episodes, order[drawn])
    columns = {
        "window": np.ascontiguousarray(episodes.window[order].T),
        "outcome": outcome,
        "layout": offset_numbers(config),
        "messages": messages,
        "sent": number,
        "drawn": drawn,
        "row": found.row[order][drawn],
        **{name: c for name, c in whole.columns().items() if name not in ("window", "message")},
    }
    header = {
        **about,
        "total": found.total,
        "above": _ABOVE,
        "read": READ,
        "examples": EXAMPLES,
        "game": _game(config),
        "kinds": KIND_TITLES,
        **_entries(lexicon),
        "reads": read_in_words(lexicon, messages[:READ], complete=True),
        "countsSay": _counts_say(counts, messages[:READ]),
        "alphabet": _alphabet(counts),
    }
    return Content(header, columns)


def by_frequency(message: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Rows, Rows]:
    """Return the distinct messages (M, T), the most frequent first, their numbers (M,), and ids (B,)."""
    messages, ids = distinct_rows(message)
    number = np.bincount(ids, minlength=len(messages)).astype(np.int64)
    order = np.argsort(-number, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return messages[order], number[order], place[ids]


def drawn_rows(
    listed: Sequence[Entry],
    messages: npt.NDArray[Any],
    number: Rows,
    outcome: npt.NDArray[np.uint8],
    most: int,
) -> Rows:
    """Return the episodes that are drawn, in order: first for the entries, then lost ones, then others.

    The episodes are sorted by message, and then by outcome.
    """
    ends = np.cumsum(number)
    rows_of = [np.arange(end - size, end) for end, size in zip(ends, number, strict=True)]
    chosen: dict[int, None] = {}

    def draw(rows: Rows) -> None:
        chosen.update(dict.fromkeys(rows.tolist()))

    having = carriers([entry.form for entry in listed], messages)
    for those in np.split(having.indices, having.indptr[1:-1]):
        if len(those):
            draw(_examples(np.concatenate([rows_of[m] for m in those]), outcome, EXAMPLES))
    draw(evenly(np.flatnonzero(outcome == LOST), most // 4))
    for rows in rows_of:
        if len(chosen) >= most:
            break
        draw(_examples(rows, outcome, 2 * _EACH))
    return np.array(sorted(list(chosen)[:most]), dtype=np.int64)


def _examples(rows: Rows, outcome: npt.NDArray[np.uint8], number: int) -> Rows:
    """Return `number` of these rows, up to half of them lost."""
    lost = outcome[rows] == LOST
    wrong = evenly(rows[lost], max(number // 2, number - int((~lost).sum())))
    return np.concatenate([wrong, evenly(rows[~lost], number - len(wrong))])


def evenly(rows: Rows, most: int) -> Rows:
    """Return at most `number` of these rows, evenly spaced."""
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // max(most, 1)]


def _most_drawn(config: GameConfig) -> int:
    cells = config.sequence_length + config.num_candidates + 3
    return max(100, _DRAWN_BYTES // (cells * (1 if len(config.integers) < 250 else 2)))


def _game(config: GameConfig) -> dict[str, Any]:
    """Return the game, and its places in words."""
    return {
        **config.to_dict(),
        "shape": config.shape,
        "signature": config.signature,
        "num_hidden": config.num_hidden,
        "places": [{"offset": offset, "words": place_in_words(offset)} for offset in config.offsets],
        "edges": [{"name": name, "words": edge_in_words(name)} for name in config.edges],
    }


def _entries(lexicon: Lexicon) -> dict[str, Any]:
    """Return the listed entries, with the names of classes that their meanings use."""
    words, length = Words(lexicon.listed), lexicon.config.message_length
    complete = Words(lexicon.listed, complete=True)
    entries = [
        {
            "form": entry.form.pattern(length),
            "symbols": entry.form.symbols,
            "slot": entry.form.slot,
            "kind": entry.kind,
            "words": words.of_entry(entry),
            "full": complete.of_entry(entry),
            "meaning": meaning_of(entry.referent),
            "senses": [meaning_of(sense) for sense, _ in entry.senses],
            "bits": _short(entry.bits),
            "npmi": _short(entry.npmi),
            "confidence": _short(entry.confidence),
            "count": entry.count,
        }
        for entry in lexicon.listed
    ]
    by_slot = lexicon.account.by_slot if lexicon.account else ()
    return {"entries": entries, "legend": words.legend, "bySlot": [_short(bits) for bits in by_slot]}


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _counts_say(counts: Counts, messages: npt.NDArray[Any]) -> list[str | None]:
    """Return the most common meaning in the episodes of each message, in words; None if unknown."""
    if len(counts.config.integers) > _MOST_INTEGERS or not len(messages):
        return [None] * len(messages)
    model = MessageModel.from_counts(counts.most_frequent(READ))
    found = (profile(model, message) for message in messages)
    return [None if one is None else one.senses[0].says for one in found]


def _alphabet(counts: Counts) -> list[dict[str, Any]]:
    """Return the symbols at each slot and at any slot: how often they are sent, and what they tell."""
    length = counts.config.message_length
    slots = list(range(length)) if length <= _MOST_SLOTS else []
    return [row for slot in [*slots, None] for row in _symbols(counts, slot)]


def _symbols(counts: Counts, slot: int | None) -> list[dict[str, Any]]:
    """Return the symbols at a slot: number of episodes, bits about single places, and what counts say."""
    sent = counts.messages if slot is None else counts.messages[:, [slot]]
    row = np.repeat(np.arange(len(sent)), sent.shape[1])
    pairs = np.unique(np.column_stack([sent.ravel(), row]), axis=0)  # once in a message that repeats it
    used, symbol = np.unique(pairs[:, 0], return_inverse=True)
    ones = np.ones(len(pairs), dtype=np.int64)
    gather = sp.csr_array((ones, (symbol, pairs[:, 1])), shape=(len(used), len(sent)))
    config = replace(counts.config, message_length=1)
    merged = Counts(config, used[:, None].astype(np.int16), sp.csr_array(gather @ counts.table))
    merged = merged.most_frequent(READ)
    known = len(config.integers) <= _MOST_INTEGERS
    bits = _bits(merged, counts.mask_columns.sum(axis=0)) if known else [None] * len(merged.messages)
    totals, says = merged.message_totals.tolist(), _counts_say(merged, merged.messages)
    rows = zip(merged.messages[:, 0].tolist(), totals, bits, says, strict=True)
    return [
        {"symbol": symbol, "slot": slot, "sent": number, "bits": _short(told), "says": words}
        for symbol, number, told, words in rows
    ]


def _bits(counts: Counts, usual: Rows) -> list[float]:
    """Return what each message tells about single places, added up, relative to the usual edges."""
    places, total = len(counts.config.offsets), counts.message_totals
    seen = counts.integers_at.toarray().reshape(len(total), places, -1)
    inside = divergence_bits(seen.astype(np.float64)) * seen.sum(axis=2) / total[:, None]
    edges = counts.mask_columns / total[:, None]
    at_edges = rel_entr(edges, usual / usual.sum()).sum(axis=1) / np.log(2)
    spare = ((counts.mask_columns > 0).sum(axis=1) - 1) / (2 * np.log(2) * total)
    return [float(bits) for bits in inside.sum(axis=1) + np.maximum(at_edges - spare, 0)]
