"""Who can be translated into whom? All bundled pairs of the game of 60 integers: a figure of *Findings*.

    OMP_NUM_THREADS=1 python experiments/matrix.py --out docs/_static/findings/matrix.csv
    python experiments/matrix.py --pairs embed-60/0 paper-60/0             (prints four rows)
    python experiments/matrix.py --draw docs/_static/findings/matrix.csv

Dictionaries are those of `translations.py`: 100,000 episodes of seed 5. Each accuracy is of the same 1,000
episodes of seed 6, so its 95% interval reaches at most 3.2 points to either side. *permuted*: each
translation is sent in another episode. *own*: the messages of the receiver's own sender. *way*: how far
translations are on the way from guessing to these. *seeds*: of the training of both pairs.
"""

from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rows import family_of, pairs_of, parser_of, read, save
from translations import side

from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import won_by
from spatial_game.game.rules import ask_sender
from spatial_game.language.translating import translate

PLAYED, SEED = 1_000, 6


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", nargs="+", default=pairs_of("embed-60", "local-60", "paper-60"))
    parser.add_argument("--draw", type=Path, help="draw a stored table as PNG beside it")
    options = parser.parse_args()
    if options.draw:
        draw(read(options.draw), options.draw.with_suffix(".png"))
        return
    config, rng = side(options.pairs[0]).dictionary.config, np.random.default_rng(SEED)
    episodes, other_episode = draw_episodes(config, PLAYED, rng), rng.permutation(PLAYED)
    sent = {name: ask_sender(side(name).sender, episodes.window, config) for name in options.pairs}
    save([row_of(one, other, sent, episodes, other_episode) for one in sent for other in sent], options.out)


def row_of(one, other, sent, episodes, other_episode):
    """Return how well the receiver of the other pair understands the sender of the one."""
    speaking, hearing = side(one), side(other)
    translated = translate(sent[one], speaking.dictionary, hearing.dictionary)
    messages = {"untranslated": sent[one], "translated": translated}
    messages |= {"permuted": translated[other_episode], "own": sent[other]}
    share = {name: won_by(hearing.receiver, each, episodes).mean() for name, each in messages.items()}
    guessing = 1 / hearing.dictionary.config.num_candidates
    share["way"] = (share["translated"] - guessing) / (share["own"] - guessing)
    seeds = f"{speaking.agents.card['seed']} and {hearing.agents.card['seed']}"
    return {"from": one, "to": other, "seeds": seeds, **{name: f"{v:.3f}" for name, v in share.items()}}


def draw(rows, path):
    """Draw accuracies as two grids of senders (rows) by receivers (columns), grouped by family."""
    names = list(dict.fromkeys(row["from"] for row in rows))
    sizes = {family: len([*group]) for family, group in groupby(names, family_of)}
    ends = np.cumsum([*sizes.values()]) - 0.5
    middles = ends - np.array([*sizes.values()]) / 2
    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    for axis, column in zip(figure.subplots(1, 2), ("untranslated", "translated"), strict=True):
        shares = np.reshape([float(row[column]) for row in rows], (len(names), -1))
        image = axis.imshow(shares, cmap="viridis", vmin=0.2, vmax=1)
        for end in ends[:-1]:
            axis.axhline(end, color="white", linewidth=2)
            axis.axvline(end, color="white", linewidth=2)
        axis.set_xticks(middles, sizes)
        axis.set_yticks(middles, sizes, rotation=90, va="center")
        axis.tick_params(length=0)
        axis.set(title=column.capitalize(), xlabel="Receiver of", ylabel="Sender of")
    figure.colorbar(image, ax=figure.axes, shrink=0.75, label="Accuracy (guessing: 0.2)")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
