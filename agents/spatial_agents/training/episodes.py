"""The episodes of training: fresh, fixed, or without unseen combinations.

The seed and the step determine the episodes of a step, so a checkpoint stores nothing about them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from spatial_agents.recipes import TrainOptions
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.combinations import Combinations, draw_combinations
from spatial_game.game.episodes import (
    HIDDEN,
    MASK,
    Episodes,
    IntArray,
    Mask,
    bytes_of_episode,
    concatenate,
    draw_episodes,
    mask_columns,
)
from spatial_game.game.seeds import random_stream
from spatial_game.game.windows import window_cells, window_tables
from spatial_game.memory import require_memory

_LEAST_SHARE = 0.02
_SAMPLED = 20_000  # windows from which a share is estimated


class Batch(NamedTuple):
    """The episodes of a step as tensors of int64. Several episodes in a row may share a sequence."""

    window: Tensor  # (B, W)
    sequence: Tensor  # (S, L), each for B / S episodes in a row
    candidates: Tensor  # (S, C)
    target_index: Tensor  # (B,)
    allowed: Tensor  # (B,), bool, whether the window shows no unseen combination; others do not count
    progress: float = 0.0  # the share of the training's steps that is done, in 0..1

    @classmethod
    def of(cls, episodes: Episodes) -> Batch:
        """Return episodes that all count."""
        column, allowed = episodes.to_torch(), torch.ones(len(episodes), dtype=torch.bool)
        shared = column["sequence"], column["candidates"]
        return cls(column["window"], *shared, column["target_index"], allowed)

    def to(self, device: torch.device) -> Batch:
        """Return the same episodes on a device."""
        columns = {name: each.to(device) for name, each in self._asdict().items() if name != "progress"}
        return self._replace(**columns)

    def mean(self, values: Tensor) -> Tensor:
        """Return the mean of values (B,) over the episodes that count."""
        return (values * self.allowed).sum() / self.allowed.sum().clamp(min=1)

    def accuracy(self, scores: Tensor) -> Tensor:
        """Return the share of right choices, by the logits (B, C) of the candidates."""
        return self.mean(scores.argmax(dim=1) == self.target_index)

    def cells_of(self, index: Tensor) -> Tensor:
        """Return (B,), the cells of the sequences in which candidates with these indices (B,) stand."""
        rows = self.with_a_row_each()
        integer = rows.candidates.gather(1, index.unsqueeze(1))
        return (rows.sequence == integer).to(torch.uint8).argmax(dim=1)

    def with_a_row_each(self) -> Batch:
        """Return the same episodes, each with a row of its own for the sequence and the candidates."""
        times = len(self.window) // len(self.sequence)
        sequence, candidates = (rows.repeat_interleave(times, 0) for rows in (self.sequence, self.candidates))
        return self._replace(sequence=sequence, candidates=candidates)


class TrainingEpisodes:
    """Draws the episodes of a training, unless a sampler of one's own does.

    Raises `ValueError` for an impossible share of unseen combinations, and for more episodes than fit into
    memory.
    """

    def __init__(self, options: TrainOptions) -> None:
        recipe, config = options.recipe, options.config
        _require_room(options)
        self.recipe, self.seed, self.sequences = recipe, options.seed, recipe.sequences(config)
        samples = np.random.default_rng(random_stream(self.seed, "samples"))
        self.fixed = draw_episodes(config, recipe.fixed_samples, samples) if recipe.fixed_samples else None
        unseen = draw_combinations(config, recipe.unseen, self.seed) if recipe.unseen else None
        self.windows = AllowedWindows(unseen) if unseen else None

    def draw(self, config: GameConfig, step: int) -> Batch:
        """Return the episodes of a step, counted from 0, in the game of that step."""
        rng, size = np.random.default_rng(random_stream(self.seed, "training", step)), self.sequences
        if self.recipe.every_target:
            batch = draw_every_target(config, size, rng)
            if self.windows:
                batch = batch._replace(allowed=torch.from_numpy(self.windows.allowed(batch.window.numpy())))
            return batch
        if self.fixed is not None:
            return Batch.of(self.fixed[_samples_of_step(len(self.fixed), step, size, self.seed)])
        draw = self.windows.draw if self.windows else draw_episodes
        return Batch.of(draw(config, size, rng))


def _require_room(options: TrainOptions) -> None:
    """Raise `UserError` for samples or batches that do not fit into memory, whatever the networks take."""
    recipe, config = options.recipe, options.config
    kept = 2 * recipe.fixed_samples * bytes_of_episode(config)
    require_memory("fixed_samples", recipe.fixed_samples, kept, "use fewer")
    scores = config.sequence_length if recipe.every_target else config.num_candidates
    sequences = recipe.sequences(config) * config.sequence_length
    # Integers of 8 bytes, drawn and as tensors; scores of 4 bytes, their logarithms, and both gradients.
    needed = 16 * (sequences + recipe.episodes(config) * (config.window_size + scores))
    require_memory("batch_size", recipe.batch_size, needed, "use smaller batches, or a smaller game")


def draw_every_target(config: GameConfig, num_sequences: int, rng: np.random.Generator) -> Batch:
    """Draw sequences, each with an episode for every cell as the target; all cells are its candidates."""
    sequence = draw_episodes(config, num_sequences, rng).sequence
    window, mask_column = sequence[:, window_cells(config)], window_tables(config).mask_column  # (S, L, W)
    target = np.arange(config.sequence_length)
    window[:, target, mask_column] = MASK
    if config.num_hidden:
        order = rng.random((*window.shape[:2], config.window_size - 1)).argsort(axis=2)
        hidden = order[:, :, : config.num_hidden]
        np.put_along_axis(window, hidden + (hidden >= mask_column[:, None]), HIDDEN, axis=2)
    cells = as_tensor(sequence)
    targets = as_tensor(np.tile(target, num_sequences))
    window = window.reshape(-1, config.window_size)
    return Batch(as_tensor(window), cells, cells, targets, torch.ones(len(window), dtype=torch.bool))


def as_tensor(array: npt.NDArray[Any]) -> Tensor:
    """Return integers as int64, as torch takes indices."""
    return torch.from_numpy(array.astype(np.int64))


# --- Fixed samples: each pass goes through all of them in another order -------------------------------------


def _samples_of_step(count: int, step: int, size: int, seed: int) -> IntArray:
    """Return which of the samples a step plays, (size,)."""
    parts, start, end = list[IntArray](), step * size, (step + 1) * size
    while start < end:
        number, first = divmod(start, count)
        parts.append(_order_of_pass(count, seed, number)[first : first + end - start])
        start += len(parts[-1])
    return np.concatenate(parts)


@lru_cache(maxsize=1)
def _order_of_pass(count: int, seed: int, number: int) -> IntArray:
    return np.random.default_rng(random_stream(seed, "samples", number)).permutation(count)


# --- Unseen combinations ----------------------------------------------------------------------------------


class AllowedWindows:
    """Tells which windows show no unseen combination.

    Raises `ValueError` when less than 1 in 50 windows is allowed.
    """

    def __init__(self, unseen: Combinations) -> None:
        self.table = unseen.by_mask_column
        sampled = draw_episodes(unseen.config, _SAMPLED, np.random.default_rng(0))
        self.share = float(self.allowed(sampled.window).mean())
        if self.share < _LEAST_SHARE:
            raise UserError(
                f"unseen must leave at least {_LEAST_SHARE:.0%} of the windows for training; got one that "
                f"leaves {self.share:.2%}"
            )

    def allowed(self, window: IntArray) -> Mask:
        """Return whether windows (B, W) are allowed, (B,)."""
        mask_column, cells = mask_columns(window), np.arange(window.shape[1])
        shown = self.table[mask_column[:, None], cells, window] & (window >= 0)
        return ~np.asarray(shown.any(axis=1))

    def draw(self, config: GameConfig, num_episodes: int, rng: np.random.Generator) -> Episodes:
        """Draw allowed episodes of `config`, which has the integers and windows of the combinations.

        Only the target's window must be allowed: distractors may stand beside any integers.
        """
        batches, missing = list[Episodes](), num_episodes
        while missing > 0:
            drawn = draw_episodes(config, int(missing / self.share) + 64, rng)
            batches.append(drawn[np.flatnonzero(self.allowed(drawn.window))[:missing]])
            missing -= len(batches[-1])
        return concatenate(batches)
