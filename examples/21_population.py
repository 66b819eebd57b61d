"""Build a population from the networks and the channel: two senders and two receivers, drawn anew each step.

pip install -e '.[agents]'

Each pair of the population plays about a quarter of the steps, so all senders have to be understood by all
receivers. The networks and the Gumbel-Softmax are those of `spatial_agents`; the rest is this loop. It runs
for a minute.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from spatial_agents import NetworkConfig
from spatial_agents.networks import PairNetwork, networks_of, new_networks
from spatial_agents.pairs.pair import pair_from_weights
from spatial_agents.training.episodes import draw_every_target
from spatial_agents.training.trainer import play_softly
from spatial_game import GameConfig
from spatial_game.game.evaluation import evaluate_agents

GAME = GameConfig(20, num_visible=1)
AGENT = NetworkConfig(inputs="embedding", embedding_size=32, network="landmark")
SENDERS, RECEIVERS = 2, 2


def main() -> None:
    """Train the population, and show how well each sender is understood by each receiver."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=4000)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    noise, rng = torch.Generator().manual_seed(0), np.random.default_rng(0)

    senders = [new_networks(GAME, networks_of(AGENT), seed).sender for seed in range(SENDERS)]
    receivers = [new_networks(GAME, networks_of(AGENT), seed).receiver for seed in range(RECEIVERS)]
    optimisers = {each: torch.optim.Adam(each.parameters(), lr=3e-3) for each in senders + receivers}

    for step in range(steps):
        sender, receiver = senders[rng.integers(SENDERS)], receivers[rng.integers(RECEIVERS)]
        episodes = draw_every_target(GAME, 24, rng)
        scores, entropies = play_softly(sender, receiver, episodes, noise)
        bonus = 0.03 * max(0.0, 1 - step / (0.7 * steps)) * entropies.mean()
        (cross_entropy(scores, episodes.target_index) - bonus).backward()
        for each in (sender, receiver):
            torch.nn.utils.clip_grad_norm_(each.parameters(), 1.0)
            optimisers[each].step()
            optimisers[each].zero_grad()

    for i, sender in enumerate(senders):
        for j, receiver in enumerate(receivers):
            pair = pair_from_weights(PairNetwork(sender, receiver).state_dict(), GAME, AGENT)
            won = evaluate_agents(pair, 10_000, np.random.default_rng(1)).accuracy
            print(f"sender {i}, receiver {j}: {won:.1%} of 10,000 new episodes; chance is 20%.")


if __name__ == "__main__":
    main()
