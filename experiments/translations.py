"""Who can be translated into whom? Bundled pairs of one game, two by two: the table of *Two languages*.

    OMP_NUM_THREADS=1 python experiments/translations.py --out docs/_static/findings/translations.csv
    python experiments/translations.py --pairs landmark-60/0 landmark-60/1    (prints a row of each direction)

Each dictionary is made from 100,000 episodes of seed 5. The receivers are then asked in 10,000 others, as
`spatial-game compare A B` does.
"""

from functools import cache

import numpy as np
from rows import parser_of, save

from spatial_agents import load_pair
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import build_dictionary, count
from spatial_game.recording import record
from spatial_game.studies.sides import Side
from spatial_game.studies.translation import translation

PAIRS = (
    *("paper-60/0", "paper-60/3", "paper-60/0", "paper-60/7"),
    *("landmark-60/0", "landmark-60/1", "seen-60/0", "seen-60/1", "seen-8x8/0", "seen-8x8/1"),
    *("embed-60/0", "embed-60/1", "embed-60/3", "embed-60/5"),
    *("grid-8x8/0", "grid-8x8/1", "grid-4x4x4/0", "grid-4x4x4/1", "local-60/0", "local-60/1"),
    *("paper-60/3", "embed-60/0", "embed-60/0", "local-60/0", "landmark-60/0", "seen-60/0"),
)
"""A and B, then the next A and B."""
EPISODES, SEED = 100_000, 5
FIGURES = ("untranslated", "translated", "shuffled", "own", "to_itself")


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", nargs="+", default=PAIRS)
    options = parser.parse_args()
    both = zip(options.pairs[::2], options.pairs[1::2], strict=True)
    save([row for one, other in both for row in rows_of(one, other)], options.out)


def rows_of(one, other):
    """Yield a row for each direction."""
    found = translation(side(one), side(other)).results
    for speaker, hearer, figures in ((one, other, found["a_to_b"]), (other, one, found["b_to_a"])):
        accuracies = {name: f"{figures[name]['accuracy']:.4f}" for name in FIGURES}
        row = {"from": speaker, "to": hearer, **accuracies, "scaled": f"{figures['scaled']:.4f}"}
        yield row | {"verdict": figures["verdict"]}


@cache
def side(name):
    """Return a pair and its dictionary."""
    pair = load_pair(name)
    episodes = draw_episodes(pair.config, EPISODES, np.random.default_rng(SEED))
    return Side(build_dictionary(count(record((pair.sender, None), episodes, pair.config))), pair)


if __name__ == "__main__":
    main()
