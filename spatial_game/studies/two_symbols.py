"""Which messages need two symbols? They are asked beside distractors that no symbol alone rules out.

Beside distractors that are drawn at random, one symbol of a message often leads to the target, so a receiver
that finds it need not understand the others.
"""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import (
    Episodes,
    IntArray,
    Mask,
    concatenate,
    derive,
    hidden_cells,
    window_around,
)
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary, Evidence
from spatial_game.language.reading import Reader
from spatial_game.memory import chunks


def needing_two(
    dictionary: Dictionary, messages: IntArray, episodes: Episodes, rng: np.random.Generator
) -> tuple[Numbers, Episodes]:
    """Return which of the messages (B, T) need two symbols, (n,), and their episodes with other distractors.

    These are integers of the sequence. Each symbol of the message, wherever it stands, gives one of them at
    least as many bits as the target. A message needs two different symbols if there are such distractors.
    `dictionary` says what symbols say. B is at least 1.
    """
    config, length = dictionary.config, episodes.sequence.shape[1]
    of_symbols, rows, found = _evidence_of_symbols(dictionary), [], []
    for part in chunks(len(messages), 32 * length * config.message_length):
        some, sent = episodes[part], messages[part]
        bits = _bits_of_cells(Reader(dictionary), of_symbols, sent, some)
        positions, none_leads = _distractors(bits, some, config.num_candidates, rng)
        needs_two = np.flatnonzero(none_leads & (sent != sent[:, :1]).any(axis=1))
        hidden, positions = hidden_cells(some)[needs_two], positions[needs_two]
        some = some[needs_two]
        found.append(derive(config, some.sequence, positions, some.target_index, hidden))
        rows.append(part.start + needs_two)
    return np.concatenate(rows), concatenate(found)


def _evidence_of_symbols(dictionary: Dictionary) -> Evidence:
    """Return (T, S, columns + 1), the bits that each symbol gives in each slot for each of the columns."""
    config, columns = dictionary.config, dictionary.columns
    found = np.zeros((config.message_length, config.vocab_size, columns.size + 1), dtype=np.float32)
    for index, variable in dictionary.informative.items():
        found[:, :, columns.about(index)] = variable.symbol_ratios
    return found


def _bits_of_cells(
    reader: Reader, of_symbols: Evidence, messages: IntArray, episodes: Episodes
) -> FloatArray:
    """Return (T, B, L), the bits that the symbol in each slot gives for each cell of the sequence.

    A symbol that the message repeats speaks in all slots in which it stands.
    """
    symbols = messages.T.astype(np.int64)
    bits = np.empty((len(of_symbols), *episodes.sequence.shape), dtype=np.float32)
    for cell in range(bits.shape[2]):
        window, _ = window_around(reader.config, episodes.sequence, np.full(len(messages), cell))
        for slot, table in enumerate(of_symbols):
            bits[slot, :, cell] = reader.bits_of(table, symbols[slot], window)
    same = symbols[:, None] == symbols  # (T, T, B)
    return np.stack([(bits * each[:, :, None]).sum(axis=0) for each in same])


def _distractors(
    bits: FloatArray, episodes: Episodes, num_candidates: int, rng: np.random.Generator
) -> tuple[Numbers, Mask]:
    """Return the cells of candidates (B, C), and whether no symbol alone leads to the target (B,).

    The symbols that say most of the target have the first choice of a distractor.
    """
    rows, target = np.arange(len(episodes)), episodes.target_position.astype(np.int64)
    of_target = bits[:, rows, target]
    suits = bits >= of_target[:, :, None]
    suits[:, rows, target] = False
    lot = rng.random(bits.shape[1:])
    lot[rows, target] = np.inf
    for slot in np.argsort(-of_target, axis=0):
        fitting = suits[slot, rows]
        best = np.where(fitting, lot, -1).argmax(axis=1)
        lot[rows, best] += fitting.any(axis=1)
    positions = np.argsort(-lot, axis=1)[:, :num_candidates]
    positions[:, 1:] = rng.permuted(positions[:, 1:], axis=1)
    none_leads = np.all([of_slot[rows[:, None], positions].any(axis=1) for of_slot in suits], axis=0)
    index = episodes.target_index
    positions[rows, 0], positions[rows, index] = positions[rows, index], positions[rows, 0]
    return positions, np.asarray(none_leads)
