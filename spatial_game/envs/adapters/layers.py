"""Torch layers that look up integers by their places. They need no reinforcement-learning library."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_game.config import GameConfig
from spatial_game.game.windows import cells_at_offsets


class ColumnTables(nn.Module):
    """A learned table for each column, because the meaning of an integer depends on its column."""

    first_rows: Tensor

    def __init__(self, columns: int, num_values: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(columns * num_values, width)
        self.register_buffer("first_rows", torch.arange(columns) * num_values, persistent=False)

    def forward(self, values: Tensor) -> Tensor:
        """Return vectors (..., columns * width) for integers (..., columns), which start at 0."""
        return self.table(values + self.first_rows).flatten(-2)


class CandidateSurroundings(nn.Module):
    """Finds the integers around each candidate in the sequence.

    These are the integers at the game's offsets, the only ones that a window can show. Beyond the border it
    returns `blank`, the integer after the largest.
    """

    around: Tensor

    def __init__(self, config: GameConfig) -> None:
        super().__init__()
        self.blank = len(config.integers)
        self.register_buffer("around", torch.from_numpy(cells_at_offsets(config)), persistent=False)

    def forward(self, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return the integers (B, C, offsets) for sequences (B, L) and candidates (B, C)."""
        places = (candidates.unsqueeze(2) == sequence.unsqueeze(1)).int().argmax(dim=2)
        padded = functional.pad(sequence, (0, 1), value=self.blank)
        cells = self.around[places]
        return padded.gather(1, cells.flatten(1)).view(cells.shape)
