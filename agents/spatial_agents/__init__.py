"""The reference pair: a sender and a receiver that learn spatial reference, trained with torch.

Names are loaded when first used, so that importing the package (for options and help) does not import torch.
To train, see `spatial_agents.training.runs`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatial_agents.pairs.names import pair_names
    from spatial_agents.pairs.policy import Pair, load_pair
    from spatial_agents.recipes import AgentConfig, Recipe, TrainOptions
    from spatial_game.game.evaluation import Evaluation, Proportion, evaluate

__all__ = [
    "AgentConfig",
    "Evaluation",
    "Pair",
    "Proportion",
    "Recipe",
    "TrainOptions",
    "evaluate",
    "load_pair",
    "pair_names",
]

_HOME = {
    "AgentConfig": "spatial_agents.recipes",
    "Evaluation": "spatial_game.game.evaluation",
    "Pair": "spatial_agents.pairs.policy",
    "Proportion": "spatial_game.game.evaluation",
    "Recipe": "spatial_agents.recipes",
    "TrainOptions": "spatial_agents.recipes",
    "evaluate": "spatial_game.game.evaluation",
    "load_pair": "spatial_agents.pairs.policy",
    "pair_names": "spatial_agents.pairs.names",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_HOME[name]), name)
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "safetensors"):
            raise
        raise ModuleNotFoundError(
            f"{__name__}.{name} needs {error.name}; install it with: pip install 'spatial-game[agents]'",
            name=error.name,
        ) from error
