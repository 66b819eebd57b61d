"""Training a pair: fresh episodes, Gumbel-Softmax, cross-entropy, Adam; a run folder that can be resumed.

A run folder holds::

    config.json              the options, the seed of every stream, the versions
    checkpoint.safetensors   weights, optimiser, generators, counters: everything that the next step needs
    metrics.csv, tensorboard/
    pair.safetensors, card.json, card.md   the finished pair

and, for several pairs, a sub-folder of that kind for each.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import json
import math
import platform
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rich.console
import rich.progress
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.tensorboard import SummaryWriter

import spatial_game
from spatial_agents.checkpoint import (
    Weights,
    check_weights,
    configs_from_header,
    read_tensors,
    write_tensors,
    write_weights,
)
from spatial_agents.device_episodes import draw_device_episodes
from spatial_agents.evaluation import evaluate, play, stream
from spatial_agents.networks import GumbelSoftmax, entropy, new_pair
from spatial_agents.policy import load_pair, pair_from_network, resolve_device
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.config import GameConfig
from spatial_game.files import write_text

METRICS = (
    "step",
    "episodes",
    "seconds",
    "sequence_length",
    "learning_rate",
    "loss",
    "training_accuracy",
    "validation_accuracy",
)
STREAMS = ("weights", "training", "noise", "validation", "evaluation")
_WARM_UP = 0.25
_WARM_UP_FROM = 1 / 25
_BONUS_ENDS = 0.7


class TrainingDiverged(RuntimeError):
    """The loss or a weight stopped being a number. The last good checkpoint is untouched."""


# ---------------------------------------------------------------------------------------------- runs


def train(options: TrainOptions) -> list[Path]:
    """Train the pairs that the options ask for, or resume their run; the folders of the finished pairs.

    Raises `ValueError` when the folder holds something already or the device is not there,
    `TrainingDiverged` when a loss is not finite (the other pairs of the run are trained first), and
    `KeyboardInterrupt` after Ctrl-C or SIGTERM, once the checkpoint is written.
    """
    if options.resume is not None:
        return resume(options.resume)
    if options.out is None:
        raise ValueError("out must name a folder for the run; got none")
    resolve_device(options.device)
    out = options.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(
            f"out must be a new or empty folder; got {out}, which is not empty "
            f"(continue that run with --resume {out}, or name another folder)"
        )
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "config.json", _run_config(options))
    return _train_pairs(options, out)


def resume(run: Path) -> list[Path]:
    """Continue a run to its end from its last checkpoints, with the options that it was started with.

    On the same machine, and on CPU, the finished weights are byte for byte those of an uninterrupted run.
    """
    config_path = Path(run) / "config.json"
    if not config_path.is_file():
        raise ValueError(f"resume must name a run folder, with a config.json; got {run}")
    try:
        options = TrainOptions.from_dict(json.loads(config_path.read_text("utf-8"))["options"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{config_path}: must hold the options of a run; {error}") from None
    return _train_pairs(options, Path(run))


def _train_pairs(options: TrainOptions, run: Path) -> list[Path]:
    if options.pairs == 1:
        return [_train_pair(options, run, run.resolve().name)]
    folders = [run / f"{index:02d}" for index in range(options.pairs)]
    faults = []
    for index, folder in enumerate(folders):
        own = dataclasses.replace(options, pairs=1, seed=options.seed + index)
        folder.mkdir(exist_ok=True)
        write_json(folder / "config.json", _run_config(own))
        try:
            _train_pair(own, folder, f"{run.resolve().name}/{folder.name}")
        except TrainingDiverged as fault:
            faults.append(str(fault))
    if faults:
        raise TrainingDiverged("; ".join(faults))
    return folders


def _train_pair(options: TrainOptions, folder: Path, name: str) -> Path:
    """Train one pair to the end in its folder, from its checkpoint if there is one."""
    if (folder / "card.json").is_file():
        return folder
    with _cpu_threads(options.threads), _stop_signals() as stopped:
        trainer = Trainer(options, resolve_device(options.device))
        if (folder / "checkpoint.safetensors").is_file():
            trainer.restore(folder / "checkpoint.safetensors")
        else:
            trainer.save(folder / "checkpoint.safetensors")
        try:
            run_steps(trainer, folder, stopped)
        except TrainingDiverged as fault:
            raise TrainingDiverged(f"{fault}; the last good checkpoint is in {folder}") from None
        _finish(trainer, folder, name)
    return folder


def run_steps(trainer: Trainer, folder: Path, stopped: threading.Event) -> None:
    """Step to the end; log, validate, report and save on the way."""
    checkpoint, options = folder / "checkpoint.safetensors", trainer.options
    saved_at = time.monotonic()
    with RunLog(folder, trainer) as log:
        while trainer.step_number < trainer.recipe.steps:
            trainer.step()
            if trainer.step_number % trainer.recipe.grow_every == 0 or trainer.finished:
                log.write(trainer.close_stretch())
            if time.monotonic() - saved_at >= options.checkpoint_seconds or stopped.is_set():
                trainer.save(checkpoint)
                saved_at = time.monotonic()
            if stopped.is_set():
                raise KeyboardInterrupt(
                    f"stopped at step {trainer.step_number}; continue with --resume {folder}"
                )
    trainer.save(checkpoint)


# ------------------------------------------------------------------------------------------- the trainer


@dataclass
class Counters:
    """The plain numbers of a training state."""

    step: int
    length: int
    """Sequence length of the current steps."""
    seconds: float = 0.0


class Trainer:
    """A pair in training: its networks, optimiser and generators, and the step that changes them."""

    def __init__(self, options: TrainOptions, device: torch.device) -> None:
        self.options, self.recipe, self.game, self.device = options, options.recipe, options.game, device
        self.episodes_generator = _generator(options.seed, "training", device)
        noise = _generator(options.seed, "noise", device)
        self.gumbel = GumbelSoftmax(noise, self.recipe.temperature, self.recipe.straight_through)
        weights = _generator(options.seed, "weights", torch.device("cpu"))
        self.network = new_pair(self.game, self.recipe.agent, weights).to(device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), fused=True)
        self.counters = Counters(step=0, length=self.recipe.first_length(self.game))
        # Loss, accuracy and steps since the last row of metrics: summed on the device, read once a stretch.
        self.sums = torch.zeros(3, dtype=torch.float64, device=device)
        self._started = time.monotonic()

    @property
    def step_number(self) -> int:
        """Steps done."""
        return self.counters.step

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.counters.step >= self.recipe.steps

    @property
    def seconds(self) -> float:
        """Seconds of training, over all resumptions."""
        return self.counters.seconds + time.monotonic() - self._started

    def step(self) -> None:
        """One step of Adam on fresh episodes of the current length."""
        played = dataclasses.replace(
            self.game, sequence_length=self.counters.length, num_integers=len(self.game.integers)
        )
        episodes = draw_device_episodes(played, self.recipe.batch_size, self.episodes_generator)
        entropies: list[Tensor] = []

        def choose_symbol(logits: Tensor) -> Tensor:
            entropies.append(entropy(logits))
            return self.gumbel(logits)

        message = self.network.sender(episodes.window, choose_symbol)
        logits = self.network.receiver(message, episodes.sequence, episodes.candidates)
        loss = functional.cross_entropy(logits, episodes.target_index)
        bonus = entropy_bonus(self.recipe, self.counters.step)
        self.optimiser.zero_grad()
        (loss - bonus * sum(entropies) if bonus else loss).backward()
        if self.recipe.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.clip_norm)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.recipe, self.counters.step)
        self.optimiser.step()
        accuracy = (logits.argmax(dim=1) == episodes.target_index).double().mean()
        self.sums += torch.stack([loss.detach().double(), accuracy, torch.ones_like(accuracy)])
        self.counters.step += 1

    def close_stretch(self) -> dict[str, float | None]:
        """The row of metrics of the steps since the last one; lengthens the sequences if they went well."""
        loss, accuracy, steps = self.sums.tolist()
        self.sums.zero_()
        if not math.isfinite(loss):
            raise TrainingDiverged(f"loss must stay finite; got {loss} at step {self.step_number}")
        row = {
            "step": self.step_number,
            "episodes": self.step_number * self.recipe.batch_size,
            "seconds": round(self.seconds, 2),
            "sequence_length": self.counters.length,
            "learning_rate": learning_rate(self.recipe, self.step_number - 1),
            "loss": loss / steps,
            "training_accuracy": accuracy / steps,
            "validation_accuracy": self.validate(),
        }
        if accuracy / steps >= self.recipe.grow_at:
            self.counters.length = longer(self.counters.length, self.game)
        return row

    def validate(self) -> float | None:
        """Greedy accuracy on fresh episodes of the full game; None on steps without validation."""
        if self.step_number % self.options.validate_every and not self.finished:
            return None
        seeds = stream(self.options.seed, "validation")
        seeds = np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, self.step_number))
        pair = pair_from_network(self.network, self.game, self.recipe.agent)
        rng = np.random.default_rng(seeds)
        return play(pair.sender, pair.receiver, self.game, self.options.validation_episodes, rng).accuracy

    def save(self, path: Path) -> None:
        """Write everything that the next step depends on."""
        tensors = {f"pair/{name}": value for name, value in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            for key, value in self.optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser/{key}/{name}"] = value
        for name, generator in self._generators().items():
            tensors[f"generator/{name}"] = generator.get_state()
        tensors["sums"] = self.sums
        header = {
            "kind": "checkpoint",
            "game": self.game.to_dict(),
            "agent": self.recipe.agent.to_dict(),
            "counters": dataclasses.asdict(dataclasses.replace(self.counters, seconds=self.seconds)),
        }
        try:
            write_tensors(path, tensors, header)
        except ValueError as error:
            raise TrainingDiverged(f"{error} at step {self.step_number}") from None

    def restore(self, path: Path) -> None:
        """Continue from what `save` wrote. Raises `ValueError` if it is not of this game and these agents."""
        tensors, header = read_tensors(path, kind="checkpoint")
        configs = configs_from_header(path, header)
        if configs != (self.game, self.recipe.agent):
            raise ValueError(f"{path}: configs must be those of the run's config.json; got {configs}")
        weights = _below("pair/", tensors)
        check_weights(path, weights, *configs)
        try:
            self.network.load_state_dict(weights)
            for name, generator in self._generators().items():
                generator.set_state(tensors[f"generator/{name}"])
            self.sums = tensors["sums"].to(self.device)
            self.counters = Counters(**header["counters"])
            self._restore_optimiser(_below("optimiser/", tensors), self.counters.step)
        except (KeyError, TypeError, RuntimeError) as error:
            raise ValueError(f"{path}: must be a whole checkpoint; {error!r}") from None
        self._started = time.monotonic()

    def _restore_optimiser(self, stored: dict[str, Tensor], step: int) -> None:
        names = [name for name, _ in self.network.named_parameters()]
        keys = ("step", "exp_avg", "exp_avg_sq") if step else ()
        state = {i: {key: stored[f"{key}/{name}"] for key in keys} for i, name in enumerate(names) if keys}
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})

    def _generators(self) -> dict[str, torch.Generator]:
        return {"training": self.episodes_generator, "noise": self.gumbel.generator}


def learning_rate(recipe: Recipe, step: int) -> float:
    """The rate of a step, counted from 0. One-cycle: a cosine up over a quarter of the run, then one down."""
    if recipe.schedule == "constant":
        return recipe.learning_rate
    done = step / recipe.steps
    if done < _WARM_UP:
        low, part = _WARM_UP_FROM, 1 - done / _WARM_UP
    else:
        low, part = 0.0, (done - _WARM_UP) / (1 - _WARM_UP)
    return recipe.learning_rate * (low + (1 - low) * (1 + math.cos(math.pi * part)) / 2)


def entropy_bonus(recipe: Recipe, step: int) -> float:
    """The weight of the entropy in a step's loss: falls to 0 in a straight line."""
    return recipe.entropy_bonus * max(0.0, 1 - step / (_BONUS_ENDS * recipe.steps))


