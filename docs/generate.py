"""Write the pages that are made from the code at each build, so that they cannot differ from it."""

from __future__ import annotations

import dataclasses
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import api
import gymnasium
import languages
import numpy as np
import results
import walkthroughs
from results import table

import spatial_game
from spatial_game import figures, referential_symbol_v0, referential_v0
from spatial_game.cli.app import COMMANDS
from spatial_game.cli.browser import pair_in_page
from spatial_game.cli.options import GameOptions
from spatial_game.cli.play import read_lexicon
from spatial_game.cli.players import load_players
from spatial_game.config import GameConfig
from spatial_game.envs.roles import RoleEnv
from spatial_game.envs.turns import AGENTS, RECEIVER, SENDER
from spatial_game.game import rules
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.game.scene import Scene
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.rendering.picture import image
from spatial_game.web.play.page import play_fragment, play_page

ENVIRONMENTS = {"referential": referential_v0, "referential_symbol": referential_symbol_v0}
ROLES = ("Receiver", "Sender", "SenderSymbol")
GRID: dict[str, Any] = {"shape": (8, 8), "window_radius": 1, "num_visible": 1}
"""The grid of the examples."""


def write_all(folder: Path) -> None:
    """Write every generated page; pages that have not changed are left alone, and so not built again."""
    parts = {
        "arguments.md": arguments_table(),
        "role_arguments.md": arguments_table(RoleEnv),
        **{f"{name}.md": environment_facts(name) for name in ENVIRONMENTS},
        **{f"{name}_spaces.md": environment_spaces(name) for name in ENVIRONMENTS},
        **{f"{name}_history.md": version_history(name) for name in ENVIRONMENTS},
        "grid_spaces.md": environment_spaces("referential", **GRID),
        "roles.md": role_spaces(),
        **results.pages(),
    }
    pages = {f"parts/{name}": text for name, text in parts.items()}
    pages |= {"command-line.md": command_line()} | api.pages()
    for stale in set(folder.rglob("*.md")) - {folder / name for name in pages}:
        stale.unlink()
    for name, text in pages.items():
        page = folder / name
        page.parent.mkdir(parents=True, exist_ok=True)
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")
    walkthroughs.write_notebooks(folder / "notebooks")
    write_pictures(folder)
    write_order(folder)
    write_play(folder)
    languages.write_pages(folder / "site")


def write_play(folder: Path) -> None:
    """Write the page to play with: as a part of a page of the documentation, and by itself."""
    players = [load_players(name, GameOptions(), seed=0) for name in ("embed-60", "paper-60")]
    pairs = [pair_in_page(each, read_lexicon(each.lexicon, each)) for each in players]
    for name, text in (("parts/play.html", play_fragment(pairs)), ("site/play-alone.html", play_page(pairs))):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def write_pictures(folder: Path) -> None:
    """Draw the pictures of the page on the game: targets in the middle, at the end, and in grids."""
    line, cube = GameConfig(sequence_length=20), GameConfig(shape=(4, 4, 4), window_radius=1)
    pictures = {
        "middle": (line, "middle"),
        "end": (line, "end"),
        "grid": (GameConfig(**GRID), "right"),
        "slices": (cube, "(middle, middle, end)"),
    }
    for name, (config, edge) in pictures.items():
        episodes = draw_episodes(config, 100, np.random.default_rng(7))
        row = int(np.argmax(episodes.mask_column == config.edges.index(edge)))
        episode = episodes[row : row + 1]
        message = OracleSender(config).send(episode.window)[0]
        scene = Scene(config, episode, message, int(episode.target_index[0]))
        image(scene, scale=2).save(folder / f"episode-{name}.png")


