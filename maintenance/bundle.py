"""Add pairs to the bundled ones, and write the lexicons that come with them.

    python maintenance/bundle.py pairs RUN NAME
    python maintenance/bundle.py lexicons NAME...

A bundled pair is four files, named by its index: the weights, the model card twice (for programs and for
people), and the rows of its metrics that have a validation. What a run is worth is not asked: the bad pairs
belong with the good ones. A fifth file is its lexicon, which `play` uses.

To save room in the wheel, weights are rounded to bfloat16 (they stay float32 in the file), and the numbers of
a lexicon to four digits. The card has the evaluation and the hash of the rounded weights. Lexicons are
compressed, and one that stays larger than `MOST_BYTES` is left out: `analyse` makes it again in seconds.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import spatial_game
from spatial_agents.pairs.card import read_json
from spatial_agents.pairs.loading import load_pair
from spatial_agents.pairs.names import PRETRAINED, numbered_pairs
from spatial_agents.pairs.tensor_files import hash_weights, read_weights, write_weights
from spatial_agents.training.run_folder import METRICS, write_json
from spatial_agents.training.runs import finished_folders
from spatial_game.files import LEXICON_ENDS, write_text
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate
from spatial_game.game.seeds import stream
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.rules import Rule
from spatial_game.recording import record

EPISODES = 300_000
"""Episodes from which a lexicon is made, as in `reproduce`."""

DIGITS = {"npmi": 4, "confidence": 4, "p_value": 1, "q_value": 1, "bits": 4, "cost": 4}
"""The numbers of an entry that are rounded, and their significant digits."""
MOST_BYTES = 400_000
"""The size of the largest lexicon that is bundled."""


def bundle(run: Path, name: str, index: int = 0, into: Path = PRETRAINED) -> list[Path]:
    """Copy the finished pairs of a run, from `index` upwards; the weights files.

    Raises `ValueError` when the run has no finished pair, or one that is not finished before one that is;
    when a file would be replaced by another pair's; or when the pairs before `index` are missing: an index is
    the place among all.
    """
    folders = finished_folders(run)
    if not folders:
        raise ValueError(f"run must hold a finished pair; got {run}")
    if folders != [run] and [int(folder.name) for folder in folders] != list(range(len(folders))):
        names = ", ".join(folder.name for folder in folders)
        raise ValueError(f"run must have finished its pairs from the first on; got {names} of {run}")
    present = len(list((into / name).glob("*.safetensors")))
    if not 0 <= index <= present:
        raise ValueError(f"index must be at most {present}, the number of pairs of {name}; got {index}")
    return [
        _bundle_pair(folder, into / name, index + offset, f"{name}/{index + offset:02d}")
        for offset, folder in enumerate(folders)
    ]


def _bundle_pair(folder: Path, into: Path, index: int, name: str) -> Path:
    weights = into / f"{index:02d}.safetensors"
    given = read_weights(folder / "pair.safetensors")
    rounded = given._replace(tensors={key: as_bfloat16(array) for key, array in given.tensors.items()})
    if weights.exists() and load_pair(weights).weights_hash != hash_weights(rounded.tensors):
        raise ValueError(f"{weights} must be a new file; got one that holds another pair")
    # The pairs of a population share the metrics of their run.
    metrics = next(path for path in (folder / "metrics.csv", folder.parent / "metrics.csv") if path.exists())
    with metrics.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["validation_accuracy"]]
    lines = [METRICS, *([row[column] for column in METRICS] for row in rows)]
    into.mkdir(parents=True, exist_ok=True)
    write_weights(weights, rounded)
    pair, card = load_pair(weights), read_json(folder / "card.json")
    result = evaluate(pair, card["evaluation"]["n"], given.provenance["seed"]).to_dict()
    card |= {"name": name, "weights_hash": pair.weights_hash, "rounded": "bfloat16", "evaluation": result}
    write_json(weights.with_suffix(".json"), card)
    write_text(weights.with_suffix(".csv"), "".join(",".join(line) + "\n" for line in lines))
    return weights


def as_bfloat16(array: np.ndarray) -> np.ndarray:
    """Return float32 numbers rounded to the nearest of bfloat16 (8 significant bits), as float32.

    Of two that are equally near, it takes the one with an even last bit.
    """
    bits = array.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


def write_lexicons(
    name: str, *, num_episodes: int = EPISODES, seed: int = 0, folder: Path = PRETRAINED
) -> Iterator[Path]:
    """Analyse new episodes of each bundled pair of a name, and yield the lexicons that were written.

    The episodes are those of `spatial-game record` with the same seed. A lexicon of more than `MOST_BYTES` is
    not kept. Raises `ValueError` for a name without pairs.
    """
    pairs = numbered_pairs(folder / name)
    if not pairs:
        raise ValueError(f"name must be that of bundled pairs; got {name}")
    for index, weights in pairs.items():
        pair = load_pair(weights)
        agents = {"policy": "pair", "name": name, "index": index, "weights_hash": pair.weights_hash}
        origin = {"spatial_game_version": spatial_game.__version__, "seed": seed, "stream": "recording"}
        rng = np.random.default_rng(stream(seed, "recording"))
        episodes = draw_episodes(pair.config, num_episodes, rng)
        recording = record(pair.sender, None, episodes, pair.config, {**origin, "sender": agents})
        path = weights.with_suffix(LEXICON_ENDS[0])
        in_short(Lexicon.from_counts(count(recording))).write(path)
        if path.stat().st_size <= MOST_BYTES:
            yield path
        else:
            path.unlink()


def in_short(lexicon: Lexicon) -> Lexicon:
    """Return the lexicon with fewer digits in the numbers of its entries and rules.

    Probabilities of rules stay exact: they are of a few levels.
    """
    entries, defaults = map(entry_in_short, lexicon.entries), map(rule_in_short, lexicon.defaults)
    return dataclasses.replace(lexicon, entries=tuple(entries), defaults=tuple(defaults))


def entry_in_short(entry: Entry) -> Entry:
    """Return the entry with fewer digits."""
    return dataclasses.replace(
        entry,
        **{name: rounded(getattr(entry, name), digits) for name, digits in DIGITS.items()},
        shares=tuple(map(rounded, entry.shares)),
        rules=tuple(map(rule_in_short, entry.rules)),
    )


def rule_in_short(rule: Rule) -> Rule:
    """Return the rule with fewer digits."""
    others = rounded(1 - rule.expected)  # what a miss is compared with needs as many digits
    expected = rounded(rule.expected) if rule.expected < 0.5 else round(1 - others, 12)
    return dataclasses.replace(rule, expected=expected, rest=rounded(rule.rest), cost=rounded(rule.cost))


def rounded(value: float | None, digits: int = 4) -> float | None:
    """Return the number with this number of significant digits."""
    return None if value is None else float(f"{value:.{digits}g}")


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description="Bundle trained pairs, and their lexicons.")
    commands = parser.add_subparsers(required=True, dest="what")
    pairs = commands.add_parser("pairs", help="add the finished pairs of a run to the bundled ones")
    pairs.add_argument("run", type=Path, help="the folder of the run")
    pairs.add_argument("name", help="the name under which load_pair finds them, such as embed-60")
    pairs.add_argument("--index", type=int, default=0, help="the index of the first of them under that name")
    lexicons = commands.add_parser("lexicons", help="analyse the bundled pairs of these names")
    lexicons.add_argument("names", nargs="+", help="names of bundled pairs, such as embed-60")
    lexicons.add_argument("--episodes", type=int, default=EPISODES, help="episodes for each lexicon")
    given = parser.parse_args()
    try:
        if given.what == "pairs":
            written = iter(bundle(given.run, given.name, given.index))
        else:
            written = (p for name in given.names for p in write_lexicons(name, num_episodes=given.episodes))
        for path in written:
            print(path, flush=True)
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
