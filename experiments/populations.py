"""Populations: whether all receivers understand all senders, and whether their languages are one.

    for seed in 0 1 2; do spatial-game train --game small --recipe local --batch-size 160 --steps 4000 \
        --senders 4 --receivers 4 --seed $seed --out runs/populations/$seed; done
    python experiments/populations.py runs/populations --out docs/_static/training/populations.csv   (seconds)

A row for each population: the accuracy of its pairs, and the share of new windows for which two of its
senders send the same message. The last row is for the first senders of the first two populations.
"""

from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np
from rows import parser_of, save

from spatial_agents.pairs.pair import load_pair
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Agents

EPISODES = 20_000


def main():
    parser = parser_of(__doc__)
    parser.add_argument("run", type=Path, help="the folder of several populations")
    options = parser.parse_args()
    populations = [
        [load_pair(folder) for folder in sorted(run.glob("sender*"))]
        for run in sorted(options.run.glob("[0-9]*"))
    ]
    firsts = [population[0] for population in populations[:2]]
    strangers = [Agents(a.sender, b.receiver, a.config) for a, b in (firsts, firsts[::-1])]
    accuracies = [evaluate_agents(agents, EPISODES, 0).accuracy for agents in strangers]
    rows = [row_of(f"seed {i}", population) for i, population in enumerate(populations)]
    save([*rows, row_of("of two populations", firsts, accuracies)], options.out)


def row_of(name, pairs, accuracies=None):
    """Return how well pairs play, and how often two of their senders send the same message."""
    accuracies = accuracies or [pair.card["evaluation"]["accuracy"] for pair in pairs]
    senders = {pair.card["sender"] if len(pairs) > 2 else i: pair.sender for i, pair in enumerate(pairs)}
    windows = draw_episodes(pairs[0].config, EPISODES, np.random.default_rng(9)).window
    sent = [sender.send(windows) for sender in senders.values()]
    used = [len(np.unique(messages, axis=0)) for messages in sent]
    same = [float((a == b).all(axis=1).mean()) for a, b in combinations(sent, 2)]
    return {
        "population": name,
        "accuracy": f"{fmean(accuracies):.4f}",
        "worst": f"{min(accuracies):.4f}",
        "same_message": f"{fmean(same):.3f}",
        "fewest": f"{min(same):.3f}",
        "most": f"{max(same):.3f}",
        "messages": f"{min(used)}-{max(used)}",
    }


if __name__ == "__main__":
    main()
