"""A sweep from a TOML file: settings for all pairs, a grid of settings, or a list of pairs.

    sequence-length = 20      # for all pairs, by the names of the options of `spatial-game train`
    steps = 4000

    [grid]                    # every combination
    vocab-size = [13, 26]
    seed = [0, 1, 2]

Instead of `[grid]`, or together with it, `[[pairs]]` lists pairs with their own settings.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spatial_game.config import did_you_mean

Settings = dict[str, Any]


def read_plan(path: Path) -> dict[str, Any]:
    """Return the content of a file. Raises `ValueError` for one that is no TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: must be a TOML file; {error}") from None


def pairs_of(content: Mapping[str, Any], known: Sequence[str], source: str) -> dict[str, Settings]:
    """Return the settings of each pair of a sweep, by a name made of its settings in grids and lists.

    `known`: the valid settings. Raises `ValueError`, which names the source, for a plan that describes no
    pair, names an unknown setting, or describes a pair twice.
    """
    try:
        pairs = list(_pairs(content, known))
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    if not pairs:
        raise ValueError(f"{source}: must describe at least one pair, in [grid] or [[pairs]]; got none")
    parts = content.get("grid", {}), *content.get("pairs", [])
    own = {name.replace("-", "_") for part in parts for name in part}
    named = {_name(pair, [name for name in known if name in own]): pair for pair in pairs}
    if len(named) < len(pairs):
        raise ValueError(f"{source}: pairs must differ; got {len(pairs) - len(named)} of them twice")
    return named


def _pairs(content: Mapping[str, Any], known: Sequence[str]) -> Iterator[Settings]:
    """Yield the settings of all pairs, with the names of `known`."""
    fixed = _settings({k: v for k, v in content.items() if k not in ("grid", "pairs")}, known)
    grid, listed = content.get("grid", {}), content.get("pairs", [{}] if content.get("grid") else [])
    tables = [grid, *listed] if isinstance(listed, list) else [listed]
    if not isinstance(listed, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError("grid must be one table [grid], and pairs tables [[pairs]]")
    axes = _settings(grid, known)
    for name, values in axes.items():
        if not isinstance(values, list):
            raise ValueError(f"grid: {name} must be a list of values; got {values!r}")
    for own in listed:
        settings = {**fixed, **_settings(own, known)}
        for name in sorted(axes.keys() & settings.keys()):
            raise ValueError(f"grid: {name} must be only in the grid; got {settings[name]!r} outside it, too")
        for combination in itertools.product(*axes.values()):
            yield {**settings, **dict(zip(axes, combination, strict=True))}


def _settings(given: Mapping[str, Any], known: Sequence[str]) -> Settings:
    settings = {name.replace("-", "_"): value for name, value in given.items()}
    if len(settings) < len(given):
        raise ValueError(f"settings must be given once; got {', '.join(given)}")
    for name in settings:
        if name not in known:
            near = did_you_mean(name, known)
            raise ValueError(f"settings must be options of spatial-game train; got {name}{near}")
    return settings


def _name(pair: Settings, own: Sequence[str]) -> str:
    """Return the name of a pair and its folder, from its settings in grids and lists."""
    return "_".join(f"{name.replace('_', '-')}-{pair[name]}" for name in own if name in pair) or "pair"
