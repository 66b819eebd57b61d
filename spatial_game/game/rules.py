"""The rules of the game for batches of episodes: what agents see, what they may do, and what they earn.

The rules are only here. Environments call these functions with a batch of one; recording, probing and the
vectorised environments call them with thousands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.policies import Receiver, Sender

FloatArray = npt.NDArray[np.float32]

UNSENT = -1
"""The value in a message for a symbol that has not been sent yet."""


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


def sender_fields(config: GameConfig, *, symbol_per_turn: bool = False) -> dict[str, int]:
    """Return the fields of a sender's view in order, each with its number of columns."""
    fields = {"window": config.window_size, "message": config.message_length}
    return fields if symbol_per_turn else {"window": config.window_size}


def receiver_fields(config: GameConfig) -> dict[str, int]:
    """Return the fields of a receiver's view in order, each with its number of columns."""
    return {
        "message": config.message_length,
        "sequence": config.sequence_length,
        "candidates": config.num_candidates,
    }


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


def payoff(target_index: IntArray, choices: IntArray) -> FloatArray:
    """Return what both agents earn, (B,): 1 where the choice is the target, 0 elsewhere."""
    return np.equal(choices, target_index).astype(np.float32)


def play(
    sender: Sender, receiver: Receiver, episodes: Episodes, config: GameConfig
) -> tuple[IntArray, IntArray]:
    """Play every episode, and return the messages (B, T) and the choices (B,); int16.

    Raises `TypeError` or `ValueError` if a policy returns what the rules do not allow.
    """
    messages = check_messages(sender.send(episodes.window), config, len(episodes))
    choices = receiver.choose(messages, episodes.sequence, episodes.candidates)
    return messages, check_choices(choices, config, len(episodes))


def check_messages(messages: npt.ArrayLike, config: GameConfig, num_episodes: int) -> npt.NDArray[np.int16]:
    """Return the messages of `num_episodes` episodes as int16 (B, T), if they are messages of this game.

    Raises `TypeError` (not integers) or `ValueError` (shape, or a symbol outside 0..vocab_size-1).
    """
    shape = (num_episodes, config.message_length)
    return check_integers("messages", messages, shape, config.vocab_size).astype(np.int16)


def check_choices(choices: npt.ArrayLike, config: GameConfig, num_episodes: int) -> npt.NDArray[np.int16]:
    """Return the choices of `num_episodes` episodes as int16 (B,), if they are choices in this game.

    Raises `TypeError` (not integers) or `ValueError` (shape, or an index outside 0..num_distractors).
    """
    return check_integers("choices", choices, (num_episodes,), config.num_candidates).astype(np.int16)


def check_integers(field: str, values: npt.ArrayLike, shape: tuple[int, ...], bound: int) -> IntArray:
    """Return `values` as an array, if they are integers of this shape in 0..bound-1.

    Raises `TypeError` or `ValueError` that name `field`, the rule and the value. Booleans are not integers.
    """
    try:
        array: npt.NDArray[Any] = np.asarray(values)
    except ValueError:  # a ragged list
        raise ValueError(f"{field} must have shape {shape}; got {values!r}") from None
    if array.dtype.kind not in "iu":
        given = f"dtype {array.dtype}" if array.size > 1 else repr(values)
        raise TypeError(f"{field} must be {'integers' if shape else 'an integer'}; got {given}")
    if array.shape != shape:
        raise ValueError(f"{field} must have shape {shape}; got {array.shape}")
    if array.size <= 16:  # for a few, Python's own integers are several times as fast
        few = array.ravel().tolist()
        within = not few or (min(few) >= 0 and max(few) < bound)
    else:
        # Read as unsigned, negative integers are larger than any bound: one pass instead of two.
        array = array.astype(np.int16) if array.dtype.itemsize == 1 else array
        within = array.view(array.dtype.str.replace("i", "u")).max() < bound
    if not within:
        wrong = array[(array < 0) | (array >= bound)].flat[0]
        raise ValueError(f"{field} must be in 0..{bound - 1}; got {wrong}")
    return array
