"""The training of a population: senders and receivers that meet at random, and newcomers.

One sender and one receiver is the smallest population; its receiver may be replaced again and again (Li and
Bowling 2019). Each network has its own gradient norm, moments of Adam, average and schedules, over its life.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from spatial_agents.networks.gru import PairNetwork
from spatial_agents.networks.shapes import weight_shapes
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.adam import Adam
from spatial_agents.training.lives import ROLES, Life, life, meeting, number_of, over, pairs_of
from spatial_agents.training.schedules import average_share, entropy_bonus, learning_rate, one_factor_share
from spatial_agents.training.state import (
    PairState,
    fresh_network,
    member_weights,
    network_tensors,
    played_weights,
)
from spatial_agents.training.trainer import Trainer, held_tensors, move_average

LARGEST_POPULATION = 2**32
"""The most bytes that the networks of a population may take in training."""
_COPIES = 5  # weights, gradients, two moments, averages


class Member:
    """A network of a population, with its average and what Adam knows of it."""

    def __init__(self, network: nn.Module, options: TrainOptions) -> None:
        self.network = network
        self.playing = copy.deepcopy(network) if options.recipe.weight_average else network
        self.optimiser = Adam(network.parameters())

    def tensors(self, prefix: str) -> dict[str, Tensor]:
        """Return the tensors of this member in a checkpoint, by name."""
        steps = {f"{prefix}steps": self.optimiser.steps[0]}
        return steps | held_tensors(prefix, self.network, self.playing, self.optimiser)


class PopulationTrainer(Trainer):
    """A population in training. In each step, one sender and one receiver, drawn at random, play."""

    def _make_networks(self) -> None:
        recipe, self.members = self.recipe, dict[tuple[str, int], Member]()
        for role in ROLES:
            for i in range(number_of(recipe, role)):
                pair = fresh_network(self.game, recipe).to_empty(device=self.device)
                self.members[role, i] = Member(getattr(pair, role), self.options[0])
        self.sums = torch.zeros(3, dtype=torch.float64, device=self.device)
        self.baseline = torch.zeros((), device=self.device)
        self._knobs = {"near": torch.zeros((), device=self.device)}

    def _tensors(self) -> dict[str, Tensor]:
        tensors = self._shared_tensors()
        for (role, i), member in self.members.items():
            tensors |= member.tensors(f"{role}/{i}/")
        return tensors

    def _load(self, states: Sequence[PairState]) -> None:
        super()._load(states)
        for member in self.members.values():  # Adam has its number of steps once for each weight
            for steps in member.optimiser.steps[1:]:
                steps.copy_(member.optimiser.steps[0])

    def step(self) -> None:
        """Replace the networks whose lives have ended, and do one step for those that meet."""
        recipe, step, seed = self.recipe, self.step_number, self.options[0].seed
        lives = {each: life(recipe, *each, step) for each in self.members}
        for each, own in lives.items():
            if own.number and own.first == step:
                self._replace(*each, own)
        sender, receiver = meeting(recipe, seed, step)
        met = {each: self.members[each] for each in (("sender", sender), ("receiver", receiver))}
        network = PairNetwork(*(member.network for member in met.values()))
        for member in met.values():
            member.optimiser.zero_grad()
        of_sender = lives["sender", sender]
        self._knobs["near"].fill_(one_factor_share(recipe, step))
        bonus = entropy_bonus(over(recipe, of_sender.end - of_sender.first), step - of_sender.first)
        self._backward(network, self.draw(), self._noise(), bonus)
        if recipe.partition and (sender, receiver) not in pairs_of(recipe):
            del met["sender", sender]
        for each, member in met.items():
            self._learn(member, lives[each])
        self.step_number += 1

    def _learn(self, member: Member, own: Life) -> None:
        """Change a network by its gradient, on the schedules of its life."""
        recipe, age = over(self.recipe, own.end - own.first), self.step_number - own.first
        if recipe.clip_norm:
            torch.nn.utils.clip_grad_norm_(member.network.parameters(), recipe.clip_norm)
        member.optimiser.set_rate(learning_rate(recipe, age))
        member.optimiser.step()
        if member.playing is not member.network:
            moves = torch.tensor(1 - average_share(recipe, age))
            move_average(member.playing, member.network, moves)

    def _replace(self, role: str, i: int, own: Life) -> None:
        """Put a new network in the place of an old one."""
        weights = member_weights(self.options[0], role, i, own.number)
        fresh = network_tensors(weights, self.recipe, "")
        with torch.no_grad():
            for name, tensor in self.members[role, i].tensors("").items():
                tensor.copy_(fresh.get(name, torch.zeros(())))
            for steps in self.members[role, i].optimiser.steps:
                steps.zero_()

    def seconds(self, i: int = 0) -> float:
        """Return the seconds of training of the whole population, whatever the pair."""
        return super().seconds()

    def weights(self, i: int = 0) -> dict[str, Tensor]:
        """Return the weights of pair i of the population. They are not copies."""
        return played_weights(self.pair_network(i))

    def pair_network(self, i: int = 0) -> PairNetwork:
        """Return the networks of pair i that play."""
        of_roles = zip(ROLES, pairs_of(self.recipe)[i], strict=True)
        return PairNetwork(*(self.members[each].playing for each in of_roles))

    def _accuracy(self, network: PairNetwork, options: TrainOptions) -> float:
        """Return the mean accuracy of all pairs."""
        pairs = [self.pair_network(i) for i in range(len(pairs_of(self.recipe)))]
        each = [super(PopulationTrainer, self)._accuracy(pair, options) for pair in pairs]
        return sum(each) / len(each)


def require_memory(options: TrainOptions) -> None:
    """Raise `ValueError` for a population whose networks do not fit in memory."""
    recipe, sizes = options.recipe, dict.fromkeys(ROLES, 0)
    for name, shape in weight_shapes(options.game, recipe.agent).items():
        sizes[name.split(".")[0]] += torch.Size(shape).numel()
    needed = 4 * _COPIES * sum(sizes[role] * number_of(recipe, role) for role in ROLES)
    if needed > LARGEST_POPULATION:
        raise ValueError(
            f"senders and receivers must take at most {LARGEST_POPULATION / 2**30:g} GiB of memory; got "
            f"{recipe.senders} and {recipe.receivers}, which take {needed / 2**30:.1f}"
        )
