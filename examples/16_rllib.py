"""RLlib (new API stack): a policy for each agent; then PPO learns to understand the oracle sender.

pip install -e . 'ray[rllib]>=2.49' 'torch>=2.4'

The role is a Gymnasium environment, both agents are the parallel PettingZoo environment as it is. RLlib
plays far fewer steps a second of two agents than of one, so the first part only shows that it runs. The
receiver looks integers and symbols up in tables: `ReceiverFeatures` within an `RLModule`.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env
from torch import nn

from spatial_game import GameConfig, referential_v0
from spatial_game.envs.adapters.features import ReceiverFeatures
from spatial_game.proportions import Proportion

GAME = GameConfig.small().to_dict()
ROLE = "spatial_game:spatial_game/Receiver-v0"


class ReceiverModule(TorchRLModule, ValueFunctionAPI):
    """Actor and critic of the receiver, each with features of its own."""

    def setup(self) -> None:
        config = GameConfig(**self.model_config["game"])
        actor, critic = ReceiverFeatures(config), ReceiverFeatures(config)
        self.actor = nn.Sequential(actor, nn.ReLU(), nn.Linear(actor.size, config.num_candidates))
        self.critic = nn.Sequential(critic, nn.ReLU(), nn.Linear(critic.size, 1))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return {Columns.ACTION_DIST_INPUTS: self.actor(batch[Columns.OBS])}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self.critic(batch[Columns.OBS])[:, 0]


def settings() -> PPOConfig:
    return (
        PPOConfig()
        .learners(num_learners=0)
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
    one = one.rl_module(rl_module_spec=RLModuleSpec(module_class=ReceiverModule, model_config={"game": GAME}))
    one = one.env_runners(num_env_runners=0, num_envs_per_env_runner=32)
    algorithm = one.training(train_batch_size_per_learner=2048, minibatch_size=512).build_algo()
    train(algorithm, arguments.steps, 1)
    print(f"receiver: won {accuracy(algorithm)} (chance 33%)")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
