"""Batches of episodes, how they are drawn, and what follows from a draw.

A generator yields one row of random keys for each episode, and everything else follows from the keys. Each
episode takes a fixed number of keys, so it does not matter how many are drawn at a time: 10 and then 20
episodes of a generator are the 30 that it would draw at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spatial_game.checks import check_integers, refuse_rows, repeated, require_whole
from spatial_game.config import GameConfig
from spatial_game.errors import UserTypeError
from spatial_game.extras import needs
from spatial_game.game.windows import window_tables
from spatial_game.memory import AT_ONCE, require_memory

if TYPE_CHECKING:
    import torch

IntArray = npt.NDArray[np.integer[Any]]
"""An array of integers of any width."""
KeyArray = npt.NDArray[np.unsignedinteger[Any]]
Mask = npt.NDArray[np.bool_]

MASK = -1
"""The value in the target's cell of a window: the sender does not see the target."""

HIDDEN = -2
"""The value in the other cells of a window that the sender does not see."""

KEEP = -1
"""The value with which `arrange` moves nothing."""

# Rows drawn at a time, and their keys: these stay in a processor's second-level cache.
_BLOCK, _KEYS = 4096, 1 << 19


@dataclass(frozen=True, eq=False)
class Episodes:
    """A batch of B episodes as parallel arrays of int16. `episodes[i:j]` is a batch too."""

    sequence: IntArray  # (B, L), different integers in 0..num_integers-1
    target_position: IntArray  # (B,), the target's cell in the sequence, in 0..L-1
    window: IntArray  # (B, W), what the sender sees: integers of the sequence, MASK and maybe HIDDEN
    mask_column: IntArray  # (B,), the target's cell in the window, in 0..W-1
    candidates: IntArray  # (B, C), different integers of the sequence, one of them the target
    target_index: IntArray  # (B,), the target's index among the candidates, in 0..C-1

    def __len__(self) -> int:
        return len(self.sequence)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Episodes):
            return NotImplemented
        return all(map(np.array_equal, vars(self).values(), vars(other).values()))

    def __getitem__(self, rows: slice | IntArray) -> Episodes:
        """The episodes of a slice, an index array or a boolean array, as a batch."""
        if isinstance(rows, (int, np.integer)):
            raise UserTypeError(
                f"episodes need a slice, such as [{rows}:{rows + 1}], for a batch; got {rows}"
            )
        episodes = object.__new__(Episodes)  # twice as fast as by the constructor
        for name, column in vars(self).items():
            vars(episodes)[name] = column[rows]
        return episodes

    @property
    def target(self) -> IntArray:
        """The integers that the receivers must pick, (B,)."""
        return _pick(self.sequence, self.target_position[:, None])[:, 0]

    def to_torch(self, device: torch.device | str = "cpu") -> dict[str, torch.Tensor]:
        """Return each column by its name, as a tensor of int64 on this device.

        Raises `ModuleNotFoundError` without torch, which the extra [agents] installs.
        """
        with needs("agents"):
            import torch  # here alone: torch is no dependency, and a game never loads it

        columns = {name: torch.from_numpy(np.ascontiguousarray(c)) for name, c in vars(self).items()}
        # First to the device: int16 is a quarter of the bytes.
        return {name: column.to(device).to(torch.int64) for name, column in columns.items()}


Sampler = Callable[[int, np.random.Generator], Episodes]
"""Draws this number of episodes with this generator."""


# --- Draw ---------------------------------------------------------------------------------------------------


