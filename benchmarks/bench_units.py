"""What units of work cost, and whether kills change their results, on two cores.

    python benchmarks/bench_units.py train [--units 200]    # a sweep, beside a plain loop of processes
    python benchmarks/bench_units.py record [--units 200]   # the same of short units: parts of a recording
    python benchmarks/bench_units.py kills [--kills 100]    # kill units and drivers at random

The figures of the page "On a cluster" are from here. Other programs may use the cores, so the cost is also in
processor time, and rounds of both ways alternate.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from spatial_game.units.status import status_of

Commands = Callable[[Path, int], tuple[list[str], list[list[str]]]]
"""Takes a folder and a number of units; returns a command with a driver, and one for each unit alone."""
PROGRAM = [sys.executable, "-m", "spatial_game.cli"]
SETTINGS = {
    "sequence-length": 12,
    "vocab-size": 8,
    "message-length": 2,
    "inputs": '"embedding"',
    "hidden-size": 16,
    "batch-size": 64,
    "evaluation-episodes": 2000,
    "checkpoint-seconds": 1.0,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["train", "record", "kills"])
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--kills", type=int, default=100)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        if options.what == "kills":
            kills(Path(folder), options.kills)
        else:
            commands = {"train": trainings, "record": recordings}[options.what]
            cost(commands, Path(folder), options.units // options.rounds, options.rounds)


def cost(commands: Commands, folder: Path, units: int, rounds: int) -> None:
    """Print the times of units with a driver, and of the same commands in a loop of two at a time."""
    totals = {"driver": (0.0, 0.0), "loop": (0.0, 0.0)}  # by the clock, and of processors
    for number in range(rounds):
        driver, loop = commands(folder / str(number), units)
        ways = {
            "driver": lambda driver=driver: run_quietly(driver),
            "loop": lambda loop=loop: list(ThreadPoolExecutor(2).map(run_quietly, loop)),
        }
        for name in sorted(ways, reverse=number % 2 == 0):
            clock, processors = time.monotonic(), spent()
            ways[name]()
            used = time.monotonic() - clock, spent() - processors
            totals[name] = totals[name][0] + used[0], totals[name][1] + used[1]
            print(f"{units} units, {name}: {used[0]:.0f} s, {used[1]:.0f} s of processor time", flush=True)
    for kind, name in enumerate(("by the clock", "of processor time")):
        driven, looped = totals["driver"][kind], totals["loop"][kind]
        print(f"{units * rounds} units: {driven:.0f} s and {looped:.0f} s {name} ({driven / looped:.3f})")


def trainings(folder: Path, units: int) -> tuple[list[str], list[list[str]]]:
    """Return the command of a sweep of small pairs, and commands that train the same pairs."""
    words = [word for name, value in SETTINGS.items() for word in (f"--{name}", str(value).strip('"'))]
    alone = [*PROGRAM, "train", *words, "--steps", "50"]
    loop = [[*alone, "--seed", str(i), "--out", str(folder / "loop" / str(i))] for i in range(units)]
    return sweep_command(folder / "sweep", units, steps=50), loop


def recordings(folder: Path, units: int) -> tuple[list[str], list[list[str]]]:
    """Return the command of a recording in parts, and commands that write the same parts."""
    (folder / "loop").mkdir(parents=True)
    whole = [*PROGRAM, "record", "--agents", "oracle", "--episodes"]
    loop = [
        [*whole, "1000", "--part", f"{i}/{units}", "--out", str(folder / "loop" / f"{i}.parquet")]
        for i in range(units)
    ]
    driver = [*whole, str(1000 * units), "--parts", str(units), "--out", str(folder / "parts"), "--jobs", "2"]
    return driver, loop


def run_quietly(command: list[str]) -> None:
    """Run a command to its end, in a session of its own as units are: Linux may share cores by session."""
    subprocess.run(command, check=True, capture_output=True, start_new_session=True)


def kills(folder: Path, wanted: int, pairs: int = 6, steps: int = 1000) -> None:
    """Kill units and drivers of sweeps at random, and compare the weights with those of whole sweeps."""
    chance, killed, same = random.Random(0), {"unit": 0, "driver": 0}, list[bool]()
    while sum(killed.values()) < wanted:
        disturbed, whole = (folder / f"{name}-{len(same)}" / "sweep" for name in ("disturbed", "whole"))
        command = sweep_command(disturbed, pairs, steps)
        while True:
            driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while sum(killed.values()) < wanted:
                time.sleep(chance.uniform(1.0, 11.0))
                running = running_units(disturbed)
                if driver.poll() is not None:
                    break
                if chance.random() < 0.2:
                    driver.kill()
                    killed["driver"] += 1
                elif running:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(running), signal.SIGKILL)
                        killed["unit"] += 1
            if driver.wait() == 0:
                break
        run_quietly(sweep_command(whole, pairs, steps))
        for path in whole.rglob("pair.safetensors"):
            same.append(path.read_bytes() == (disturbed / path.relative_to(whole)).read_bytes())
        print(
            f"{killed['unit']} kills of units, {killed['driver']} of drivers: {sum(same)} of {len(same)} same"
        )


def sweep_command(out: Path, pairs: int, steps: int) -> list[str]:
    """Write the file of a sweep, and return the command that runs it, two units at a time."""
    out.parent.mkdir(parents=True, exist_ok=True)
    settings = "".join(f"{name} = {value}\n" for name, value in {**SETTINGS, "steps": steps}.items())
    plan = out.with_suffix(".toml")
    plan.write_text(f"{settings}[grid]\nseed = {list(range(pairs))}\n")
    return [*PROGRAM, "sweep", str(plan), "--out", str(out), "--jobs", "2"]


def running_units(folder: Path) -> list[int]:
    """Return the numbers of the processes of the units that run."""
    with contextlib.suppress(ValueError):  # no driver has begun
        names = [status.name for status in status_of(folder) if status.state == "running"]
        lines = [(folder / "units" / f"{name}.jsonl").read_text().split('"pid": ') for name in names]
        return [int(parts[-1].split("}")[0]) for parts in lines if len(parts) > 1]
    return []


def spent() -> float:
    """Return the processor time of the processes that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
