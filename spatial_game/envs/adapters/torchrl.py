"""TorchRL: many games as one environment with a batch dimension.

    from spatial_game.envs.adapters.torchrl import ReferentialEnv

    env = ReferentialEnv(4096, sequence_length=20, device="cpu")
    env.rollout(2, break_when_any_done=False)

The keys are those of TorchRL's `PettingZooWrapper` over the AEC environment. The groups "sender_0" and
"receiver_0", of one agent each, hold `observation`, `action`, `action_mask`, `mask` (whether it is the
agent's turn) and `reward`; `done` and `terminated` are at the root. Episodes are drawn on the CPU, by the
same sampler as for the other interfaces, and moved to `device`.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from gymnasium import spaces

from spatial_game.checks import require_bool
from spatial_game.config import GameConfig, GameOptions
from spatial_game.envs.games import CopiedWhole
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.envs.states import ALL, games_in
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.errors import UserError
from spatial_game.extras import needs
from spatial_game.game.episodes import IntArray, Mask, Sampler
from spatial_game.game.rules import AGENTS, SENDER

with needs("torchrl"):
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torch import Tensor
    from torchrl.data import Bounded, Categorical, Composite, MultiCategorical, Unbounded
    from torchrl.envs import EnvBase


class Messages(MultiCategorical):
    """The space of messages: a `MultiCategorical` of equal parts that draws all of them at once.

    TorchRL draws each number of each game separately, which takes far longer than playing the game.
    """

    def rand(self, shape: torch.Size | None = None) -> Tensor:
        """Return uniformly random messages."""
        if self.mask is not None:
            return super().rand(shape)
        size, whole = int(self.nvec.flatten()[0]), (*(shape or ()), *self.shape)
        return torch.randint(0, size, whole, device=self.device, dtype=self.dtype)


class ReferentialEnv(CopiedWhole, EnvBase):
    """B referential games, turn by turn, both agents present at every step.

    The action of the agent whose turn it is not is ignored. An episode takes two steps, or message_length + 1
    with `symbol_per_turn`. `return_state` adds `state` (B, n): what both agents see, for centralised critics.
    `observations` as in `spatial_game.observations`; "dict" makes `observation` a nested TensorDict.
    `sampler` as for `ParallelVectorEnv`. The fields of `GameConfig` are keyword arguments. Game 0 plays the
    same episodes as a single environment with the same seed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        symbol_per_turn: bool = False,
        return_state: bool = False,
        observations: str = "flat",
        device: Any = "cpu",
        sampler: Sampler | None = None,
        **sizes: Unpack[GameOptions],
    ) -> None:
        require_bool("return_state", return_state)
        self._games = ParallelVectorEnv(
            num_envs,
            symbol_per_turn=symbol_per_turn,
            observations=observations,
            sampler=sampler,
            **sizes,
        )
        super().__init__(device=device, batch_size=torch.Size([num_envs]))
        self.game = self._games.game
        self.config: GameConfig = self._games.config
        self.return_state = return_state
        self.group_map = {agent: [agent] for agent in AGENTS}
        self._make_specs()

    def _make_specs(self) -> None:
        """Set the specs of actions, observations, rewards and dones, all of the whole batch."""
        batch, shape = self.batch_size, (*self.batch_size, 1)
        seen = {agent: self._seen_spec(agent) for agent in AGENTS}
        if self.return_state:
            seen["state"] = Unbounded((*batch, *self._games.format.state_space.shape), dtype=torch.float32)
        actions = {agent: Composite(action=self._action_spec(agent), shape=shape) for agent in AGENTS}
        rewards = {
            agent: Composite(reward=Unbounded((*shape, 1), dtype=torch.float32), shape=shape)
            for agent in AGENTS
        }
        flag = Categorical(2, shape, dtype=torch.bool)
        # On this device from the start: the setters check.
        self.action_spec = Composite(actions, shape=batch).to(self.device)
        self.observation_spec = Composite(seen, shape=batch).to(self.device)
        self.reward_spec = Composite(rewards, shape=batch).to(self.device)
        self.done_spec = Composite(done=flag, terminated=flag.clone(), shape=batch).to(self.device)

    def _seen_spec(self, agent: str) -> Any:
        """Return the spec of what an agent is given: observation, mask, and whether it is its turn."""
        shape = (*self.batch_size, 1)
        num_flags = sum(self._games.format.actions[agent].sizes)
        return Composite(
            observation=_spec(self._games.single_observation_spaces[agent], shape),
            action_mask=Categorical(2, (*shape, num_flags), dtype=torch.bool),
            mask=Categorical(2, shape, dtype=torch.bool),
            shape=shape,
        )

    def _action_spec(self, agent: str) -> Any:
        shape, action = (*self.batch_size, 1), self._games.format.actions[agent]
        if action.shape:
            return Messages(action.sizes, (*shape, *action.shape))
        return Categorical(action.size, shape)

    def _set_seed(self, seed: int | None) -> None:
        """Let the games draw from this seed at the next reset, as `ParallelVectorEnv.reset` does."""
        self.game.seed(checked_seeds(seed, self._games.num_envs))

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        """Begin the next episode of the games that are flagged in "_reset"; default: of all."""
        flags = None if tensordict is None else tensordict.get("_reset", None)
        self.game.begin(ALL if flags is None else games_in(flags.reshape(-1).cpu().numpy()))
        self._look()
        return self._seen()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Let the agent in turn of each game act; return what both see, rewards and dones."""
        actions = {agent: _action(tensordict, agent) for agent in AGENTS}
        some_send = self.game.in_turn(SENDER).any()
        rewards, over = self._games.act(actions)
        if some_send:
            self._look()
        seen = self._seen()
        reward, done = self._tensor(rewards)[:, None, None], self._tensor(over)[:, None]
        for agent in AGENTS:
            seen[agent].set("reward", reward.clone())
        seen.set("done", done)
        seen.set("terminated", done.clone())
        return seen

    def _look(self) -> None:
        """Copy both agents' observations from the games. (A choice does not change any observation.)"""
        self._observations = {agent: self._tensors(self._games.observe(agent)) for agent in AGENTS}
        if self.return_state:
            flat = [self.game.observe(agent) for agent in AGENTS]
            self._observations["state"] = self._tensor(np.concatenate(flat, axis=1))

    def _seen(self) -> TensorDict:
        """Return both agents' observations and masks."""
        groups = {}
        for agent in AGENTS:
            columns = {
                "observation": self._observations[agent],
                "action_mask": self._tensor(self._flat_masks(agent)),
                "mask": self._tensor(self.game.in_turn(agent)),
            }
            agents = {name: column[:, None] for name, column in columns.items()}
            groups[agent] = TensorDict(agents, batch_size=(*self.batch_size, 1), device=self.device)
        whole = TensorDict(groups, batch_size=self.batch_size, device=self.device)
        if self.return_state:
            whole.set("state", self._observations["state"])
        return whole

    def _flat_masks(self, agent: str) -> Mask:
        """Return the agent's masks, (B, n): those of a message's slots in a row."""
        masks = self._games.action_masks(agent)
        return (np.concatenate(masks, axis=1) if isinstance(masks, tuple) else masks).view(np.bool_)

    def _tensors(self, observations: Any) -> Any:
        """Return observations (B, ...) as a tensor, or a dict of them as a TensorDict."""
        if not isinstance(observations, dict):
            return self._tensor(observations)
        fields = {name: self._tensor(field) for name, field in observations.items()}
        return TensorDict(fields, batch_size=self.batch_size, device=self.device)

    def _tensor(self, array: Any) -> Tensor:
        return torch.from_numpy(array).to(self.device)


def _spec(space: Any, shape: tuple[int, ...]) -> Any:
    """Return the spec of observations of one game's space, in a batch of this shape."""
    if isinstance(space, spaces.Dict):
        return Composite({name: _spec(field, shape) for name, field in space.items()}, shape=shape)
    low, high = (torch.as_tensor(end).expand(*shape, -1) for end in (space.low, space.high))
    return Bounded(low, high, (*shape, *space.shape), dtype=low.dtype)


def _action(tensordict: TensorDictBase, agent: str) -> IntArray:
    """Return the agent's actions, (B, ...). Raises `ValueError` if there are none."""
    action = tensordict.get((agent, "action"), None)
    if action is None:
        raise UserError(f'the tensordict must hold ("{agent}", "action"); got no such entry')
    return action[:, 0].cpu().numpy()
