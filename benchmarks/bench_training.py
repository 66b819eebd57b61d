"""How long a training step takes, beside the same model in plain torch modules; and how fast pairs play.

    python benchmarks/bench_training.py
    python benchmarks/bench_training.py --device cuda --pairs 16

The plain model is what one would write first: `nn.GRU`, `nn.GRUCell`, `functional.gumbel_softmax`, `Adam`,
global generators, and fresh episodes from `draw_episodes`. Both step in turns in the same process on one
thread; the figures are medians of the rounds. Then the parts of a step, also of recipe `local`. Then greedy
play: sending and choosing, batched, on episodes drawn beforehand. Then several pairs: a step of all, one
after another and batched.

`gpu.py` measures a GPU in full.
"""

from __future__ import annotations

import argparse
import dataclasses
import platform
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_agents.pairs.torch_play import pair_from_network, resolve_device
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.objective import Speaking, outcome
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes


class PlainPair(nn.Module):
    """Both agents in plain torch modules."""

    def __init__(self, game: GameConfig, hidden: int, inputs: str, features: int) -> None:
        super().__init__()
        self.game, self.inputs = game, inputs
        features = features if inputs == "embedding" else 1
        if inputs == "embedding":
            self.sender_table = nn.Embedding(len(game.integers) + 1, features)
            self.receiver_table = nn.Embedding(len(game.integers), features)
        self.window_gru = nn.GRU(features, hidden, batch_first=True)
        self.message_cell = nn.GRUCell(hidden, hidden)
        self.start = nn.Parameter(torch.zeros(hidden))
        self.symbol_to_hidden = nn.Linear(game.vocab_size, hidden)
        self.hidden_to_symbol = nn.Linear(hidden, game.vocab_size)
        self.message_gru = nn.GRU(game.vocab_size, hidden, batch_first=True)
        self.sequence_gru = nn.GRU(features, hidden, batch_first=True)
        self.candidate_to_hidden = nn.Linear(features, hidden)

    def forward(self, window: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Logits (B, C)."""
        if self.inputs == "embedding":
            window = self.sender_table(window + 1)
            sequence, candidates = self.receiver_table(sequence), self.receiver_table(candidates)
        else:
            window, sequence, candidates = (x.float().unsqueeze(-1) for x in (window, sequence, candidates))
        state = self.window_gru(window)[1][0]
        last, message = self.start.expand(len(window), -1), []
        for _ in range(self.game.message_length):
            state = self.message_cell(last, state)
            message.append(functional.gumbel_softmax(self.hidden_to_symbol(state)))
            last = self.symbol_to_hidden(message[-1])
        understood = self.message_gru(torch.stack(message, dim=1))[1]
        state = self.sequence_gru(sequence, understood)[1][0]
        return torch.bmm(self.candidate_to_hidden(candidates).relu(), state.unsqueeze(2)).squeeze(2)


class PlainTrainer:
    """The plain model with the plainest step: NumPy's episodes, cross-entropy, clipping, Adam."""

    def __init__(self, options: TrainOptions, device: torch.device) -> None:
        recipe = options.recipe
        self.pair = PlainPair(options.game, recipe.hidden_size, recipe.inputs, recipe.embedding_size).to(
            device
        )
        self.optimiser = torch.optim.Adam(self.pair.parameters(), lr=1e-3)
        self.options, self.device, self.rng = options, device, np.random.default_rng(0)

    def step(self) -> None:
        """One step on fresh episodes."""
        episodes = draw_episodes(self.options.game, self.options.recipe.batch_size, self.rng)
        arrays = (episodes.window, episodes.sequence, episodes.candidates, episodes.target_index)
        *seen, target_index = (torch.from_numpy(array).to(self.device, torch.int64) for array in arrays)
        loss = functional.cross_entropy(self.pair(*seen), target_index)
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.pair.parameters(), self.options.recipe.clip_norm)
        self.optimiser.step()


def milliseconds(call: Callable[[], object], device: torch.device) -> float:
    # On one CPU thread the processor's time is that of an idle machine, whoever else is at work.
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    start = clock()
    call()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return 1e3 * (clock() - start)


def compare_steps(options: TrainOptions, device: torch.device, rounds: int) -> None:
    contenders = {"ours": Trainer([options], device), "plain torch": PlainTrainer(options, device)}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for warm_up_or_round in range(rounds + 3):
        for name, trainer in contenders.items():
            taken = milliseconds(trainer.step, device)
            if warm_up_or_round >= 3:
                times[name].append(taken)
    median = {name: statistics.median(taken) for name, taken in times.items()}
    ratio = median["ours"] / median["plain torch"]
    print(
        f"{options.recipe.inputs:<12}{options.recipe.batch_size:>7}{median['ours']:>12.1f}"
        f"{median['plain torch']:>14.1f}{ratio:>8.2f}"
    )


