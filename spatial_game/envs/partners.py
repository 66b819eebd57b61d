"""The fixed partner of an agent that plays one role: anything that can send, or choose, in many games."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from spatial_game.agents.models import ModelReceiver, ModelSender
from spatial_game.checks import shortened
from spatial_game.config import GameConfig
from spatial_game.envs.buffer import ALL, Buffer, Columns, Games, Generators, draw_actions
from spatial_game.errors import UserError
from spatial_game.game.actions import RECEIVER, SENDER, actions_of
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.oracle import OracleSender
from spatial_game.game.policies import NAMES, SCRIPTED, incompatibility, scripted_pair
from spatial_game.game.rules import ask_receiver, ask_sender

# What a policy of each role does, and what turns a model into one.
_METHODS = {SENDER: "send", RECEIVER: "choose"}
_MODELS = {SENDER: ModelSender, RECEIVER: ModelReceiver}

KINDS = (
    f"{NAMES.format('a bundled pair')}, a class or a function, a pair (sender, receiver), "
    "an object with both, a model of Stable-Baselines3"
)
"""What can play, in words."""


class PolicyPartner:
    """A policy, which plays all games in the same way. It needs only its role's method."""

    def __init__(self, policy: Any, role: str, config: GameConfig) -> None:
        self._policy, self._sends, self._config = policy, role == SENDER, config
        # Only the oracle: what it says depends on the episode alone; another policy may change meanwhile.
        self.in_advance = self.speak if type(policy) is OracleSender else None

    def seed(self, seeds: Sequence[int | None], games: Games = ALL) -> None:
        """Do nothing: seeds do not reach a policy's own generator."""

    def act(self, episodes: Episodes, messages: IntArray, games: Games = ALL) -> IntArray:
        """Return its actions in the episodes of these games: messages (n, T), or choices (n,) after them."""
        if self._sends:
            return self.speak(episodes)
        return ask_receiver(self._policy, messages, episodes.sequence, episodes.candidates)

    def speak(self, episodes: Episodes) -> IntArray:
        """Return its messages (n, T) about these episodes."""
        return ask_sender(self._policy, episodes.window, self._config)


class RandomPartner:
    """A partner that is uniformly random, in each game from its own seed, apart from its episodes."""

    in_advance = None

    def __init__(self, role: str, config: GameConfig, num_games: int) -> None:
        self._action, self._sends = actions_of(config)[role], role == SENDER
        self._buffer = Buffer(self._draw, num_games, len(self._action.sizes), stream=(0,))

    def _draw(self, generators: Generators, number: int) -> Columns:
        action = self._action
        return {"actions": draw_actions(action.bound, len(action.sizes), generators, number)}

    def seed(self, seeds: Sequence[int | None], games: Games = ALL) -> None:
        """Restart the randomness of these games; with seed None, it continues."""
        self._buffer.seed(seeds, games)

    def act(self, episodes: Episodes, messages: IntArray, games: Games = ALL) -> IntArray:
        """Return its actions, as `PolicyPartner.act` does."""
        columns, row = self._buffer.take(games)
        actions: IntArray = columns["actions"][row]
        return actions if self._sends else actions[:, 0]


Partner = PolicyPartner | RandomPartner
"""The other agent of an environment, in all its games."""


def resolve(agents: Any, config: GameConfig | None = None, **sizes: Any) -> Any:
    """Return what `agents`, in any form that `spatial_agents.load_agents` takes, plays with.

    That is a pair, a policy, a model, or an object with a `sender` and a `receiver`; "oracle", "random" and
    other objects stay as they are. `config` and `sizes` are the game, for a class or a function that makes
    agents. Raises `ValueError` for an unknown name.
    """
    if isinstance(agents, (str, os.PathLike)) and agents not in SCRIPTED:
        from spatial_agents.agents import named  # all that the environments need from the other package

        return resolve(named(os.fspath(agents)), config, **sizes)
    if isinstance(agents, type) or inspect.isroutine(agents):
        try:
            return resolve(_made(agents, config, sizes), config, **sizes)
        except RecursionError as error:
            raise UserError(f"agents must not be a function that makes itself; got {agents!r}") from error
    if not isinstance(agents, (tuple, list)):
        return agents
    if len(agents) != 2:
        raise UserError(f"agents must be a sender and a receiver; got {len(agents)} of them")
    sender, receiver = (resolve(each, config, **sizes) for each in agents)
    return SimpleNamespace(sender=half_of(sender, SENDER), receiver=half_of(receiver, RECEIVER))


def _made(kind: Callable[..., Any], config: GameConfig | None, sizes: Any) -> Any:
    """Return what a class or function makes: for the game if one is given or must be, else without it."""
    game = (config or game_of(kind) or GameConfig()).changed(**sizes)
    signature = inspect.signature(kind)
    for arguments in ((game,), ()) if config or sizes else ((), (game,)):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return kind(*arguments)
    raise UserError(
        "agents must be a class or a function that can be called with the game; "
        f"{kind.__name__} takes {signature}"
    )


def game_of(agents: Any) -> GameConfig | None:
    """Return the game that a pair, its sender, its receiver or a model was made for; None if none tells."""
    for each in (agents, *(getattr(agents, half, None) for half in ("sender", "receiver"))):
        config = getattr(each, "config", None)
        if config is None and hasattr(each, "get_env"):
            with contextlib.suppress(AttributeError, TypeError):  # no environment, another one, or a class
                config = each.get_env().get_attr("config")[0]
        if isinstance(config, GameConfig):
            return config
    return None


def half_of(agents: Any, role: str) -> Any:
    """Return what plays a role: the sender or the receiver of a pair; anything else plays by itself."""
    return agents if hasattr(agents, _METHODS[role]) else getattr(agents, role.split("_")[0], agents)


def policy_of(half: Any, role: str, config: GameConfig, field: str, seed: int = 0) -> Any:
    """Return what `half_of` returned as a policy for a role ("sender_0" or "receiver_0") in a game.

    `seed` is for "random". Raises `ValueError`, which names the `field`, for what cannot play the role or
    this game.
    """
    method = _METHODS[role]
    if isinstance(half, str) and half in SCRIPTED:
        try:
            half = half_of(scripted_pair(half, config, seed), role)
        except UserError as error:
            raise UserError(f'{field} "{half}" cannot play this game, but "random" can: {error}') from None
    if not hasattr(half, method) and hasattr(half, "predict"):  # a model of Stable-Baselines3
        half = _MODELS[role](half, config)
    if isinstance(half, type) or not callable(getattr(half, method, None)):
        name = role.split("_")[0]
        rule = f"{field} must be {KINDS}, or have a method {method}() to play the {name}"
        raise UserError(f"{rule}; got {shortened(half)}")
    fault = incompatibility(half, config)
    if fault is not None:
        raise UserError(f"{field} must suit the game: {fault}")
    return half


def make_partner(agents: Any, role: str, config: GameConfig, num_games: int) -> Partner:
    """Let what `resolve` returned play a role in all games. Raises `ValueError` as `policy_of` does."""
    half = half_of(agents, role)
    if isinstance(half, str) and half == "random":
        return RandomPartner(role, config, num_games)
    return PolicyPartner(policy_of(half, role, config, "partner"), role, config)