def draw_episodes(config: GameConfig, num_episodes: int, rng: np.random.Generator) -> Episodes:
    """Draw independent episodes of the game (section 2.1 of the paper).

    A sequence is a uniform choice of integers in random order. Target and distractors are in uniform,
    distinct cells of it, and the target's index among the candidates is uniform. Distractors come from the
    sequence, as in the paper: the receiver could rule out an integer from outside at once.

    The result depends only on the generator's state, not on the machine, the sorting routine or how the
    drawing is divided into calls.

    Raises `UserError` for more episodes than fit into memory (`draw_batches` draws them in batches), and for
    a number below 0 or an `rng` that is no generator.
    """
    num_episodes = require_whole("num_episodes", num_episodes, 0)
    needed = 2 * num_episodes * bytes_of_episode(config)  # in blocks, then in one array
    require_memory("num_episodes", num_episodes, needed, "draw them in batches, or fewer")
    if not isinstance(rng, np.random.Generator):
        raise UserTypeError(f"rng must be a generator, such as np.random.default_rng(0); got {rng!r}")
    rows = rows_at_once(len(key_layout(config).numbers), _BLOCK, _KEYS)
    blocks = [
        episodes_from_keys(config, draw_keys(config, min(rows, num_episodes - start), rng))
        for start in range(0, max(num_episodes, 1), rows)
    ]
    return concatenate(blocks)


def draw_batches(
    config: GameConfig,
    num_episodes: int,
    rng: np.random.Generator,
    batch_size: int | None = None,
    sampler: Sampler | None = None,
) -> Iterator[Episodes]:
    """Draw the episodes of `draw_episodes`, or of a sampler, at least one, in batches that fit into memory.

    What the sampler returns is not checked here: see `checked_sampler`.
    """
    draw = sampler or partial(draw_episodes, config)
    num_episodes = require_whole("num_episodes", num_episodes, 1)
    cells = config.sequence_length + config.window_size + config.num_candidates
    batch_size = rows_at_once(cells, 1 << 16) if batch_size is None else batch_size
    batch_size = require_whole("batch_size", batch_size, 1)
    for start in range(0, num_episodes, batch_size):
        yield draw(min(batch_size, num_episodes - start), rng)


def bytes_of_episode(config: GameConfig) -> int:
    """Return the bytes of an episode: the integers of its sequence, window and candidates, and three more."""
    return 2 * (config.sequence_length + config.window_size + config.num_candidates + 3)


