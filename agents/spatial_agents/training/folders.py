"""What a run folder holds: the config with which the run began, and the pairs that are finished.

A run folder holds::

    config.json              the options, versions, commit and processor
    checkpoint.pt            weights, optimiser, counters: everything that the next step needs
    metrics.csv, tensorboard/
    lock                     empty; the process that trains the pair locks it
    pair.safetensors, card.json   the finished pair

A run of several pairs has such a sub-folder for each pair that has begun, which is a run of its own. A
population is trained as one pair is, and has a sub-folder with the last two files for each sender with each
receiver.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from spatial_agents.pairs.weights import hash_weights, read_card, read_weights
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.card import host, versions
from spatial_agents.training.own_code import PACKAGE, OwnCode
from spatial_game.checks import require_field, require_object, within
from spatial_game.errors import UserError
from spatial_game.files import read_json, reading, write_json
from spatial_game.game.seeds import replicate_seeds
from spatial_game.json_text import from_json
from spatial_game.provenance import commit


def write_config(folder: Path, options: TrainOptions, own: OwnCode = PACKAGE) -> None:
    """Write the config of a run into its folder, which is made if needed."""
    made_by = {"versions": versions(), "commit": commit(), "host": host()}
    content = {"format_version": 1, "kind": "run", "options": options.to_dict()}
    write_json(folder / "config.json", {**content, **made_by, **own.described()})


def options_of(run: Path) -> TrainOptions:
    """Return the options that a run was started with. Raises `ValueError` if the folder holds no run."""
    config = run / "config.json"
    if not config.is_file():
        raise UserError(f"resume must name a run folder, with a config.json; got {run}")
    with reading(config, UserError) as file:
        content = require_field(require_object("the file", from_json(file.read_bytes())), "options")
        with within("options"):
            return dataclasses.replace(TrainOptions.from_dict(content), out=run)


def is_run(folder: Path) -> bool:
    """Return whether a run, or a pair of one, was begun in a folder."""
    return (folder / "config.json").is_file()


def runs_in(folder: Path) -> list[TrainOptions]:
    """Return the options of the run in a folder, or of all runs of a sweep. Raises as `options_of` does."""
    runs = [path.parent for path in sorted(folder.glob("*/config.json"))]
    return [options_of(run) for run in ([folder] if is_run(folder) or not runs else runs)]


def finished_folders(folder: Path) -> list[Path]:
    """Return the folders of the finished pairs in a folder and in those below it, in order."""
    return [path.parent for path in sorted(folder.rglob("pair.safetensors")) if holds_pair(path.parent)]


def finished(folder: Path, options: TrainOptions) -> bool:
    """Return whether the training in a folder is finished: it holds all its pairs."""
    return all(map(holds_pair, members_of(options, folder)))


def members_of(options: TrainOptions, folder: Path) -> list[Path]:
    """Return the folders of the pairs of a training: its own, or one for each sender with each receiver."""
    return [folder / name for name in options.recipe.members]


def holds_pair(folder: Path) -> bool:
    """Return whether a folder holds a finished pair: whole weights, and the card of these weights."""
    try:
        weights = read_weights(folder / "pair.safetensors")
        read_card(folder / "card.json", hash_weights(weights.tensors))
    except (OSError, UserError):
        return False
    return True


def pairs_of(options: TrainOptions, run: Path) -> dict[Path, TrainOptions]:
    """Return the pairs of a run by their folders. Each of several has the config of a run of its own."""
    if options.pairs == 1:
        return {run: options}
    digits = max(2, len(str(options.pairs - 1)))
    seeds = replicate_seeds(options.seed, options.pairs, "pairs")
    return {
        run / f"{index:0{digits}d}": dataclasses.replace(options, pairs=1, seed=seed)
        for index, seed in enumerate(seeds)
    }


def require_same_options(options: TrainOptions, run: Path) -> None:
    """Raise `ValueError` unless a run was begun with these options."""
    different = options.difference(options_of(run))
    if different is not None:
        name, value, stored = different
        raise UserError(
            f"{run} must hold a run with the same {name}, {value}; got {stored} (or name another folder)"
        )


def require_same_code(run: Path, own: OwnCode) -> None:
    """Raise `ValueError` unless a run was begun with this code, with the same source."""
    config, given = read_json(run / "config.json"), own.described()
    defaults = {
        "networks": "those of the package",
        "objective": "that of the recipe",
        "sampler": "the game's",
    }
    for part, default in defaults.items():
        if config.get(part) == given.get(part):
            continue
        stored_name, given_name = (_name(content.get(part), default) for content in (config, given))
        if part in given:
            advice = "to train with this one, name another folder"
        else:
            advice = f"give it as {part}=" + ("" if part == "networks" else f" or --{part}")
        got = "other source code" if given_name == stored_name else given_name
        raise UserError(f"{run} must be continued with its {part}, {stored_name}; got {got} ({advice})")


def _name(described: Any, default: str) -> str:
    """Return the name in what `OwnCode.described` says of a part; `default` if there is nothing."""
    return str(described["name"]) if isinstance(described, dict) and "name" in described else default