def write_order(folder: Path) -> None:
    """Draw the order of a grid's pair, its weights and its regions, for the page on orders."""
    path = load_players("grid-8x8/0", GameOptions(), seed=0).lexicon
    assert path is not None
    additive = Lexicon.read(path).additive
    assert additive is not None
    model = additive.model
    drawings: dict[str, tuple[Any, tuple[float, float], str]] = {
        "order": (figures.order_strip, (7.0, 1.7), "the integers by their value"),
        "weights": (figures.weight_map, (2.6, 2.6), "the weight of each place"),
        "regions": (figures.symbol_regions, (4.2, 4.2), "the regions of the first symbols"),
    }
    for name, (draw, size, label) in drawings.items():
        svg = figures.to_svg(lambda axis, draw=draw: draw(axis, model), size, label)
        wide = f"{size[0] * 100:.0f}px"
        text = f'<div style="max-width: {wide}">{svg}</div>\n'
        (folder / f"{name}-grid.svg").write_text(text, "utf-8")


# --- The environments -----------------------------------------------------------------------------------


def environment_facts(name: str) -> str:
    """The table at the head of an environment's page, in PettingZoo's order."""
    module = ENVIRONMENTS[name]
    env = module.raw_env()
    return table(
        ("Import", f"`from spatial_game import {module.__name__.split('.')[-1]}`"),
        ("Registered as", f"`spatial_game/{name}-v0`"),
        ("Small game", f"`spatial_game/{name}-small-v0`: {small_game()}"),
        ("Actions", "Discrete"),
        ("Parallel API", "Yes, turn by turn"),
        ("Manual control", "No"),
        ("Agents", ", ".join(f"`{agent}`" for agent in env.possible_agents)),
        ("Number of agents", len(env.possible_agents)),
        ("Render modes", ", ".join(f"`{mode}`" for mode in env.metadata["render_modes"])),
    )


def environment_spaces(name: str, **game: Any) -> str:
    """What each agent of an environment sees and does, by default with the default arguments."""
    env = ENVIRONMENTS[name].raw_env(**game)
    rows = []
    for agent in AGENTS:
        rows += view_rows(agent, agent, env.observation_space(agent), env.config)
    width = env.observation_space(SENDER).shape[0]
    rows += [
        ("`state()`", f"`0:{width}`", f"what `{SENDER}` sees", ""),
        ("", f"`{width}:{env.state_space.shape[0]}`", f"what `{RECEIVER}` sees", ""),
    ]
    acts = [(f"`{agent}`", f"`{short(env.action_space(agent))}`", ACTS[agent][name]) for agent in AGENTS]
    actions = table(("Agent", "Action space", "An action is"), *acts)
    return f"{table(('Agent', 'Index', 'Holds', 'Values'), *rows)}\n{actions}"


def small_game() -> str:
    """The game of the small ids in words."""
    return results.in_words(gymnasium.make("spatial_game/Receiver-small-v0").unwrapped.config)


ACTS = {
    SENDER: {"referential": "the message, a symbol in each slot", "referential_symbol": "the next symbol"},
    RECEIVER: dict.fromkeys(ENVIRONMENTS, "the choice, an index of the candidates"),
}
"""What an action of each agent is in each environment."""


def role_spaces() -> str:
    """What the agent of each environment for one role sees and does, with the default arguments."""
    views, actions = [], []
    for name in ROLES:
        env = gymnasium.make(f"spatial_game/{name}-v0").unwrapped
        views += view_rows(f"{name}-v0", env.agent, env.observation_space, env.config)
        steps = env.config.message_length if name == "SenderSymbol" else 1
        actions.append((f"`{name}-v0`", f"`{short(env.action_space)}`", steps))
    spaces = table(("Id", "Index", "Holds", "Values"), *views)
    return f"{spaces}\n{table(('Id', 'Action space', 'Steps'), *actions, right=(2,))}"


def view_rows(name: str, agent: str, space: Any, config: GameConfig) -> list[tuple[str, str, str, str]]:
    """The fields of an agent's view: where they stand, and the values that they can have."""
    width = space.shape[0]
    split = rules.split_sender_view if agent == SENDER else rules.split_receiver_view
    fields = ("window", "own message") if agent == SENDER else ("message", "sequence", "candidates")
    rows = []
    for field, columns in zip(fields, split(config, np.arange(width)[None]), strict=True):
        if columns.size:
            first, end = int(columns[0, 0]), int(columns[0, -1]) + 1
            low, high = space.low[first:end].min(), space.high[first:end].max()
            who = "" if rows else f"`{name}`"
            holds = field + UNSEEN[field] + (", -2 in hidden cells" if low < -1 else "")
            rows.append((who, f"`{first}:{end}`", holds, f"{low:.0f} to {high:.0f}"))
    return rows


