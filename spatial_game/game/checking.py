"""What the columns of episodes may hold, and checks of arrays from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spatial_game.checks import (
    check_integers,
    refuse_rows,
    repeated,
    require,
    require_takes,
    shortened,
    within,
)
from spatial_game.config import GameConfig
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game.episodes import HIDDEN, MASK, Episodes, IntArray, Sampler, window_around


class Bounds(NamedTuple):
    """What one column of a batch of episodes may hold: integers in low..bound-1."""

    shape: tuple[int, ...]  # in one episode
    low: int
    bound: int


@lru_cache(maxsize=16)
def bounds_of(config: GameConfig) -> Mapping[str, Bounds]:
    """Return the shape and the bounds of each column: the fields of `Episodes`, the message, the choice."""
    length, integers, num = config.sequence_length, config.num_integers, config.num_candidates
    return MappingProxyType(
        {
            "sequence": Bounds((length,), 0, integers),
            "target_position": Bounds((), 0, length),
            "window": Bounds((config.window_size,), HIDDEN if config.num_hidden else MASK, integers),
            "mask_column": Bounds((), 0, config.window_size),
            "candidates": Bounds((num,), 0, integers),
            "target_index": Bounds((), 0, num),
            "message": Bounds((config.message_length,), 0, config.vocab_size),
            "choice": Bounds((), 0, num),
        }
    )


def check_messages(messages: npt.ArrayLike, config: GameConfig, num_episodes: int) -> npt.NDArray[np.int16]:
    """Return the messages of `num_episodes` episodes as int16 (B, T), if they are messages of this game.

    Raises `TypeError` (not integers) or `ValueError` (shape, or a symbol outside 0..vocab_size-1).
    """
    message = bounds_of(config)["message"]
    shape = (num_episodes, *message.shape)
    return check_integers("messages", messages, shape, message.bound).astype(np.int16)


def check_column(
    config: GameConfig,
    name: str,
    values: npt.ArrayLike,
    rows: int,
    first_row: int = 0,
    *,
    low: int | None = None,
) -> npt.NDArray[np.int16]:
    """Return a column of episodes as int16; `low` is the lowest value if it is not the table's.

    Raises as `check_integers` does.
    """
    shape, least, bound = bounds_of(config)[name]
    least = least if low is None else low
    array = check_integers(name, values, (rows, *shape), bound, low=least, first_row=first_row)
    return array.astype(np.int16, copy=False)


def check_rules(config: GameConfig, columns: Mapping[str, IntArray], first_row: int = 0) -> None:
    """Raise `ValueError` unless columns of episodes agree, as far as they are present.

    Windows have one mask, all hidden cells, and show the sequence around the target; candidates are
    different, and `target_index` is the target's among them. A sequence is not searched for an integer that
    stands twice, which would take longer than all the rest.
    """
    window, candidates = columns["window"], columns.get("candidates")
    cells, hidden = np.ascontiguousarray(window.T), config.num_hidden  # several times as fast as (B, W)
    for value, number, rule in ((MASK, 1, "have one mask"), (HIDDEN, hidden, f"hide {hidden} cells")):
        held = (cells == value).sum(axis=0, dtype=np.int16)
        refuse_rows(held != number, f"window must {rule} ({value})", held, first_row)
    refuse_rows(repeated(window), "window must hold different integers", window, first_row)
    if candidates is not None:
        refuse_rows(repeated(candidates), "candidates must hold different integers", candidates, first_row)
    if not {"sequence", "target_position"} <= columns.keys():
        return
    sequence, position = columns["sequence"], columns["target_position"]
    whole, mask_column = window_around(config, sequence, position)
    wrong = np.any((window != whole) & (window != HIDDEN), axis=1)
    rule = f"window must show the sequence around target_position, in a game of shape {config.shape}"
    refuse_rows(wrong, rule, window, first_row)
    if "mask_column" in columns:
        given = columns["mask_column"]
        refuse_rows(
            given != mask_column, "mask_column must be the target's cell in the window", given, first_row
        )
    index = columns.get("target_index")
    if candidates is not None and index is not None:
        rows = np.arange(len(index))
        wrong = candidates[rows, index] != sequence[rows, position]
        refuse_rows(wrong, "target_index must be the target's index in candidates", index, first_row)


def check_episodes(config: GameConfig, episodes: Episodes) -> Episodes:
    """Return episodes from elsewhere as int16, if they are episodes of this game.

    Raises `TypeError` (not integers) or `ValueError` that names the field, the rule and the first wrong row.
    """
    fields = vars(episodes).items()
    checked = Episodes(*(check_column(config, name, values, len(episodes)) for name, values in fields))
    sequence, candidates = checked.sequence, checked.candidates
    refuse_rows(repeated(sequence), "sequence must hold different integers", sequence)
    check_rules(config, vars(checked))
    # Which integers each sequence holds, (B, integers).
    present = np.zeros((len(checked), config.num_integers), dtype=np.bool_)
    np.put_along_axis(present, sequence.astype(np.intp), True, axis=1)
    among = np.take_along_axis(present, candidates.astype(np.intp), axis=1)
    refuse_rows(~np.all(among, axis=1), "candidates must be integers of the sequence", candidates)
    return checked


def checked_batch(given: Any, config: GameConfig, number: int, name: str) -> Episodes:
    """Return this number of episodes from elsewhere. Raises `TypeError` or `ValueError` for anything else.

    `name` says in errors what they are.
    """
    if not isinstance(given, Episodes):
        raise UserTypeError(f"{name} must be Episodes; got {type(given).__name__}")
    if len(given) != number:
        raise UserError(f"{name} must be a batch of {number}; got {len(given)}")
    for option, column, fewer in (
        ("sequence_length", given.sequence, 0),
        ("num_distractors", given.candidates, 1),
    ):
        of_game = getattr(config, option)
        size = np.shape(column)[1] - fewer if np.ndim(column) == 2 else of_game  # else refused below
        rule = f"{name} must be of the game, whose {option} is {of_game}"
        require(size == of_game, rule, f"{size} (for a game of these, set {option})")
    with within(name):
        return check_episodes(config, given)


def checked_sampler(sampler: Any, config: GameConfig) -> Sampler:
    """Return a sampler that draws as this one does, and raises as `checked_batch` does.

    Raises `ValueError` for what is no function of a number and a generator.
    """
    rule = "sampler must be a function f(n, rng) that returns Episodes"
    require(callable(sampler) and not isinstance(sampler, type), rule, shortened(sampler))
    require_takes("sampler", sampler, "n", "rng")
    return partial(_sampled, sampler, config)


def _sampled(sampler: Sampler, config: GameConfig, number: int, rng: np.random.Generator) -> Episodes:
    call = f"sampler({number}, rng)"
    try:
        drawn = sampler(number, rng)
    except UserError as refused:  # by a function of this package that it uses
        raise type(refused)(f"{call}: {refused}") from refused
    return checked_batch(drawn, config, number, f"what {call} returns")
