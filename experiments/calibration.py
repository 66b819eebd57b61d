"""How often the dictionary finds something where there is nothing: window-blind senders, seed after seed.

    python experiments/calibration.py --out docs/_static/measured/calibration-description.csv    (10 minutes)
    python experiments/calibration.py --seeds 2                                             (prints the table)

The table counts the seeds whose recording of 20,000 episodes has a dictionary with any entry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rows import parser_of, save

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.recording import Recording

CONFIG, EPISODES = GameConfig(), 20_000
Messages = Callable[[np.random.Generator, np.ndarray], np.ndarray]
"""Return the messages of all episodes, from a generator and 1,000 random messages to choose from."""


def _uniform(rng: np.random.Generator, words: np.ndarray) -> np.ndarray:
    """Draw all symbols with equal probability."""
    return rng.integers(0, CONFIG.vocab_size, (EPISODES, CONFIG.message_length), dtype=np.int16)


def _zipf(rng: np.random.Generator, words: np.ndarray) -> np.ndarray:
    """Draw messages of very unequal frequency, as words have."""
    weight = 1 / np.arange(1, len(words) + 1)
    return words[rng.choice(len(words), EPISODES, p=weight / weight.sum())]


def _bursts(rng: np.random.Generator, words: np.ndarray) -> np.ndarray:
    """Repeat a message for 20 episodes on average, then draw another."""
    return words[rng.integers(0, len(words), EPISODES)[np.cumsum(rng.random(EPISODES) < 1 / 20)]]


SENDERS: dict[str, Messages] = {
    "uniform": _uniform,
    "zipf": _zipf,
    "bursts": _bursts,
    "periodic": lambda rng, words: words[np.arange(EPISODES) % 7],
    "constant": lambda rng, words: words[np.zeros(EPISODES, int)],
}
"""Senders that do not look at the window. `periodic` sends seven messages in turn, `constant` only one."""


def main() -> None:
    """Count the seeds with an entry."""
    parser = parser_of(__doc__)
    parser.add_argument("--senders", nargs="+", choices=SENDERS, default=list(SENDERS))
    parser.add_argument("--seeds", type=int, default=100)
    options = parser.parse_args()
    save([row_of(name, options.seeds) for name in options.senders], options.out)


def row_of(name: str, seeds: int) -> dict[str, str]:
    """Return the figures of a sender."""
    found = sum(bool(dictionary_of(count(recording(name, seed))).entries) for seed in range(seeds))
    return {
        "Sender": name,
        "Seeds": str(seeds),
        "Episodes": f"{EPISODES:,}",
        "Seeds with an entry": str(found),
    }


def recording(name: str, seed: int) -> Recording:
    """Return messages that have nothing to do with the windows."""
    windows, symbols = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    window = draw_episodes(CONFIG, EPISODES, windows).window
    words = symbols.integers(0, CONFIG.vocab_size, (1000, CONFIG.message_length), dtype=np.int16)
    return Recording(CONFIG, window=window, message=SENDERS[name](symbols, words))


if __name__ == "__main__":
    main()
