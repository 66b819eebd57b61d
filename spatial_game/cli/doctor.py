"""`spatial-game doctor`: what is installed, what works, and what each missing extra adds."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import numpy as np
from packaging.requirements import Requirement
from rich.text import Text

import spatial_game
from spatial_game.cli.options import Command, GameOptions
from spatial_game.cli.play import play_episode
from spatial_game.cli.players import bundled_pairs, load_players
from spatial_game.cli.terminal import Output, in_columns, progress
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate
from spatial_game.rendering.viewer import display_problem
from spatial_game.units import usable_cores

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
_PINNED = "a084d344fda2739270bbbdc2584841441176190661aa4fa2fe40bddff94be20e"  # 1,000 episodes of seed 7


@dataclass(frozen=True, kw_only=True)
class Doctor(Command):
    """The options of `spatial-game doctor`."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Check, and show the results. Raises `ValueError` if something needed is missing or fails."""
        with progress("checking"):
            needed, checks = libraries(), [attempt(name) for name in CHECKS]
            found: dict[str, Any] = {
                "spatial_game": {"version": spatial_game.__version__, "folder": spatial_game.__path__[0]},
                "python": {"version": platform.python_version(), "program": sys.executable},
                "platform": f"{platform.system()} {platform.release()}, {platform.machine()}",
                "devices": devices(),
                "libraries": needed,
                "extras": [extra(name) for name in ADDS],
                "pairs": bundled_pairs(),
                "checks": checks,
                "problems": [each["problem"] for each in [*needed, *checks] if each["problem"]],
            }
        show(output, found)
        if found["problems"]:
            output.result(found)
            raise ValueError("; ".join(found["problems"]))
        return found


def libraries(extra: str = "") -> list[dict[str, Any]]:
    """Return the libraries that the package needs here, or the further ones that an extra needs."""
    needs = [Requirement(line) for line in metadata.requires("spatial-game") or []]
    own, its = ([n for n in needs if not n.marker or n.marker.evaluate({"extra": of})] for of in ("", extra))
    return [library(need) for need in its if not extra or need not in own]


def library(need: Requirement) -> dict[str, Any]:
    """Return the installed version of a library, and what is wrong with it, if anything."""
    version, problem = None, f"{need.name} is missing"
    with contextlib.suppress(metadata.PackageNotFoundError):
        version = metadata.version(need.name)
        fits = need.specifier.contains(version, prereleases=True)
        problem = "" if fits else f"{need.name} must be {need.specifier}; got {version}"
    return {"name": need.name, "needs": str(need.specifier), "version": version, "problem": problem or None}


def extra(name: str) -> dict[str, Any]:
    """Return what an extra adds, what it lacks, and how to install it in the repository (until a release)."""
    told = {"name": name, "adds": ADDS[name], "install": f"pip install -e '.[{name}]'"}
    needed = libraries(name)
    lacks = "; ".join(each["problem"] for each in needed if each["problem"])
    return {**told, "libraries": needed, "installed": not lacks, "problem": lacks or None}


def devices() -> dict[str, Any]:
    """Return the processors and the display that can be used."""
    cores = {"cores": os.cpu_count(), "usable": usable_cores()}
    found: dict[str, Any] = {"cpu": cores, "cuda": [], "mps": False, "window": {"problem": display_problem()}}
    with contextlib.suppress(Exception):  # where torch is missing or broken
        import torch

        cards = map(torch.cuda.get_device_properties, range(torch.cuda.device_count()))
        found["cuda"] = [{"name": c.name, "gigabytes": round(c.total_memory / 2**30)} for c in cards]
        found["mps"] = torch.backends.mps.is_available()
    return found


def attempt(name: str) -> dict[str, Any]:
    """Return what a check found, or its problem."""
    detail, problem = "", None
    try:
        detail = CHECKS[name]()
    except Exception as error:  # any error is a finding
        problem = f"{name}: {type(error).__name__}: {' '.join(str(error).split())}"
    return {"name": name, "problem": problem, "detail": detail, "ok": problem is None}


def _episodes() -> str:
    episodes = draw_episodes(GameConfig(), 1_000, np.random.default_rng(7))
    content = b"".join(np.ascontiguousarray(a, "<i2").tobytes() for a in vars(episodes).values())
    if hashlib.sha256(content).hexdigest() != _PINNED:
        raise ValueError("a seed gives other episodes here than elsewhere")
    return "a seed gives the same episodes as elsewhere"


def _play() -> str:
    names = ["oracle", *bundled_pairs()] if find_spec("onnxruntime") else ["oracle"]
    won = {name: evaluate(load_players(name, GameOptions(), 0), 1_000).accuracy for name in names}
    for name, accuracy in won.items():
        if accuracy < 0.5:
            raise ValueError(f"{name} must win most episodes; it won {accuracy:.1%} of 1,000")
    return ", ".join(f"{name} wins {accuracy:.1%}" for name, accuracy in won.items())


def _pictures() -> str:
    env = spatial_game.referential_v0.env(render_mode="rgb_array")
    env.reset(seed=0)
    play_episode(env, load_players("oracle", GameOptions(), 0))
    return "an episode of the environment ends with {1} x {0} pixels".format(*np.shape(env.render()))


CHECKS = {"episodes": _episodes, "play": _play, "pictures": _pictures}
"""The checks: each returns what it found, or raises."""


def show(output: Output, found: dict[str, Any]) -> None:
    """Show the findings as text: a name and a text in each row."""
    output.say(f"spatial-game {found['spatial_game']['version']} in {found['spatial_game']['folder']}")
    output.say(f"Python {found['python']['version']}, {found['python']['program']}", found["platform"])
    cpu, cuda, mps, window = found["devices"].values()
    cards = [f"{card['name']}, {card['gigabytes']} GB" for card in cuda] + ["mps"] * mps
    devices = {
        "cpu": f"{cpu['cores']} cores; this process may use {cpu['usable']}",
        "gpu": "; ".join(cards) or "none",
        "window": f"no: {window['problem']}" if window["problem"] else "yes",
    }
    sections = {
        "Devices": devices.items(),
        "Needed libraries": [(e["name"], e["problem"] or e["version"]) for e in found["libraries"]],
        "Extras": [(e["name"], f"{e['problem'] or 'installed'}: {e['adds']}") for e in found["extras"]],
        "Checks": [
            (e["name"], f"works: {e['detail']}" if e["ok"] else f"fails: {e['problem']}")
            for e in found["checks"]
        ],
    }
    for title, rows in sections.items():
        output.heading(title)
        output.say(*in_columns([(Text(f"{name:<12}"), text) for name, text in rows], output.width))
    lacking = [each["install"] for each in found["extras"] if not each["installed"]]
    if lacking:
        output.say("", "To add an extra, run in the repository's folder:", f"  {lacking[0]}")
