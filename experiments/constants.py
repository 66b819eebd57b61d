"""What each constant and mechanism of the dictionary is worth: makes the table of *Estimators*.

    python experiments/constants.py FOLDER --out docs/_static/measured/constants.csv

For each constant, the dictionary is made with half of it and with double; for each mechanism, without it.
The table has the share of the bits of eight bundled pairs, one of each kind of language, that is explained,
held out (200,000 episodes of seed 77, recorded to FOLDER unless they are there). It also counts the known
languages that come back whole, with recall and precision of at least .999 (60 integers, 200,000 episodes of
seed 1, without noise and with 10%). A row is not made again if the table has it.
"""

import argparse
import csv
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from known_answers import JUDGED, listed, spoken

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary import (
    account,
    code,
    compositions,
    describe,
    fit,
    noise,
    patterns,
    search,
)
from spatial_game.language.synthetic import LANGUAGES, agreement
from spatial_game.recording import record, recording_parts

PAIRS = (
    "embed-60/0",
    "embed-60/12",
    "paper-60/0",
    "paper-60/7",
    "local-60/0",
    "landmark-60/0",
    "grid-8x8/0",
    "grid-4x4x4/0",
)
EPISODES = 200_000
TABLES = ["What", "Value", *PAIRS, "known", "known, noise 0.1"]


def half_and_double(value):
    """Return half and double of a number, whole if it is."""
    kind = int if isinstance(value, int) else float
    return kind(max(value / 2, 1 if kind is int else 0)), kind(value * 2)


def variants():
    """Yield (name, value in words, patches), where a patch is (module or class, attribute, value)."""
    yield "as it is", "", []
    yield from without()
    numbers = [
        (fit, "_ROUNDS"),
        (search, "LEAST_BITS"),
        (search, "LEAST_EFFECT"),
        (search, "NEARLY"),
        (search, "OF_NOISE"),
        (search, "MOST_LAYERS"),
        (search, "MOST_CLASSES"),
        (describe, "LEAST_COMPOSED"),
        (noise, "TIMES"),
        (noise, "TOO_OFTEN"),
        (patterns, "_ALL_SUBSETS"),
        (compositions, "_OF_SEVERAL"),
    ]
    for module, name in numbers:
        for value in half_and_double(getattr(module, name)):
            yield name.strip("_"), f"{value:g}", [(module, name, value)]
    shares = [  # of which double is more than all: half as far from 1
        (search, "SAID_LATER"),
        (describe, "DOMINATES"),
        (patterns, "_ONE_SLOT"),
        (compositions, "_OF_CEILING"),
    ]
    for module, name in shares:
        known = getattr(module, name)
        for value in (known / 2, 1 - (1 - known) / 2):
            yield name.strip("_"), f"{value:g}", [(module, name, value)]
    yield "LEVELS", "8 of 16", [(code, name, each) for name, each in levels(code.LEVELS[1::2]).items()]
    yield "NEAR", "20, 2", [(module, "NEAR", (20.0, 2.0)) for module in (code, fit)]
    yield "NEAR", "80, 8", [(module, "NEAR", (80.0, 8.0)) for module in (code, fit)]
    yield "_RATIOS".strip("_"), "3 of 5", [(fit, "_RATIOS", fit._RATIOS[::2])]
    yield "TOPS", "1, 2", [(compositions, "TOPS", (1, 2))]
    yield "MOST_ERRORS", "1", [(noise, "MOST_ERRORS", 1)]


def levels(kept):
    """Return what `code` holds about its levels, for other ones."""
    inside, outside = np.log2(kept), np.log2(1 - kept)
    steps = np.append(np.diff(outside) / (np.diff(outside) - np.diff(inside)), np.inf)
    cells = np.searchsorted(steps, np.arange(code._CELLS + 1) / code._CELLS).astype(np.int8)
    names = ("LEVELS", "_INSIDE", "_OUTSIDE", "_STEPS", "_LEVEL_OF_CELL")
    return dict(zip(names, (kept, inside, outside, steps, cells), strict=True))


def without():
    """Yield the mechanisms, each left out."""
    place = search._AtPlace
    yield "weights near a band", "none", [(module, "NEAR", (1.0, 1.0)) for module in (code, fit)]
    yield "simpler if nearly as short", "none", [(search, "NEARLY", 0.0), (search, "OF_NOISE", 0.0)]
    yield "classes", "none", [(search, "_shared_sets", lambda inside: inside[:0])]
    yield "rules left out one by one", "none", [(place, "thinned", lambda self, stack: stack)]
    yield "subsets of patterns", "none", [(place, "subsets", lambda self, patterns: [self.stack(*patterns)])]
    first = lambda self, step: [step.forward(self.patterns)]  # noqa: E731
    yield "further chains of patterns", "none", [(search.Search, "_chains", first)]
    nothing = lambda self, stack: (stack, self._weights(stack.layers))  # noqa: E731
    yield "rule about the middle", "none", [(place, "with_middle", nothing)]
    words = lambda messages, n, size: noise.Spelling(np.zeros(len(n), dtype=bool), 0.0)  # noqa: E731
    yield "misspellings", "none", [(describe, "spelling", words)]
    yield "words beside offsets", "none", [(describe, "compositions", lambda counts, messages: [])]
    yield "LEAST_EFFECT", "0", [(search, "LEAST_EFFECT", 0.0)]
    yield "OF_NOISE", "0", [(search, "OF_NOISE", 0.0)]
    yield "LEAST_COMPOSED", "0", [(describe, "LEAST_COMPOSED", 0.0)]
    yield "MOST_CLASSES", "all", [(search, "MOST_CLASSES", 1 << 30)]
    yield "ROUNDS", "0", [(fit, "_ROUNDS", 0)]
    yield "NEARLY", "0", [(search, "NEARLY", 0.0)]


@contextmanager
def patched(patches):
    """Replace attributes for a while."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    try:
        for owner, name, value in patches:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def row_of(counts):
    """Return the shares of the pairs, in percent, and the numbers of known languages."""
    row = []
    for each in counts:
        description = describe.describe(each)
        found = account.account(each, description.rules, description.rules)
        row.append(f"{100 * found.held_out_bits / found.message_bits:.2f}")
    return [*row, known(0.0), known(0.1)]


def known(rate):
    """Return how many of the known languages come back whole with this noise."""
    options = argparse.Namespace(seed=1, zipf=0.0)
    whole = 0
    for name in LANGUAGES:
        language, episodes = spoken(name, GameConfig(), rate, EPISODES, options)
        entries = listed(language, episodes)
        found = agreement(entries, language, episodes[:JUDGED], overlap=0.9 if rate else 1.0)
        whole += min(found.recall, found.precision) >= 0.999
    return whole


def counts_of(name, folder):
    """Return the counts of a pair, whose episodes are recorded unless they are there."""
    path = folder / f"{name.replace('/', '-')}.parquet"
    if not path.exists():
        pair = load_pair(name)
        episodes = draw_episodes(pair.config, EPISODES, np.random.default_rng(stream(77, "recording")))
        record(pair.sender, None, episodes, pair.config).write(path)
    return count(recording_parts([path]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    if options.out.exists():
        with options.out.open(encoding="utf-8", newline="") as file:
            rows = [*csv.reader(file)][1:]
    counts = [counts_of(name, options.folder) for name in PAIRS]
    for name, value, patches in variants():
        if [name, value] in [row[:2] for row in rows]:
            continue
        with patched(patches):
            rows.append([name, value, *row_of(counts)])
        print(*rows[-1], flush=True)
        with options.out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([TABLES, *rows])


if __name__ == "__main__":
    main()
