"""Train and measure on a GPU, in stages that can be stopped and continued.

    python benchmarks/gpu.py --out gpu --minutes 9
    python benchmarks/gpu.py --out gpu --minutes 9 paper-raw-60 speed

The stages that are named (by default all) run in order until the minutes are over; the same command then goes
on. A task that is done is not done again. The folder gets these files as the script runs:

    results.json   what was measured, the machine, and the faults of tasks that failed
    STAGE.pt       the checkpoint of a training that was cut
    STAGE.tar      its finished pairs, as the folders of a run (see maintenance/bundle.py)

With `--toy` all stages run in seconds, on any device, with tiny games.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import dataclasses
import functools
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import DeviceType
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from spatial_agents.networks import layers
from spatial_agents.networks.gru import PairNetwork
from spatial_agents.networks.symbols import greedy
from spatial_agents.pairs.names import weights_path
from spatial_agents.pairs.tensor_files import read_weights
from spatial_agents.pairs.torch_play import pair_from_weights, resolve_device
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.seeding import torch_generator
from spatial_agents.training.cuda_graph import CUDAGraph
from spatial_agents.training.data import (
    DeviceEpisodes,
    device_episodes_from_keys,
    draw_device_episodes,
    draw_device_keys,
)
from spatial_agents.training.loop import torch_settings
from spatial_agents.training.run_folder import METRICS, PairRun, machine, versions, write_json, write_pair
from spatial_agents.training.schedules import learning_rate
from spatial_agents.training.state import PairState
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes, episodes_from_keys

ROOT = Path(__file__).parents[1]
RAW, TOY = Recipe("paper"), GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
PLANS = {
    "paper-raw-60": TrainOptions(GameConfig(), RAW, pairs=16),
    "embed-60": TrainOptions(GameConfig(), Recipe(inputs="embedding", steps=16_000), pairs=256),
    "curriculum-60": TrainOptions(GameConfig(), Recipe(), pairs=16),
    "paper-fixed-60": TrainOptions(GameConfig(), Recipe("paper", fixed_samples=200_000), pairs=16),
    "length-40": TrainOptions(GameConfig(40), RAW, pairs=4),
    "length-100": TrainOptions(GameConfig(100), RAW, pairs=4),
    "length-100-hidden-128": TrainOptions(GameConfig(100), Recipe("paper", hidden_size=128), pairs=4),
    "vocabulary-13": TrainOptions(GameConfig(vocab_size=13), RAW, pairs=4),
    "vocabulary-52": TrainOptions(GameConfig(vocab_size=52), RAW, pairs=4),
    "hidden-128": TrainOptions(GameConfig(), Recipe("paper", hidden_size=128), pairs=4),
}
"""The trainings. The last seven are the paper's data and the variants in its appendix."""

KEPT = 16  # pairs of a training that are written; 256 would be large
SAVE_SECONDS = 30.0
Task = Callable[[], Any]  # returns a dataclass, or None if the time was over before the end


