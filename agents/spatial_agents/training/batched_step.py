"""Pairs that are trained abreast: one step for all, with a leading dimension of pairs in every weight.

Each pair keeps its `Trainer`, whose weights, optimiser, sums and generators it shares: what it is told, saves
and validates is as if it were alone. Only the step is another one, and equal up to rounding: every pair has
its own episodes, noise, gradient norm and rate. On a GPU the step is captured as a graph, so that the
processor has nothing to do in it but to draw; nothing waits for the GPU between two rows of metrics.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from spatial_agents.networks.gru import PairNetwork
from spatial_agents.networks.stacked import stack_pairs
from spatial_agents.training.data import DeviceEpisodes, device_episodes_from_keys, draw_device_keys
from spatial_agents.training.objective import Speaking, outcome
from spatial_agents.training.schedules import average_share, entropy_bonus, learning_rate, temperature
from spatial_agents.training.trainer import Trainer, move_average

_BEFORE_CAPTURE = 3  # steps that torch wants to have been done before a graph is captured


class Abreast:
    """The step of several trainers at once. They must be of one recipe and game, and at one step."""

    def __init__(self, trainers: Sequence[Trainer]) -> None:
        first = trainers[0]
        places = {(trainer.step_number, trainer.counters.length) for trainer in trainers}
        if len(places) != 1:
            raise ValueError(f"pairs abreast must be at the same step and length; got {sorted(places)}")
        self.trainers, self.recipe, self.game, self.device = trainers, first.recipe, first.game, first.device
        self.network = stack_pairs([t.network for t in trainers], self.game, self.recipe.agent)
        self.playing = self.network
        if self.recipe.weight_average:
            self.playing = stack_pairs([t.playing for t in trainers], self.game, self.recipe.agent)
        self.sums = torch.stack([trainer.sums for trainer in trainers])
        self.baseline = torch.stack([trainer.baseline for trainer in trainers])
        graphs = self.device.type == "cuda"
        rate = torch.tensor(0.0, device=self.device) if graphs else 0.0
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=rate, fused=True, capturable=graphs)
        # The plain steps before a capture are meant: no warning of them.
        self.optimiser._warned_capturable_if_run_uncaptured = True
        self._stack_optimisers()
        self._share()
        self._knobs = {
            name: torch.zeros((), device=self.device) for name in ("temperature", "bonus", "share")
        }
        self._captured = _Graph(self._step_on) if graphs else self._step_on

    def step(self) -> None:
        """One step of Adam for every pair."""
        step = self.trainers[0].step_number
        self._turn_knobs(step)
        self._captured(self._draw(), self._noise())
        for trainer in self.trainers:
            trainer.counters.step += 1

    def _step_on(self, episodes: DeviceEpisodes, noise: Tensor) -> None:
        """The step on given episodes (P, B, ...) and noise (T, P, B, V)."""
        recipe, knobs = self.recipe, self._knobs
        of_slots = iter(noise)
        speaking = Speaking(recipe, knobs["temperature"], lambda _: next(of_slots))
        found = outcome(self.network, episodes, speaking, knobs["bonus"], self.baseline)
        self.optimiser.zero_grad(set_to_none=True)
        found.objective.sum().backward()
        if recipe.clip_norm:
            clip_each(self.network, recipe.clip_norm)
        self.optimiser.step()
        move_average(self.playing, self.network, knobs["share"])
        self.sums += torch.stack(
            [found.loss.double(), found.accuracy, torch.ones_like(found.accuracy)], dim=1
        )

    def _turn_knobs(self, step: int) -> None:
        """Set what changes over the training, in numbers that a graph can read."""
        recipe = self.recipe
        self._knobs["temperature"].fill_(temperature(recipe, step))
        self._knobs["bonus"].fill_(entropy_bonus(recipe, step))
        self._knobs["share"].fill_(average_share(recipe, step))
        rate = learning_rate(recipe, step)
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate

    def _draw(self) -> DeviceEpisodes:
        """The episodes of the next step: those that each trainer would have drawn."""
        if self.recipe.fixed_samples or self.recipe.hold_out:
            drawn = [trainer.draw() for trainer in self.trainers]
            return DeviceEpisodes(*(torch.stack(parts) for parts in zip(*drawn, strict=True)))
        played, size = self.trainers[0].played, self.recipe.batch_size
        keys = [draw_device_keys(played, size, trainer.episodes_generator) for trainer in self.trainers]
        together = device_episodes_from_keys(played, torch.cat(keys))
        return DeviceEpisodes(*(part.unflatten(0, (len(keys), size)) for part in together))

    def _noise(self) -> Tensor:
        """The noise (T, P, B, V) of the next step, drawn by each trainer, a symbol at a time."""
        shape = (self.game.message_length, len(self.trainers), self.recipe.batch_size, self.game.vocab_size)
        noise = torch.empty(shape, device=self.device)
        for i, trainer in enumerate(self.trainers):
            for of_slot in noise[:, i]:
                of_slot.exponential_(generator=trainer.noise_generator)
        return noise

    def _stack_optimisers(self) -> None:
        """Give the optimiser the state of all: that of the trainers, or that before a first step."""
        number = torch.tensor(float(self.trainers[0].step_number), device=self.device)
        of_pairs = zip(*(trainer.network.parameters() for trainer in self.trainers), strict=True)
        for stacked, own in zip(self.network.parameters(), of_pairs, strict=True):
            states = [t.optimiser.state.get(part, {}) for t, part in zip(self.trainers, own, strict=True)]
            nothing = torch.zeros_like(own[0])
            self.optimiser.state[stacked] = {
                "step": number.clone(),
                "exp_avg": torch.stack([state.get("exp_avg", nothing) for state in states]),
                "exp_avg_sq": torch.stack([state.get("exp_avg_sq", nothing) for state in states]),
            }

    def _share(self) -> None:
        """Let every trainer's tensors be slices of ours, so that it always has what the step left."""
        for i, trainer in enumerate(self.trainers):
            for ours, theirs in ((self.network, trainer.network), (self.playing, trainer.playing)):
                for stacked, own in zip(ours.parameters(), theirs.parameters(), strict=True):
                    own.data = stacked.data[i]
            for stacked, own in zip(self.network.parameters(), trainer.network.parameters(), strict=True):
                state = self.optimiser.state[stacked]
                trainer.optimiser.state[own] = {
                    key: value if key == "step" else value[i] for key, value in state.items()
                }
            trainer.sums, trainer.baseline = self.sums[i], self.baseline[i]


