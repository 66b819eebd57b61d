"""What the dictionary lists where nothing is said: at most 5 of 100 entries may be false.

    OMP_NUM_THREADS=1 python experiments/nulls.py --out docs/_static/measured/nulls.csv
    python experiments/nulls.py --kinds constant                                     (prints three rows)

Thirty senders of five kinds do not look at the window; all that is listed of them is false. Messages of
bundled pairs are shuffled among the episodes of one view (the edge, and which cells are seen), so entries
about integers are false, and those about the view are true. `told` is the number of recordings in whose
dictionary any variable is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from rows import make_rows

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_episodes, mask_columns
from spatial_game.game.seeds import random_stream
from spatial_game.language import build_dictionary, count, message_entries, symbol_entries
from spatial_game.language.counting.columns import columns_of
from spatial_game.recording import Recording

CONFIG, EPISODES, SEEDS = GameConfig(), (1_000, 5_000, 100_000), range(6)
MOST = max(EPISODES)
PAIRS = ("embed-60/0", "paper-60/0", "landmark-60/0", "local-60/0", "grid-8x8/0")


def _uniform(rng: np.random.Generator, words: IntArray) -> IntArray:
    """Draw all symbols with equal probability."""
    return rng.integers(0, CONFIG.vocab_size, (MOST, CONFIG.message_length), dtype=np.int16)


def _zipf(rng: np.random.Generator, words: IntArray) -> IntArray:
    """Draw messages of very unequal frequency, as words have."""
    weight = 1 / np.arange(1, len(words) + 1)
    return words[rng.choice(len(words), MOST, p=weight / weight.sum())]


def _bursts(rng: np.random.Generator, words: IntArray) -> IntArray:
    """Repeat a message for 20 episodes on average, then draw another."""
    return words[rng.integers(0, len(words), MOST)[np.cumsum(rng.random(MOST) < 1 / 20)]]


SENDERS: dict[str, Callable[[np.random.Generator, IntArray], IntArray]] = {
    "uniform": _uniform,
    "zipf": _zipf,
    "bursts": _bursts,
    "periodic": lambda rng, words: words[np.arange(MOST) % 7],
    "constant": lambda rng, words: words[np.zeros(MOST, int)],
}
"""Senders that do not look: they get a generator and 1,000 random messages to choose from. `periodic` sends
seven messages in turn, `constant` only one."""


def rows_of(kind: str) -> Iterator[dict[str, str]]:
    """Yield the figures of a kind of sender or of a pair, a row for each number of episodes."""
    recordings = [blind(kind, seed) for seed in SEEDS] if kind in SENDERS else [shuffled(kind)]
    for episodes in EPISODES:
        found = [figures_of(first(each, episodes), kind in SENDERS) for each in recordings]
        told, listed, false, bits = zip(*found, strict=True)
        yield {
            "kind": f"{kind}, shuffled" if kind in PAIRS else kind,
            "recordings": str(len(found)),
            "episodes": str(episodes),
            "told": str(sum(told)),
            "listed": str(sum(listed)),
            "false": str(sum(false)),
            "lowest_bits": f"{min(bits):.3f}",
            "highest_bits": f"{max(bits):.3f}",
        }


def figures_of(recording: Recording, all_false: bool) -> tuple[bool, int, int, float]:
    """Return whether anything is told, how many entries are listed and false, and the bits of integers."""
    dictionary = build_dictionary(count(recording))
    entries = [*symbol_entries(dictionary), *message_entries(dictionary)]
    false = [entry for entry in entries if all_false or entry.index < len(dictionary.config.offsets)]
    told, bits = [variable.informative for variable in dictionary.variables], dictionary.bits
    beyond = bits.messages if all_false else bits.messages - bits.messages_by_variable[-1]
    return any(told if all_false else told[:-1]), len(entries), len(false), beyond


def first(recording: Recording, number: int) -> Recording:
    """Return the first episodes of a recording."""
    window, message = recording.window[:number], recording.message[:number]
    return Recording(recording.config, window=window, message=message)


def blind(kind: str, seed: int) -> Recording:
    """Return messages that have nothing to do with the windows."""
    windows, symbols = map(np.random.default_rng, random_stream(seed, kind).spawn(2))
    window = draw_episodes(CONFIG, MOST, windows).window
    words = symbols.integers(0, CONFIG.vocab_size, (1000, CONFIG.message_length), dtype=np.int16)
    return Recording(CONFIG, window=window, message=SENDERS[kind](symbols, words))


def shuffled(name: str) -> Recording:
    """Return windows, and the pair's messages for others of the same view."""
    pair, rng = load_pair(name), np.random.default_rng(random_stream(0, name))
    window = draw_episodes(pair.config, MOST, rng).window
    message = shuffled_within_views(pair.config, window, pair.sender.send(window), rng)
    return Recording(pair.config, window=window, message=message)


def shuffled_within_views(
    config: GameConfig, window: IntArray, message: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return the messages (B, T) shuffled among the windows (B, W) of one view."""
    view, order = views(config, window), rng.permutation(len(window))
    found = np.empty_like(message)
    # Both orders have the views one after another, with the episodes of each at random.
    found[np.argsort(view, kind="stable")] = message[order[np.argsort(view[order])]]
    return found


def views(config: GameConfig, window: IntArray) -> IntArray:
    """Return the column of the view (B,) of windows (B, W)."""
    return columns_of(config).of(window)[np.arange(len(window)), mask_columns(window)]


if __name__ == "__main__":
    make_rows(__doc__, rows_of, [*SENDERS, *PAIRS], "kinds")