UNSEEN = {
    "window": ", -1 at the mask",
    "own message": ", -1 in the slots to come",
    "message": ", -1 before it is sent",
    "sequence": "",
    "candidates": "",
}
"""What -1 means in each field of a view."""


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


def short(space: Any) -> str:
    """A space as its constructor is written."""
    if hasattr(space, "nvec"):
        return f"MultiDiscrete([{space.nvec[0]}] * {len(space.nvec)})"
    return f"Discrete({space.n})"


def arguments_table(maker: Any = referential_v0.raw_env) -> str:
    """The arguments of an environment: its own, and the fields of GameConfig."""
    documented = attribute_docs(GameConfig)
    options = inspect.signature(maker).parameters.values()
    rows = [(f"`{o.name}`", f"`{o.default!r}`", OPTIONS[o.name]) for o in options if o.default is not o.empty]
    sizes = [
        (f"`{f.name}`", f"`{f.default or None}`", documented[f.name]) for f in dataclasses.fields(GameConfig)
    ]
    return table(("Argument", "Default", "Meaning"), *sizes, *rows)


OPTIONS = {
    "partner": "The policy that plays the other role.",
    "partner_index": "The index of the partner's pair, if there are several.",
    "render_mode": "What `render()` does: `human`, `ansi` or `rgb_array`.",
    "lexicon": "A `Lexicon` or its file: pictures and text then say what messages mean.",
    "observations": "The form of observations: `flat`, `dict`, `one_hot`, `grid` or, for both, `equal`.",
    "mask_in_observation": "Whether observations are a Dict of `observation` and `action_mask`.",
}
"""What each argument of an environment does."""


def attribute_docs(cls: type) -> dict[str, str]:
    """The strings that stand below the fields of a class."""
    from sphinx.pycode import ModuleAnalyzer

    found = ModuleAnalyzer.for_module(cls.__module__).find_attr_docs()
    return {
        name: " ".join(" ".join(lines).split())
        for (owner, name), lines in found.items()
        if owner == cls.__name__
    }


# --- The command line -----------------------------------------------------------------------------------


def command_line() -> str:
    """The page of the command line: the help of the program and of each command."""
    parts = ["# The command line\n", COMMAND_LINE_INTRODUCTION, help_text()]
    parts += [f"## `spatial-game {name}`\n\n{help_text(name)}" for name in COMMANDS]
    return "\n".join(parts)


COMMAND_LINE_INTRODUCTION = """
Every command has `--help`. With `--json`, a command prints one JSON object and nothing else. For a mistyped
command, option or pair, the error suggests the nearest name. Progress goes to stderr, and only to a
terminal; in a pipe, `train` writes one line at each validation. An error is
one line on stderr that names the field, the rule and the value.

| Exit status | Meaning |
|--:|---|
| 0 | done |
| 1 | the command failed |
| 2 | the command line was not understood |
| 130 | ended by Ctrl-C (or `train` ended by SIGTERM: it has saved its state) |
| 129, 143 | ended by SIGHUP (the terminal was closed) or SIGTERM; no file is left half written |
| 141 | the reader of a pipe stopped reading, as `head` does |

`SPATIAL_GAME_DEBUG=1` in the environment shows the traceback of an error, and `NO_COLOR=1` turns colours off.
`spatial-game --install-completion` lets your shell complete commands and options. `spatial-game doctor` shows
what is installed, what is missing, and whether play works.
"""


def help_text(*command: str) -> str:
    """Return the help of a command as a block of text."""
    environment = {**os.environ, "COLUMNS": "72", "NO_COLOR": "1"}
    words = [sys.executable, "-m", "spatial_game.cli", *command, "--help"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    lines = (textwrap.fill(line, 72) if len(line) > 74 else line for line in done.stdout.splitlines())
    return "```text\n" + "\n".join(lines).rstrip() + "\n```\n"
