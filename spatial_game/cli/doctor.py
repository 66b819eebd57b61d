"""`spatial-game doctor`: what is installed and works here, and what each missing extra would add."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text

import spatial_game
from spatial_game.cli.players import bundled_pairs, load_trained
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.rendering.viewer import display_problem
from spatial_game.workers import usable_cores

ADDS = {
    "agents": "trained pairs to play, record and evaluate, and training your own (PyTorch)",
    "sb3": "Stable-Baselines3: its vector environment, and its models as senders and receivers",
    "sb3-contrib": "RecurrentPPO and MaskablePPO on the roles",
    "supersuit": "SuperSuit's wrappers, to play through Stable-Baselines3",
    "torchrl": "TorchRL: its environment, with a native batch size on CPU and GPU",
    "rllib": "RLlib: the parallel environment in its new stack",
    "agilerl": "AgileRL: its batched protocol of multi-agent environments",
    "tianshou": "Tianshou: the environment in its collectors",
    "benchmarl": "BenchMARL: the game as one of its tasks",
    "window": 'render_mode="human" and play --window in a window of their own',
    "figures": "figures: heat maps, curves and the pictures of reports (matplotlib)",
    "docs": "for maintainers: building the documentation",
    "dev": "for maintainers: tests, lint, types and packages",
}
"""What each extra is for."""

# The first 1,000 episodes of seed 7, which are the same on every machine.
_PINNED = "a084d344fda2739270bbbdc2584841441176190661aa4fa2fe40bddff94be20e"


@dataclass(frozen=True)
class Library:
    """A package that is asked for, and what is there of it."""

    name: str
    needs: str
    """The least version, such as 2.0; empty if any will do."""
    version: str | None
    """The one that is installed."""

    @property
    def problem(self) -> str | None:
        """What is wrong with it, if anything."""
        if self.version is None:
            return f"{self.name} is missing"
        if _numbers(self.version) < _numbers(self.needs):
            return f"{self.name} must be at least {self.needs}; got {self.version}"
        return None


@dataclass(frozen=True)
class Check:
    """Something that was tried."""

    name: str
    problem: str | None
    detail: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """All that `doctor` finds."""

    spatial_game: dict[str, str]
    python: dict[str, str]
    platform: str
    devices: dict[str, Any]
    libraries: list[Library]
    extras: dict[str, list[Library]]
    pairs: list[str]
    checks: list[Check] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """Whatever keeps the package from working."""
        found = [library.problem for library in self.libraries] + [check.problem for check in self.checks]
        return [problem for problem in found if problem]

    def to_dict(self) -> dict[str, Any]:
        """The diagnosis for machines."""
        extras = [
            {
                "name": name,
                "adds": ADDS.get(name, ""),
                "installed": not any(library.problem for library in libraries),
                "libraries": [asdict(library) for library in libraries],
                "install": _install(name),
            }
            for name, libraries in self.extras.items()
        ]
        checks = [{**asdict(check), "ok": check.problem is None} for check in self.checks]
        return {**asdict(self), "extras": extras, "checks": checks, "problems": self.problems}


@dataclass(frozen=True)
class Doctor:
    """Say what is installed and works here, and what each missing extra would add.

    The exit status is 1 if something that is needed is missing or does not work.
    """

    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Look, try and show."""
        output = Output(self.json)
        with progress("looking around"):
            found = diagnose()
        show(found, output)
        output.result(found.to_dict())
        if found.problems:
            raise ValueError("; ".join(found.problems))


def diagnose() -> Diagnosis:
    """Look at what is installed, and try it."""
    required, extras = requirements()
    checks = [_try(name, attempt) for name, attempt in CHECKS.items()]
    return Diagnosis(
        spatial_game={
            "version": spatial_game.__version__,
            "folder": str(Path(spatial_game.__file__).parent),
        },
        python={"version": platform.python_version(), "program": sys.executable},
        platform=f"{platform.system()} {platform.release()}, {platform.machine()}",
        devices=_devices(),
        libraries=required,
        extras=extras,
        pairs=bundled_pairs(),
        checks=[check for check in checks if check.problem or check.detail],
    )


