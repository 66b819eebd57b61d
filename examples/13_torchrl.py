"""TorchRL: its PettingZoo wrapper; then both agents learn by policy gradient in a batched environment.

pip install -e '.[torchrl]'
"""

from __future__ import annotations

import argparse

import torch
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torch import nn
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical

from spatial_game import referential_symbol_v0
from spatial_game.envs.adapters.features import ReceiverFeatures, SenderFeatures
from spatial_game.envs.adapters.torchrl import ReferentialEnv

GROUPS = ("sender_0", "receiver_0")


def policy_of(env: ReferentialEnv, group: str) -> ProbabilisticTensorDictSequential:
    """A network that gives one symbol, or one choice, from features of what the group's agent sees."""
    sends = group == "sender_0"
    features = SenderFeatures(env.config, symbol_per_turn=True) if sends else ReceiverFeatures(env.config)
    actions = env.observation_spec[group, "action_mask"].shape[-1]
    body = nn.Sequential(features, nn.ReLU(), nn.Linear(features.size, actions))
    return ProbabilisticTensorDictSequential(
        TensorDictModule(body, in_keys=[(group, "observation")], out_keys=[(group, "logits")]),
        ProbabilisticTensorDictModule(
            in_keys={"logits": (group, "logits"), "mask": (group, "action_mask")},
            out_keys=[(group, "action")],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
            log_prob_key=(group, "action_log_prob"),
            default_interaction_type="random",
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600_000, help="steps of the environment")
    steps = parser.parse_args().steps
    torch.manual_seed(0)
    # TorchRL's own wrapper takes the PettingZoo environment as it is; its keys are the same.
    single = referential_symbol_v0.env(game="small")
    wrapped = PettingZooWrapper(single, use_mask=True, categorical_actions=True)
    check_env_specs(wrapped)
    length = single.unwrapped.config.message_length + 1
    print("PettingZooWrapper:", wrapped.rollout(length)["next", "receiver_0", "reward"].flatten().tolist())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    env = ReferentialEnv(512, symbol_per_turn=True, device=device, game="small")
    check_env_specs(env)
    env.set_seed(0)
    policies = nn.ModuleDict({group: policy_of(env, group) for group in GROUPS}).to(device)
    optimizer = torch.optim.Adam(policies.parameters(), lr=3e-3)
    baseline = 1 / 3
    iterations = max(steps // (512 * length), 1)
    for iteration in range(1, iterations + 1):
        bonus = 0.05 * (1 - iteration / iterations)
        # One whole episode of every game; the return of each step is the reward at its end.
        played = env.rollout(length, lambda td: policies["receiver_0"](policies["sender_0"](td)))
        won = played["next", "receiver_0", "reward"][:, -1, 0, 0]
        loss = torch.zeros((), device=device)
        for group in GROUPS:
            chosen = policies[group].get_dist(played)
            on_turn = played[group, "mask"].float()
            log_prob = chosen.log_prob(played[group, "action"]) * on_turn
            loss -= (log_prob.sum((1, 2)) * (won - baseline)).mean()
            loss -= bonus * (chosen.entropy() * on_turn).sum((1, 2)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        baseline += 0.05 * (float(won.mean()) - baseline)
        if iteration % 40 == 0 or iteration == 1:
            print(f"step {512 * length * iteration}: {baseline:.3f} won")


if __name__ == "__main__":
    main()
