"""From counts to a dictionary: fit each variable, and measure the bits on held-out episodes."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import UNKNOWN, FloatArray
from spatial_game.language.dictionary.bits import Bits
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.variable import Variable, count_symbols, fit, nothing_said
from spatial_game.language.entropy import entropy
from spatial_game.memory import chunks, require_memory

MOST_CELLS = 1 << 26
"""The most cells of the table of known messages by columns, 256 MiB; rarer ones are read by their symbols."""
_NOTHING = Bits(0, 0, 0, (), (), (), (), 0, 0)


def build_dictionary(counts: Counts) -> Dictionary:
    """Return the dictionary of a language.

    It is built from nine of ten episodes, and its bits are measured on the others. Raises `ValueError` for
    counts without episodes.
    """
    require_kind("counts", counts, Counts, "count(recording)")
    unmeasured = fit_dictionary(counts)
    return replace(unmeasured, bits=bits_of(unmeasured, counts))


def fit_dictionary(counts: Counts, variables: Container[int] | None = None) -> Dictionary:
    """Return the dictionary of a language without its bits, which are 0.

    `variables`: the numbers of those that messages may tell something of; of others, the dictionary says
    nothing (default: all). Raises `ValueError` for counts without episodes.
    """
    config, building, columns = counts.config, counts.building, columns_of(counts.config)
    _require_room(config)
    totals = np.asarray(building[:, columns.of_views].sum(axis=1), dtype=np.int64)
    order = np.argsort(-totals, kind="stable")[: np.count_nonzero(totals)]
    if not len(order):
        raise UserError("a dictionary needs episodes; got none")
    num_known = min(most_known(config), len(order))
    order = np.concatenate([np.sort(order[:num_known]), order[num_known:]])
    messages, by_column = counts.messages[order], sp.csc_array(building[order])
    by_symbol = count_symbols(by_column, messages, config.vocab_size)

    def fitted(index: int, prior: FloatArray) -> Variable:
        if variables is not None and index not in variables:
            return nothing_said(prior, config.message_length, config.vocab_size, num_known)
        about = columns.about(index)
        known = sp.csr_array(by_column[:, about])[:num_known]
        return fit(known, messages[:num_known], prior, by_symbol[:, :, about])

    return Dictionary(
        config,
        messages[:num_known],
        totals[order[:num_known]],
        counts.total,
        variables=tuple(fitted(*variable) for variable in enumerate(priors_of(config))),
        bits=_NOTHING,
        provenance=counts.provenance,
    )


def _require_room(config: GameConfig) -> None:
    """Raise `UserError` if the counts of symbols do not fit into memory."""
    symbols = config.message_length * config.vocab_size
    needed = (
        8 * symbols * (columns_of(config).size + 3 * config.num_integers)
    )  # of all variables, and to fit one
    require_memory("config", config.signature, needed, "use fewer symbols, slots, offsets or integers")


def most_known(config: GameConfig) -> int:
    """Return the number of messages that a dictionary has room for."""
    return max(1, MOST_CELLS // columns_of(config).size)


def priors_of(config: GameConfig) -> list[FloatArray]:
    """Return how often the game draws each value of each variable."""
    even = np.full(config.num_integers, 1 / config.num_integers)
    return [even] * len(config.offsets) + [columns_of(config).views.share]


def bits_of(dictionary: Dictionary, counts: Counts) -> Bits:
    """Return what a dictionary explains of the held-out episodes of counts.

    What it seems to tell beyond an entropy is chance, or it shows that the game did not draw the windows.
    """
    some = np.flatnonzero(counts.held_out.sum(axis=1))
    messages, held = counts.messages[some], sp.csc_array(counts.held_out[some])
    views = sp.csr_array(held[:, dictionary.columns.of_views])
    episodes = max(int(views.sum()), 1)
    carried, possible = message_entropy(counts), possible_bits(counts)
    levels = [_explained(dictionary, messages, held, views, symbols_only) for symbols_only in (False, True)]
    told, repeated = (np.array(each) / episodes for each in zip(*levels, strict=True))
    told[:, -1] = np.minimum(told[:, -1], possible[-1])  # it may be high because targets stand elsewhere
    of_windows = told.sum(axis=1) - repeated
    told = np.minimum(told, np.minimum(possible, carried))
    of_slots = np.minimum(_by_slots(dictionary, messages, held) / episodes, possible)
    of_slots = np.minimum(of_slots, slot_entropies(counts)[:, None])
    return Bits(
        entropy=carried,
        messages=min(float(of_windows[0]), carried),
        symbols=min(float(of_windows[1]), carried),
        messages_by_variable=tuple(told[0].tolist()),
        symbols_by_variable=tuple(told[1].tolist()),
        slots_by_variable=tuple(map(tuple, of_slots.tolist())),
        possible_by_variable=tuple(possible.tolist()),
        episodes=int(views.sum()),
        unknown=float(views[dictionary.rows(messages) == UNKNOWN].sum() / episodes),
    )


def message_entropy(counts: Counts) -> float:
    """Return the entropy of the messages of counts, in bits: they can tell at most this."""
    return entropy(counts.message_totals, counts.config.message_bits)


def slot_entropies(counts: Counts) -> FloatArray:
    """Return the entropy of the symbols of each slot (T,), in bits."""
    vocab_size, episodes = counts.config.vocab_size, counts.message_totals
    of_slots = (np.bincount(slot, episodes, vocab_size) for slot in counts.messages.T)
    return np.array([entropy(each, math.log2(vocab_size)) for each in of_slots])


def possible_bits(counts: Counts) -> FloatArray:
    """Return the entropy of each variable (P,), times the share of the episodes in which it is seen."""
    columns, by_column = columns_of(counts.config), np.asarray(counts.table.sum(axis=0))
    seen = (by_column[columns.about(index)] for index in range(len(counts.config.offsets) + 1))
    total = max(counts.total, 1)
    return np.array([entropy(each, math.log2(len(each))) * each.sum() / total for each in seen])


def fitted_bits(dictionary: Dictionary, counts: Counts) -> float:
    """Return the mean bits that a dictionary explains of the episodes that it was built from."""
    return min(explained_bits(dictionary, counts.messages, counts.building), dictionary.bits.entropy)


def explained_bits(dictionary: Dictionary, messages: IntArray, table: sp.csr_array) -> float:
    """Return the mean bits that a dictionary explains of episodes, counted by messages (M, T) and columns."""
    columns, bits = dictionary.columns, 0.0
    for rows in chunks(len(messages), 8 * columns.size):
        cells, evidence = table[rows].tocoo(), dictionary.evidence(messages[rows])
        bits += float(cells.data @ evidence[cells.row, cells.col])
    return bits / max(int(table[:, columns.of_views].sum()), 1)


def _explained(
    dictionary: Dictionary, messages: np.ndarray, sent: sp.csc_array, views: sp.csr_array, symbols_only: bool
) -> tuple[FloatArray, float]:
    """Return the bits of all these episodes by variable (P,), and those that repeat integers."""
    by_variable, repeated = np.zeros(len(dictionary.variables)), 0.0
    sent_at = {
        index: sp.csr_array(sent[:, dictionary.columns.about(index)]) for index in dictionary.informative
    }
    num_cells = sum(table.shape[1] for table in sent_at.values())
    for rows in chunks(len(messages), max(8 * num_cells, views.shape[1])):
        tables = dictionary.tables(messages[rows], symbols_only=symbols_only)
        for index, p in tables.items():
            by_variable[index] += sent_at[index][rows].multiply(dictionary.variables[index].bits(p)).sum()
        repeated += float((views[rows].toarray() * dictionary.repetition(tables, len(messages[rows]))).sum())
    return by_variable, repeated


def _by_slots(dictionary: Dictionary, messages: np.ndarray, sent: sp.csc_array) -> FloatArray:
    """Return the bits of all these episodes (T, P) by the symbol of one slot alone."""
    config = dictionary.config
    bits = np.zeros((config.message_length, len(dictionary.variables)))
    counts = count_symbols(sent, messages, config.vocab_size)
    for index, variable in dictionary.informative.items():
        about = dictionary.columns.about(index)
        bits[:, index] = (counts[:, :, about] * variable.symbol_ratios).sum(axis=(1, 2))
    return bits
