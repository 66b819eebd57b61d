"""The pair in training by the paper's own recipe: how well it plays, by what its windows show.

    python experiments/paper_raw.py --out docs/_static/training/paper_raw.csv                     (seconds)
    spatial-game train --resume experiments/runs/paper-raw-60       (goes on, on a machine with a GPU)

The run is stored with its checkpoint, because a GPU was lent for ten minutes at a time.
"""

from pathlib import Path

import torch
from rows import parser_of, save

from spatial_agents.networks import networks_of, new_population
from spatial_agents.pairs.pair import pair_from_weights
from spatial_agents.training.folders import options_of
from spatial_game.game.evaluation import evaluate_agents

RUN = Path(__file__).parent / "runs" / "paper-raw-60"
EPISODES = 20_000


def main():
    options, run = parser_of(__doc__).parse_args(), options_of(RUN)
    stored = torch.load(RUN / "checkpoint.pt", map_location="cpu", weights_only=True)
    population = new_population(run.config, networks_of(run.recipe.network_config))
    population.load_state_dict(stored["population"])
    pair = pair_from_weights(population.pair().state_dict(), run.config, run.recipe.network_config)
    found = evaluate_agents(pair, EPISODES, run.seed)
    save(
        [row_of(stored["step"], *each) for each in [("all", found.overall), *found.by_edge.items()]],
        options.out,
    )


def row_of(step, window, share):
    """Return the accuracy after this step in episodes with such windows."""
    low, high = share.interval
    return {
        "step": step,
        "window": window,
        "episodes": share.trials,
        "accuracy": f"{share.accuracy:.4f}",
        "low": f"{low:.4f}",
        "high": f"{high:.4f}",
    }


if __name__ == "__main__":
    main()
