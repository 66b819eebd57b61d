"""Train a pair from scratch, in one file of plain torch: draw, send, choose, loss, step.

pip install -e '.[agents]'

Nothing here comes from `spatial_agents`. The package gives the episodes; the rest is torch. In each step the
sender sees windows and sends soft symbols (Gumbel-Softmax), the receiver reads them and scores the
candidates, and the cross-entropy of its choice trains both. The game is small: 8 integers, 3 candidates,
messages of 2 symbols. The receiver compares the message with the cells around each candidate, so a minute of
one core is enough.
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
from spatial_game.game.policies import Agents

GAME = GameConfig.small()
FEATURES, HIDDEN = 16, 64


class Sender(nn.Module):
    """Sees a window of integers at once, and writes a message with a GRU cell."""

    def __init__(self, game: GameConfig) -> None:
        super().__init__()
        self.message_length = game.message_length
        self.integers = nn.Embedding(game.num_integers + 1, FEATURES)  # and the mask
        self.read = nn.Sequential(
            nn.Linear(game.window_size * FEATURES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN)
        )
        self.write = nn.GRUCell(HIDDEN, HIDDEN)
        self.start = nn.Parameter(torch.zeros(HIDDEN))
        self.symbol_to_hidden = nn.Linear(game.vocab_size, HIDDEN)
        self.hidden_to_symbol = nn.Linear(HIDDEN, game.vocab_size)

    def forward(self, window: Tensor, *, soft: bool) -> tuple[Tensor, Tensor]:
        """Return messages (B, T, V) for windows (B, W), soft and random or one-hot, and their logits."""
        state = self.read(self.integers(window - MASK).flatten(1))
        last = self.start.expand(len(window), -1)
        message, scores = [], []
        for _ in range(self.message_length):
            state = self.write(last, state)
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
    """Reads the message with a GRU, and scores each candidate by the cells around it."""

    def __init__(self, game: GameConfig) -> None:
        super().__init__()
        self.reach, self.vocab_size = 2 * game.window_radius, game.vocab_size
        self.integers = nn.Embedding(game.num_integers + 1, FEATURES)  # and a blank beyond the ends
        self.message_gru = nn.GRU(game.vocab_size, HIDDEN, batch_first=True)
        self.around = nn.Sequential(
            nn.Linear((2 * self.reach + 1) * FEATURES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN)
        )

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (B, L) and candidates (B, C)."""
        _, understood = self.message_gru(message)
        padded = functional.pad(sequence, (self.reach, self.reach), value=-1)
        around = padded.unfold(1, 2 * self.reach + 1, 1)  # (B, L, 2 reach + 1): the cells around each cell
        places = (sequence.unsqueeze(1) == candidates.unsqueeze(2)).long().argmax(dim=2)
        cells = around[torch.arange(len(sequence)).unsqueeze(1), places]  # (B, C, 2 reach + 1)
        offered = self.around(self.integers(cells + 1).flatten(2))
        return torch.bmm(offered, understood[0].unsqueeze(2)).squeeze(2)

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
    return evaluate_agents(Agents(sender, receiver, GAME), episodes, np.random.default_rng(1)).accuracy


def main() -> None:
    """Train, and show the accuracy now and then."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng, began = np.random.default_rng(args.seed), time.monotonic()

    sender, receiver = Sender(GAME), Receiver(GAME)
    weights = [*sender.parameters(), *receiver.parameters()]
    optimiser = torch.optim.Adam(weights)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=5e-3, total_steps=args.steps)

    for step in range(args.steps):
        batch = draw_episodes(GAME, 256, rng).to_torch()
        message, symbol_logits = sender(batch["window"], soft=True)
        choice_logits = receiver(message, batch["sequence"], batch["candidates"])
        loss = functional.cross_entropy(choice_logits, batch["target_index"])
        bonus = 0.02 * max(0.0, 1 - step / (0.7 * args.steps)) * entropy(symbol_logits)

        optimiser.zero_grad()
        (loss - bonus).backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        schedule.step()
        if (step + 1) % (args.steps // 6) == 0:
            won = accuracy(sender, receiver)
            print(f"step {step + 1:>5}  {time.monotonic() - began:>4.0f} s  accuracy {won:.1%}", flush=True)

    print(f"{accuracy(sender, receiver, 20_000):.1%} of 20,000 new episodes; chance is 33.3%.")


if __name__ == "__main__":
    main()
