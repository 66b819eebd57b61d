"""Train a pair from scratch: the paper's networks and Gumbel-Softmax in plain torch, in one file.

pip install -e '.[agents]'

Nothing here comes from `spatial_agents`. The package gives the episodes; the rest is torch. In each step the
sender sees windows and sends soft symbols, the receiver reads them and scores the candidates, and the
cross-entropy of its choice trains both. The game is small (8 integers, 3 candidates, messages of 2 symbols),
so a minute on one core is enough.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from spatial_game import MASK, GameConfig, draw_episodes
from spatial_game.game.episodes import IntArray
from spatial_game.game.evaluation import evaluate_agents

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
FEATURES, HIDDEN = 16, 64


class Sender(nn.Module):
    """Reads a window of integers with a GRU, and writes a message with a GRU cell."""

    def __init__(self, game: GameConfig) -> None:
        super().__init__()
        self.message_length = game.message_length
        self.integers = nn.Embedding(len(game.integers) + 1, FEATURES)  # and the mask
        self.window_gru = nn.GRU(FEATURES, HIDDEN, batch_first=True)
        self.message_cell = nn.GRUCell(HIDDEN, HIDDEN)
        self.start = nn.Parameter(torch.zeros(HIDDEN))
        self.symbol_to_hidden = nn.Linear(game.vocab_size, HIDDEN)
        self.hidden_to_symbol = nn.Linear(HIDDEN, game.vocab_size)

    def forward(self, window: Tensor, *, soft: bool) -> tuple[Tensor, Tensor]:
        """Return messages (B, T, V) for windows (B, W), soft and random or one-hot, and their logits."""
        _, state = self.window_gru(self.integers(window - MASK))
        state, last = state[0], self.start.expand(len(window), -1)
        message, scores = [], []
        for _ in range(self.message_length):
            state = self.message_cell(last, state)
            logits = self.hidden_to_symbol(state)
            if soft:
                symbol = functional.gumbel_softmax(logits)
            else:
                symbol = functional.one_hot(logits.argmax(dim=1), logits.shape[1]).float()
            last = self.symbol_to_hidden(symbol)
            message.append(symbol)
            scores.append(logits)
        return torch.stack(message, dim=1), torch.stack(scores, dim=1)

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T), as the package's senders do."""
        with torch.no_grad():
            message, _ = self(torch.from_numpy(window).long(), soft=False)
        return np.asarray(message.argmax(dim=2))


class Receiver(nn.Module):
    """Reads the message with one GRU, then the sequence with another, and scores the candidates."""

    def __init__(self, game: GameConfig) -> None:
        super().__init__()
        self.vocab_size = game.vocab_size
        self.integers = nn.Embedding(len(game.integers), FEATURES)
        self.message_gru = nn.GRU(game.vocab_size, HIDDEN, batch_first=True)
        self.sequence_gru = nn.GRU(FEATURES, HIDDEN, batch_first=True)
        self.candidate_to_hidden = nn.Linear(FEATURES, HIDDEN)

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (B, L) and candidates (B, C)."""
        _, understood = self.message_gru(message)
        _, state = self.sequence_gru(self.integers(sequence), understood)
        offered = self.candidate_to_hidden(self.integers(candidates)).relu()
        return torch.bmm(offered, state[0].unsqueeze(2)).squeeze(2)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,), as the package's receivers do."""
        given = [torch.from_numpy(array).long() for array in (messages, sequence, candidates)]
        with torch.no_grad():
            logits = self(functional.one_hot(given[0], self.vocab_size).float(), *given[1:])
        return np.asarray(logits.argmax(dim=1))


def entropy(logits: Tensor) -> Tensor:
    """Return the mean entropy of symbols, in nats."""
    log_p = logits.log_softmax(dim=2)
    return -(log_p.exp() * log_p).sum(dim=2).mean()


def accuracy(sender: Sender, receiver: Receiver, episodes: int = 4096) -> float:
    """Return the share of new episodes that the pair wins."""
    return evaluate_agents(sender, receiver, GAME, episodes, np.random.default_rng(1)).accuracy


def main() -> None:
    """Train, and show the accuracy now and then."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng, began = np.random.default_rng(args.seed), time.monotonic()

    sender, receiver = Sender(GAME), Receiver(GAME)
    optimiser = torch.optim.Adam([*sender.parameters(), *receiver.parameters()])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=5e-3, total_steps=args.steps)

    for step in range(args.steps):
        episodes = draw_episodes(GAME, 256, rng)
        window, sequence, candidates, target = (
            torch.from_numpy(array).long()
            for array in (episodes.window, episodes.sequence, episodes.candidates, episodes.target_index)
        )
        message, symbol_logits = sender(window, soft=True)
        choice_logits = receiver(message, sequence, candidates)
        loss = functional.cross_entropy(choice_logits, target) - 0.02 * entropy(symbol_logits)

        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*sender.parameters(), *receiver.parameters()], 1.0)
        optimiser.step()
        schedule.step()
        if (step + 1) % (args.steps // 6) == 0:
            won = accuracy(sender, receiver)
            print(f"step {step + 1:>5}  {time.monotonic() - began:>4.0f} s  accuracy {won:.1%}", flush=True)

    print(f"{accuracy(sender, receiver, 20_000):.1%} of 20,000 new episodes; chance is 33%.")


if __name__ == "__main__":
    main()