class Bench:
    """What the stages share: the device, the folder, the results so far and the time that is left."""

    def __init__(self, out: Path, device: torch.device, toy: bool, minutes: float) -> None:
        self.out, self.device, self.toy = out, device, toy
        self.ends, self.path = time.monotonic() + 60 * minutes, out / "results.json"
        out.mkdir(parents=True, exist_ok=True)
        new = {"machines": [], "results": {}, "faults": {}}
        self.found = json.loads(self.path.read_text("utf-8")) if self.path.is_file() else new
        here = {"device": machine(device, 1), "toy": toy, **versions()}
        if here not in self.found["machines"]:
            self.found["machines"].append(here)

    def left(self) -> float:
        """Return the seconds that are left."""
        return self.ends - time.monotonic()

    def of(self, stage: str) -> dict[str, Any]:
        """Return the results of a stage, by the names of its tasks."""
        return self.found["results"].setdefault(stage, {})  # type: ignore[no-any-return]

    def do(self, stage: str, name: str, task: Task) -> None:
        """Do a task unless it is done, and store its result or its fault."""
        if name in self.of(stage) or self.left() <= 0:
            return
        label, start = f"{stage}: {name}", time.monotonic()
        self.found["faults"].pop(label, None)
        try:
            result = task()
        except Exception as fault:  # the other tasks still run
            self.found["faults"][label] = said = f"{type(fault).__name__}: {fault}"
            print(f"{label}: {said}", flush=True)
        else:
            if result is not None:
                self.of(stage)[name] = dataclasses.asdict(result)
                short = {k: v for k, v in self.of(stage)[name].items() if not isinstance(v, list)}
                print(f"{label} ({time.monotonic() - start:.0f} s): {json.dumps(short)}", flush=True)
        write_json(self.path, self.found)

    def plan(self, name: str) -> TrainOptions:
        """Return the options of a training, shrunk with `--toy`."""
        options = PLANS[name]
        if not self.toy:
            return options
        own = options.recipe
        small = {"hidden_size": 8, "steps": 6, "batch_size": 8, "grow_every": 2}
        recipe = dataclasses.replace(own, **small, fixed_samples=min(16, own.fixed_samples))
        sizes = {"validate_every": 4, "validation_episodes": 32, "evaluation_episodes": 50}
        return dataclasses.replace(options, game=TOY, recipe=recipe, pairs=2, **sizes)

    def seconds(self, call: Callable[[], object], times: int = 1) -> float:
        """Return how long a call takes on the device, the mean of several."""
        self.synchronize()
        start = time.perf_counter()
        for _ in range(times):
            call()
        self.synchronize()
        return (time.perf_counter() - start) / times

    def synchronize(self) -> None:
        """Wait for the GPU, if there is one."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


# --- Tests ----------------------------------------------------------------------------------------------


@dataclass
class Checked:
    """What a program said that ended without a fault."""

    said: list[str]


def program(bench: Bench, *words: str) -> Checked:
    """Run a Python program. Raises `RuntimeError`, with the end of its output, if it fails."""
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=max(bench.left(), 60)
    )
    lines = (done.stdout + done.stderr).strip().splitlines()
    if done.returncode:
        raise RuntimeError("\n".join(lines[-60:]))
    return Checked(lines[-3:])


def same_episodes(bench: Bench) -> Checked:
    """Compare the episodes of keys with those of NumPy. Raises `RuntimeError` if they differ."""
    games = (GameConfig(), GameConfig(8), GameConfig(100, window_radius=1), GameConfig(20, 400))
    said = []
    for game in games:
        keys = draw_device_keys(
            game, 100 if bench.toy else 100_000, torch_generator(0, "keys", device=bench.device)
        )
        here = keys.cpu().numpy()
        unsigned = here.view(np.dtype(f"u{here.itemsize}")) ^ (1 << (8 * here.itemsize - 1))
        expected = episodes_from_keys(game, unsigned)
        for name, column in device_episodes_from_keys(game, keys)._asdict().items():
            if not np.array_equal(column.cpu().numpy(), getattr(expected, name)):
                raise RuntimeError(f"{name} must be that of NumPy for the same keys; {game.signature}")
        said.append(f"{game.signature}: {len(keys)} episodes are the same")
    return Checked(said)


def tests(bench: Bench) -> dict[str, Task]:
    """The tests that need a GPU."""
    where = "tests/agents/training/test_data.py" if bench.toy else "tests"
    words = ("-m", "pytest", "-m", "gpu", "-q", "-p", "no:cacheprovider", where)
    return {"episodes": lambda: same_episodes(bench), "pytest": lambda: program(bench, *words)}


# --- Trainings ------------------------------------------------------------------------------------------


@dataclass
class Trained:
    """How batched pairs were trained; their accuracies are greedy, on fresh episodes, the same for all."""

    pairs: int
    steps: int
    seconds: float
    seconds_a_pair: float
    mean: float
    least: float
    most: float
    diverged: int
    accuracies: list[float]
    rows: list[dict[str, Any]]


def train(bench: Bench, name: str) -> Trained | None:
    """Train batched pairs, from a checkpoint if there is one; None if the time was over before the end."""
    options, path = bench.plan(name), bench.out / f"{name}.pt"
    each = [dataclasses.replace(options, pairs=1, seed=seed) for seed in range(options.pairs)]
    with torch_settings(options, bench.device):
        states, rows = torch.load(path, weights_only=True) if path.is_file() else ([], [])
        trainer = Trainer(each, bench.device, [PairState(*state) for state in states], batched=True)
        for _ in intervals(bench, trainer, options, rows):
            save(path, trainer, rows)
        if not trainer.finished:
            return None
        accuracies = played(bench, trainer.playing, options.game, options.evaluation_episodes, "evaluation")
        lost = [
            i for i in range(len(each)) if not all(w.isfinite().all() for w in trainer.weights(i).values())
        ]
        write_pairs(bench, name, trainer, rows, lost)
    path.unlink(missing_ok=True)
    seconds, mean = trainer.seconds(), sum(accuracies) / len(accuracies)
    spread = mean, min(accuracies), max(accuracies), len(lost), accuracies, rows
    return Trained(len(each), trainer.step_number, seconds, seconds / len(each), *spread)


def intervals(
    bench: Bench, trainer: Trainer, options: TrainOptions, rows: list[dict[str, Any]]
) -> Iterator[None]:
    """Do the steps until all are done or the time is over; yield when a checkpoint is due."""
    recipe, saved_at = options.recipe, time.monotonic()
    while not trainer.finished and bench.left() > 0:
        for _ in range(min(recipe.grow_every, recipe.steps - trainer.step_number)):
            trainer.step()
        loss, accuracy, steps = trainer.sums.unbind(-1)
        accuracy = accuracy / steps
        if trainer.step_number % options.validate_every < recipe.grow_every or trainer.finished:
            number = trainer.step_number
            done = number, number * recipe.batch_size, round(trainer.seconds(), 2), trainer.length
            found = learning_rate(recipe, number - 1), (loss / steps).tolist(), accuracy.tolist()
            right = played(bench, trainer.playing, options.game, options.validation_episodes, "validation")
            rows.append(dict(zip(METRICS, (*done, *found, right), strict=True)))
            print(f"step {number}: {np.mean(right):.1%}", flush=True)
        trainer.begin_interval(float(accuracy.mean()))
        if trainer.finished or bench.left() <= 0 or time.monotonic() - saved_at >= SAVE_SECONDS:
            yield
            saved_at = time.monotonic()


def save(path: Path, trainer: Trainer, rows: list[dict[str, Any]]) -> None:
    """Write the checkpoint of all pairs, entirely or not at all."""
    states = [trainer.state(i) for i in range(len(trainer.options))]
    whole = [(state.step, state.length, state.seconds, state.tensors) for state in states]
    torch.save((whole, rows), path.with_suffix(".partial"))
    os.replace(path.with_suffix(".partial"), path)


@torch.inference_mode()
def played(bench: Bench, network: PairNetwork, game: GameConfig, number: int, stream: str) -> list[float]:
    """Return the greedy accuracy of each batched pair on fresh episodes, the same for all pairs."""
    pairs = len(network.sender.start)
    generator = torch_generator(0, stream, device=bench.device)
    right, size = torch.zeros(pairs, device=bench.device), max(1, 2**18 // pairs)
    for start in range(0, number, size):
        drawn = draw_device_episodes(game, min(size, number - start), generator)
        episodes = DeviceEpisodes(*(column.expand(pairs, *column.shape) for column in drawn))
        right += hits(network.sender, network.receiver, episodes).sum(dim=-1)
    return (right / number).tolist()


def hits(sender: Any, receiver: Any, episodes: DeviceEpisodes) -> Tensor:
    """Return where a pair, or batched pairs, are right when they play greedily, ([P,] B)."""
    message = sender(episodes.window, greedy)
    choice = receiver(message, episodes.sequence, episodes.candidates).argmax(dim=-1)
    return choice == episodes.target_index


def write_pairs(
    bench: Bench, name: str, trainer: Trainer, rows: list[dict[str, Any]], lost: list[int]
) -> None:
    """Write the finished pairs, with cards and metrics, into one archive; not those that diverged."""
    options, partial = bench.plan(name), bench.out / f"{name}.tar.partial"
    command = dataclasses.replace(options, side_by_side="batched").command(name)
    where = f"{machine(bench.device, options.threads)}, {options.pairs} batched pairs"
    with tempfile.TemporaryDirectory() as scratch, tarfile.open(partial, "w") as archive:
        for i in sorted({*range(min(KEPT, options.pairs))} - {*lost}):
            run = PairRun(trainer.options[i], Path(scratch, f"{i:02d}"), f"{name}/{i:02d}", command)
            run.folder.mkdir()
            write_pair(run, trainer.weights(i), trainer.seconds(i), where)
            with (run.folder / "metrics.csv").open("w", encoding="utf-8", newline="") as file:
                own = [{k: v[i] if isinstance(v, list) else v for k, v in row.items()} for row in rows]
                table = csv.DictWriter(file, METRICS, lineterminator="\n")
                table.writeheader()
                table.writerows(own)
        archive.add(scratch, name)
    os.replace(partial, bench.out / f"{name}.tar")


# --- Speed ----------------------------------------------------------------------------------------------


@dataclass
class Limits:
    """What the device reaches: copying (bytes read and written) and large products, by their precision."""

    bytes_a_second: float
    operations_a_second: dict[str, float]


@dataclass
class Speed:
    """A training step of batched pairs, how its time is spent, and the least that it could take."""

    pairs: int
    batch_size: int
    graph: bool
    precision: str
    milliseconds: float
    episodes_a_second: float
    kernels: int  # launched in a step
    busy: float  # the share of the time in which the device computes
    kernel_milliseconds: dict[str, float]  # by their kind
    arithmetic_milliseconds: float  # the operations in products, at the rate of Limits
    memory_milliseconds: float  # all bytes that the kernels read and write, at the rate of Limits
    fused_milliseconds: float  # if a fused kernel wrote each state once and read it once
    limit: str  # launches, memory or arithmetic: what takes most of the time
    gigabytes: float  # memory in use, at most


PRECISIONS = {"float32": "highest", "tf32": "high", "bfloat16": "high"}
KERNELS = {
    "products": ("gemm", "bmm", "::mm", "addmm", "xmma", "nvjet", "cutlass"),
    "drawing": ("sort", "topk", "random", "exponential", "distribution"),
}


@contextlib.contextmanager
def precision(name: str) -> Iterator[None]:
    """Compute products at this precision; with bfloat16, all that the recurrences do."""
    plain = layers.last_state
    torch.set_float32_matmul_precision(PRECISIONS[name])
    if name == "bfloat16":
        layers.last_state = lambda *arrays: plain(*(array.bfloat16() for array in arrays)).float()
    try:
        yield
    finally:
        layers.last_state = plain
        torch.set_float32_matmul_precision("highest")


def limits(bench: Bench) -> Limits:
    """Measure what the device reaches."""
    size = 128 if bench.toy else 8192
    a, b = (torch.randn(size, size, device=bench.device) for _ in range(2))
    rates = {}
    for name in PRECISIONS:
        with precision(name):
            x, y = (a.bfloat16(), b.bfloat16()) if name == "bfloat16" else (a, b)
            bench.seconds(lambda x=x, y=y: x @ y, 3)
            rates[name] = 2 * size**3 / bench.seconds(lambda x=x, y=y: x @ y, 10)
    source = torch.randn(16 * size * size, device=bench.device)
    copy = torch.empty_like(source)
    bench.seconds(lambda: copy.copy_(source), 3)
    return Limits(8 * source.numel() / bench.seconds(lambda: copy.copy_(source), 10), rates)


@functools.lru_cache(maxsize=1)
def trainer_of(bench: Bench, name: str, pairs: int) -> Trainer:
    """Return a trainer of a plan's pairs at full sequence length, far from its last step."""
    options = bench.plan(name)
    recipe = dataclasses.replace(options.recipe, start_length=0, steps=1_000_000)
    each = [dataclasses.replace(options, recipe=recipe, pairs=1, seed=seed) for seed in range(pairs)]
    return Trainer(each, bench.device, batched=True)


