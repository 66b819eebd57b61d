"""The sizes and the inputs of the networks of a pair.

Nothing here needs torch, so `--help` and error messages come at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from spatial_game.checks import require, require_one_of
from spatial_game.settings import Settings

LARGEST_WIDTH = 65_536

BLANK = -1
"""What a local or landmark receiver sees beyond the border."""

SHARP = 4.0
"""In landmark networks, the factor before a softmax."""
EXCLUDED_SCORE = -1e9
"""The score of a cell that must not be chosen: the softmax makes it 0."""

Inputs = Literal["scalars", "embedding", "one-hot"]
Network = Literal["sequential", "local", "landmark"]
"""`local`, for example, has the classes LocalSender and LocalReceiver, both in `spatial_agents.networks` and
in `spatial_agents.numpy_networks`."""


@dataclass(frozen=True, kw_only=True)
class NetworkConfig(Settings):
    """The size and the inputs of the two networks (section 3 and figure 1 of the paper).

    With `inputs="scalars"` and `scalar_reach=0` they are the paper's networks. Raises `ValueError` (an
    impossible value) or `TypeError` that names the field, the rule and the value.
    """

    hidden_size: int = 64
    """Hidden size of every GRU of both agents."""
    inputs: Inputs = "scalars"
    """How integers enter the networks: as numbers (as in the paper), as rows of a table, or one-hot."""
    scalar_reach: float = 0.0
    """Scalars are centred and scaled so that 0..num_integers-1 spans -reach..reach; 0 leaves them raw. The
    first weights could undo this linear change, so the networks stay the same."""
    embedding_size: int = 16
    """Width of a row of the learned table (inputs "embedding" only)."""
    network: Network = "sequential"
    """sequential: read windows and sequences cell by cell (as in the paper). local: see a window at once, and
    score each candidate by the cells around it. landmark: name one neighbour by its integer and its offset,
    and score each candidate by the integer at that offset. It has no GRUs, so hidden_size has no effect."""

    def __post_init__(self) -> None:
        self._whole("hidden_size", 1, LARGEST_WIDTH)
        require_one_of("inputs", self.inputs, get_args(Inputs))
        self._number("scalar_reach", 0)
        self._whole("embedding_size", 1, LARGEST_WIDTH)
        require_one_of("network", self.network, get_args(Network))
        rule = f"inputs must be embedding or one-hot with network {self.network}"
        require(self.network != "landmark" or self.inputs != "scalars", rule, self.inputs)

    def classes_among(self, names: Mapping[str, Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the sender's and the receiver's class among the names of a module."""
        name = self.network.capitalize()
        return names[f"{name}Sender"], names[f"{name}Receiver"]

    def scaling(self, num_integers: int) -> tuple[float, float]:
        """Return what is subtracted from a scalar, and the factor that multiplies the result."""
        half = (num_integers - 1) / 2
        return (half, self.scalar_reach / half) if self.scalar_reach else (0.0, 1.0)
