"""AgileRL: IPPO with its evolutionary training loop, on the batched game.

pip install -e . 'agilerl>=2.58' 'peft>=0.18'

`VecEnv` makes a `ParallelVectorEnv` of the type that AgileRL asks for. It leaves out the action masks:
AgileRL 2.58 compares them with None, which fails for arrays. So agents also draw actions when it is not
their turn; the game ignores them. (AgileRL's own `AsyncPettingZooVecEnv` takes
`referential_v0.parallel_env` as it is, with a process for each game.)

gamma is 0.5 where it ought to be 1: this loop (AgileRL 2.58) forgets that episodes have ended when some game
does, and ours end together, so with gamma = 1 the rewards of later episodes would drown the present one's.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from agilerl.algorithms import IPPO
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy
from agilerl.vector.pz_vec_env import PettingZooVecEnv

from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.proportions import Proportion

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
NUM_ENVS = 64


class VecEnv(PettingZooVecEnv):
    """Many games for AgileRL; arguments as for `ParallelVectorEnv`."""

    def __init__(self, num_envs: int, **kwargs: Any) -> None:
        self.vector_env = games = ParallelVectorEnv(num_envs, **kwargs)
        spaces = games.single_observation_spaces, games.single_action_spaces
        super().__init__(num_envs, *spaces, games.possible_agents)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        seen, _ = self.vector_env.reset(seed=seed, options=options)
        return seen, {agent: {} for agent in self.possible_agents}

    def step(self, actions: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        shapes = {agent: self.vector_env.action_space(agent).shape for agent in actions}
        given = {agent: np.asarray(actions[agent]).astype(int).reshape(shapes[agent]) for agent in actions}
        *what_came, infos = self.vector_env.step(given)
        for info in infos.values():
            del info["action_mask"]
        return *what_came, infos

    def step_async(self, actions: list[dict[str, Any]]) -> None:
        agents = self.possible_agents
        self.given = {agent: np.array([game[agent] for game in actions]) for agent in agents}

    def step_wait(self, timeout: float | None = None) -> Any:
        return self.step(self.given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000, help="steps of the environment, two an episode")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  (AgileRL draws from the global generator)
    env = VecEnv(NUM_ENVS, **GAME)
    env.reset(seed=0)
    agents = env.possible_agents
    agent = IPPO(
        observation_spaces=[env.single_observation_space(agent) for agent in agents],
        action_spaces=[env.single_action_space(agent) for agent in agents],
        agent_ids=agents,
        batch_size=256,
        learn_step=16 * NUM_ENVS,
        lr=2e-3,
        ent_coef=0.02,
        gamma=0.5,
        gae_lambda=1.0,
        device="cpu",
    )
    trained, _ = train_multi_agent_on_policy(
        env,
        env_name="spatial_game/referential-v0",
        algo="IPPO",
        pop=[agent],
        sum_scores=True,
        max_steps=steps,
        evo_steps=8192,
        eval_steps=64,
        verbose=False,
    )
    won, ended = 0.0, 0
    seen, infos = env.reset(seed=1000)
    for _ in range(64):
        actions = trained[0].get_action(obs=seen, infos=infos)[0]
        seen, rewards, over, _, infos = env.step(actions)
        won, ended = won + float(rewards[agents[0]].sum()), ended + int(over[agents[0]].sum())
    taken = int(np.sum(trained[0].steps))
    print(f"after {taken} steps: won {Proportion(int(won), ended)} (chance 50%)")


if __name__ == "__main__":
    main()