def speed_of(bench: Bench, name: str, pairs: int, graph: bool, products: str) -> Speed:
    """Measure and profile the training step."""
    trainer = trainer_of(bench, name, pairs)
    batch = trainer.recipe.batch_size
    if bench.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(bench.device)
    with precision(products):
        trainer._do_step = trainer._step_on
        with Counted() as counted:
            trainer.step()
        trainer._do_step = CUDAGraph(trainer._step_on) if graph else trainer._step_on
        once = bench.seconds(trainer.step, 6)  # the graph is captured in these
        taken = bench.seconds(trainer.step, 2 if bench.toy else min(200, max(5, int(3 / once))))
        kernels, by_kind = profiled(bench, trainer.step)
    reached = Limits(**bench.of("speed")["limits"])
    state = trainer.recipe.hidden_size * (2 if products == "bfloat16" else 4)
    walks = trainer.game.sequence_length + trainer.game.window_size + 2 * trainer.game.message_length
    once_through = 2 * 5 * state * walks * batch * pairs  # h, r, z, m, n: written, then read
    arithmetic = counted.operations / reached.operations_a_second[products]
    memory, busy = counted.bytes / reached.bytes_a_second, sum(by_kind.values()) / 1e3
    causes = {"launches": taken - busy, "memory": memory, "arithmetic": arithmetic}
    return Speed(
        pairs,
        batch,
        graph,
        products,
        1e3 * taken,
        pairs * batch / taken,
        kernels,
        busy / taken,
        by_kind,
        1e3 * arithmetic,
        1e3 * memory,
        1e3 * max(arithmetic, once_through / reached.bytes_a_second),
        max(causes, key=lambda cause: causes[cause]),
        torch.cuda.max_memory_allocated(bench.device) / 1e9 if bench.device.type == "cuda" else 0.0,
    )


