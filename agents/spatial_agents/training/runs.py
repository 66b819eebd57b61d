"""Training pairs in a run folder, which can be stopped at any moment and continued by the same call.

A run folder holds::

    config.json              the options, versions, commit and processor
    checkpoint.pt            weights, optimiser, counters: everything that the next step needs
    metrics.csv, tensorboard/
    lock                     empty; the process that trains the pair locks it
    pair.safetensors, card.json   the finished pair

A run of several pairs has such a sub-folder for each pair that has begun, which is a run of its own. They are
trained in processes of this machine, or as jobs of a Slurm cluster.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from spatial_agents.networks import Networks
from spatial_agents.pairs.weights import hash_weights, read_card, read_weights
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.card import host, versions
from spatial_agents.training.episodes import Allowed
from spatial_agents.training.loop import resolve_device, train_pair
from spatial_agents.training.own_networks import described, require_trainable
from spatial_agents.training.slurm import require_slurm, run_in_jobs
from spatial_game.checks import require_field, require_object, require_whole, within
from spatial_game.errors import TrainingFailed, UserError
from spatial_game.files import error_text, read_json, reading, write_json
from spatial_game.game.combinations import draw_combinations
from spatial_game.json_text import from_json
from spatial_game.processes import run_in_processes, usable_cores
from spatial_game.provenance import commit

On = Literal["local", "slurm"]


def train(
    options: TrainOptions,
    networks: Networks | None = None,
    *,
    jobs: int = 0,
    on: On = "local",
    slurm: Sequence[str] = (),
) -> list[Path]:
    """Train the pairs that the options ask for into their folder, and return the pairs' folders.

    If the folder holds the same run, it continues: finished pairs stay as they are, others go on from their
    last checkpoints. On a CPU, with the same versions and the same instruction set (AVX2, AVX-512 ...), the
    finished weights are byte for byte those of a run without a stop. `train(options_of(folder))` continues a
    run by its folder alone.

    `networks` are two classes of torch modules of your own, the sender's and the receiver's, in place of the
    package's. Each is called with the `GameConfig` (docs/own_networks.md).

    `jobs` pairs are trained at the same time (0: one on each core; on Slurm, as many as it allows). `on` is
    "local", in processes of this machine, or "slurm", with Slurm's own options such as ["partition=gpu"] in
    `slurm`. In a script, processes need the usual line `if __name__ == "__main__":`.

    Raises `ValueError` if the folder holds anything but this run, or the device is missing; `TrainingFailed`
    (of `spatial_game.errors`) if a pair was not trained to the end, once the other pairs are
    (`TrainingDiverged` if the only pair diverged); and `KeyboardInterrupt` after Ctrl-C or SIGTERM, once the
    checkpoints are written.
    """
    run = _folder_of(options, jobs, on, slurm)
    if (run / "config.json").is_file():
        _require_same_run(options, run, networks)
    else:
        _require_possible(options, run, on, networks)
        write_config(run, options, networks)
    pairs = _pairs_of(options, run)
    missing = [folder for folder in pairs if not finished(folder)]
    calls = [(pairs[folder], folder, folder.name if len(pairs) > 1 else "", networks) for folder in missing]
    again = "the same call" if networks else f"--resume {run}" + (" --on slurm" if on == "slurm" else "")
    with _telling_how_to_continue(again, missing):
        if on == "slurm":
            faults: Sequence[Exception | None] = run_in_jobs(begin_pair, calls, run / "slurm", jobs, slurm)
        else:
            faults = _train_in_processes(calls, jobs)
    failed = {folder.name: fault for folder, fault in zip(missing, faults, strict=True) if fault}
    if failed and len(pairs) == 1:
        raise next(iter(failed.values()))
    if failed:
        raise TrainingFailed("; ".join(f"pair {name}: {error_text(fault)}" for name, fault in failed.items()))
    return list(pairs)


def _folder_of(options: TrainOptions, jobs: int, on: On, slurm: Sequence[str]) -> Path:
    """Return the folder of the run. Raises `ValueError` without one, and for arguments that do not fit."""
    if options.out is None:
        raise UserError("out must name a folder for the run; got none")
    require_whole("jobs", jobs, 0)
    if slurm and on != "slurm":
        raise UserError(f"slurm must be left out without --on slurm; got {' '.join(slurm)}")
    if on == "slurm":
        require_slurm()
    return options.out


def _train_in_processes(calls: Sequence[tuple[Any, ...]], jobs: int) -> Sequence[Exception | None]:
    """Train pairs in processes of this machine, and return why each was not trained to the end."""
    at_once = min(jobs or usable_cores(), len(calls))
    if len(calls) > 1:
        print(f"pairs: {len(calls)}, {at_once} at a time (--jobs)", file=sys.stderr, flush=True)
    return run_in_processes(begin_pair, calls, at_once)


@contextlib.contextmanager
def _telling_how_to_continue(again: str, folders: Sequence[Path]) -> Iterator[None]:
    """Let Ctrl-C and a failure to write, in the block, say with what to continue (`again`) these pairs."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{str(stop) or 'stopped'}; continue with {again}") from None
    except OSError as fault:  # what was saved before is whole
        saved = any((folder / "checkpoint.pt").is_file() for folder in folders)
        way = "continue from the last good checkpoint" if saved else "no step is saved yet; begin again"
        raise OSError(f"{error_text(fault)}; {way} with {again}") from fault


