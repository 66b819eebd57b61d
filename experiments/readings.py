"""How often readings are as true as they say, and how many messages say more than their symbols.

    python experiments/readings.py --languages holistic sums   (prints 6 rows; seconds)
    OMP_NUM_THREADS=1 python experiments/readings.py --out docs/_static/measured/readings.csv

A dictionary is learned from 5,000, 20,000 and 200,000 episodes, and its readings are tried in 400,000 others.

- `off`: the share of readings that are true more than ten points above or below the interval that they state,
  of the messages with at least 200 of these episodes. No figure states 90 to 100%.
- `covered`: the share of these readings whose interval holds the truth. The share of the other episodes in
  which a reading is true must lie, to half a point, where 95% of such shares are to be expected.
- `width`: the mean width of the intervals, in points.
- `low`, `high`: the least and the largest share of episodes whose message may say more than its symbols.
- `false`: the integers that statements name though they are not 1.15 times as frequent there as in the game,
  by two standard errors, of `named`. `lost`: those that are more frequent than that, of `raised`, and are not
  named. The columns with `symbols` are the same of the listed entries of symbols.
"""

import time
import zlib

import numpy as np
from known_languages import known_language
from rows import make_rows

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_batches
from spatial_game.language import build_dictionary, count, symbol_entries
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.entries import sets_of
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.thresholds import LEAST_LIFT, NEARLY_ALWAYS
from spatial_game.recording import Recording

LANGUAGES = (
    *("holistic", "compositional", "by-offset", "half-and-half", "classes", "two-neighbours"),
    *("rarer-synonyms", "two-senses", "three-senses", "rare-sense", "edges", "sums", "sums-of-bands"),
    *("compositional, noise", "holistic, noise"),
    *("rare-offsets, replaced", "two-neighbours, replaced", "half-and-half, replaced"),
)
"""With noise, a tenth of the symbols are wrong. Where messages are replaced, a tenth of them are any of the
language's."""
PAIRS = (
    "paper-60/0",
    "paper-60/9",
    "embed-60/0",
    "embed-60/9",
    "local-60/0",
    "grid-8x8/0",
    "seen-8x8/1",
)
SIZES, FRESH, LEAST, OFF, BATCH = (5_000, 20_000, 200_000), 400_000, 200, 0.1, 50_000
SEED, HALF_A_POINT = 73, 0.005


def rows_of(name):
    """Yield the figures of a language, a row for each number of episodes."""
    of_language, of_episodes = (np.random.default_rng([SEED, n, zlib.crc32(name.encode())]) for n in (0, 1))
    if name in LANGUAGES:
        config = GameConfig()
        send = language_of(name, config, of_language).send
    else:
        config, send = load_pair(name).config, load_pair(name).sender.send
    drawn = draw_batches(config, max(SIZES) + FRESH, of_episodes, BATCH)
    window, message = map(np.concatenate, zip(*((e.window, send(e.window)) for e in drawn), strict=True))
    fresh = slice(max(SIZES), None)
    for size in SIZES:
        begin = time.process_time()
        counts = count(Recording(config, window=window[:size], message=message[:size]))
        found = measured(build_dictionary(counts), window[fresh], message[fresh], LEAST)
        yield {"language": name, "episodes": size, **found, "seconds": f"{time.process_time() - begin:.1f}"}


def language_of(name, config, rng):
    """Return one of the `LANGUAGES`."""
    known, _, wrong = name.partition(", ")
    language = known_language(known, config, rng, 0.1 if wrong == "noise" else 0.0)
    return Replaced(language) if wrong == "replaced" else language


class Replaced:
    """A sender of a known language. A tenth of its messages is replaced by any of the language's."""

    def __init__(self, language):
        self.language, self.sayings = language, language.sayings
        tables = [saying.messages.reshape(-1, language.config.message_length) for saying in self.sayings]
        self.messages = np.unique(np.concatenate([language.edges, *tables]), axis=0)

    def send(self, window):
        """Return messages (B, T) for windows (B, W)."""
        message, rng = self.language.send(window), self.language.rng
        any_other = self.messages[rng.integers(0, len(self.messages), len(message))]
        return np.where(rng.random((len(message), 1)) < 0.1, any_other, message)


def measured(dictionary, window, message, least):
    """Return the figures of a dictionary by other episodes."""
    means, integers = interpreter(dictionary), columns_of(dictionary.config).at_offsets(window)
    adding, rows = sets_of(dictionary).adding, dictionary.rows(message)
    order, number = (
        np.argsort(rows, kind="stable"),
        np.bincount(rows + 1, minlength=len(dictionary.messages) + 1),
    )
    off, covered, widths, named = list[bool](), list[bool](), list[float](), np.zeros(4, dtype=int)
    for reading, own in zip(
        means.read(dictionary.messages), np.split(order, np.cumsum(number))[1:-1], strict=True
    ):
        if not reading.senses or len(own) < least:
            continue
        low, high = reading.interval
        true = reading.true_of(window[own]).mean()
        off.append(not low - OFF <= true <= (1.0 if low >= NEARLY_ALWAYS else high) + OFF)
        widths.append(high - low)
        belief = reading.belief
        sampled = belief.variance + belief.mean * (1 - belief.mean) / len(own)
        low, high = Belief(belief.mean, sampled).interval
        covered.append(low - HALF_A_POINT <= true <= high + HALF_A_POINT)
        for statement in {each for sense in reading.senses for each in sense.statements}:
            named += compared(integers[own, statement.index], statement.values, dictionary.config)
    of_symbols = [
        compared(
            integers[message[:, entry.ngram.slot] == entry.ngram.symbols[0], entry.index],
            entry.values,
            dictionary.config,
        )
        for entry in symbol_entries(dictionary)
        if entry.index < len(dictionary.config.offsets)
    ]
    names = "named", "false", "raised", "lost"
    symbols = np.sum([np.zeros(4, dtype=int), *of_symbols], axis=0)
    return {
        "readings": len(off),
        "off": f"{np.mean(off or 0):.4f}",
        "covered": f"{np.mean(covered or 0):.3f}",
        "width": f"{100 * np.mean(widths or 0):.1f}",
        "low": f"{adding[0]:.4f}",
        "high": f"{adding[1]:.4f}",
        **dict(zip(names, named.tolist(), strict=True)),
        **dict(zip((f"symbols_{name}" for name in names), symbols.tolist(), strict=True)),
    }


def compared(integer, values, config):
    """Return how many integers a set names, and falsely, and how many are raised there, and lost."""
    times = np.bincount(integer[integer >= 0], minlength=config.num_integers)
    expected = LEAST_LIFT * times.sum() / config.num_integers
    is_named = np.isin(np.arange(len(times)), values)
    error = 2 * np.sqrt(expected)
    lowered, is_raised = times < expected - error, times > expected + error
    parts = is_named, is_named & lowered, is_raised, is_raised & ~is_named
    return np.array([part.sum() for part in parts])


if __name__ == "__main__":
    make_rows(__doc__, rows_of, [*LANGUAGES, *PAIRS], "languages")
