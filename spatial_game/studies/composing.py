"""How messages are composed of parts, by what a dictionary says of these. There are two ways.

- **Symbol by symbol**: of all messages that the used symbols can make, take the one that gives most bits if
  each symbol says by itself what the dictionary says of it in its slot.
- **Offset and integer**: one slot names the offset. For the other slots, one table of symbols by integers
  holds at all offsets.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import UNKNOWN, FloatArray, Numbers, sum_rows
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.memory import chunks

_LEAST_USED = 0.002  # of the episodes: rarer symbols are not composed with
_MOST_COMPOSED = 1 << 15  # messages; beyond, the rarest symbols are left out


@dataclass(frozen=True, eq=False)
class Composed:
    """Messages that are composed for windows."""

    message: IntArray  # (B, T)
    sure: FloatArray  # (B,), how well each message suits its window, in bits


WAYS = "symbol by symbol", "offset and integer"
"""The two ways of composing."""


def compose(
    way: str, dictionary: Dictionary, window: IntArray, rng: np.random.Generator
) -> tuple[Numbers, Composed]:
    """Return of which of the windows (B, W) messages are composed in one of the `WAYS`, and the messages."""
    if way == WAYS[0]:
        return np.arange(len(window)), symbol_by_symbol(dictionary, window)
    return offset_and_integer(dictionary, window, rng)


def symbol_by_symbol(dictionary: Dictionary, window: IntArray) -> Composed:
    """Return for windows (B, W) the messages with most bits, if each symbol speaks for itself.

    A message gives what its symbols say of a window, less what they repeat of each variable that is seen.
    """
    columns, used = dictionary.columns, _used_symbols(dictionary)
    messages = np.array([*itertools.product(*used)], dtype=np.int16)
    by_slot = [np.zeros((columns.size + 1, len(symbols)), dtype=np.float32) for symbols in used]
    repeated = np.zeros((len(dictionary.informative), len(messages)), dtype=np.float32)
    for of_variable, (index, variable) in zip(repeated, dictionary.informative.items(), strict=True):
        for table, ratios, symbols in zip(by_slot, variable.symbol_ratios, used, strict=True):
            table[columns.about(index)] = variable.exponent * ratios[symbols].T
        for some in chunks(len(messages), 16 * len(variable.prior)):
            of_variable[some] = variable.repeated_bits(messages[some])
    cells, best = columns.of(window), np.zeros(len(window), dtype=np.int64)
    seen = np.column_stack([columns.at_offsets(window) >= 0, np.ones(len(window), dtype=bool)])
    seen, bits = seen[:, [*dictionary.informative]].astype(np.float32), np.zeros(len(window))
    for rows in chunks(len(window), 16 * len(messages)):
        score = np.zeros((len(cells[rows]), 1), dtype=np.float32)
        for table in by_slot:
            of_symbols = table[cells[rows]].sum(axis=1)
            score = (score[:, :, None] + of_symbols[:, None]).reshape(len(score), -1)
        score -= seen[rows] @ repeated
        best[rows] = score.argmax(axis=1)
        bits[rows] = score[np.arange(len(score)), best[rows]]
    return Composed(messages[best], bits)


def _used_symbols(dictionary: Dictionary) -> list[Numbers]:
    """Return the symbols of each slot to compose with, the most frequent ones first.

    Where they can make too many messages, the rarest symbols of the slots with most symbols are left out.
    """
    shares = [
        np.bincount(slot, dictionary.episodes, dictionary.config.vocab_size) / dictionary.episodes.sum()
        for slot in dictionary.messages.T
    ]
    used = [np.argsort(-share)[: max(1, np.count_nonzero(share >= _LEAST_USED))] for share in shares]
    while math.prod(map(len, used)) > _MOST_COMPOSED:
        longest = max(range(len(used)), key=lambda slot: len(used[slot]))
        used[longest] = used[longest][:-1]
    return used


def offset_and_integer(
    dictionary: Dictionary, window: IntArray, rng: np.random.Generator
) -> tuple[Numbers, Composed]:
    """Return the windows (B,) of which a message by offset and integer speaks, and the messages.

    It speaks of one cell that the sender sees, drawn at random among those that a symbol names.
    """
    code = offset_code(dictionary)
    integer = dictionary.columns.at_offsets(window)[:, code.offsets]
    there = integer >= 0
    rows = np.flatnonzero(there.any(axis=1))
    if not len(rows):
        empty = np.empty((0, dictionary.config.message_length), dtype=np.int16)
        return rows, Composed(empty, np.zeros(0))
    drawn = np.where(there, rng.random(there.shape), -1)[rows].argmax(axis=1)
    of_cell = integer[rows, drawn]
    message = np.empty((len(rows), dictionary.config.message_length), dtype=np.int16)
    message[:, code.slot] = code.symbols[drawn]
    sure = np.zeros(len(rows))
    for slot, table in code.tables.items():
        message[:, slot] = table.argmax(axis=0)[of_cell]
        sure += table.max(axis=0)[of_cell]
    return rows, Composed(message, sure)


@dataclass(frozen=True, eq=False)
class OffsetCode:
    """A code in which one slot names an offset, and the others the integer there."""

    slot: int
    """The one that names the offset."""
    offsets: Numbers  # (n,), the numbers of the offsets that it names
    symbols: Numbers  # (n,), the most frequent symbol for each of them
    tables: Mapping[int, FloatArray]
    """(S, N) by slot: log2 of how often each symbol stands for each integer, at any offset."""
    fit: float
    """What the other slots tell of the integer at the offset that is named, slot by slot, in bits
    times episodes."""


def offset_code(dictionary: Dictionary) -> OffsetCode:
    """Return the code of an offset and the integer there that fits a dictionary best."""
    expected = _expected_episodes(dictionary)
    codes = [_code_of(dictionary, expected, slot) for slot in range(dictionary.config.message_length)]
    return max(codes, key=lambda code: code.fit)


def _expected_episodes(dictionary: Dictionary) -> dict[int, FloatArray]:
    """Return (M, N) by offset: in how many episodes each message is sent with each integer there.

    It is what the dictionary says, so integers that it has seen once with a message weigh little.
    """
    tables, views = dictionary.tables(dictionary.messages), dictionary.columns.views
    of_views = len(dictionary.config.offsets)
    view = tables.pop(of_views, np.tile(views.share, (len(dictionary.messages), 1)))
    shown = dictionary.episodes[:, None] * (view @ views.shown)
    return {offset: shown[:, [offset]] * p for offset, p in tables.items()}


def _code_of(dictionary: Dictionary, expected: Mapping[int, FloatArray], slot: int) -> OffsetCode:
    """Return the code whose offset is named in this slot.

    A symbol there names the offset of which the other slots tell most, slot by slot; a rare one names none.
    """
    size, messages = dictionary.config.vocab_size, dictionary.messages
    named_by = messages[:, slot].astype(np.int64)
    others = {other: column.astype(np.int64) for other, column in enumerate(messages.T) if other != slot}
    bits = {
        offset: np.sum([_information(symbol, named_by, table, size) for symbol in others.values()], axis=0)
        for offset, table in expected.items()
    }
    if not bits:  # no message says anything of integers
        return OffsetCode(slot, np.zeros(0, np.int64), np.zeros(0, np.int64), {}, 0.0)
    episodes = np.bincount(named_by, dictionary.episodes, size)
    named = np.array([*bits])[np.stack([*bits.values()]).argmax(axis=0)]
    named[episodes < _LEAST_USED * episodes.sum()] = UNKNOWN
    offsets = np.unique(named[named != UNKNOWN])
    symbols = np.array([np.where(named == offset, episodes, -1).argmax() for offset in offsets], dtype=int)
    fit = sum(bits[offset][named == offset].sum() for offset in bits)
    # What the symbols of the other slots stand for at any offset.
    tables = {other: np.zeros((size, dictionary.config.num_integers)) for other in others}
    for offset, table in expected.items():
        rows = named[named_by] == offset
        for other, symbol in others.items():
            tables[other] += sum_rows(table[rows], symbol[rows], size)
    shares = {other: np.log2((table + 0.1) / (table + 0.1).sum(axis=0)) for other, table in tables.items()}
    return OffsetCode(slot, offsets, symbols, shares, float(fit))


def _information(symbol: Numbers, group: Numbers, table: FloatArray, size: int) -> FloatArray:
    """Return by group (size,) what symbols tell of the columns of a table (M, N), in bits times episodes.

    `symbol` (M,) and `group` (M,), both below `size`, are those of the table's rows.
    """
    pairs, row = np.unique(group * size + symbol, return_inverse=True)
    by_pair, of_pair = sum_rows(table, row, len(pairs)), pairs // size
    by_group = sum_rows(by_pair, of_pair, size)
    pair_totals, totals = by_pair.sum(axis=1), by_group.sum(axis=1)
    of_cells = np.bincount(of_pair, entr(by_pair).sum(axis=1) - entr(pair_totals), size)
    return np.asarray((entr(by_group).sum(axis=1) - entr(totals) - of_cells) / math.log(2))
