"""Training pairs in a run folder, which can be stopped at any moment and resumed.

A run folder holds::

    config.json              the options, the seed of every stream, the versions
    checkpoint.safetensors   weights, optimiser, generators, counters: everything that the next step needs
    metrics.csv, tensorboard/
    pair.safetensors, card.json   the finished pair
    history/                 the pair as it was, with `--keep-every`

A run of several pairs has such a sub-folder for each pair. They are trained as units, in processes of their
own (`spatial_game.units`), or batched, in one step for all (`--side-by-side batched`). Generations have such
sub-folders, too, and are one unit, as each learns from the one before. A population is one run; only the
finished pairs and their histories are in sub-folders.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from spatial_agents.pairs.card import finished, read_json
from spatial_agents.pairs.torch_play import resolve_device
from spatial_agents.recipes import RECIPES, Recipe, TrainOptions
from spatial_agents.training.display import Display, Tell
from spatial_agents.training.loop import Faults, train_pairs
from spatial_agents.training.population import require_memory
from spatial_agents.training.run_folder import PairRun, numbered, run_config, write_json
from spatial_agents.training.samplers import Allowed
from spatial_agents.training.state import TrainingDiverged, TrainingFailed
from spatial_agents.training.stopping import stop_signals
from spatial_game.config import GameConfig
from spatial_game.files import fault_of_input, in_words, refuse_link
from spatial_game.game.held_out import held_out
from spatial_game.units import HERE, Place, Unit, UnitsFailed, run_units, usable_cores

__all__ = ["TrainingDiverged", "TrainingFailed", "resume", "train"]


def train(options: TrainOptions, place: Place = HERE) -> list[Path]:
    """Train the pairs that the options ask for, or continue their run, and return the pairs' folders.

    Raises `ValueError` if the folder holds anything but this run, the device is missing, or the options
    differ from those of the run to resume; `TrainingFailed` if a pair was not trained to the end, once the
    other pairs are (`TrainingDiverged` if the only pair diverged); and `KeyboardInterrupt` after Ctrl-C or
    SIGTERM, once the checkpoints are written.
    """
    if options.resume is not None:
        form = options.side_by_side if options.side_by_side != "auto" else None
        _require_same(options, options_of(options.resume))
        return resume(options.resume, place, form)
    if options.out is None:
        raise ValueError("out must name a folder for the run; got none")
    runs = {_begun(options, options.out, place): options}
    return [pair for pairs in _trained(runs, options.out, place) for pair in pairs]


def train_all(plans: Mapping[str, TrainOptions], folder: Path, place: Place = HERE) -> dict[str, list[Path]]:
    """Train, or continue, a run for each plan in a folder of its name; return the folders of all pairs.

    The pairs of all runs are units of one driver. Raises as `train` does.
    """
    runs = {_begun(options, folder / name, place): options for name, options in plans.items()}
    return dict(zip(plans, _trained(runs, folder, place), strict=True))


def _begun(options: TrainOptions, out: Path, place: Place) -> Path:
    """Return the folder of a run; one that is new begins with its config.

    Raises `ValueError` for a folder of something else, for a device that is missing, for an impossible share
    of combinations to hold out, and for a run that was begun with other options.
    """
    config = out / "config.json"
    if not config.is_file():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise ValueError(
                f"out must be a new or empty folder, or that of a run to continue; got {out}, which holds "
                "something else"
            )
        device = resolve_device(options.device) if place.on == "local" else torch.device("cpu")
        require_memory(options)
        if options.recipe.hold_out:  # refuse an impossible share before there is a folder
            Allowed(held_out(options.game, options.recipe.hold_out, options.seed), device)
        out.mkdir(parents=True, exist_ok=True)
        write_json(config, run_config(options))
        return out
    asked, there = _flat(options), _flat(options_of(out))
    for name, value in asked.items():
        if value != there[name]:
            raise ValueError(
                f"{out} must hold a run with the same {name}, {value}; got {there[name]} "
                "(name another folder with --out)"
            )
    return out


def resume(run: Path, place: Place = HERE, side_by_side: str | None = None) -> list[Path]:
    """Continue a run from its last checkpoints, with its own options, and return the pairs' folders.

    Finished pairs stay as they are. `side_by_side`, if given, replaces that of the run. On the same machine,
    on CPU and in the same form, the finished weights are byte for byte those of a run without a stop.
    """
    options = options_of(Path(run))
    whole = Path(run).resolve().parent
    if options.recipe.iterate and (whole / "config.json").is_file():
        raise ValueError(f"resume must name the folder of all generations, {whole}; got {run}")
    options = dataclasses.replace(options, side_by_side=side_by_side or options.side_by_side)
    return [pair for pairs in _trained({Path(run): options}, Path(run), place) for pair in pairs]


def options_of(run: Path) -> TrainOptions:
    """Return the options that a run was started with. Raises `ValueError` if the folder holds no run."""
    config_path = Path(run) / "config.json"
    if not config_path.is_file():
        raise ValueError(f"resume must name a run folder, with a config.json; got {run}")
    try:
        return TrainOptions.from_dict(read_json(config_path)["options"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{config_path}: must hold the options of a run; {error}") from None


def finished_folders(run: Path) -> list[Path]:
    """Return the folders of the finished pairs of a run, in order."""
    return [folder for folder in [Path(run), *sorted(Path(run).glob("[0-9]*"))] if finished(folder)]


def _require_same(given: TrainOptions, of_run: TrainOptions) -> None:
    """Raise `ValueError` for an option that is neither the default nor that of the run."""
    asked, stored, default = (
        _flat(options) for options in (given, of_run, TrainOptions(GameConfig(), Recipe()))
    )
    for name, value in asked.items():
        if value not in (stored[name], default[name]):
            raise ValueError(
                f"{name} must be left out with resume, which goes on with {stored[name]}; got {value}"
            )


def _flat(options: TrainOptions) -> dict[str, Any]:
    """Return the options that are fixed when a run begins; last, those that follow from the recipe's name."""
    fields = options.to_dict()
    flat = {**fields.pop("game"), **fields.pop("recipe"), **fields}
    del flat["side_by_side"]
    return dict(sorted(flat.items(), key=lambda item: item[0] in RECIPES["curriculum"]))


