"""Checks of what `reset` of an environment is given: a seed or several, and the options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_game.checks import did_you_mean, require_whole
from spatial_game.config import GameConfig
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game.checking import check_episodes
from spatial_game.game.episodes import Episodes, Mask


def checked_seeds(seed: Any, num_games: int) -> list[int | None]:
    """Return the seed of each game: seed, seed+1, ... for one whole number, or the seeds in a list.

    Raises `ValueError` for a list of another length, and as `checked_seed` does for each.
    """
    if isinstance(seed, (list, tuple, np.ndarray)):
        if len(seed) != num_games:
            raise UserError(f"seed must be one number or a list of {num_games}; got {len(seed)}")
        return [checked_seed(each) for each in seed]
    first = checked_seed(seed)
    return [None if first is None else first + game for game in range(num_games)]


def checked_seed(seed: Any) -> int | None:
    """Return the seed as an `int`, or None.

    Raises `TypeError` or `ValueError` unless it is a whole number of at least 0.
    """
    return None if seed is None else require_whole("seed", seed, 0)


_OPTIONS = {"episode": "one game", "reset_mask": "a batch of games"}  # of reset(), and what takes them


def option(options: Any, name: str) -> Any:
    """Return this option of a reset; None if it is not given.

    Options that resemble it, or belong to the other kind of environment, are refused. Others are those of
    other libraries.
    """
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise UserTypeError(f"options must be a dict or None; got {type(options).__name__}")
    for given in options.keys() - {name}:
        near = did_you_mean(str(given), [name])
        if near or str(given).removesuffix("s") in _OPTIONS:
            raise UserError(f'options of reset() must be {name} for {_OPTIONS[name]}; got "{given}"{near}')
    return options.get(name)


def one_episode(given: Any, config: GameConfig) -> Episodes:
    """Return the option "episode". Raises `TypeError` or `ValueError` unless it is one of this game."""
    if not isinstance(given, Episodes):
        raise UserTypeError(f'options["episode"] must be Episodes; got {type(given).__name__}')
    if len(given) != 1:
        raise UserError(f'options["episode"] must be a batch of one episode; got {len(given)}')
    return check_episodes(config, given)


def checked_mask(mask: Any, num_games: int) -> Mask:
    """Return the option "reset_mask", (B,). Raises `ValueError` unless it has booleans, at least one True."""
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (num_games,):
        raise UserError(
            f"reset_mask must be {num_games} booleans; got dtype {array.dtype} and shape {array.shape}"
        )
    if not array.any():
        raise UserError("reset_mask must have at least one True; got none")
    return array
