"""Features of flat observations with which policies learn, as torch modules for any library.

    from spatial_game.envs.adapters.features import CandidateScores, ReceiverFeatures

    features = ReceiverFeatures(config)
    critic = nn.Sequential(features, nn.ReLU(), nn.Linear(features.size, 1))
    actor = CandidateScores(config)

Integers and symbols are names, not quantities, so each is looked up in a learned table. The integers around a
candidate in the sequence describe it, and their features are multiplied by those of the message. The score of
a candidate is the sum of its products: what is learnt about one candidate then holds for all.
`spatial_game.envs.adapters.sb3.features` gives them to Stable-Baselines3.
"""

from __future__ import annotations

from spatial_game.extras import needs

with needs("agents"):
    import torch
    from torch import Tensor, nn
    from torch.nn import functional

from spatial_game.config import GameConfig
from spatial_game.game.rules import lowest_in_window, receiver_fields, sender_fields
from spatial_game.game.windows import cells_at_offsets


class SenderFeatures(nn.Module):
    """Features (..., size) of windows (..., W), or of windows and symbols sent so far (..., W+T).

    There is a table for each column, with `width` numbers for each value.
    """

    def __init__(self, config: GameConfig, *, symbol_per_turn: bool = False, width: int = 64) -> None:
        super().__init__()
        columns = sum(sender_fields(config, symbol_per_turn=symbol_per_turn).values())
        self.size = columns * width
        self.lowest = lowest_in_window(config)  # MASK is also for symbols not sent yet
        self.cells = ColumnTables(columns, max(config.num_integers, config.vocab_size) - self.lowest, width)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of flat observations, (..., size)."""
        return self.cells(observations.long() - self.lowest)


class ReceiverFeatures(nn.Module):
    """Features (..., size) of flat observations (..., T+L+C): `width` numbers for each candidate.

    They tell how well the message fits the integers around the candidate.
    """

    def __init__(self, config: GameConfig, *, width: int = 64) -> None:
        super().__init__()
        self.size = config.num_candidates * width
        self.lengths = list(receiver_fields(config).values())
        self.surroundings = CandidateSurroundings(config)
        self.around = _two_layers(len(config.offsets), config.num_integers + 1, width)
        # A symbol that is not sent yet, -1, has a row of its own, because libraries also ask off turn.
        self.message = _two_layers(config.message_length, config.vocab_size + 1, width)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features, (..., size)."""
        message, sequence, candidates = torch.split(observations.long(), self.lengths, dim=-1)
        around = self.around(self.surroundings(sequence, candidates))
        return (around * self.message(message + 1).unsqueeze(-2)).flatten(-2)


class CandidateScores(ReceiverFeatures):
    """Scores (..., C) of the candidates, which are logits as they are: the sums of a candidate's features.

    Layers above `ReceiverFeatures` have weights of their own for each candidate, and learn the same for each.
    """

    def __init__(self, config: GameConfig, *, width: int = 64) -> None:
        super().__init__(config, width=width)
        self.size = config.num_candidates

    def forward(self, observations: Tensor) -> Tensor:
        """Return the scores, (..., C)."""
        features = super().forward(observations)
        return features.view(*features.shape[:-1], self.size, -1).sum(-1)


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
    """Finds the integers around each candidate in the sequence, as `candidate_surroundings` does in NumPy.

    These are the integers at the game's offsets, the only ones that a window can show. Beyond the border it
    returns `blank`, the integer after the largest.
    """

    around: Tensor

    def __init__(self, config: GameConfig) -> None:
        super().__init__()
        self.blank = config.num_integers
        self.register_buffer("around", torch.from_numpy(cells_at_offsets(config)), persistent=False)

    def forward(self, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return the integers (..., C, offsets) for sequences (..., L) and candidates (..., C)."""
        standing = (candidates.unsqueeze(-1) == sequence.unsqueeze(-2)).int().argmax(dim=-1)
        padded = functional.pad(sequence, (0, 1), value=self.blank)
        cells = self.around[standing]
        return padded.gather(-1, cells.flatten(-2)).view(cells.shape)


def _two_layers(columns: int, num_values: int, width: int) -> nn.Module:
    """Return tables for the columns, and two linear layers above them."""
    table_width = 16
    return nn.Sequential(
        ColumnTables(columns, num_values, table_width),
        nn.Linear(table_width * columns, width),
        nn.ReLU(),
        nn.Linear(width, width),
    )