class Counted(TorchDispatchMode):
    """Counts bytes read and written, and operations in products, within a block; views count as nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = self.operations = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do an operation, and count."""
        found, name = func(*args, **(kwargs or {})), func.overloadpacket.__name__
        views = any(r.alias_info is not None and not r.alias_info.is_write for r in func._schema.returns)
        if not views and "empty" not in name:
            tensors = [x for x in tree_leaves((args, kwargs, found)) if isinstance(x, Tensor)]
            self.bytes += sum(t.numel() * t.element_size() for t in {id(t): t for t in tensors}.values())
        if name.rstrip("_") in ("mm", "bmm", "addmm", "baddbmm"):
            self.operations += 2 * found.numel() * args["add" in name].shape[-1]
        return found


def profiled(bench: Bench, step: Callable[[], object], steps: int = 3) -> tuple[int, dict[str, float]]:
    """Return the kernels of a step (on a CPU, the operations), and the milliseconds of each kind."""
    with torch.profiler.profile() as profiler:
        bench.seconds(step, steps)
    kind_of = {"cuda": DeviceType.CUDA, "cpu": DeviceType.CPU}[bench.device.type]
    kernels, by_kind = 0, dict.fromkeys([*KERNELS, "elementwise"], 0.0)
    for event in profiler.key_averages():
        if event.device_type == kind_of:
            kinds = [kind for kind, names in KERNELS.items() if any(name in event.key for name in names)]
            taken = getattr(event, f"self_{'device' if kind_of is DeviceType.CUDA else 'cpu'}_time_total")
            by_kind[[*kinds, "elementwise"][0]] += taken / 1e3 / steps
            kernels += event.count
    return kernels // steps, by_kind


