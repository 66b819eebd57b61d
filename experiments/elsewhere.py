"""How the pairs of 60 integers play shorter sequences, and with wrong symbols: a row for each pair.

    OMP_NUM_THREADS=1 python experiments/elsewhere.py --out docs/_static/evaluation/elsewhere.csv
    python experiments/elsewhere.py --pairs embed-60/0                                   (prints a row)

These are accuracies of `spatial-game evaluate --study lengths noise` with 4,000 episodes. `first_40`:
sequences shortened by 40, of the integers 0 to 19, as in the paper's table 7; `any_40`: of any integers.
`noise`: each symbol is replaced by another one with a probability of 10%. `slot_0`: the first symbol is
always replaced.
"""

from collections.abc import Iterator

from rows import family_of, make_rows, pairs_of

from spatial_agents import load_pair
from spatial_game.studies.channel_noise import channel_noise
from spatial_game.studies.lengths import other_lengths

EPISODES, SEED = 4_000, 1


def rows_of(name: str) -> Iterator[dict[str, str]]:
    """Yield the accuracies of a pair."""
    pair = load_pair(name)
    accuracy = {}
    for integers in ("first", "any"):
        lengths = other_lengths(pair, EPISODES, SEED, integers).results["shortened_by"]
        accuracy |= {f"{integers}_{less}": part["accuracy"] for less, part in lengths.items()}
    noise = channel_noise(pair, EPISODES, SEED).results
    accuracy["noise"] = next(part["accuracy"] for part in noise["by_rate"] if part["rate"] == 0.1)
    accuracy |= {f"slot_{slot}": part["accuracy"] for slot, part in enumerate(noise["by_slot"])}
    yield {
        "family": family_of(name),
        "pair": name,
        **{key: f"{value:.4f}" for key, value in accuracy.items()},
    }


if __name__ == "__main__":
    make_rows(__doc__, rows_of, pairs_of("embed-60", "paper-60"))
