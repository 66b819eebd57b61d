"""The reference pair: a sender and a receiver that learn spatial reference.

They are trained with torch (`spatial_agents.training.runs`) and play in NumPy. Importing the package does not
load torch.
"""

from spatial_agents.network_config import NetworkConfig
from spatial_agents.pairs.names import bundled_names
from spatial_agents.pairs.pair import Pair, load_pair
from spatial_agents.recipes import Recipe, TrainOptions

__all__ = [
    "NetworkConfig",
    "Pair",
    "Recipe",
    "TrainOptions",
    "bundled_names",
    "load_pair",
]
