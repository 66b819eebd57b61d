"""An objective, and networks whose steps take 0.5 s for as long as the file SLOW_WHILE exists."""

import os
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from spatial_agents.networks import gumbel_softmax
from spatial_agents.training.objectives import play


class Sender(nn.Module):
    """Linear in the window, with dropout, so that a run depends on the state of torch's generator."""

    def __init__(self, game):
        super().__init__()
        self.shape = game.message_length, game.vocab_size
        self.dropout = nn.Dropout(0.2)
        self.to_symbols = nn.Linear(game.window_size, game.message_length * game.vocab_size)

    def forward(self, window, choose_symbol):
        if self.training and Path(os.environ["SLOW_WHILE"]).exists():
            time.sleep(0.5)
        return choose_symbol(self.to_symbols(self.dropout(window.float())).unflatten(1, self.shape))


class Receiver(nn.Module):
    """Scores an integer by the message alone."""

    def __init__(self, game):
        super().__init__()
        self.read = nn.Linear(game.message_length * game.vocab_size, game.num_integers)

    def forward(self, message, sequence, candidates):
        return torch.gather(self.read(message.flatten(1)), 1, candidates)


def objective(pair, batch, generator):
    """The loss of the choice, of soft symbols."""
    scores = play(pair, batch, lambda logits: gumbel_softmax(logits, generator))
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    return loss, {"accuracy": batch.accuracy(scores)}
