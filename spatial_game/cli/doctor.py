"""`spatial-game doctor`: what is installed, what each missing extra adds, and whether play works."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rich.text import Text

import spatial_game
from spatial_agents.pairs.names import pair_names
from spatial_game.cli.options import Command, GameOptions
from spatial_game.cli.players import load_players
from spatial_game.cli.terminal import Output, in_columns, progress
from spatial_game.game.evaluation import evaluate

ADDS = {
    "agents": "training of pairs, and play on a GPU (PyTorch)",
    "sb3": "Stable-Baselines3: its vector environment, and its models as senders and receivers",
    "sb3-contrib": "RecurrentPPO and MaskablePPO on the roles",
    "supersuit": "SuperSuit's wrappers",
    "torchrl": "TorchRL: its environment, with a native batch size on CPU and GPU",
    "rllib": "RLlib: the parallel environment",
    "agilerl": "AgileRL: its protocol for batched multi-agent environments",
    "tianshou": "Tianshou: the environment in its collectors",
    "benchmarl": "BenchMARL: the game as one of its tasks",
    "window": 'render_mode="human" and play --window in a window',
    "figures": "figures of studies, training and reports (matplotlib)",
    "cluster": "units of work as jobs of a Slurm cluster (--on slurm)",
    "docs": "for maintainers: building the documentation",
    "dev": "for maintainers: tests, lint, types and packages",
}
"""What each extra is for."""


@dataclass(frozen=True, kw_only=True)
class Doctor(Command):
    """The options of `spatial-game doctor`."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Look, play and show. Raises `ValueError` if a library is missing or play does not work."""
        found: dict[str, Any] = {
            "version": spatial_game.__version__,
            "folder": spatial_game.__path__[0],
            "python": f"{platform.python_version()}, {sys.executable}",
            "platform": f"{platform.system()} {platform.release()}, {platform.machine()}",
        }
        output.say(*(f"{name:<9} {value}" for name, value in found.items()))
        problems = lacking()
        extras = {name: [each for each in lacking(name) if each not in problems] for name in ADDS}
        output.heading("Extras, to add in the clone with: pip install -e '.[NAME]'")
        rows = [(Text(name), f"{'; '.join(extras[name]) or 'installed'}: {ADDS[name]}") for name in ADDS]
        output.say(*in_columns(rows, output.width))
        if not problems:
            name = next(iter(pair_names()), "oracle")
            with progress(f"{name}: playing"):
                won = evaluate(load_players(name, GameOptions(), 0), 1_000)
            output.say("", f"{name} wins {won.accuracy:.1%} of 1,000 episodes.")
            problems = [] if won.accuracy > 0.5 else [f"{name} must win most of 1,000 episodes"]
        if problems:
            raise ValueError("; ".join(problems))
        return {**found, "extras": extras, "played": name, "accuracy": won.accuracy}


def lacking(extra: str = "") -> list[str]:
    """Return what is missing, or too old or new, of what the package needs, with or without an extra."""
    installed = {canonicalize_name(found.name): found.version for found in metadata.distributions()}
    needs = [Requirement(line) for line in metadata.requires("spatial-game") or []]
    return [
        f"{need.name} must be {need.specifier or 'installed'}; got {version or 'none'}"
        for need in needs
        if not need.marker or need.marker.evaluate({"extra": extra})
        for version in [installed.get(canonicalize_name(need.name))]
        if version is None or not need.specifier.contains(version, prereleases=True)
    ]
