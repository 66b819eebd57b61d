"""A noisy channel: how often does a receiver understand messages with wrong symbols?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray, draw_batches
from spatial_game.game.evaluation import AgentPair, Proportion
from spatial_game.game.rules import won
from spatial_game.game.seeds import stream
from spatial_game.json_text import plain
from spatial_game.language.probing import exchange
from spatial_game.studies.study import ACCURACY, Study, accuracy_cells
from spatial_game.tables import Table

RATES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def channel_noise(
    pair: AgentPair, rates: Sequence[float] = RATES, num_episodes: int = 20_000, seed: int = 0
) -> Study:
    """Let a pair play its game while other symbols replace each symbol with these probabilities.

    The last rows of the table replace the symbol of one slot, always. All rows use the same episodes and the
    same random numbers: if a symbol is replaced at one rate, the same symbol replaces it at every higher
    rate. Raises `ValueError` for a rate outside 0..1.
    """
    for rate in rates:
        if not 0 <= rate <= 1:
            raise ValueError(f"rates must be in 0..1; got {rate}")
    config, length = pair.config, pair.config.message_length
    drawn, noise = (np.random.default_rng(seeds) for seeds in stream(seed, "channel noise").spawn(2))
    wins = np.zeros(len(rates) + length, dtype=np.int64)
    for episodes in draw_batches(config, num_episodes, drawn):
        sent = pair.sender.send(episodes.window)
        other, luck = other_symbols(sent, config.vocab_size, noise), noise.random(sent.shape)
        hit = [*(luck < rate for rate in rates), *np.eye(length, dtype=bool)]
        for row, slots in enumerate(hit):
            choice = exchange(pair.receiver, sent, other, slots, episodes.sequence, episodes.candidates)
            wins[row] += np.count_nonzero(won(episodes.target_index, choice))
    parts = [Proportion(right, num_episodes) for right in wins.tolist()]
    by_rate, by_slot = parts[: len(rates)], parts[len(rates) :]
    rows = [
        (f"each with {rate:.0%}", (1 - rate) ** length, part)
        for rate, part in zip(rates, by_rate, strict=True)
    ]
    rows += [(f"that of slot {slot}", 0.0, part) for slot, part in enumerate(by_slot)]
    table = Table.of(
        f"Replaced | Messages intact :.1% | {ACCURACY}",
        ((what, whole, *accuracy_cells(part)) for what, whole, part in rows),
    )
    results = {
        "by_rate": [
            {"rate": float(rate), **part.to_dict()} for rate, part in zip(rates, by_rate, strict=True)
        ],
        "by_slot": plain(by_slot),
    }
    return Study(config, f"n{num_episodes}", seed, table, results)


def other_symbols(messages: IntArray, vocab_size: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return a random other symbol for each symbol of messages (B, T)."""
    steps = rng.integers(1, vocab_size, messages.shape, dtype=np.int64)
    return ((messages + steps) % vocab_size).astype(np.int16)