def measure_parts(options: TrainOptions, device: torch.device, rounds: int) -> None:
    """Measure a step and its parts, each alone."""
    trainer = Trainer([options], device)
    episodes, noise = trainer.draw(), trainer._noise()

    def forward() -> Tensor:
        slots = iter(noise)
        speaking = Speaking(options.recipe, lambda _: next(slots))
        return outcome(trainer.network, episodes, speaking, 0.01, trainer.baseline).objective

    parts: dict[str, Callable[[], object]] = {
        "step": trainer.step,
        "drawing": trainer.draw,
        "noise": trainer._noise,
        "forward": forward,
        "and backward": lambda: forward().backward(),
        "Adam": trainer.optimiser.step,
    }
    trainer.step()
    times = {name: [milliseconds(part, device) for _ in range(rounds)] for name, part in parts.items()}
    size, median = options.recipe.episodes(options.game), {n: statistics.median(t) for n, t in times.items()}
    print(f"{options.recipe.recipe:<12}{size:>7}" + "".join(f"{median[name]:>13.2f}" for name in parts))


def measure_play(options: TrainOptions, device: torch.device, num_episodes: int) -> None:
    pair = pair_from_network(Trainer([options], device).network, options.game, options.recipe.agent)
    episodes = draw_episodes(options.game, num_episodes, np.random.default_rng(7))
    messages = pair.sender.send(episodes.window)
    sending = milliseconds(lambda: pair.sender.send(episodes.window), device)
    choosing = milliseconds(
        lambda: pair.receiver.choose(messages, episodes.sequence, episodes.candidates), device
    )
    per_second = [1e3 * num_episodes / taken for taken in (sending, choosing, sending + choosing)]
    print(f"{options.recipe.inputs:<12}" + "".join(f"{rate:>12,.0f}" for rate in per_second))


def compare_batched(options: TrainOptions, device: torch.device, count: int, rounds: int) -> None:
    """Compare a step of several pairs, one after another, with a batched step."""
    each = [dataclasses.replace(options, seed=seed) for seed in range(count)]
    alone = [Trainer([own], device) for own in each]
    batched = Trainer(each, device, batched=True)
    contenders = {"in turn": lambda: [trainer.step() for trainer in alone], "batched": batched.step}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for warm_up_or_round in range(rounds + 6):
        for name, step in contenders.items():
            taken = milliseconds(step, device)
            if warm_up_or_round >= 6:
                times[name].append(taken / count)
    in_turn, together = (statistics.median(times[name]) for name in contenders)
    print(
        f"{options.recipe.inputs:<12}{count:>7}{in_turn:>12.1f}{together:>14.1f}{together / in_turn:>8.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--episodes", type=int, default=20_000, help="for greedy play")
    parser.add_argument("--pairs", type=int, default=4, help="side by side")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    device = resolve_device(arguments.device)
    game = GameConfig()
    all_options = [
        TrainOptions(
            game, Recipe("curriculum", start_length=0, inputs=inputs, batch_size=arguments.batch_size)
        )
        for inputs in ("scalars", "embedding")
    ]
    print(
        f"{platform.machine()}, torch {torch.__version__}, {device}, one thread, {game.signature}, hidden 64"
    )
    print(f"{'training':<12}{'batch':>7}{'ours, ms':>12}{'plain, ms':>14}{'ratio':>8}   (to be at most 1)")
    for options in all_options:
        compare_steps(options, device, arguments.rounds)
    parts = ("step", "drawing", "noise", "forward", "and backward", "Adam")
    print(f"{'parts, ms':<12}{'batch':>7}" + "".join(f"{part:>13}" for part in parts))
    for options in (all_options[1], TrainOptions(game, Recipe("local"))):
        measure_parts(options, device, arguments.rounds)
    print(f"{'play, ep./s':<12}{'sending':>12}{'choosing':>12}{'both':>12}")
    for options in all_options:
        measure_play(options, device, arguments.episodes)
    print(
        f"{'side by side':<12}{'pairs':>7}{'in turn, ms':>12}{'batched, ms':>14}{'ratio':>8}   (for one pair)"
    )
    for options in all_options:
        compare_batched(options, device, arguments.pairs, max(1, arguments.rounds // 4))


if __name__ == "__main__":
    main()