def speed(bench: Bench) -> dict[str, Task]:
    """Every number of pairs, with and without a CUDA graph, at every precision; and the paper's batches."""
    sizes = [("embed-60", pairs) for pairs in ((1,) if bench.toy else (1, 16, 128, 1000))]
    graphs = (True, False) if bench.device.type == "cuda" else (False,)
    tasks: dict[str, Task] = {"limits": lambda: limits(bench)}
    for name, pairs in [("paper-raw-60", 2 if bench.toy else 16), *sizes]:
        for graph in graphs:
            for products in PRECISIONS:
                label = f"{name}, {pairs} pairs, {'graph' if graph else 'eager'}, {products}"
                tasks[label] = functools.partial(speed_of, bench, name, pairs, graph, products)
    return tasks


# --- Play -----------------------------------------------------------------------------------------------


@dataclass
class Rate:
    """How fast something goes."""

    episodes: int
    seconds: float
    a_second: float


def rate(bench: Bench, call: Callable[[], object], episodes: int) -> Rate:
    """Return how fast a call goes through its episodes."""
    bench.seconds(call, 1 if bench.toy else 3)
    taken = bench.seconds(call, 1 if bench.toy else 10)
    return Rate(episodes, taken, episodes / taken)


def drawing(bench: Bench, game: GameConfig) -> Rate:
    """Draw episodes on the device."""
    generator, size = torch_generator(0, "play", device=bench.device), 2**8 if bench.toy else 2**20
    return rate(bench, lambda: draw_device_episodes(game, size, generator), size)


