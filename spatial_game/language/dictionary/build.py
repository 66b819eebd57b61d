"""From counts to a dictionary: fit each variable, and measure the bits on held-out episodes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import UNKNOWN, FloatArray, blocks
from spatial_game.language.dictionary.dictionary import Bits, Dictionary
from spatial_game.language.dictionary.variable import Variable, fit, letter_counts
from spatial_game.language.entropy import entropy
from spatial_game.memory import require_memory

MOST_CELLS = 1 << 26
"""The most cells of the table of words by columns, 256 MiB; rarer messages are read by their letters."""
_BLOCK_CELLS = 1 << 23  # of tables that are made at a time
_NOTHING = Bits(0, 0, 0, (), (), (), (), 0, 0)


def build_dictionary(counts: Counts) -> Dictionary:
    """Return the dictionary of a language.

    It is built from nine of ten episodes, and its bits are measured on the others. Raises `ValueError` for
    counts without episodes.
    """
    require_kind("counts", counts, Counts, "count(recording)")
    config, building, columns = counts.config, counts.building, columns_of(counts.config)
    _require_room(config)
    totals = np.asarray(building[:, columns.of_views].sum(axis=1), dtype=np.int64)
    order = np.argsort(-totals, kind="stable")[: np.count_nonzero(totals)]
    if not len(order):
        raise UserError("a dictionary needs episodes; got none")
    num_words = min(most_words(config), len(order))
    order = np.concatenate([np.sort(order[:num_words]), order[num_words:]])
    messages, by_column = counts.messages[order], sp.csc_array(building[order])

    def fitted(place: int, prior: FloatArray) -> Variable:
        table = sp.csr_array(by_column[:, columns.about(place)])
        return fit(table, messages, prior, config.vocab_size, num_words)

    unmeasured = Dictionary(
        config,
        messages[:num_words],
        totals[order[:num_words]],
        counts.total,
        variables=tuple(fitted(*variable) for variable in enumerate(priors_of(config))),
        bits=_NOTHING,
        provenance=counts.provenance,
    )
    return replace(unmeasured, bits=bits_of(unmeasured, counts))


def _require_room(config: GameConfig) -> None:
    """Raise `UserError` if the counts of letters do not fit into memory."""
    letters = config.message_length * config.vocab_size
    needed = (
        8 * letters * (columns_of(config).size + 3 * config.num_integers)
    )  # of all variables, and to fit one
    require_memory("config", config.signature, needed, "use fewer symbols, slots, offsets or integers")


def most_words(config: GameConfig) -> int:
    """Return the number of words for which there is room in a game."""
    return max(1, MOST_CELLS // columns_of(config).size)


def priors_of(config: GameConfig) -> list[FloatArray]:
    """Return how often the game draws each value of each variable."""
    even = np.full(config.num_integers, 1 / config.num_integers)
    return [even] * len(config.offsets) + [columns_of(config).views.share]


def bits_of(dictionary: Dictionary, counts: Counts) -> Bits:
    """Return what a dictionary explains of the held-out episodes of counts."""
    messages, held, views = _sent(counts, counts.held_out)
    episodes = max(int(views.sum()), 1)
    levels = [_explained(dictionary, messages, held, views, letters_only) for letters_only in (False, True)]
    (words_by_place, words), (letters_by_place, letters) = levels
    return Bits(
        message=entropy(counts.message_totals),
        words=words / episodes,
        letters=letters / episodes,
        words_by_place=tuple((words_by_place / episodes).tolist()),
        letters_by_place=tuple((letters_by_place / episodes).tolist()),
        slots_by_place=tuple(map(tuple, (_by_slots(dictionary, messages, held) / episodes).tolist())),
        possible_by_place=_possible(dictionary.config),
        episodes=int(views.sum()),
        unknown=float(views[dictionary.rows(messages) == UNKNOWN].sum() / episodes),
    )


def fitted_bits(dictionary: Dictionary, counts: Counts) -> float:
    """Return the mean bits that a dictionary explains of the episodes that it was built from."""
    messages, building, views = _sent(counts, counts.building)
    return _explained(dictionary, messages, building, views, letters_only=False)[1] / max(int(views.sum()), 1)


def _sent(counts: Counts, table: sp.csr_array) -> tuple[np.ndarray, sp.csc_array, sp.csr_array]:
    """Return the messages that a table (M, columns) counts, their rows of it, and their episodes by view."""
    some = np.flatnonzero(table.sum(axis=1))
    sent = sp.csc_array(table[some])
    return counts.messages[some], sent, sp.csr_array(sent[:, columns_of(counts.config).of_views])


def _explained(
    dictionary: Dictionary, messages: np.ndarray, sent: sp.csc_array, views: sp.csr_array, letters_only: bool
) -> tuple[FloatArray, float]:
    """Return the bits of all these episodes by place (P,), and of whole windows."""
    by_place, repeated = np.zeros(len(dictionary.variables)), 0.0
    sent_at = {
        place: sp.csr_array(sent[:, dictionary.columns.about(place)]) for place in dictionary.informative
    }
    num_cells = sum(table.shape[1] for table in sent_at.values())
    for rows in blocks(len(messages), max(1, _BLOCK_CELLS // max(num_cells, views.shape[1] // 8, 1))):
        tables = dictionary.tables(messages[rows], letters_only=letters_only)
        for place, p in tables.items():
            by_place[place] += sent_at[place][rows].multiply(dictionary.variables[place].bits(p)).sum()
        repeated += float((views[rows].toarray() * dictionary.repetition(tables, len(messages[rows]))).sum())
    return by_place, float(by_place.sum()) - repeated


def _by_slots(dictionary: Dictionary, messages: np.ndarray, sent: sp.csc_array) -> FloatArray:
    """Return the bits of all these episodes (T, P) by the letter of one slot alone."""
    config = dictionary.config
    bits = np.zeros((config.message_length, len(dictionary.variables)))
    for place, variable in dictionary.informative.items():
        counts = letter_counts(sent[:, dictionary.columns.about(place)], messages, config.vocab_size)
        bits[:, place] = (counts * variable.letter_ratios).sum(axis=(1, 2))
    return bits


def _possible(config: GameConfig) -> tuple[float, ...]:
    """Return the entropy of what the game draws at each place, in the episodes in which it is seen."""
    views = columns_of(config).views
    seen = views.share @ views.shown
    of_view = -float(views.share @ np.log2(views.share))
    return (*(seen * math.log2(config.num_integers)).tolist(), of_view)
