"""How well the dictionary recovers languages whose lexicon is known: makes the table of *Language*.

    python experiments/known_answers.py --languages compositional    (prints a row; a minute)
    python experiments/known_answers.py --out docs/_static/measured/known-answers-description.csv

Every language is spoken in games of 10, 20 and 60 integers, with no noise, 5% and 10%, in 200,000 episodes.
Recall is the share of the true entries that were listed, precision the share of listed entries that are true.
An entry is right if form and offsets are equal and integers are (with noise: nine tenths of them). The table
has the lesser of the two.
"""

import numpy as np
from rows import parser_of, save

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES, agreement
from spatial_game.recording import record

SIZES, NOISES = (10, 20, 60), (0.0, 0.05, 0.1)
EPISODES, SEED = 200_000, 1
JUDGED = 20_000  # episodes without noise on which entries are judged


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    options = parser.parse_args()
    save([row_of(name) for name in options.languages], options.out)


def row_of(name):
    """Return the lesser of recall and precision for each number of integers, and noise."""
    row = {"Language": name}
    for config in (GameConfig(sequence_length=size) for size in SIZES):
        for noise in NOISES:
            found = recovered(name, config, noise)
            heading = f"{config.sequence_length}" + f", noise {noise:g}" * (noise > 0)
            row[heading] = f"{min(found.recall, found.precision):.3f}"
    return row


def recovered(name, config, noise):
    """Return recall and precision of one language."""
    of_language, of_episodes = np.random.SeedSequence(SEED).spawn(2)
    language = LANGUAGES[name](config, np.random.default_rng(of_language), noise=noise)
    episodes = draw_episodes(config, EPISODES, np.random.default_rng(of_episodes))
    lexicon = dictionary_of(count(record(language, None, episodes, config)))
    entries = [(entry.form, meanings) for entry in lexicon.listed for meanings in entry.meanings]
    return agreement(entries, language, episodes[:JUDGED], overlap=0.9 if noise else 1.0)


if __name__ == "__main__":
    main()
