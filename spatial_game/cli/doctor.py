"""`spatial-game doctor`: what is installed and works here, and what each missing extra adds."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from packaging.requirements import Requirement
from rich.text import Text

import spatial_game
from spatial_game.cli.options import Command, GameOptions
from spatial_game.cli.play import ENVIRONMENT, make_env, play_episode
from spatial_game.cli.players import bundled_pairs, load_players, load_trained
from spatial_game.cli.terminal import Output, in_columns, progress
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import evaluate
from spatial_game.game.scene import Scene
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
COLOURS = {"works": "green", "installed": "green", "fails": "bold red", "missing": "yellow"}
_PINNED = "a084d344fda2739270bbbdc2584841441176190661aa4fa2fe40bddff94be20e"  # 1,000 episodes of seed 7


@dataclass(frozen=True, kw_only=True)
class Doctor(Command):
    """The options of `spatial-game doctor`."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Look, try and show. Raises `ValueError` if something needed is missing or does not work."""
        with progress("looking around"):
            folder = str(Path(spatial_game.__file__).parent)
            libraries, extras = requirements()
            checks = [attempt(name) for name in CHECKS]
            found: dict[str, Any] = {
                "spatial_game": {"version": spatial_game.__version__, "folder": folder},
                "python": {"version": platform.python_version(), "program": sys.executable},
                "platform": f"{platform.system()} {platform.release()}, {platform.machine()}",
                "devices": devices(),
                "libraries": libraries,
                "extras": [extra(name, needs) for name, needs in extras.items()],
                "pairs": bundled_pairs(),
                "checks": [check for check in checks if check["problem"] or check["detail"]],
                "problems": [each["problem"] for each in [*libraries, *checks] if each["problem"]],
            }
        show(output, found)
        if found["problems"]:
            output.result(found)
            raise ValueError("; ".join(found["problems"]))
        return found


def requirements() -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Return what the package needs here, and what each extra needs beside that, from its metadata."""
    names = metadata.metadata("spatial-game").get_all("Provides-Extra", [])
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in ["", *names]}
    for need in map(Requirement, metadata.requires("spatial-game") or []):
        of = [name for name in groups if need.marker is None or need.marker.evaluate({"extra": name})]
        for name in [""] if "" in of else of:
            groups[name].append(library(need))
    return groups.pop(""), groups


def library(need: Requirement) -> dict[str, Any]:
    """Return the version of a package that is installed, and what is wrong with it, if anything."""
    problem = version = None
    try:
        version = metadata.version(need.name)
        if not need.specifier.contains(version, prereleases=True):
            problem = f"{need.name} must be {need.specifier}; got {version}"
    except metadata.PackageNotFoundError:
        problem = f"{need.name} is missing"
    return {"name": need.name, "needs": str(need.specifier), "version": version, "problem": problem}


def extra(name: str, libraries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an extra, what it adds, and how it is installed in the repository (until there is a release)."""
    whole = not any(each["problem"] for each in libraries)
    told = {"name": name, "adds": ADDS.get(name, ""), "installed": whole, "libraries": libraries}
    return {**told, "install": f"pip install '.[{name}]'"}


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


# --- What is tried ----------------------------------------------------------------------------------------


def _draws_the_same() -> str:
    episodes = draw_episodes(GameConfig(), 1_000, np.random.default_rng(7))
    content = b"".join(np.ascontiguousarray(a, "<i2").tobytes() for a in vars(episodes).values())
    if hashlib.sha256(content).hexdigest() != _PINNED:
        raise ValueError("a seed gives other episodes here than elsewhere")
    return "a seed gives the same episodes as elsewhere"


def _plays() -> str:
    players = load_players("oracle", 0, GameOptions(), 0)
    env, won = make_env(players.config), 0.0
    for seed in range(20):
        env.reset(seed=seed)
        won += play_episode(env, players)
    if won < 20:
        raise ValueError(f"the oracle pair must win every episode; it won {won:.0f} of 20")
    return f"the oracle pair wins 20 of 20 episodes of {ENVIRONMENT}"


def _draws_pictures() -> str:
    from spatial_game.rendering.picture import rgb_array

    config = GameConfig()
    message = np.zeros(config.message_length, dtype=np.int16)
    pixels = rgb_array(Scene(config, draw_episodes(config, 1, np.random.default_rng(0)), message))
    return f"{pixels.shape[1]} x {pixels.shape[0]} pixels"


def _trained_pairs() -> str:
    try:
        won = [f"ONNX Runtime {metadata.version('onnxruntime')}"]
    except metadata.PackageNotFoundError:  # the libraries say so where it is a fault
        return ""
    for name in bundled_pairs():
        result = evaluate(load_trained(name, 0, "cpu"), 1_000, 0).overall
        if result.accuracy < 0.5:
            raise ValueError(f"{name} must win most episodes; it won {result.successes:,} of 1,000")
        won.append(f"{name} wins {result.accuracy:.1%}")
    return ", ".join(won)


CHECKS = {"episodes": _draws_the_same, "play": _plays, "pictures": _draws_pictures, "pairs": _trained_pairs}
"""What is tried: each returns what it found (nothing if there was nothing to try), or raises."""


def attempt(name: str) -> dict[str, Any]:
    """Return what a check found, or its problem."""
    detail, problem = "", None
    try:
        detail = CHECKS[name]()
    except Exception as error:  # whatever it is, it is what we were asked to find
        problem = f"{name}: {type(error).__name__}: {' '.join(str(error).split())}"
    return {"name": name, "problem": problem, "detail": detail, "ok": problem is None}


# --- What is shown ----------------------------------------------------------------------------------------


def show(output: Output, found: dict[str, Any]) -> None:
    """Show what was found to people: in each section a name, a state and a text in each row."""
    output.say(f"spatial-game {found['spatial_game']['version']} in {found['spatial_game']['folder']}")
    output.say(f"Python {found['python']['version']}, {found['python']['program']}", found["platform"])
    cpu, cuda, mps, window = found["devices"].values()
    cards = [f"{card['name']}, {card['gigabytes']} GB" for card in cuda] + ["mps"] * mps
    states = {True: "works", False: "fails"}
    sections = {
        "Devices": [
            ("cpu", "", f"{cpu['cores']} cores; this process may use {cpu['usable']}"),
            ("gpu", "", "; ".join(cards) or "none"),
            ("window", "", f"no: {window['problem']}" if window["problem"] else "yes"),
        ],
        "Needed libraries": [(e["name"], e["version"] or "", e["problem"] or "") for e in found["libraries"]],
        "Extras": [(e["name"], _state(e["libraries"]), e["adds"]) for e in found["extras"]],
        "Checks": [(e["name"], states[e["ok"]], e["problem"] or e["detail"]) for e in found["checks"]],
    }
    for title, rows in sections.items():
        output.heading(title)
        leads = [Text(f"{name:<16} ").append(state, COLOURS.get(state)) for name, state, _ in rows]
        output.say(*in_columns([(lead, row[2]) for lead, row in zip(leads, rows, strict=True)], output.width))
    lacking = [each["install"] for each in found["extras"] if not each["installed"]]
    if lacking:
        output.say("", f"To add an extra, run in the folder of the repository: {lacking[0]}")


def _state(libraries: list[dict[str, Any]]) -> str:
    """Return whether the libraries of an extra are installed, or which are not."""
    lacking = [each["name"] for each in libraries if each["problem"]]
    if not lacking:
        return "installed"
    return "missing" if len(lacking) == len(libraries) else f"lacks {', '.join(lacking)}"
