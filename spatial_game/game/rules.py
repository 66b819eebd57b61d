"""The rules of the game for batches of episodes: what agents see, what they may do, and what they earn.

Environments, recordings and measurements call these functions with one episode or with thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spatial_game.checks import kind_of
from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, Episodes, IntArray, Mask, window_around
from spatial_game.game.policies import Receiver, Sender

FloatArray = npt.NDArray[np.float32]

UNSENT = -1
"""The value in a message for a symbol that has not been sent yet."""


class Bounds(NamedTuple):
    """What one column of a batch of episodes may hold: integers in low..bound-1."""

    shape: tuple[int, ...]  # in one episode
    low: int
    bound: int


@lru_cache(maxsize=16)
def columns(config: GameConfig) -> Mapping[str, Bounds]:
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


def lowest_in_window(config: GameConfig) -> int:
    """Return the lowest number that windows of this game show: HIDDEN where they hide cells, else MASK."""
    return columns(config)["window"].low


def sender_view(episodes: Episodes, prefix: IntArray | None = None) -> FloatArray:
    """Return what the senders observe: the windows, (B, W), as float32 that hold exact integers.

    If a message is sent symbol by symbol, the sender also sees its own `prefix` (B, T), with UNSENT in the
    slots that are not sent yet; the view is then (B, W+T).
    """
    if prefix is None:
        return episodes.window.astype(np.float32)
    return np.concatenate((episodes.window, prefix), axis=1, dtype=np.float32)


def receiver_view(episodes: Episodes, messages: IntArray) -> FloatArray:
    """Return what the receivers observe: message, sequence and candidates in one row, (B, T+L+C).

    They are float32 that hold exact integers, with UNSENT in the slots of a message that are not sent yet.
    """
    return np.concatenate((messages, episodes.sequence, episodes.candidates), axis=1, dtype=np.float32)


def sender_fields(config: GameConfig, *, symbol_per_turn: bool) -> dict[str, int]:
    """Return the fields of a sender's view in order, each with its number of columns."""
    return _lengths(config, "window", "message") if symbol_per_turn else _lengths(config, "window")


def receiver_fields(config: GameConfig) -> dict[str, int]:
    """Return the fields of a receiver's view in order, each with its number of columns."""
    return _lengths(config, "message", "sequence", "candidates")


def _lengths(config: GameConfig, *names: str) -> dict[str, int]:
    return {name: columns(config)[name].shape[0] for name in names}


