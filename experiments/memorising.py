"""Do one-hot inputs memorise? Each kind of input trained on fresh episodes, and on a fixed set of them.

    OMP_NUM_THREADS=1 python experiments/memorising.py            (about 5 minutes a seed on one idle thread)

Writes `memorising.csv`, a row a training, into docs/_static/training: the greedy accuracy of the finished
pair on the episodes that it was trained on (where those were fresh, on others that it never saw), and on
fresh ones. Trainings that are in the file are not done again.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import time
from pathlib import Path

import torch

from spatial_agents.pairs.policy import Pair
from spatial_agents.pairs.torch_play import pair_from_network
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.data import DeviceEpisodes
from spatial_agents.training.samplers import FixedSamples
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate

OUT = Path(__file__).parent.parent / "docs" / "_static" / "training" / "memorising.csv"
GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
COLUMNS = ("inputs", "samples", "seed", "steps", "passes", "accuracy_trained_on", "accuracy_fresh", "seconds")


def recipe(inputs: str, samples: int, steps: int) -> Recipe:
    """The same for all but for what is compared."""
    return Recipe(
        "curriculum",
        inputs=inputs,
        fixed_samples=samples,
        steps=steps,
        batch_size=128,
        learning_rate=5e-3,
        entropy_bonus=0.0,
        start_length=0,
        grow_every=500,
    )


def accuracy_on(pair: Pair, episodes: DeviceEpisodes) -> float:
    """Greedy accuracy on given episodes."""
    window, sequence, candidates = (
        part.numpy() for part in (episodes.window, episodes.sequence, episodes.candidates)
    )
    choices = pair.receiver.choose(pair.sender.send(window), sequence, candidates)
    return float((choices == episodes.target_index.numpy()).mean())


def train(inputs: str, samples: int, seed: int, steps: int) -> dict[str, object]:
    options = TrainOptions(GAME, recipe(inputs, samples, steps), seed=seed, validate_every=steps)
    trainer, start = Trainer([options], torch.device("cpu")), time.process_time()
    while not trainer.finished:
        trainer.step()
    seconds = time.process_time() - start
    pair = pair_from_network(trainer.playing, GAME, options.recipe.agent)
    # Where every episode was fresh: others of the kind, to have the same figure.
    seen = trainer.samplers[0].fixed or FixedSamples(GAME, 10_000, seed, torch.device("cpu"))
    return {
        "inputs": inputs,
        "samples": samples or "fresh",
        "seed": seed,
        "steps": steps,
        "passes": round(steps * options.recipe.batch_size / samples, 1) if samples else "",
        "accuracy_trained_on": round(accuracy_on(pair, seen.batch(0, seen.count)), 4),
        "accuracy_fresh": round(evaluate(pair, 20_000, seed).accuracy, 4),
        "seconds": round(seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5_000)
    parser.add_argument("--samples", type=int, nargs="+", default=[0, 1_000, 10_000])
    parser.add_argument("--inputs", nargs="+", default=["one-hot", "embedding", "scalars"])
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    done: set[tuple[str, str, str]] = set()
    if arguments.out.exists():
        with arguments.out.open(newline="") as file:
            done = {(row["inputs"], row["samples"], row["seed"]) for row in csv.DictReader(file)}
    else:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(",".join(COLUMNS) + "\n")
    for seed, samples, inputs in itertools.product(
        range(arguments.seeds), arguments.samples, arguments.inputs
    ):
        if (inputs, str(samples or "fresh"), str(seed)) not in done:
            row = train(inputs, samples, seed, arguments.steps)
            with arguments.out.open("a", newline="") as file:
                csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)
            print(row, flush=True)


if __name__ == "__main__":
    main()
