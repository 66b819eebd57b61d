"""Do pairs of the recipe `local` order the integers in a way of their own? *A private order* in *Findings*.

    OMP_NUM_THREADS=1 python experiments/private_order.py --pairs grid-8x8/0     (prints a row)
    OMP_NUM_THREADS=1 python experiments/private_order.py --out docs/_static/findings/private_order.csv

The model adds up what the sender sees, and names the result:

    z[s] = sum over the places j of the window of value[integer at j] * weight[j, s],   s = 1 .. 4
    P(symbol | window, symbols before it) = softmax(slope . z + height), which depend on the symbols before

It is fitted by Adam to recorded episodes. Every tenth episode is held out; there, the bits are the mean of
log2 P(message | window) / p(message), a lower bound of what messages tell. A message needs four episodes;
of rarer ones the model says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from rows import make_rows, pairs_of
from torch import Tensor, nn

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.seeds import random_stream
from spatial_game.language import build_dictionary, count
from spatial_game.recording import record

EPISODES, SEED = 300_000, 77
SCORES = 4
LEAST_SENT = 4  # episodes of a message
STEPS, BATCH, RATE = 1500, 2048, 0.08
STARTS, SHORT = 3, 200  # random starts that are tried, and their steps
MORE = 1.05  # three values an integer must explain this much more than one

Floats, Integers = NDArray[np.float64], NDArray[np.int16]


class Model(nn.Module):
    """Scores that add up over the places of a window, and softmaxes that name them symbol by symbol."""

    def __init__(self, config: GameConfig, values: Tensor, message: Tensor) -> None:
        super().__init__()
        number, (size, length) = len(values), (config.vocab_size, config.message_length)
        self.values = nn.Parameter(values.clone())
        self.weights = nn.Parameter(
            torch.randn(number, config.window_size, SCORES) / (number * config.window_size) ** 0.5
        )
        self.ends = nn.Parameter(torch.zeros(config.window_size, SCORES))  # what the mask adds
        self.powers = size ** torch.arange(length - 1, -1, -1)
        self.tables = nn.ParameterList()
        for slot in range(length):
            code = message[:, : slot + 1] @ self.powers[-slot - 1 :]
            usual = torch.bincount(code, minlength=size ** (slot + 1)).reshape(-1, size) + 0.01
            heights = (usual / usual.sum(1, keepdim=True)).log().unsqueeze(2)
            self.tables.append(nn.Parameter(torch.cat([torch.zeros(*usual.shape, SCORES), heights], 2)))

    def scores(self, window: Tensor) -> Tensor:
        """Return z (B, 4) of windows (B, W)."""
        shown = (window != MASK).unsqueeze(2)
        values = self.values.T[window.clamp(min=0)] * shown
        return torch.einsum("bwr,rws->bs", values, self.weights) + (~shown * self.ends).sum(1)

    def bits(self, window: Tensor, message: Tensor) -> Tensor:
        """Return log2 P(message | window), (B,)."""
        z = nn.functional.pad(self.scores(window), (0, 1), value=1.0)
        total = torch.zeros(len(z))
        for slot, table in enumerate(self.tables):
            before = message[:, :slot] @ self.powers[len(self.powers) - slot :]
            logits = torch.einsum("bvs,bs->bv", table[before], z)
            total = total + logits.log_softmax(1).gather(1, message[:, slot, None])[:, 0]
        return total / np.log(2)


class Sample:
    """Episodes of messages that are frequent enough: those to fit, and those held out."""

    def __init__(self, config: GameConfig, windows: Integers, messages: Integers) -> None:
        self.config = config
        held = np.arange(len(windows)) % 10 == 9
        code = np.unique(messages, axis=0, return_inverse=True)[1].ravel()
        fitted = np.bincount(code[~held], minlength=code.max() + 1)
        known = fitted[code] >= LEAST_SENT
        self.known = float(known.mean())
        share = np.bincount(code[known]) / known.sum()
        self.usual = torch.tensor(np.log2(share[code[known & held]]))
        window, message = (torch.tensor(each.astype(np.int64)) for each in (windows, messages))
        self.window, self.message = window[known & ~held], message[known & ~held]
        self.held_window, self.held_message = window[known & held], message[known & held]

    def held_out_bits(self, model: Model) -> float:
        """Return what the model explains of the held-out episodes, 0 for those of rare messages."""
        with torch.no_grad():
            said = model.bits(self.held_window, self.held_message)
        return self.known * float((said - self.usual).mean())


def fit(sample: Sample, number: int, seed: int, order: Floats | None = None) -> Model:
    """Fit a model with this number of values an integer, or with this order of the integers instead."""
    torch.manual_seed(seed)
    starts = [start(sample, number, order) for _ in range(STARTS)]
    losses = [train(sample, *each, [RATE] * SHORT) for each in starts]
    model, optimiser = starts[int(np.argmin(losses))]
    train(sample, model, optimiser, [RATE * 0.5 * (1 + np.cos(np.pi * i / STEPS)) for i in range(STEPS)])
    return model


def start(sample: Sample, number: int, order: Floats | None) -> tuple[Model, torch.optim.Adam]:
    """Return a model with random values, or with a fixed order, and its optimiser."""
    values = torch.randn(number, sample.config.num_integers)
    if order is not None:
        values = torch.tensor((order - order.mean()) / order.std(), dtype=torch.float32)[None]
    model = Model(sample.config, values, sample.message)
    model.values.requires_grad = order is None
    return model, torch.optim.Adam([each for each in model.parameters() if each.requires_grad])


def train(sample: Sample, model: Model, optimiser: torch.optim.Adam, rates: list[float]) -> float:
    """Take a step for each learning rate; return a running mean of the loss."""
    mean = 0.0
    for rate in rates:
        optimiser.param_groups[0]["lr"] = rate
        rows = torch.randint(len(sample.window), (BATCH,))
        loss = -model.bits(sample.window[rows], sample.message[rows]).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        mean = 0.95 * mean + 0.05 * loss.item()
    return mean


def alike(one: Floats, other: Floats) -> Floats:
    """Return the canonical correlations of two sets of values (R, K) of the integers; 1 is the same order."""
    bases = [np.linalg.qr((each - each.mean(1, keepdims=True)).T)[0] for each in (one, other)]
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)


def rows_of(name: str) -> Iterator[dict[str, str]]:
    """Yield the figures of a pair."""
    pair = load_pair(name)
    config, size = pair.config, pair.config.num_integers
    episodes = draw_episodes(config, EPISODES, np.random.default_rng(random_stream(SEED, "recording")))
    recording = record((pair.sender, None), episodes, config)
    sample = Sample(config, recording.window, recording.message)
    fits = {number: [fit(sample, number, seed) for seed in (0, 1)] for number in (1, 3)}
    bits = {number: [sample.held_out_bits(model) for model in found] for number, found in fits.items()}
    orders = np.arange(size, dtype=float), np.random.default_rng(SEED).permutation(size).astype(float)
    by_size, by_chance = (sample.held_out_bits(fit(sample, 1, 0, order)) for order in orders)
    number = 3 if min(bits[3]) > MORE * max(bits[1]) else 1
    found = alike(*(model.values.detach().double().numpy() for model in fits[number]))
    yield {
        "Pair": name,
        "Bits of a message": f"{build_dictionary(count(recording)).bits.entropy:.2f}",
        **numbered("One value, start", bits[1]),
        **numbered("Three values, start", bits[3]),
        "Order by size": f"{by_size:.2f}",
        "Random order": f"{by_chance:.2f}",
        **numbered("Alike in two fits,", [*found, None, None][:3]),
    }


def numbered(name: str, figures: Iterable[float | None]) -> dict[str, str]:
    """Return a column for each figure, with two decimals; empty for None."""
    return {
        f"{name} {number}": "" if each is None else f"{each:.2f}" for number, each in enumerate(figures, 1)
    }


if __name__ == "__main__":
    make_rows(__doc__, rows_of, pairs_of("grid-8x8", "local-60"))
