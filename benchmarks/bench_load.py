"""How much time and memory large games and recordings take.

    python benchmarks/bench_load.py                              (prints a row for each case; half an hour)
    python benchmarks/bench_load.py --game grid --case train     (some of them)

Each case runs in a process of its own, which may use 6 GiB of address space (`--gib`). "Seconds" are those of
the whole process with its imports, "peak" is the largest resident memory. A case that ends early shows its
last line.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from spatial_game import referential_v0
from spatial_game.cli import main as command
from spatial_game.envs.roles import ReceiverVectorEnv
from spatial_game.envs.vector import ParallelVectorEnv

GAMES: dict[str, dict[str, Any]] = {
    "60 integers": {},
    "grid 100 x 100": {"shape": (100, 100), "message_length": 4},
    "5,000 integers": {"sequence_length": 5000, "message_length": 4},
    "messages of 500": {"message_length": 500},
}
EPISODES = {
    "60 integers": 2_000_000,
    "grid 100 x 100": 20_000,
    "5,000 integers": 40_000,
    "messages of 500": 50_000,
}
GAMES_AT_ONCE, STEPS = 4096, 20


class Load:
    """A game and a number of its episodes, and what can be done with them in the folder."""

    def __init__(self, game: str, agents: str, folder: Path) -> None:
        self.options, self.episodes, self.agents = GAMES[game], str(EPISODES[game]), agents
        self.recording = str(folder / f"{agents}.parquet")
        self.page = str(folder / "page.html")

    @property
    def flags(self) -> list[str]:
        """The sizes of the game on the command line."""
        flags = []
        for name, value in self.options.items():
            values = value if isinstance(value, tuple) else (value,)
            flags += [text for each in values for text in (f"--{name.replace('_', '-')}", str(each))]
        return flags

    def record(self) -> int:
        """Play and record."""
        played = [self.agents, "--episodes", self.episodes, "--out", self.recording]
        return command(["record", *played, *self.flags])

    def analyse(self) -> int:
        """Find the dictionary."""
        return command(["analyse", self.recording])

    def npmi(self) -> int:
        """Make the paper's table."""
        return command(["npmi", self.recording])

    def npmi_of_several(self) -> int:
        """Make the paper's table with several integers for each n-gram."""
        return command(["npmi", self.recording, "--top-n", "3"])

    def measures(self) -> int:
        """Measure the language."""
        return command(["measure", self.recording])

    def describe(self) -> int:
        """Write the page."""
        return command(["describe", self.recording, "--out", self.page])

    def evaluate(self) -> int:
        """Play without recording."""
        return command(["evaluate", self.agents, "--episodes", self.episodes, *self.flags])

    def one_game(self) -> int:
        """Play one game at a time."""
        env = referential_v0.parallel_env(**self.options)
        return play_one(env)

    def rendered(self) -> int:
        """Draw one episode as text and as a picture."""
        for mode in ("ansi", "rgb_array"):
            env = referential_v0.parallel_env(**self.options, render_mode=mode)
            play_one(env, 1)
            env.render()
        return 0

    def many_games(self) -> int:
        """Play many games at once, both agents."""
        envs = ParallelVectorEnv(GAMES_AT_ONCE, **self.options)
        envs.reset(seed=0)
        actions = {agent: envs.action_space(agent).sample() for agent in envs.agents}
        for _ in range(STEPS):
            envs.step(actions)
        return 0

    def many_receivers(self) -> int:
        """Play many games at once with a partner."""
        envs = ReceiverVectorEnv(GAMES_AT_ONCE, self.agents, **self.options)
        envs.reset(seed=0)
        for _ in range(STEPS):
            envs.step(np.zeros(GAMES_AT_ONCE, dtype=np.int64))
        return 0

    def train(self) -> int:
        """Make a step of the default recipe."""
        with TemporaryDirectory() as folder:
            return command(["train", "--steps", "1", "--out", f"{folder}/run", *self.flags])


CASES: dict[str, Callable[[Load], int]] = {
    name: case for name, case in vars(Load).items() if callable(case) and name != "__init__"
}
WITHOUT_SENDER = ("one_game", "rendered", "many_games", "many_receivers", "train")
"""The cases that do not depend on the sender, or need the oracle."""


def play_one(env: Any, episodes: int = 100) -> int:
    """Play this number of episodes at random."""
    env.reset(seed=0)
    actions = {agent: env.action_space(agent).sample() for agent in env.possible_agents}
    for _ in range(episodes):
        env.reset()
        while env.agents:
            env.step(actions)
    return 0


def run_here(game: str, agents: str, case: str, folder: Path, gib: float) -> None:
    """Run a case in this process, and print what it took as JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (int(gib * 2**30),) * 2)
    begun, errors = time.perf_counter(), io.StringIO()
    status: int | str
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        try:
            status = CASES[case](Load(game, agents, folder))
        except Exception as error:
            status = f"{type(error).__name__}: {error}".splitlines()[0]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    end = "" if status == 0 else status if isinstance(status, str) else errors.getvalue().splitlines()[-1]
    print(json.dumps({"seconds": time.perf_counter() - begun, "MiB": peak, "end": end}))


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="", help="only games with this in their name")
    parser.add_argument("--case", default="", help="only cases with this in their name")
    parser.add_argument("--agents", nargs="+", default=["oracle", "random"], help="the senders")
    parser.add_argument("--gib", type=float, default=6, help="address space of a case")
    parser.add_argument("--here", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        game, agents, folder = options.here
        run_here(game, agents, options.case, Path(folder), options.gib)
        return
    print(f"{'game':<16}{'agents':<8}{'case':<16}{'seconds':>8}{'peak, MiB':>11}  ends with")
    for game in (name for name in GAMES if options.game in name):
        for agents in options.agents:
            with TemporaryDirectory() as folder:
                chosen = [name for name in CASES if options.case in name or name == "record"]
                if agents != options.agents[0]:
                    chosen = [name for name in chosen if name not in WITHOUT_SENDER]
                for case in chosen:
                    print(row_of(game, agents, case, folder, options.gib), flush=True)


def row_of(game: str, agents: str, case: str, folder: str, gib: float) -> str:
    """Run a case in a new process, and return its row."""
    begun = time.perf_counter()
    arguments = ["--gib", str(gib), "--case", case, "--here", game, agents, folder]
    ran = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=False)
    took = time.perf_counter() - begun
    lines = ran.stdout.splitlines()
    found = json.loads(lines[-1]) if lines else {"MiB": 0, "end": f"status {ran.returncode}"}
    return f"{game:<16}{agents:<8}{case:<16}{took:>8.1f}{found['MiB']:>11,.0f}  {found['end']}"


if __name__ == "__main__":
    main()