def longer(length: int, game: GameConfig) -> int:
    """The next sequence length of the curriculum: a quarter more, at least 2, at most the game's."""
    return min(game.sequence_length, max(length + 2, length * 5 // 4))


def _generator(seed: int, name: str, device: torch.device) -> torch.Generator:
    return torch.Generator(device).manual_seed(_torch_seed(seed, name))


def _torch_seed(seed: int, name: str) -> int:
    return int(stream(seed, name).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


# ------------------------------------------------------------------------------------ what a run leaves


class RunLog:
    """Metrics of a run: the table, TensorBoard, and what a person sees on the terminal."""

    def __init__(self, folder: Path, trainer: Trainer) -> None:
        self.folder, self.steps = folder, trainer.recipe.steps
        self.validation = math.nan
        self._keep_rows_until(trainer.step_number)
        self._start = trainer.step_number
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> RunLog:
        enter = self._stack.enter_context
        self._table = enter((self.folder / "metrics.csv").open("a", encoding="utf-8", newline=""))
        self._board = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self._start + 1)
        self._stack.callback(self._board.close)
        self._console = rich.console.Console(stderr=True)
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        enter(self._bar)
        self._task = self._bar.add_task(self.folder.name, total=self.steps, completed=self._start)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, row: dict[str, Any]) -> None:
        """Add a row of METRICS; empty cells are None."""
        csv.writer(self._table, lineterminator="\n").writerow(
            ["" if row[name] is None else row[name] for name in METRICS]
        )
        self._table.flush()
        for name in METRICS[3:]:
            if row[name] is not None:
                self._board.add_scalar(name, row[name], row["step"])
        validated = row["validation_accuracy"] is not None
        self.validation = row["validation_accuracy"] if validated else self.validation
        text = f"length {row['sequence_length']}  training {row['training_accuracy']:.1%}"
        if not math.isnan(self.validation):
            text += f"  validation {self.validation:.1%}"
        self._bar.update(self._task, completed=row["step"], description=f"{self.folder.name}  {text}")
        if validated and not self._console.is_terminal:
            print(
                f"step {row['step']}/{self.steps}  {row['seconds']:.0f} s  {text}",
                file=sys.stderr,
                flush=True,
            )

    def _keep_rows_until(self, step: int) -> None:
        """Drop the rows that a killed run wrote after its last checkpoint: they will be written again."""
        path, rows = self.folder / "metrics.csv", []
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                rows = [row for row in csv.reader(file) if len(row) == len(METRICS) and row[0].isdigit()]
        lines = [METRICS, *(row for row in rows if int(row[0]) <= step)]
        write_text(path, "".join(",".join(line) + "\n" for line in lines))


def _finish(trainer: Trainer, folder: Path, name: str) -> None:
    """Write the finished pair, judge it on fresh episodes, write its card."""
    options = trainer.options
    command = options.command(name)
    provenance = {
        "command": command,
        "seed": options.seed,
        "steps": trainer.step_number,
        "version": spatial_game.__version__,
    }
    tensors = {key: value.cpu() for key, value in trainer.network.state_dict().items()}
    weights = Weights(tensors, options.game, options.recipe.agent, provenance)
    write_weights(folder / "pair.safetensors", weights)
    pair = load_pair(folder / "pair.safetensors")
    card = {
        "name": name,
        "command": command,
        "weights_hash": pair.weights_hash,
        "parameters": sum(tensor.numel() for tensor in tensors.values()),
        "game": options.game.to_dict(),
        "recipe": dataclasses.asdict(options.recipe),
        "steps": trainer.step_number,
        "episodes_seen": trainer.step_number * options.recipe.batch_size,
        "seconds": round(trainer.seconds, 1),
        "machine": _machine(trainer.device, options.threads),
        "streams": _streams(options.seed),
        "versions": _versions(),
        "evaluation": evaluate(pair, options.evaluation_episodes, options.seed).to_dict(),
    }
    write_text(folder / "card.md", card_as_markdown(card))
    write_json(folder / "card.json", card)


def card_as_markdown(card: dict[str, Any]) -> str:
    """A model card for people: what the pair is, how it was made, how well it plays."""
    result = card["evaluation"]
    config = GameConfig.from_dict(card["game"])
    parts = [
        f"| {name} | {part['n']:,} | {part['accuracy']:.2%} | {part['low']:.2%} to {part['high']:.2%} |"
        for name, part in [("all", result), *result["by_observation"].items()]
        if part["n"]
    ]
    return "\n".join(
        [
            f"# {card['name']}",
            "",
            f"A sender and a receiver for the spatial referential game {config.signature} "
            f"(inputs: {card['recipe']['inputs']}; {card['parameters']:,} parameters).",
            "",
            f"    {card['command']}",
            "",
            f"- {card['steps']:,} steps, {card['episodes_seen']:,} fresh episodes, "
            f"{card['seconds'] / 60:.1f} minutes on {card['machine']}",
            f"- weights {card['weights_hash']}",
            f"- {result['distinct_messages']:,} distinct messages in the evaluation; "
            f"chance is {result['chance']:.0%}",
            "",
            "| target at | fresh episodes | accuracy | 95% interval |",
            "|---|---|---|---|",
            *parts,
            "",
        ]
    )


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file, entirely or not at all."""
    write_text(path, json.dumps(content, indent=2) + "\n")


def _run_config(options: TrainOptions) -> dict[str, Any]:
    return {
        "format_version": 1,
        "kind": "run",
        "options": options.to_dict(),
        "streams": _streams(options.seed),
        "versions": _versions(),
    }


def _streams(seed: int) -> dict[str, Any]:
    """The seed of every stream; those of torch as the number that seeds its generator."""
    return {
        name: {
            "entropy": seed,
            "spawn_key": list(stream(seed, name).spawn_key),
            "torch_seed": _torch_seed(seed, name) if name in ("weights", "training", "noise") else None,
        }
        for name in STREAMS
    }


def _versions() -> dict[str, str]:
    return {
        "spatial_game": spatial_game.__version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _machine(device: torch.device, threads: int) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{threads} CPU thread{'s' if threads > 1 else ''} ({platform.machine()})"


# --------------------------------------------------------------------------------------- surroundings


@contextlib.contextmanager
def _cpu_threads(threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, so that the step is finished and saved. A second one kills."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _: object) -> None:
        stopped.set()
        signal.signal(number, before[number])

    for number in before:
        signal.signal(number, stop)
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main() -> None:
    """`python -m spatial_agents.train`: the training command on its own."""
    import tyro

    try:
        folders = train(tyro.cli(TrainOptions, description=__doc__))
    except (ValueError, OSError, TrainingDiverged) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt as error:
        print(error or "stopped", file=sys.stderr)
        sys.exit(130)
    for folder in folders:
        print((folder / "card.md").read_text("utf-8"))


if __name__ == "__main__":
    main()
