"""The layers through which integers enter the networks."""

from __future__ import annotations

from torch import Tensor, float32, nn

from spatial_agents.networks.symbols import one_hot
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig


class Scalars(nn.Module):
    """Integers as single numbers, raw or scaled (`AgentConfig.scaling`).

    The mask is scaled like the number that it is, -1.
    """

    features = 1

    def __init__(self, centre: float, factor: float) -> None:
        super().__init__()
        self.centre, self.factor = centre, factor

    def forward(self, integers: Tensor) -> Tensor:
        """Return integers (...) as numbers (..., 1)."""
        return ((integers.to(float32) - self.centre) * self.factor).unsqueeze(-1)


class Embedding(nn.Module):
    """Integers as rows of a learned table, whose first row belongs to `lowest`."""

    def __init__(self, lowest: int, num_integers: int, features: int) -> None:
        super().__init__()
        self.lowest, self.features = lowest, features
        self.table = nn.Embedding(num_integers - lowest, features)

    def forward(self, integers: Tensor) -> Tensor:
        """Return integers (...) as vectors (..., features)."""
        vectors: Tensor = self.table(integers - self.lowest)
        return vectors


class OneHot(nn.Module):
    """Integers as one-hot vectors; the first column belongs to `lowest`."""

    def __init__(self, lowest: int, num_integers: int) -> None:
        super().__init__()
        self.lowest, self.features = lowest, num_integers - lowest

    def forward(self, integers: Tensor) -> Tensor:
        """Return integers (...) as vectors (..., features)."""
        return one_hot(integers - self.lowest, self.features)


def new_inputs(game: GameConfig, agent: AgentConfig, lowest: int) -> Scalars | Embedding | OneHot:
    """Return the layer that turns integers from `lowest` upwards into vectors."""
    number = len(game.integers)
    if agent.inputs == "scalars":
        return Scalars(*agent.scaling(number))
    if agent.inputs == "one-hot":
        return OneHot(lowest, number)
    return Embedding(lowest, number, agent.embedding_size)