def options_of(run: Path) -> TrainOptions:
    """Return the options that a run was started with. Raises `ValueError` if the folder holds no run."""
    config = run / "config.json"
    if not config.is_file():
        raise UserError(f"resume must name a run folder, with a config.json; got {run}")
    with reading(config, UserError) as file:
        content = require_field(require_object("the file", from_json(file.read_bytes())), "options")
        with within("options"):
            return dataclasses.replace(TrainOptions.from_dict(content), out=run)


def finished_folders(run: Path) -> list[Path]:
    """Return the folders of the finished pairs of a run, in order."""
    return [folder for folder in [run, *sorted(run.glob("[0-9]*"))] if finished(folder)]


def finished(folder: Path) -> bool:
    """Return whether a folder holds a finished pair: whole weights, and the card of these weights."""
    try:
        weights = read_weights(folder / "pair.safetensors")
        read_card(folder / "card.json", hash_weights(weights.tensors))
    except (OSError, UserError):
        return False
    return True


def _require_same_run(options: TrainOptions, run: Path, networks: Networks | None) -> None:
    """Raise `ValueError` unless a run was begun with these options and networks, with the same source."""
    different = options.difference(options_of(run))
    if different is not None:
        name, value, stored = different
        raise UserError(
            f"{run} must hold a run with the same {name}, {value}; got {stored} (or name another folder)"
        )
    config = run / "config.json"
    stored_networks = read_json(config).get("networks")
    if stored_networks is not None:
        with reading(config, UserError), within("networks"):
            for role in ("sender", "receiver"):
                network = require_field(require_object("the field", stored_networks), role)
                require_field(require_object(role, network), "class")
    own_networks = described(networks) if networks else None
    if stored_networks != own_networks:
        began, given = _names(stored_networks), _names(own_networks)
        raise UserError(
            f"{run} must be continued (in Python) with its networks, {began}; "
            f"got {given if given != began else 'other source code of these classes'}"
        )


def _require_possible(options: TrainOptions, run: Path, on: On, networks: Networks | None) -> None:
    """Raise `ValueError` for a run that cannot begin, before anything is written.

    That is one in a folder of something else, without the device, with an impossible share of combinations to
    leave out, or with networks that cannot be trained.
    """
    try:
        str(run).encode()
    except UnicodeEncodeError:
        raise UserError(f"out must be a name of UTF-8 text, as TensorBoard needs; got {run}") from None
    if run.exists() and (not run.is_dir() or any(run.iterdir())):
        raise UserError(
            f"out must be a new or empty folder, or that of a run to continue; got {run}, which holds "
            "something else"
        )
    if on == "local":
        resolve_device(options.device)
    if options.recipe.unseen:
        Allowed(draw_combinations(options.config, options.recipe.unseen, options.seed))
    if networks:
        require_trainable(options, networks)


def _names(networks: dict[str, Any] | None) -> str:
    if networks is None:
        return "those of the package"
    return " and ".join(str(network["class"]) for network in networks.values())


def _pairs_of(options: TrainOptions, run: Path) -> dict[Path, TrainOptions]:
    """Return the pairs of a run by their folders. Each of several has the config of a run of its own."""
    if options.pairs == 1:
        return {run: options}
    digits = max(2, len(str(options.pairs - 1)))
    return {
        run / f"{index:0{digits}d}": dataclasses.replace(options, pairs=1, seed=options.seed + index)
        for index in range(options.pairs)
    }


def begin_pair(
    options: TrainOptions, folder: Path, name: str, networks: Networks | None
) -> TrainingFailed | None:
    """Make the folder of a pair unless it is there, and train the pair, as `train_pair` does."""
    if not (folder / "config.json").is_file():
        write_config(folder, options, networks)
    return train_pair(options, folder, name, networks)


def write_config(folder: Path, options: TrainOptions, networks: Networks | None) -> None:
    """Write the config of a run into its folder, which is made if needed."""
    made_by = {"versions": versions(), "commit": commit(), "host": host()}
    content = {"format_version": 1, "kind": "run", "options": options.to_dict(), **made_by}
    if networks:
        content["networks"] = described(networks)
    write_json(folder / "config.json", content)
