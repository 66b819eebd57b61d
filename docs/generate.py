"""The pages that are made from the code at each build, so that they cannot drift from it."""

from __future__ import annotations

import dataclasses
import json
import os
import pkgutil
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import api
import numpy as np

import spatial_agents
import spatial_game
from spatial_game import referential_symbol_v0, referential_v0
from spatial_game.cli.commands import COMMANDS
from spatial_game.config import GameConfig
from spatial_game.envs.turns import AGENTS
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.game.scene import Scene
from spatial_game.rendering.picture import image

ENVIRONMENTS = {"referential": referential_v0, "referential_symbol": referential_symbol_v0}


def write_all(folder: Path) -> None:
    """Write every generated page; pages that are already so are not touched, and not built again."""
    pages = {
        "arguments.md": arguments_table(),
        "command-line.md": command_line(),
        "pretrained.md": pretrained(),
        **{f"{name}.md": environment_facts(name) for name in ENVIRONMENTS},
        **{f"{name}_history.md": version_history(name) for name in ENVIRONMENTS},
        **api.pages(),
    }
    for stale in set(folder.rglob("*.md")) - {folder / name for name in pages}:
        stale.unlink()
    (folder / "api").mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        page = folder / name
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")
    write_pictures(folder)


def write_pictures(folder: Path) -> None:
    """The pictures of the page on the game: a target in the middle of its sequence, and one at the end."""
    config = GameConfig(sequence_length=20)
    episodes = draw_episodes(config, 100, np.random.default_rng(7))
    for name in ("middle", "end"):
        row = int(np.argmax(episodes.mask_column == config.edges.index(name)))
        episode = episodes[row : row + 1]
        message = OracleSender(config).send(episode.window)[0]
        scene = Scene(config, episode, message, int(episode.target_index[0]))
        image(scene, scale=2).save(folder / f"episode-{name}.png")


