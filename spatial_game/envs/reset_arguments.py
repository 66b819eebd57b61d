"""Checks of what `reset` of an environment is given: a seed or several, and the options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_game.checks import did_you_mean, require_whole
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game.episodes import Mask
from spatial_game.game.seeds import replicate_seeds

OPTIONS = ("episodes", "reset_mask")
"""The options of `reset`; an environment of one game has only the first."""


def checked_seeds(seed: Any, num_games: int) -> list[int | None]:
    """Return the seed of each game: those in a list, or for one whole number, itself and seeds drawn from it.

    Raises `ValueError` for a list of another length, and as `checked_seed` does for each.
    """
    if isinstance(seed, (list, tuple, np.ndarray)):
        if len(seed) != num_games:
            raise UserError(f"seed must be one number or a list of {num_games}; got {len(seed)}")
        return [checked_seed(each) for each in seed]
    first = checked_seed(seed)
    return [None] * num_games if first is None else [*replicate_seeds(first, num_games, "games")]


def checked_seed(seed: Any) -> int | None:
    """Return the seed as an `int`, or None.

    Raises `TypeError` or `ValueError` unless it is a whole number of at least 0.
    """
    return None if seed is None else require_whole("seed", seed, 0)


def checked_options(options: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the options of a reset. Those with other names than these are of other libraries.

    Raises `TypeError` for no dict, and `ValueError` for an option that resembles one of these, or belongs to
    another kind of environment.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise UserTypeError(f"options must be a dict or None; got {type(options).__name__}")
    for given in options.keys() - {*names}:
        near = did_you_mean(str(given), names)
        if near or given in OPTIONS:
            raise UserError(f'options of reset() must be {" or ".join(names)}; got "{given}"{near}')
    return options


def checked_mask(mask: Any, num_games: int) -> Mask | None:
    """Return the option "reset_mask", (B,). Raises `ValueError` unless it has booleans, at least one True."""
    if mask is None:
        return None
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (num_games,):
        raise UserError(
            f"reset_mask must be {num_games} booleans; got dtype {array.dtype} and shape {array.shape}"
        )
    if not array.any():
        raise UserError("reset_mask must have at least one True; got none")
    return array