def rows_at_once(numbers: int, most: int, most_numbers: int = AT_ONCE // 2) -> int:
    """Return how many rows of this many numbers to treat at a time: `most`, or fewer if they are long."""
    return max(1, min(most, most_numbers // max(numbers, 1)))


def concatenate(batches: list[Episodes]) -> Episodes:
    """Join batches of the same game, in order."""
    if len(batches) == 1:
        return batches[0]
    columns = zip(*(vars(batch).values() for batch in batches), strict=True)
    return Episodes(*(np.concatenate(column) for column in columns))


# --- Keys ---------------------------------------------------------------------------------------------------


class KeyLayout(NamedTuple):
    """A row of keys, from which an episode follows. It has four parts.

    The keys order the integers, order the cells, choose the target, and order the window's cells beside the
    mask (only if some are hidden).
    """

    counts: tuple[int, ...]  # the keys of each part
    numbers: KeyArray  # (keys,), the number of each key in its part, from 0
    low_bits: KeyArray  # (keys,), the low bits of each key, as many as the numbers of its part need


@lru_cache(maxsize=64)
def key_layout(config: GameConfig) -> KeyLayout:
    """Return the layout of a game's keys.

    Keys have 32 bits up to 256 integers, and 64 beyond. 32 leave at least 24 random bits beside the number of
    one of 256; ties are then rare enough (6e-8 a pair) not to matter.
    """
    neighbours = config.window_size - 1 if config.num_hidden else 0
    counts = config.num_integers, config.sequence_length, 1, neighbours
    dtype = np.dtype("<u4" if config.num_integers <= 256 else "<u8")
    low_bits = [(1 << (count - 1).bit_length()) - 1 for count in counts]
    return KeyLayout(
        counts=counts,
        numbers=np.concatenate([np.arange(count, dtype=dtype) for count in counts]),
        low_bits=np.repeat(low_bits, counts).astype(dtype),
    )


def draw_keys(config: GameConfig, num_episodes: int, rng: np.random.Generator) -> KeyArray:
    """Draw the random part of episodes: keys (B, keys of `key_layout`), uniform over their unsigned type."""
    numbers = key_layout(config).numbers
    shape = num_episodes, len(numbers)
    return rng.integers(0, 2 ** (8 * numbers.itemsize), shape, dtype=numbers.dtype)


def episodes_from_keys(config: GameConfig, keys: KeyArray) -> Episodes:
    """Return the episodes that follow from keys (B, keys of `key_layout`), which are overwritten.

    The first L integers, sorted by key, are the sequence. The first C cells, sorted by key, are the
    candidates. The first neighbours of the target in the window, sorted by key, are hidden. Each key's low
    bits are replaced by its number, so sorting the keys themselves (much faster than an argsort) carries it
    along, and equal keys cannot leave the order to the sorting routine.
    """
    layout = key_layout(config)
    keys &= ~layout.low_bits
    keys |= layout.numbers
    ends = itertools.accumulate(layout.counts, initial=0)
    integers, cells, target, neighbours = (keys[:, start:end] for start, end in itertools.pairwise(ends))
    for part in (integers, cells, neighbours):
        part.sort(axis=1)
    # The target's key is not sorted: its 32 highest bits, as a fraction of 2**32, choose the candidate.
    top = target[:, 0].astype(np.uint64) >> np.uint64(8 * keys.itemsize - 32)
    target_index = (top * np.uint64(config.num_candidates)) >> np.uint64(32)
    keys &= layout.low_bits
    sequence, candidates = integers[:, : config.sequence_length], cells[:, : config.num_candidates]
    return _derive(config, sequence, candidates, target_index, neighbours[:, : config.num_hidden])


# --- What follows from a draw -------------------------------------------------------------------------------


def derive(
    config: GameConfig,
    sequence: npt.ArrayLike,
    candidate_positions: npt.ArrayLike,
    target_index: npt.ArrayLike,
    hidden: npt.ArrayLike | None = None,
) -> Episodes:
    """Return the episodes that follow from these sequences and candidates.

    `sequence` (B, L); `candidate_positions` (B, C), the candidates' cells in it; `target_index` (B,), which
    of them is the target; `hidden` (B, num_hidden), which of the window's cells the sender does not see,
    counted without the mask. The window is centred on the target and slides inward at the ends of the
    sequence (section 2.1 of the paper), so the mask's column tells how near the end is.

    Raises `TypeError` or `ValueError` for anything else, and for what stands twice in a row.
    """
    rows, length, num = np.size(target_index), config.sequence_length, config.num_candidates
    check_integers("target_index", target_index, (rows,), num, first_row=0)
    columns: dict[str, tuple[Any, int, int]] = {
        "sequence": (sequence, length, config.num_integers),
        "candidate_positions": (candidate_positions, num, length),
        "hidden": (hidden, config.num_hidden, config.window_size - 1),
    }
    for name, (given, cells, bound) in columns.items():
        if cells == 0:  # no cell is hidden
            continue
        values = check_integers(name, given, (rows, cells), bound, first_row=0)
        refuse_rows(repeated(values), f"{name} must hold different integers", values)
    return _derive(config, sequence, candidate_positions, target_index, hidden)


def _derive(
    config: GameConfig,
    sequence: npt.ArrayLike,
    candidate_positions: npt.ArrayLike,
    target_index: npt.ArrayLike,
    hidden: npt.ArrayLike | None,
) -> Episodes:
    """Return what `derive` returns. Nothing is checked."""
    sequence = np.asarray(sequence, dtype=np.int16)
    positions = np.asarray(candidate_positions, dtype=np.intp)
    target_index = np.asarray(target_index, dtype=np.int16)
    target_position = _pick(positions, target_index[:, None])[:, 0]
    window, mask_column = window_around(config, sequence, target_position)
    if config.num_hidden:
        cells = np.asarray(hidden, dtype=np.intp)
        np.put_along_axis(window, cells + (cells >= mask_column[:, None]), HIDDEN, axis=1)
    return Episodes(
        sequence=sequence,
        target_position=target_position.astype(np.int16),
        window=window,
        mask_column=mask_column,
        candidates=_pick(sequence, positions),
        target_index=target_index,
    )


def window_around(
    config: GameConfig, sequence: IntArray, target_position: IntArray
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Return whole windows (B, W) on targets at these positions, and the column of each mask."""
    tables = window_tables(config)
    mask_column = tables.mask_column.take(target_position)
    first_cell = _row_starts(sequence) + tables.first_cell.take(target_position)
    window = sequence.ravel().take(first_cell[:, None] + tables.steps)
    window[np.arange(len(window)), mask_column] = MASK
    return window.astype(np.int16, copy=False), mask_column.astype(np.int16)


def hidden_cells(episodes: Episodes) -> npt.NDArray[np.intp]:
    """Return the hidden cells of windows, (B, num_hidden), counted without the mask as in `derive`."""
    rows, column = np.nonzero(episodes.window == HIDDEN)
    column -= column > episodes.mask_column[rows]
    return column.reshape(len(episodes), -1) if len(rows) else np.empty((len(episodes), 0), np.intp)


def arrange(
    config: GameConfig,
    episodes: Episodes,
    cells: IntArray,
    values: IntArray,
    target_position: IntArray | None = None,
) -> Episodes:
    """Return the episodes with integers `values` (B, K) in these cells (B, K) of the sequences.

    Column by column, each integer is exchanged with the one that stands there; KEEP moves nothing. With
    `target_position` (B,), the target moves to that cell, and a candidate that stands there to the target's
    old cell. Otherwise the candidates keep their cells and their order. The same cells of the windows are
    hidden as before.
    """
    sequence = episodes.sequence.copy()
    for cell, value in zip(cells.T, values.T, strict=True):
        _swap_in(sequence, np.flatnonzero(value != KEEP), cell, value)
    positions = (episodes.sequence[:, None, :] == episodes.candidates[:, :, None]).argmax(axis=2)
    if target_position is not None:
        in_the_way = positions == target_position[:, None]
        positions = np.where(in_the_way, episodes.target_position[:, None], positions)
        positions[np.arange(len(episodes)), episodes.target_index] = target_position
    return _derive(config, sequence, positions, episodes.target_index, hidden_cells(episodes))


def _swap_in(
    sequence: npt.NDArray[np.integer], rows: npt.NDArray[np.intp], cell: IntArray, value: IntArray
) -> None:
    """Bring `value` (B,) to `cell` (B,) in these rows of the sequences (B, L)."""
    cell, value = cell[rows], value[rows]
    there = sequence[rows] == value[:, None]
    present = there.any(axis=1)  # a sequence shorter than num_integers may lack the integer
    sequence[rows[present], there[present].argmax(axis=1)] = sequence[rows[present], cell[present]]
    sequence[rows, cell] = value


def _pick(sequence: IntArray, cells: IntArray) -> IntArray:
    """Return the integers in these cells (B, n) of sequences (B, L), twice as fast as `take_along_axis`."""
    return sequence.ravel().take(_row_starts(sequence)[:, None] + cells)


def _row_starts(sequence: IntArray) -> npt.NDArray[np.intp]:
    """Return where each of the sequences (B, L) starts in the flattened array."""
    return np.arange(0, sequence.size, sequence.shape[1])


def mask_columns(window: IntArray) -> npt.NDArray[np.intp]:
    """Return the column of the mask in each window (..., W)."""
    return np.asarray((window == MASK).argmax(axis=-1))