def table(*rows: tuple[Any, ...]) -> str:
    """Rows as a Markdown table; the first is the heading."""
    head, *body = ([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


# --- The environments -----------------------------------------------------------------------------------


def environment_facts(name: str) -> str:
    """The table that heads an environment's page, in PettingZoo's order, and the spaces of each agent."""
    module = ENVIRONMENTS[name]
    env = module.raw_env()
    facts = table(
        ("Import", f"`from spatial_game import {module.__name__.split('.')[-1]}`"),
        ("Registered as", f"`spatial_game/{name}-v0` (AEC and parallel)"),
        ("Actions", "Discrete"),
        ("Parallel API", "Yes, turn by turn"),
        ("Manual control", "No"),
        ("Agents", ", ".join(f"`{agent}`" for agent in env.possible_agents)),
        ("Number of agents", len(env.possible_agents)),
        ("Render modes", ", ".join(f"`{mode}`" for mode in env.metadata["render_modes"])),
        ("State shape", f"`{env.state_space.shape}`"),
    )
    spaces = table(
        ("Agent", "Action space", "Observation shape", "Observation values"),
        *(
            (f"`{agent}`", f"`{short(env.action_space(agent))}`", *observation(env, agent))
            for agent in AGENTS
        ),
    )
    return f"{facts}\nWith the default arguments:\n\n{spaces}"


HISTORY = {
    "referential": {"v0": "the first version; a whole message in one turn"},
    "referential_symbol": {"v0": "the first version; a turn for each symbol"},
}
"""What each version of an environment changed."""


def version_history(name: str) -> str:
    """The versions of an environment that are in the package, the newest first; each must have its note."""
    pattern = re.compile(rf"{name}_(v\d+)")
    found = [pattern.fullmatch(module.name) for module in pkgutil.iter_modules(spatial_game.__path__)]
    versions = sorted((match[1] for match in found if match), key=lambda v: int(v[1:]), reverse=True)
    if set(versions) != set(HISTORY[name]):
        raise ValueError(f"HISTORY must have a note for each version of {name}; got {list(HISTORY[name])}")
    return "".join(f"- {version}: {HISTORY[name][version]}.\n" for version in versions)


def observation(env: Any, agent: str) -> tuple[str, str]:
    """Shape and range of what an agent sees."""
    space = env.observation_space(agent)
    return f"`{space.shape}`", f"{space.low.min():.0f} to {space.high.max():.0f}, {space.dtype}"


def short(space: Any) -> str:
    """A space as its constructor is written."""
    if hasattr(space, "nvec"):
        return f"MultiDiscrete([{space.nvec[0]}] * {len(space.nvec)})"
    return f"Discrete({space.n})"


def arguments_table() -> str:
    """The arguments of an environment: the fields of GameConfig and the render mode."""
    documented = attribute_docs(GameConfig)
    rows = [(f"`{f.name}`", f"`{f.default}`", documented[f.name]) for f in dataclasses.fields(GameConfig)]
    return table(
        ("Argument", "Default", "Meaning"),
        *rows,
        ("`render_mode`", "`None`", "How `render()` shows: `human`, `ansi` or `rgb_array`."),
        ("`lexicon`", "`None`", "A `Lexicon` or its file, with which pictures read messages in words."),
    )


def attribute_docs(cls: type) -> dict[str, str]:
    """The strings that stand below the fields of a class."""
    from sphinx.pycode import ModuleAnalyzer

    found = ModuleAnalyzer.for_module(cls.__module__).find_attr_docs()
    return {
        name: " ".join(" ".join(lines).split())
        for (owner, name), lines in found.items()
        if owner == cls.__name__
    }


# --- The trained pairs ----------------------------------------------------------------------------------


def pretrained() -> str:
    """The bundled pairs: the figures of their model cards, and the commands that trained them."""
    folder = Path(spatial_agents.__file__).parent / "pretrained"
    cards = {path: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*/*.json"))}
    heading = ("Pair", "Game", "Inputs", "Accuracy (95% interval)", "Trained in")
    rows = [card_row(card) for card in cards.values()]
    commands = table(("Pairs", "Trained with, and `--seed`"), *training_commands(cards))
    return f"{table(heading, *rows)}\nAccuracy is on fresh episodes.\n\n{commands}"


def training_commands(cards: Mapping[Path, dict[str, Any]]) -> list[tuple[str, str]]:
    """Each command that trained pairs, without what says which and where, beside these and their seeds."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for path, card in cards.items():
        command = re.sub(r" --(seed|out|device|workers) \S+", "", card["command"])
        seed = int(re.findall(r"--seed (\d+)", card["command"])[0])
        found.setdefault((path.parent.name, command), []).append((int(path.stem), seed))
    rows = []
    for (name, command), pairs in found.items():
        indices, seeds = zip(*pairs, strict=True)
        rows.append((f"`{name}` {ranges(indices)}", f"`{command}`, {ranges(seeds)}"))
    return rows


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in words, those in a row by their first and last: [0, 1, 2, 5] as "0 to 2, 5"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def card_row(card: dict[str, Any]) -> tuple[str, ...]:
    """What a model card says in a line."""
    result = card["evaluation"]
    return (
        f"`{card['name']}`",
        GameConfig.from_dict(card["game"]).signature,
        card["recipe"]["inputs"],
        f"{result['accuracy']:.2%} ({result['low']:.2%} to {result['high']:.2%}), n = {result['n']:,}",
        f"{card['seconds'] / 60:.0f} minutes on {card['machine']}",
    )


# --- The command line -----------------------------------------------------------------------------------


def command_line() -> str:
    """What `--help` says, for the program and for each command."""
    parts = ["# The command line\n", *COMMAND_LINE_INTRODUCTION, help_text()]
    parts += [f"## `spatial-game {name}`\n\n{help_text(name)}" for name in COMMANDS]
    return "\n".join(parts)


COMMAND_LINE_INTRODUCTION = (
    "Every command has `--help`; all but `completion` print one JSON object and nothing else with `--json`.",
    "A mistyped command, option or pair is answered with the nearest that there is. Progress goes to stderr,",
    "and only to a terminal (piped, `train` writes a line at each validation). An error is one line",
    "on stderr that names field, rule and value.",
    "",
    "| Exit status | Means |",
    "|--:|---|",
    "| 0 | done |",
    "| 1 | it could not be done |",
    "| 2 | the command line was not understood |",
    "| 130 | Ctrl-C (and `train` ended by SIGTERM: it has saved where it was) |",
    "| 129, 143 | ended by SIGHUP (the terminal was closed) or SIGTERM; nothing half written is left |",
    "| 141 | the reader of a pipe has gone, as `head` does |",
    "",
    "With the environment variable `SPATIAL_GAME_DEBUG=1` an error shows its traceback; `NO_COLOR=1` turns",
    "colours off. `spatial-game completion bash` (or `zsh`, `fish`) prints a script with which the shell",
    "completes commands, options and trained pairs; `spatial-game doctor` says what is installed and works.",
    "",
)


def help_text(*command: str) -> str:
    """The help of a command, as a block of text."""
    environment = {**os.environ, "COLUMNS": "90", "NO_COLOR": "1"}
    words = [sys.executable, "-m", "spatial_game.cli", *command, "--help"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    lines = (textwrap.fill(line, 88) if len(line) > 90 else line for line in done.stdout.splitlines())
    return "```text\n" + "\n".join(lines).rstrip() + "\n```\n"