def _trained(runs: Mapping[Path, TrainOptions], root: Path, place: Place) -> list[list[Path]]:
    """Train what is missing of runs in this folder, and return the folders of the pairs of each.

    A single unit of this machine is trained in this process.
    """
    pairs, units = list[list[PairRun]](), list[Unit]()
    for run, options in runs.items():
        batched = _is_batched(options, place)
        pairs.append(_pairs_of(options, run, batched))
        together = batched or options.recipe.iterate > 0
        units += _units_of(run, pairs[-1], batched, together, root)
    every = [pair for of_run in pairs for pair in of_run]
    local = place.on == "local"
    again = (
        f"--resume {root}" + ("" if local else f" --on {place.on}") if root in runs else "the same command"
    )
    if local:
        threads = max(options.threads for options in runs.values())
        place = Place(jobs=place.jobs or max(usable_cores() // threads, 1))
    with _advising(again), stop_signals() as stopped, Display(len(every)) as display:
        if local and len(units) == 1:
            unfinished = [pair for pair in every if not pair.finished]
            # Generations are trained one after another, because each learns from the one before.
            groups = [[pair] for pair in unfinished] if options.recipe.iterate else [unfinished]
            faults = Faults()
            for group in groups:
                faults = faults or train_pairs(group, display.tell, stopped, batched=batched)
        else:
            faults = _train_units(units, root / "units", place, display.tell, stopped)
    if faults and len(every) == 1:
        raise next(iter(faults.values()))
    if faults:
        said = (f"pair {name}: {in_words(fault)}" for name, fault in sorted(faults.items()))
        raise TrainingFailed("; ".join(said))
    return [[pair.folder for run_of_pair in of_run for pair in run_of_pair.pairs] for of_run in pairs]


@contextlib.contextmanager
def _advising(how: str) -> Iterator[None]:
    """Add to an interruption in the block, and to a full disk, how the run is continued."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{str(stop) or 'stopped'}; continue with {how}") from None
    except OSError as fault:  # what was saved before is whole
        raise OSError(f"{in_words(fault)}; continue from the last good checkpoint with {how}") from fault


def _units_of(run: Path, pairs: list[PairRun], batched: bool, together: bool, root: Path) -> list[Unit]:
    """Return the units that continue a run, named by their paths from a folder above.

    A unit is a pair, a population, or all pairs `together`: a batch, or generations.
    """
    words = ("--side-by-side", "batched") if batched else ()
    return [
        Unit(
            "-".join(folder.relative_to(root).parts) or folder.resolve().name,
            ("train", "--resume", str(folder.resolve()), *words),
            all(pair.finished for pair in own),
        )
        for folder, own in ([(run, pairs)] if together else [(pair.folder, [pair]) for pair in pairs])
    ]


def _train_units(
    units: list[Unit], folder: Path, place: Place, tell: Tell, stopped: threading.Event
) -> Faults:
    try:
        run_units(units, folder, place, tell, stopped)
    except UnitsFailed as failed:
        return {name: TrainingFailed(fault) for name, fault in failed.faults.items()}
    return {}


def _is_batched(options: TrainOptions, place: Place) -> bool:
    if options.recipe.population or options.recipe.iterate:
        return False
    if options.side_by_side != "auto":
        return options.side_by_side == "batched"
    cuda = place.on == "local" and resolve_device(options.device).type == "cuda"
    return cuda and not place.jobs


def _pairs_of(options: TrainOptions, run: Path, batched: bool) -> list[PairRun]:
    """Return the pairs of a run. Each of several has a folder, with the config of a run of its own.

    Raises `ValueError` for a pipe, a device or a link to a file in the folder of the run.
    """
    jobs = run / "units" / "slurm"  # the files of submitit, which has links there
    for path in run.rglob("*"):
        if not path.is_dir() and jobs not in path.parents:
            refuse_link(path)  # its target would be replaced
            if path.exists() and (fault := fault_of_input(path)):  # a pipe would be waited for
                raise ValueError(f"{path}: {fault}")
    name, parent = run.resolve().name, run.resolve().parent
    generations = options.recipe.iterate
    if options.pairs == 1 and not generations:
        name = f"{parent.name}/{name}" if (parent / "config.json").is_file() else name  # one pair of a run
        return [PairRun(options, run, name, options.command(name))]
    pairs = []
    for index, number in enumerate(numbered(generations or options.pairs)):
        folder = run / number
        seed = options.seed if generations else options.seed + index
        own = dataclasses.replace(options, pairs=1, seed=seed, side_by_side="auto")
        folder.mkdir(exist_ok=True)
        if not (folder / "config.json").is_file():
            write_json(folder / "config.json", run_config(own))
        full_name = f"{name}/{folder.name}"
        command = own.command(name if generations else full_name)
        if batched:  # such pairs may share a curriculum, and round otherwise than alone
            command = dataclasses.replace(options, side_by_side="batched").command(name)
        pairs.append(PairRun(own, folder, full_name, command, index if generations else 0))
    return pairs
