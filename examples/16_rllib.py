"""RLlib (new API stack): PPO, a policy for each agent, on the parallel PettingZoo environment as it is.

pip install 'spatial-game[rllib]'
"""

from __future__ import annotations

import argparse

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env

from spatial_game import referential_v0

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=12_000, help="steps of the environment, two an episode")
    steps = parser.parse_args().steps
    # The function runs in RLlib's workers too: it must be able to import what it needs.
    register_env("referential", lambda _: ParallelPettingZooEnv(referential_v0.parallel_env(**GAME)))
    config = (
        PPOConfig()
        .environment("referential")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=1)
        .learners(num_learners=0)
        .multi_agent(
            policies={"sender_0", "receiver_0"}, policy_mapping_fn=lambda agent, *args, **kwargs: agent
        )
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[64, 64], vf_share_layers=False))
        # The reward comes when the sender is silent: neither discounted nor bootstrapped away.
        .training(
            gamma=1.0,
            lambda_=1.0,
            lr=1e-3,
            entropy_coeff=0.01,
            train_batch_size_per_learner=2000,
            minibatch_size=500,
        )
        .debugging(seed=0)
    )
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    algorithm = config.build_algo()
    played = 0
    while played < steps:
        results = algorithm.train()["env_runners"]
        played = int(results["num_env_steps_sampled_lifetime"])
        # The return sums both agents' equal rewards.
        print(f"step {played}: {results['episode_return_mean'] / 2:.3f} won")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