def requirements() -> tuple[list[Library], dict[str, list[Library]]]:
    """What the package needs, and what each of its extras does, by what its installation says of itself."""
    required: list[Library] = []
    extras: dict[str, list[Library]] = {
        name: [] for name in metadata.metadata("spatial-game").get_all("Provides-Extra", [])
    }
    for line in metadata.requires("spatial-game") or []:
        found = re.match(r"([\w.-]+)[^;]*", line)
        assert found is not None
        name, least = found[1], re.search(r">=\s*([\d.]+)", found[0])
        extra = re.search(r"extra == ['\"](.+?)['\"]", line)
        if name == "spatial-game":  # an extra that includes others
            continue
        library = Library(name, least[1] if least else "", _version(name))
        (extras.setdefault(extra[1], []) if extra else required).append(library)
    return required, extras


# --- What is tried ----------------------------------------------------------------------------------------


def _draws_the_same() -> str:
    episodes = draw_episodes(GameConfig(), 1_000, np.random.default_rng(7))
    content = b"".join(np.ascontiguousarray(a, "<i2").tobytes() for a in vars(episodes).values())
    if hashlib.sha256(content).hexdigest() != _PINNED:
        raise ValueError("a seed gives other episodes here than elsewhere")
    return "a seed gives the episodes that it gives elsewhere"


def _plays() -> str:
    from spatial_game.cli.options import GameOptions
    from spatial_game.cli.play import make_env, play_episode
    from spatial_game.cli.players import load_players

    players = load_players("oracle", 0, GameOptions(), 0)
    env = make_env(players.config)
    env.reset(seed=0)
    won = 0.0
    for _ in range(20):
        won += play_episode(env, players)
        env.reset()
    if won < 20:
        raise ValueError(f"the oracle pair must win every episode; it won {won:.0f} of 20")
    return "the oracle pair wins 20 of 20 episodes of the PettingZoo environment"


def _is_registered() -> str:
    try:
        from pettingzoo import aec_registry
    except ImportError:
        return "this PettingZoo has no registry: use spatial_game.referential_v0.env()"
    names = [name for name in aec_registry if name.startswith("spatial_game/")]
    if not names:
        raise ValueError("the environments are not in PettingZoo's registry")
    return f"pettingzoo.make knows {', '.join(names)}"


def _draws_pictures() -> str:
    from spatial_game.game.scene import Scene
    from spatial_game.rendering.picture import rgb_array

    config = GameConfig()
    message = np.zeros(config.message_length, dtype=np.int16)
    pixels = rgb_array(Scene(config, draw_episodes(config, 1, np.random.default_rng(0)), message))
    return f"{pixels.shape[1]} x {pixels.shape[0]} pixels"


def _trained_pairs() -> str:
    """Nothing where there is no PyTorch: that is no fault."""
    if find_spec("torch") is None:
        return ""
    import torch

    from spatial_game.game.evaluation import evaluate

    won = [f"PyTorch {torch.__version__}"]
    for name in bundled_pairs():
        result = evaluate(load_trained(name, 0, "cpu"), 1_000, 0).overall
        if result.accuracy < 0.5:
            raise ValueError(f"{name} must win most episodes; it won {result.successes:,} of 1,000")
        won.append(f"{name} wins {result.accuracy:.1%}")
    return ", ".join(won)


CHECKS: dict[str, Callable[[], str]] = {
    "episodes": _draws_the_same,
    "play": _plays,
    "registry": _is_registered,
    "pictures": _draws_pictures,
    "pairs": _trained_pairs,
}
"""What is tried: each returns what it found (nothing if there was nothing to try), or raises."""


def _try(name: str, attempt: Callable[[], str]) -> Check:
    try:
        return Check(name, None, attempt())
    except Exception as error:  # whatever it is, it is what we were asked to find
        return Check(name, f"{name}: {type(error).__name__}: {' '.join(str(error).split())}")