def greedy_play(bench: Bench, name: str, on_device: bool) -> Rate:
    """Play a bundled pair: episodes drawn on the device that stay there, or NumPy's, there and back."""
    size = 2**8 if bench.toy else 2**18
    pair = pair_from_weights(read_weights(weights_path(name, 0)), {}, str(bench.device))
    if not on_device:
        drawn = draw_episodes(pair.config, size, np.random.default_rng(0))
        arrays = drawn.sequence, drawn.candidates
        return rate(bench, lambda: pair.receiver.choose(pair.sender.send(drawn.window), *arrays), size)
    networks = pair.sender.run.network, pair.receiver.run.network
    episodes = draw_device_episodes(pair.config, size, torch_generator(0, "play", device=bench.device))
    with torch.inference_mode():
        return rate(bench, lambda: hits(*networks, episodes), size)


def torchrl_rollout(bench: Bench) -> Rate:
    """Check the specs of TorchRL's environment on the device, and let it play at random."""
    from torchrl.envs.utils import check_env_specs

    from spatial_game.envs.adapters.torchrl import ReferentialEnv

    games, turns = 16 if bench.toy else 4096, 20
    env = ReferentialEnv(games, device=str(bench.device))
    check_env_specs(env)
    env.set_seed(0)
    return rate(bench, lambda: env.rollout(turns, break_when_any_done=False), games * turns // 2)


def play(bench: Bench) -> dict[str, Task]:
    """Batched play on the device."""
    tasks: dict[str, Task] = {}
    for game in (GameConfig(), GameConfig(20), GameConfig(8)):
        tasks[f"drawing, {game.signature}"] = functools.partial(drawing, bench, game)
    for name in ("embed-60", "paper-60"):
        for on_device in (True, False):
            label = f"{name}, {'on the device' if on_device else 'from NumPy'}"
            tasks[label] = functools.partial(greedy_play, bench, name, on_device)
    steps = "1536" if bench.toy else "300000"
    return tasks | {
        "TorchRL's environment": lambda: torchrl_rollout(bench),
        "TorchRL's example": lambda: program(bench, "examples/13_torchrl.py", "--steps", steps),
    }


# --- All stages -----------------------------------------------------------------------------------------


def training(name: str) -> Callable[[Bench], dict[str, Task]]:
    """Return the stage of one training."""
    return lambda bench: {"train": lambda: train(bench, name)}


OWN = {"tests": tests, "speed": speed, "play": play}
ORDER = ("tests", "paper-raw-60", "speed", "embed-60", "curriculum-60", "play", *PLANS)
STAGES = {name: OWN.get(name) or training(name) for name in ORDER}
"""The stages in order, and the tasks of each."""


def unfinished(bench: Bench, stages: list[str]) -> Iterator[str]:
    """Describe the stages that are not done."""
    for stage in stages:
        left = [name for name in STAGES[stage](bench) if name not in bench.of(stage)]
        begun = ", begun" if (bench.out / f"{stage}.pt").is_file() else ""
        if left:
            yield f"{stage}{begun} ({len(left)} tasks)"


def main(words: list[str] | None = None) -> int:
    """Run stages until the time is over; return 1 if a task failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"of {', '.join(STAGES)}")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    parser.add_argument("--minutes", type=float, default=9, help="the time for this call")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--toy", action="store_true", help="tiny games, to try the script")
    given = parser.parse_args(words)
    stages = given.stages or list(STAGES)
    if unknown := [stage for stage in stages if stage not in STAGES]:
        parser.error(f"stages must be of {', '.join(STAGES)}; got {', '.join(unknown)}")
    bench = Bench(given.out, resolve_device(given.device), given.toy, given.minutes)
    for stage in stages:
        for name, task in STAGES[stage](bench).items():
            bench.do(stage, name, task)
    print("left:", "; ".join(unfinished(bench, stages)) or "nothing")
    return int(bool(bench.found["faults"]))


if __name__ == "__main__":
    sys.exit(main())
