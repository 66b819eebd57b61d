"""RLlib (new API stack): a policy for each agent; then PPO learns to understand the oracle sender.

pip install -e '.[rllib]'

The role is a Gymnasium environment, both agents are the parallel PettingZoo environment as it is. RLlib plays
far fewer steps a second of two agents than of one, so the first part only shows that it runs.
"""

from __future__ import annotations

import argparse

import gymnasium
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env

from spatial_game import referential_v0
from spatial_game.game.evaluation import Proportion

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
ROLE = "spatial_game:spatial_game/Receiver-v0"


def settings() -> PPOConfig:
    return (
        PPOConfig()
        .learners(num_learners=0)
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[64, 64], vf_share_layers=False))
        .debugging(seed=0)
        # The reward comes when the sender is silent: neither discounted nor bootstrapped away.
        .training(gamma=1.0, lambda_=1.0, lr=3e-3, num_epochs=10)
    )


def train(algorithm: Algorithm, steps: int, agents: int) -> None:
    played = 0
    while played < steps:
        results = algorithm.train()["env_runners"]
        played = int(results["num_env_steps_sampled_lifetime"])
        # The return sums the equal rewards of the agents.
        print(f"step {played}: {results['episode_return_mean'] / agents:.3f} of the last episodes won")


def accuracy(algorithm: Algorithm, num_episodes: int = 2000) -> Proportion:
    """Fresh episodes, all at once, at the best guess."""
    envs = gymnasium.make_vec(ROLE, num_envs=num_episodes, partner="oracle", **GAME)
    seen, _ = envs.reset(seed=1000)
    with torch.no_grad():
        out = algorithm.get_module().forward_inference({"obs": torch.from_numpy(seen)})
    _, rewards, _, _, _ = envs.step(out["action_dist_inputs"].argmax(1).numpy())
    return Proportion(int(rewards.sum()), num_episodes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=14_000, help="of the one role")
    parser.add_argument("--both-steps", type=int, default=400, help="of both agents, two an episode")
    arguments = parser.parse_args()
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    # The function runs in RLlib's workers too: it must be able to import what it needs.
    register_env("referential", lambda _: ParallelPettingZooEnv(referential_v0.parallel_env(**GAME)))
    both = settings().environment("referential").env_runners(num_env_runners=0, num_envs_per_env_runner=1)
    both = both.multi_agent(
        policies={"sender_0", "receiver_0"}, policy_mapping_fn=lambda agent, *_, **__: agent
    )
    algorithm = both.training(train_batch_size_per_learner=200, minibatch_size=100).build_algo()
    train(algorithm, arguments.both_steps, 2)
    algorithm.stop()
    one = settings().environment(ROLE, env_config={"partner": "oracle", **GAME})
    one = one.env_runners(num_env_runners=0, num_envs_per_env_runner=32)
    algorithm = one.training(train_batch_size_per_learner=2048, minibatch_size=512).build_algo()
    train(algorithm, arguments.steps, 1)
    print(f"receiver: won {accuracy(algorithm)} (chance 50%)")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
