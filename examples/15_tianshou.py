"""Tianshou: a DQN for each agent, symbol by symbol.

pip install -e . 'tianshou>=2.0'

Tianshou's `PettingZooEnv` wants equal spaces, and the mask in the observation: two keyword arguments. The
n-step return reaches to the end of the episode, so that the sender learns from the reward after the choice.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from spatial_game import referential_symbol_v0

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}


def make_env() -> PettingZooEnv:
    return PettingZooEnv(referential_symbol_v0.env(observations="equal", mask_in_observation=True, **GAME))


def make_agent(env: PettingZooEnv) -> DQN:
    seen, action = env.observation_space["observation"], env.action_space
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=seen.shape, action_shape=action.n, hidden_sizes=(64, 64)),
        action_space=action,
        eps_training=0.2,
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=GAME["message_length"] + 1,
        target_update_freq=200,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=9_000, help="steps of the environment, three an episode")
    steps = parser.parse_args().steps
    np.random.seed(0)  # noqa: NPY002  (Tianshou draws from the global generator)
    torch.manual_seed(0)
    env = make_env()
    pair = MultiAgentOffPolicyAlgorithm(algorithms=[make_agent(env) for _ in env.agents], env=env)
    training = DummyVectorEnv([make_env for _ in range(16)])
    training.seed(0)
    test = DummyVectorEnv([make_env for _ in range(16)])
    test.seed(1000)
    collector = Collector(pair, training, VectorReplayBuffer(20_000, 16), exploration_noise=True)
    collector.reset()
    collector.collect(n_step=960)
    pair.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            test_collector=None,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=96,
            update_step_num_gradient_steps_per_sample=0.2,
            batch_size=128,
            multi_agent_return_reduction=lambda rewards: rewards[:, 0],
            verbose=False,
            show_progress=False,
        )
    )
    tested = Collector(pair, test)
    tested.reset()
    rewards = tested.collect(n_episode=960).returns
    print(f"after {steps} steps: {np.mean(rewards):.3f} of {len(rewards)} episodes won (chance 0.500)")


if __name__ == "__main__":
    main()
