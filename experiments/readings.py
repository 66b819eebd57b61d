"""How often readings are as true as they say, and how many messages say more than their symbols.

    python experiments/readings.py --languages table sums      (prints 6 rows; seconds)
    OMP_NUM_THREADS=1 python experiments/readings.py --seed 2  (known languages and pairs; 5 minutes)

A dictionary is learned from 5,000, 20,000 and 200,000 episodes, and its readings are tried in 400,000 others.
`off` is the share of readings that are true more than ten points above or below the interval that they
state, of the messages with at least 200 of these episodes; no figure states 90 to 100%. `width` is the mean
width of the intervals, in points. `adding` is the share of episodes whose message says more than its symbols,
of messages that were sent at least ten times. `false` counts the integers that statements name though they
are not 1.15 times as frequent there as in the game, by two standard errors, of `named`.
"""

import time
import zlib

import numpy as np
from plain_languages import LANGUAGES, plain_language
from rows import parser_of, save

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_batches
from spatial_game.language import build_dictionary, count, message_entries
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.entries import ENOUGH
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.members import LEAST_LIFT
from spatial_game.language.dictionary.readings import NEARLY_ALWAYS
from spatial_game.recording import Recording

PAIRS = ("paper-60/0", "embed-60/0", "local-60/0", "grid-8x8/0", "seen-8x8/1")
SIZES, FRESH, LEAST, OFF, BATCH = (5_000, 20_000, 200_000), 400_000, 200, 0.1, 50_000


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--languages", nargs="+", default=[*LANGUAGES, *PAIRS])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    save([row for name in options.languages for row in rows_of(name, options.seed)], options.out)


def rows_of(name, seed):
    """Return the figures of a language, a row for each number of episodes."""
    of_language, of_episodes = (np.random.default_rng([seed, n, zlib.crc32(name.encode())]) for n in (0, 1))
    if name in LANGUAGES:
        config = GameConfig()
        send = plain_language(name, config, of_language).send
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


def measured(dictionary, window, message, least):
    """Return the figures of a dictionary by other episodes."""
    adds, often = (
        {entry.ngram.symbols for entry in message_entries(dictionary)},
        dictionary.episodes >= ENOUGH,
    )
    adding = np.array([tuple(each) in adds for each in dictionary.messages.tolist()])
    means, integers = interpreter(dictionary), columns_of(dictionary.config).at_offsets(window)
    rows = dictionary.rows(message)
    order, number = np.argsort(rows, kind="stable"), np.bincount(rows + 1, minlength=len(adding) + 1)
    off, widths, named, false = list[bool](), list[float](), 0, 0
    for reading, own in zip(
        means.read(dictionary.messages), np.split(order, np.cumsum(number))[1:-1], strict=True
    ):
        if not reading.senses or len(own) < least:
            continue
        low, high = reading.interval
        true, high = reading.true_of(window[own]).mean(), 1.0 if low >= NEARLY_ALWAYS else high
        off.append(not low - OFF <= true <= high + OFF)
        widths.append(high - low)
        for statement in {each for sense in reading.senses for each in sense.statements}:
            there = integers[own, statement.index]
            there = there[there >= 0]
            expected = LEAST_LIFT * len(there) / dictionary.config.num_integers
            times = np.bincount(there, minlength=dictionary.config.num_integers)[list(statement.values)]
            named += len(times)
            false += int((times < expected - 2 * np.sqrt(expected)).sum())
    share = dictionary.episodes[adding & often].sum() / max(dictionary.episodes[often].sum(), 1)
    return {
        "readings": len(off),
        "off": f"{np.mean(off or 0):.4f}",
        "width": f"{100 * np.mean(widths or 0):.1f}",
        "adding": f"{share:.4f}",
        "named": named,
        "false": false,
    }


if __name__ == "__main__":
    main()