# --- What is there ----------------------------------------------------------------------------------------


def _devices() -> dict[str, Any]:
    """Processors and displays."""
    devices: dict[str, Any] = {
        "cpu": {"cores": os.cpu_count(), "usable": usable_cores()},
        "cuda": [],
        "mps": False,
        "window": {"problem": display_problem()},
    }
    with contextlib.suppress(Exception):  # what is wrong with torch is found out where it is tried
        import torch

        cards = map(torch.cuda.get_device_properties, range(torch.cuda.device_count()))
        devices["cuda"] = [{"name": c.name, "gigabytes": round(c.total_memory / 2**30)} for c in cards]
        devices["mps"] = torch.backends.mps.is_available()
    return devices


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, to compare: 2.10.0rc1 is (2, 10, 0)."""
    numbers = [int(part) for part in re.findall(r"\d+", version.split("+")[0])[:3]]
    return (*numbers, *[0] * (3 - len(numbers)))


def _install(extra: str) -> str:
    return f"pip install 'spatial-game[{extra}]'"


# --- What is shown ----------------------------------------------------------------------------------------


def show(found: Diagnosis, output: Output) -> None:
    """The diagnosis for people."""
    output.say(f"spatial-game {found.spatial_game['version']}  in {found.spatial_game['folder']}")
    output.say(f"Python {found.python['version']}  {found.python['program']}", found.platform)
    output.heading("Devices")
    output.say(*_lines([(name, "", "", text) for name, text in _devices_in_words(found.devices)], output))
    output.heading("Needed libraries")
    needed = [(each.name, *_state([each]), each.version or "") for each in found.libraries]
    output.say(*_lines(needed, output))
    output.heading("Extras")
    extras = [(name, *_state(libraries), ADDS.get(name, "")) for name, libraries in found.extras.items()]
    output.say(*_lines(extras, output))
    missing = [name for name, libraries in found.extras.items() if any(each.problem for each in libraries)]
    if missing:
        output.say("", "To add what is missing, for example:", f"  {_install(missing[0])}")
    output.heading("Tried")
    states = [("fails", "bold red") if check.problem else ("works", "green") for check in found.checks]
    tried = zip(found.checks, states, strict=True)
    output.say(*_lines([(c.name, *state, c.problem or c.detail) for c, state in tried], output))


def _lines(rows: Sequence[tuple[str, str, str, str]], output: Output) -> list[Text]:
    """Rows of name, state, its style and a text, which goes on below itself on a narrow terminal."""
    names, states = (max((len(row[i]) for row in rows), default=0) for i in (0, 1))
    indent = 2 + names + 2 + (states + 2 if states else 0)
    lines = []
    for name, state, style, text in rows:
        first, *others = textwrap.wrap(text, max(output.width - indent, 20), break_long_words=False) or [""]
        padded = f"{state:<{states}}  " if states else ""
        lines.append(Text.assemble(f"  {name:<{names}}  ", (padded, style), first))
        lines += [Text(" " * indent + other) for other in others]
    for line in lines:
        line.rstrip()
    return lines


def _state(libraries: Sequence[Library]) -> tuple[str, str]:
    """Whether all libraries are there, and a style for that."""
    lacking = [library.name for library in libraries if library.problem]
    if not lacking:
        return "installed", "green"
    return ("missing" if len(lacking) == len(libraries) else f"lacks {', '.join(lacking)}"), "yellow"


def _devices_in_words(devices: dict[str, Any]) -> list[tuple[str, str]]:
    cpu, cuda, problem = devices["cpu"], devices["cuda"], devices["window"]["problem"]
    cards = [f"{card['name']}, {card['gigabytes']} GB" for card in cuda]
    return [
        ("cpu", f"{cpu['cores']} cores, {cpu['usable']} of them for this process"),
        ("cuda", "; ".join(cards) or "none"),
        *([("mps", "yes")] if devices["mps"] else []),
        ("window", f"no: {problem}" if problem else "yes"),
    ]