class _Graph:
    """A step that is captured as a CUDA graph after some plain ones, anew for every shape of its inputs.

    Where it cannot be captured, the plain steps go on, with a warning.
    """

    def __init__(self, step: Callable[[DeviceEpisodes, Tensor], None]) -> None:
        self.step, self._shape, self._plain_steps = step, torch.Size(), 0
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, episodes: DeviceEpisodes, noise: Tensor) -> None:
        """Step on these inputs, by the graph if there is one."""
        if episodes.sequence.shape != self._shape:
            self._shape, self._plain_steps, self._graph = episodes.sequence.shape, _BEFORE_CAPTURE, None
        if self._graph is None and self._plain_steps == 0:
            self._capture(episodes, noise)
        if self._graph is None:
            self._plain_steps -= 1
            self._plainly(episodes, noise)
            return
        for fixed, part in zip(self._inputs, (*episodes, noise), strict=True):
            fixed.copy_(part)
        self._graph.replay()

    def _capture(self, episodes: DeviceEpisodes, noise: Tensor) -> None:
        self._inputs = [part.clone() for part in (*episodes, noise)]
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                self.step(DeviceEpisodes(*self._inputs[:-1]), self._inputs[-1])
        except RuntimeError as error:
            warnings.warn(f"training goes on without a CUDA graph: {error}", RuntimeWarning, stacklevel=2)
        else:
            self._graph = graph

    def _plainly(self, episodes: DeviceEpisodes, noise: Tensor) -> None:
        """A step outside of a graph, on a stream of its own, as capturing demands of those before it."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.step(episodes, noise)
        torch.cuda.current_stream().wait_stream(side)


@torch.no_grad()
def clip_each(network: PairNetwork, norm: float) -> None:
    """Scale each pair's gradients down to this norm, as `torch.nn.utils.clip_grad_norm_` does for one."""
    gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    squares = [gradient.square().flatten(1).sum(dim=1) for gradient in gradients]
    factors = (norm / (torch.stack(squares).sum(dim=0).sqrt() + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factors.view(-1, *(1,) * (gradient.dim() - 1)))
