"""A noisy channel: how often does a receiver understand messages with wrong symbols?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray, draw_batches
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Agents
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.json_text import plain
from spatial_game.proportions import Proportion
from spatial_game.studies.study import ACCURACY, Study, accuracy_cells
from spatial_game.tables import Table

RATES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""The probabilities with which a symbol is replaced."""


def channel_noise(agents: Agents, num_episodes: int = 20_000, seed: int = 0) -> Study:
    """Let agents play their game while other symbols replace each symbol with the probabilities of `RATES`.

    The last rows of the table replace the symbol of one slot, always. All rows use the same episodes and the
    same random numbers: if a symbol is replaced at one rate, the same symbol replaces it at every higher
    rate.
    """
    config, length = agents.config, agents.config.message_length
    drawn, noise = (np.random.default_rng(seeds) for seeds in random_stream(seed, "channel noise").spawn(2))
    num_correct = np.zeros(len(RATES) + length, dtype=np.int64)
    for episodes in draw_batches(config, num_episodes, drawn):
        sent = ask_sender(agents.sender, episodes.window, config)
        other, lot = other_symbols(sent, config.vocab_size, noise), noise.random(sent.shape)
        for row, slots in enumerate([*(lot < rate for rate in RATES), *np.eye(length, dtype=bool)]):
            heard = np.where(slots, other, sent)
            num_correct[row] += np.count_nonzero(won_by(agents.receiver, heard, episodes))
    parts = [Proportion(right, num_episodes) for right in num_correct.tolist()]
    by_rate, by_slot = parts[: len(RATES)], parts[len(RATES) :]
    rows = [
        *(
            (f"each with {rate:.0%}", (1 - rate) ** length, part)
            for rate, part in zip(RATES, by_rate, strict=True)
        ),
        *((f"that of slot {slot}", 0.0, part) for slot, part in enumerate(by_slot, 1)),
    ]
    table = Table.of(
        f"Replaced | Messages intact :.1% | {ACCURACY}",
        ((what, whole, *accuracy_cells(part)) for what, whole, part in rows),
    )
    results = {
        "by_rate": [{"rate": rate, **part.to_dict()} for rate, part in zip(RATES, by_rate, strict=True)],
        "by_slot": plain(by_slot),
    }
    return Study(config, f"n{num_episodes}", seed, table, results)


def other_symbols(messages: IntArray, vocab_size: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return a random other symbol for each symbol of messages (B, T)."""
    steps = rng.integers(1, vocab_size, messages.shape, dtype=np.int64)
    return ((messages + steps) % vocab_size).astype(np.int16)