def split_sender_view(config: GameConfig, views: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the windows (B, W) and prefixes (B, T), or (B, 0), in views of `sender_view`; int16."""
    whole, width = np.asarray(views), config.window_size
    if whole.ndim != 2 or whole.shape[1] not in (width, width + config.message_length):
        raise ValueError(
            f"a sender's views must have shape (B, {width}) or (B, {width + config.message_length}); "
            f"got {whole.shape}"
        )
    return whole[:, :width].astype(np.int16), whole[:, width:].astype(np.int16)


def split_receiver_view(config: GameConfig, views: npt.ArrayLike) -> tuple[IntArray, IntArray, IntArray]:
    """Return the messages (B, T), sequences (B, L) and candidates (B, C) in views of `receiver_view`; int16.

    The three in this order are the arguments of `Receiver.choose`.
    """
    whole, ends = np.asarray(views), np.cumsum(list(receiver_fields(config).values()))
    if whole.ndim != 2 or whole.shape[1] != ends[-1]:
        raise ValueError(f"a receiver's views must have shape (B, {ends[-1]}); got {whole.shape}")
    message, sequence, candidates = np.split(whole.astype(np.int16), ends[:-1], axis=1)
    return message, sequence, candidates


def won(target_index: IntArray, choices: IntArray) -> Mask:
    """Return which episodes are won, (B,): those in which the choice is the target."""
    return np.asarray(choices == target_index)


def payoff(target_index: IntArray, choices: IntArray) -> FloatArray:
    """Return what both agents earn, (B,): 1 in the episodes that are won, 0 in the others."""
    return won(target_index, choices).astype(np.float32)


def play(
    sender: Sender, receiver: Receiver, episodes: Episodes, config: GameConfig
) -> tuple[IntArray, IntArray]:
    """Play every episode, and return the messages (B, T) and the choices (B,); int16.

    Raises `ValueError` if an agent returns what the rules do not allow.
    """
    messages = ask_sender(sender, episodes.window, config)
    return messages, ask_receiver(receiver, messages, episodes.sequence, episodes.candidates)


def ask_sender(sender: Sender, window: IntArray, config: GameConfig) -> npt.NDArray[np.int16]:
    """Return the sender's messages (B, T) for windows (B, W), as int16.

    The sender gets a copy, which it may change. Raises `ValueError` unless it returns messages of this game.
    """
    message = columns(config)["message"]
    send = _method(sender, "sender", "send")
    return _returned("messages", send(window.copy()), (len(window), *message.shape), message.bound)


def ask_receiver(
    receiver: Receiver, messages: IntArray, sequence: IntArray, candidates: IntArray
) -> npt.NDArray[np.int16]:
    """Return the receiver's choices (B,) among candidates (B, C), as int16.

    The receiver gets copies, which it may change. Raises `ValueError` unless it returns such choices.
    """
    choices = _method(receiver, "receiver", "choose")(messages.copy(), sequence.copy(), candidates.copy())
    return _returned("choices", choices, (len(candidates),), candidates.shape[1])


def _method(agent: object, role: str, name: str) -> Callable[..., npt.ArrayLike]:
    """Return the method by which an agent plays. Raises `TypeError` for anything that has none."""
    method: Callable[..., npt.ArrayLike] | None = getattr(agent, name, None)
    if method is None:
        rule = f"{role} must have the method {name}, as agents of load_agents have"
        raise TypeError(f"{rule}; got {kind_of(agent)}")
    return method


def _returned(field: str, values: npt.ArrayLike, shape: tuple[int, ...], bound: int) -> npt.NDArray[np.int16]:
    """Return what an agent returned as int16. Raises `ValueError` if it is wrong, whatever its type."""
    try:
        return check_integers(field, values, shape, bound).astype(np.int16)
    except TypeError as error:
        raise ValueError(str(error)) from None


def check_messages(messages: npt.ArrayLike, config: GameConfig, num_episodes: int) -> npt.NDArray[np.int16]:
    """Return the messages of `num_episodes` episodes as int16 (B, T), if they are messages of this game.

    Raises `TypeError` (not integers) or `ValueError` (shape, or a symbol outside 0..vocab_size-1).
    """
    message = columns(config)["message"]
    shape = (num_episodes, *message.shape)
    return check_integers("messages", messages, shape, message.bound).astype(np.int16)


def check_integers(
    field: str,
    values: npt.ArrayLike,
    shape: tuple[int, ...],
    bound: int,
    *,
    low: int = 0,
    first_row: int | None = None,
) -> IntArray:
    """Return `values` as an array, if they are integers of this shape in low..bound-1.

    Raises `TypeError` or `ValueError` that name `field`, the rule and the value, and its row if the number of
    the first one is given. Booleans are not integers.
    """
    try:
        array: npt.NDArray[Any] = np.asarray(values)
    except ValueError:  # a ragged list
        raise ValueError(f"{field} must have shape {shape}; got lists of different lengths") from None
    if array.dtype.kind not in "iu":
        given = f"dtype {array.dtype}" if array.size > 1 else repr(values)
        raise TypeError(f"{field} must be {'integers' if shape else 'an integer'}; got {given}")
    if array.shape != shape:
        raise ValueError(f"{field} must have shape {shape}; got {array.shape}")
    if array.size <= 16:  # for a few, Python's own integers are several times as fast
        few = array.ravel().tolist()
        within = not few or (min(few) >= low and max(few) < bound)
    else:
        within = array.min() >= low and array.max() < bound
    if not within:
        wrong = (array < low) | (array >= bound)
        where = "" if first_row is None else f" in row {first_row + np.argwhere(wrong)[0][0]}"
        raise ValueError(f"{field} must be in {low}..{bound - 1}; got {array[wrong].flat[0]}{where}")
    return array


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
    shape, least, bound = columns(config)[name]
    least = least if low is None else low
    array = check_integers(name, values, (rows, *shape), bound, low=least, first_row=first_row)
    return array.astype(np.int16, copy=False)


def check_episodes(config: GameConfig, episodes: Episodes) -> Episodes:
    """Return episodes from elsewhere as int16, if they are episodes of this game.

    Raises `TypeError` (not integers) or `ValueError` that names the field, the rule and the first wrong row.
    """
    fields = vars(episodes).items()
    checked = Episodes(*(check_column(config, name, values, len(episodes)) for name, values in fields))
    window, mask_column = window_around(config, checked.sequence, checked.target_position)
    hidden = (checked.window == HIDDEN) & (window != MASK)
    window[hidden] = HIDDEN
    named = np.take_along_axis(checked.candidates, checked.target_index[:, None].astype(np.intp), axis=1)
    # Which integers each sequence holds, (B, integers).
    present = np.zeros((len(episodes), config.num_integers), dtype=np.bool_)
    np.put_along_axis(present, checked.sequence.astype(np.intp), True, axis=1)
    in_sequence = np.take_along_axis(present, checked.candidates.astype(np.intp), axis=1)
    _require_rows(present.sum(axis=1) == config.sequence_length, "sequence must hold different integers")
    _require_rows(checked.mask_column == mask_column, "mask_column must be the target's place in the window")
    _require_rows((checked.window == window).all(axis=1), "window must show the sequence around the target")
    _require_rows(
        hidden.sum(axis=1) == config.num_hidden, "window must show num_visible cells beside the mask"
    )
    _require_rows(in_sequence.all(axis=1), "candidates must be integers of the sequence")
    ordered = np.sort(checked.candidates, axis=1)
    _require_rows((ordered[:, 1:] != ordered[:, :-1]).all(axis=1), "candidates must be different integers")
    _require_rows(named[:, 0] == checked.target, "target_index must be the target's place in candidates")
    return checked


def _require_rows(holds: npt.ArrayLike, rule: str) -> None:
    """Raise `ValueError` unless the rule holds in every row of (B,)."""
    if not np.all(holds):
        raise ValueError(f"{rule}; not so in row {int(np.argmin(holds))}")
