"""Add the finished pairs of a run to the bundled ones: `python maintenance/bundle.py RUN NAME`.

A bundled pair is four files, named by its index: the weights, the model card twice (for programs and for
people), and the rows of its metrics that have a validation. What a run is worth is not asked: the bad pairs
belong with the good ones.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from pathlib import Path

from spatial_agents.pairs.card import card_as_markdown, read_json
from spatial_agents.pairs.names import PRETRAINED
from spatial_agents.pairs.policy import load_pair
from spatial_agents.training.run_folder import METRICS, write_json
from spatial_agents.training.runs import finished_folders
from spatial_game.files import write_text


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
    pair = load_pair(folder)
    if weights.exists() and load_pair(weights).weights_hash != pair.weights_hash:
        raise ValueError(f"{weights} must be a new file; got one that holds another pair")
    card = read_json(folder / "card.json") | {"name": name}
    with (folder / "metrics.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["validation_accuracy"]]
    lines = [METRICS, *([row[column] for column in METRICS] for row in rows)]
    into.mkdir(parents=True, exist_ok=True)
    write_json(weights.with_suffix(".json"), card)
    write_text(weights.with_suffix(".md"), card_as_markdown(card))
    write_text(weights.with_suffix(".csv"), "".join(",".join(line) + "\n" for line in lines))
    shutil.copyfile(folder / "pair.safetensors", weights)
    return weights


def main() -> None:
    """Bundle the run that the command line names."""
    parser = argparse.ArgumentParser(description="Add the finished pairs of a run to the bundled ones.")
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("name", help="the name under which load_pair finds them, such as embed-60")
    parser.add_argument("--index", type=int, default=0, help="the index of the first of them under that name")
    arguments = parser.parse_args()
    try:
        for path in bundle(arguments.run, arguments.name, arguments.index):
            print(path)
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
