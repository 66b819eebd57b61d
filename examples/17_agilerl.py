"""AgileRL: IPPO with its evolutionary training loop, on the batched game in its own protocol.

pip install -e '.[agilerl]'

gamma is 0.5 where it ought to be 1: this loop (AgileRL 2.58) forgets that episodes have ended when some game
does, and ours end together, so with gamma = 1 the rewards of later episodes would drown the present one's.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from agilerl.algorithms import IPPO
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy

from spatial_game.envs.adapters.agilerl import ReferentialVecEnv
from spatial_game.game.evaluation import Proportion

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
NUM_ENVS = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100_000, help="steps of the environment, two an episode")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  (AgileRL draws from the global generator)
    env = ReferentialVecEnv(NUM_ENVS, **GAME)
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
