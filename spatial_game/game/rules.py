"""The rules of the game for batches of episodes: what agents see, what they do, and what they earn.

Environments, recordings and measurements call these functions with one episode or with thousands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from spatial_game.checks import check_integers, kind_of, shortened
from spatial_game.config import GameConfig
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game.checking import bounds_of
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.policies import Receiver, Sender

Float32Array = npt.NDArray[np.float32]

SENDER, RECEIVER = AGENTS = ("sender_0", "receiver_0")
"""The agents, in the order in which they act."""

UNSENT = -1
"""The value in a message for a symbol that has not been sent yet."""

# --- What agents see ---------------------------------------------------------------------------------------


def lowest_in_window(config: GameConfig) -> int:
    """Return the lowest number that windows of this game show: HIDDEN where they hide cells, else MASK."""
    return bounds_of(config)["window"].low


def sender_fields(config: GameConfig, *, symbol_per_turn: bool) -> dict[str, int]:
    """Return the fields of a sender's observation in order, each with its number of columns."""
    return _lengths(config, "window", "message") if symbol_per_turn else _lengths(config, "window")


def receiver_fields(config: GameConfig) -> dict[str, int]:
    """Return the fields of a receiver's observation in order, each with its number of columns."""
    return _lengths(config, "message", "sequence", "candidates")


def _lengths(config: GameConfig, *names: str) -> dict[str, int]:
    return {name: bounds_of(config)[name].shape[0] for name in names}


def split_sender_observation(config: GameConfig, observations: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the windows (B, W) and prefixes (B, T), or (B, 0), in a sender's observations; int16.

    Raises `ValueError` for observations of another shape, and for other than whole numbers.
    """
    width = config.window_size
    whole = _whole("sender", observations, width, width + config.message_length)
    return whole[:, :width], whole[:, width:]


def split_receiver_observation(
    config: GameConfig, observations: npt.ArrayLike
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the messages (B, T), sequences (B, L) and candidates (B, C) in a receiver's observations; int16.

    The three in this order are the arguments of `Receiver.choose`. Raises as `split_sender_observation` does.
    """
    ends = np.cumsum(list(receiver_fields(config).values()))
    whole = _whole("receiver", observations, int(ends[-1]))
    message, sequence, candidates = np.split(whole, ends[:-1], axis=1)
    return message, sequence, candidates


def _whole(role: str, observations: npt.ArrayLike, *widths: int) -> IntArray:
    """Return a role's observations as int16, if they have one of these numbers of columns."""
    given = np.asarray(observations)
    if given.ndim != 2 or given.shape[1] not in widths:
        shapes = " or ".join(f"(B, {width})" for width in widths)
        raise UserError(f"a {role}'s observations must have shape {shapes}; got {given.shape}")
    with np.errstate(invalid="ignore"):  # NaN
        whole = given.astype(np.int16)
    if not np.array_equal(whole, given):
        rule = f"a {role}'s observations must be integers of 16 bits, as flat ones are"
        raise UserError(f"{rule}; got {shortened(observations)}")
    return whole


# --- What agents do ----------------------------------------------------------------------------------------


class Action(NamedTuple):
    """What an agent does on its turn: integers of this shape in 0..bound-1."""

    name: str
    """"message", "symbol" or "choice"."""
    shape: tuple[int, ...]
    """(T,) for a whole message, () for a symbol or a choice."""
    bound: int
    size: int
    """The size of the action space, at least `bound`: the action `bound` is 0 again, and so on."""

    @property
    def space(self) -> spaces.Discrete | spaces.MultiDiscrete:
        """The action space."""
        if self.shape:
            return spaces.MultiDiscrete(np.full(self.shape, self.size))
        return spaces.Discrete(self.size)

    @property
    def sizes(self) -> list[int]:
        """The number of values of each part of the action: one part for each slot, or a single part."""
        return [self.size] * (self.shape[0] if self.shape else 1)

    def check(self, actions: Any, *batch: int) -> IntArray:
        """Return actions (*batch, *shape) as integers. Raises `TypeError` or `ValueError` for wrong ones."""
        name = f"{self.name}s" if batch else self.name
        return self.wrapped(check_integers(name, actions, (*batch, *self.shape), self.size))

    def wrapped(self, actions: IntArray) -> IntArray:
        """Return these elements of the action space as the agent's own actions."""
        if self.size == self.bound:
            return actions
        return actions % np.uint16(self.bound)  # NumPy then widens types that cannot hold the bound


def actions_of(config: GameConfig, *, symbol_per_turn: bool = False) -> dict[str, Action]:
    """Return what each agent does on its turn: a message, or one of its symbols, and a choice."""
    symbols, choices = config.vocab_size, config.num_candidates
    name, shape = ("symbol", ()) if symbol_per_turn else ("message", (config.message_length,))
    return {
        SENDER: Action(name, shape, symbols, symbols),
        RECEIVER: Action("choice", (), choices, choices),
    }


# --- What agents earn --------------------------------------------------------------------------------------


def won(target_index: IntArray, choices: IntArray) -> Mask:
    """Return which episodes are won, (B,): those in which the choice is the target."""
    return np.asarray(choices == target_index)


def payoff(target_index: IntArray, choices: IntArray) -> Float32Array:
    """Return what both agents earn, (B,): 1 in the episodes that are won, 0 in the others."""
    return won(target_index, choices).astype(np.float32)


# --- Play --------------------------------------------------------------------------------------------------


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
    message = bounds_of(config)["message"]
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
        raise UserTypeError(f"{rule}; got {kind_of(agent)}")
    return method


def _returned(field: str, values: npt.ArrayLike, shape: tuple[int, ...], bound: int) -> npt.NDArray[np.int16]:
    """Return what an agent returned as int16. Raises `ValueError` if it is wrong, whatever its type."""
    try:
        return check_integers(field, values, shape, bound).astype(np.int16)
    except UserTypeError as error:
        raise UserError(str(error)) from None
