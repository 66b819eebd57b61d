"""AgileRL: IPPO with its evolutionary training loop, on the batched game in its own protocol.

pip install 'spatial-game[agilerl]'
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from agilerl.algorithms import IPPO
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy

from spatial_agents.agilerl import ReferentialVecEnv

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
NUM_ENVS = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40_000, help="steps of the environment, two an episode")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    env = ReferentialVecEnv(NUM_ENVS, **GAME)
    env.reset(seed=0)
    agents = env.possible_agents
    agent = IPPO(
        observation_spaces=[env.single_observation_space(agent) for agent in agents],
        action_spaces=[env.single_action_space(agent) for agent in agents],
        agent_ids=agents,
        batch_size=256,
        learn_step=16 * NUM_ENVS,
        lr=1e-3,
        gamma=1.0,
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
    seen, infos = env.reset(seed=1)
    for _ in range(40):
        actions = trained[0].get_action(obs=seen, infos=infos)[0]
        seen, rewards, over, _, infos = env.step(actions)
        won, ended = won + float(rewards[agents[0]].sum()), ended + int(over[agents[0]].sum())
    taken = int(np.sum(trained[0].steps))
    print(f"after {taken} steps: {won / ended:.3f} of {ended} episodes won (chance 0.500)")


if __name__ == "__main__":
    main()
