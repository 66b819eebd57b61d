"""Features with which the `MlpPolicy` of Stable-Baselines3 learns; without them it stays near chance.

    from spatial_game.envs.adapters.sb3 import features

    env = gym.make("spatial_game/Receiver-small-v0")
    model = PPO("MlpPolicy", env, policy_kwargs=features(env))

Integers and symbols are names, not quantities, so each is looked up in a learned table. The integers around a
candidate's place in the sequence describe it, and their features are multiplied by those of the message.
"""

from __future__ import annotations

from typing import Any

import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from spatial_game.config import GameConfig
from spatial_game.envs.adapters.layers import CandidateSurroundings, ColumnTables
from spatial_game.envs.forms import Space
from spatial_game.game import rules
from spatial_game.game.episodes import HIDDEN, MASK


def features(env: Any, *, width: int = 64, actor_critic: bool = True) -> dict[str, Any]:
    """Return the `policy_kwargs`, features and optimiser, with which `MlpPolicy` learns this role.

    `env` plays one role with flat observations: a Gymnasium environment, `RoleVecEnv`, or a vector
    environment of Stable-Baselines3 over either. `width` is the number of features of a cell, a message or a
    candidate. `actor_critic`: whether the algorithm has a policy and a value function, as PPO and A2C do;
    False for DQN. Raises `TypeError` for other environments and `ValueError` for other observations.
    """
    bare = getattr(env, "unwrapped", None)
    config: Any = env.get_attr("config")[0] if isinstance(env, VecEnv) else getattr(bare, "config", None)
    if not isinstance(config, GameConfig):
        raise TypeError(f"env must play one role of a game of spatial_game; got {env!r}")
    by_width = {
        config.window_size: SenderFeatures,
        config.window_size + config.message_length: SenderFeatures,
        rules.receiver_columns(config)[-1]: ReceiverFeatures,
    }
    shape = env.observation_space.shape
    if shape is None or len(shape) != 1 or shape[0] not in by_width:
        raise ValueError(f'env must have observations="flat"; got {env.observation_space}')
    # If the value learns from an episode that was lost by chance, shared features change for the policy, and
    # PPO would then unlearn the game.
    own = {"share_features_extractor": False} if actor_critic else {}
    return own | {
        "features_extractor_class": by_width[shape[0]],
        "features_extractor_kwargs": {"config": config, "width": width},
        # Gradients become tiny once the agent nearly always wins. Plain Adam then takes a large step at the
        # next lost episode and unlearns the game. AMSGrad (Reddi and others, 2018) takes a small one.
        "optimizer_kwargs": {"amsgrad": True, "eps": 1e-5},
    }


class SenderFeatures(BaseFeaturesExtractor):
    """Features (B, columns * width) of windows and symbols sent so far, with a table for each column."""

    def __init__(self, observation_space: Space, config: GameConfig, width: int) -> None:
        (columns,) = observation_space.shape or ()
        super().__init__(observation_space, columns * width)
        self.lowest = HIDDEN if config.num_hidden else MASK  # the latter also for symbols not sent yet
        self.cells = ColumnTables(columns, max(len(config.integers), config.vocab_size) - self.lowest, width)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of flat views (B, W) or (B, W+T)."""
        return self.cells(observations.long() - self.lowest)


class ReceiverFeatures(BaseFeaturesExtractor):
    """Features (B, C * width): for each candidate, how well the message fits the integers around it."""

    def __init__(self, observation_space: Space, config: GameConfig, width: int) -> None:
        super().__init__(observation_space, config.num_candidates * width)
        self.lengths = [config.message_length, config.sequence_length, config.num_candidates]
        self.surroundings = CandidateSurroundings(config)
        self.around = _two_layers(len(config.offsets), len(config.integers) + 1, width)
        self.message = _two_layers(config.message_length, config.vocab_size, width)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features of flat views (B, T+L+C)."""
        message, sequence, candidates = torch.split(observations.long(), self.lengths, dim=1)
        around = self.around(self.surroundings(sequence, candidates))
        return (around * self.message(message).unsqueeze(1)).flatten(1)


def _two_layers(columns: int, num_values: int, width: int, table_width: int = 16) -> nn.Module:
    return nn.Sequential(
        ColumnTables(columns, num_values, table_width),
        nn.Linear(table_width * columns, width),
        nn.ReLU(),
        nn.Linear(width, width),
    )
