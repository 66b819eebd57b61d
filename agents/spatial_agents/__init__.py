"""The reference pair: a sender and a receiver that learn spatial reference.

They are trained with torch (`spatial_agents.training.runs`) and play in NumPy. Names are loaded when
first used, so importing the package (for options and help) loads neither.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatial_agents.pairs.loading import load_pair
    from spatial_agents.pairs.names import pair_names
    from spatial_agents.pairs.policy import Pair
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
    "load_pair": "spatial_agents.pairs.loading",
    "pair_names": "spatial_agents.pairs.names",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
