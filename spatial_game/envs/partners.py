"""The fixed partner of an agent that plays one role: anything that can send, or choose, in many games."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Any, Protocol

from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import ActionSampler
from spatial_game.envs.game import RECEIVER, SENDER, actions_of
from spatial_game.envs.models import ModelReceiver, ModelSender
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.oracle import OracleSender
from spatial_game.game.policies import SCRIPTED, Receiver, Sender, incompatibility, scripted_pair
from spatial_game.game.rules import ask_receiver, ask_sender

# What a policy of each role does, and what turns a model into one.
_METHODS = {SENDER: "send", RECEIVER: "choose"}
_MODELS = {SENDER: ModelSender, RECEIVER: ModelReceiver}

KINDS = (
    '"oracle", "random", a bundled pair, a run folder, a weights file, module:Class, a class, '
    "a pair (sender, receiver), a model"
)
"""What can play, in words."""


class Partner(Protocol):
    """The other agent of an environment, in all its games."""

    asked_in_advance: bool = False
    """Whether it speaks about a whole block of episodes before they are played, which is four times as fast.
    Only the oracle does: its messages depend on the episode alone; another policy may change meanwhile."""

    def seed(self, seeds: Sequence[int | None], games: IntArray | None) -> None:
        """Restart the randomness of these games (None: all); with seed None, it continues."""
        ...

    def act(self, episodes: Episodes, messages: IntArray, games: IntArray | None) -> IntArray:
        """Return its actions in the episodes of these games: messages (n, T), or choices (n,) after them."""
        ...


class PolicyPartner(Partner):
    """A policy, which plays all games in the same way. It needs only its role's method."""

    def __init__(self, policy: Any, role: str, config: GameConfig) -> None:
        self._policy, self._sends, self._config = policy, role == SENDER, config
        self.asked_in_advance = isinstance(policy, OracleSender)

    def seed(self, seeds: Sequence[int | None], games: IntArray | None) -> None:
        """Do nothing: seeds do not reach a policy's own generator."""

    def act(self, episodes: Episodes, messages: IntArray, games: IntArray | None) -> IntArray:
        """Return messages (n, T) or choices (n,), checked."""
        if self._sends:
            return ask_sender(self._policy, episodes.window, self._config)
        return ask_receiver(self._policy, messages, episodes.sequence, episodes.candidates)


class RandomPartner(Partner):
    """A partner that is uniformly random, in each game from its own seed."""

    def __init__(self, role: str, config: GameConfig, num_games: int) -> None:
        self._sends = role == SENDER
        action = actions_of(config)[role]
        self._sampler = ActionSampler(action.bound, len(action.sizes), num_games)

    def seed(self, seeds: Sequence[int | None], games: IntArray | None) -> None:
        """Restart the randomness of these games (None: all); with seed None, it continues."""
        self._sampler.seed(seeds, games)

    def act(self, episodes: Episodes, messages: IntArray, games: IntArray | None) -> IntArray:
        """Return messages (n, T) or choices (n,)."""
        actions = self._sampler.next(games)
        return actions if self._sends else actions[:, 0]


def load_partner(partner: Any, **sizes: Any) -> Any:
    """Resolve `partner`, anything that `spatial_agents.load_agents` takes, to a pair, a policy or a model.

    A single policy or model needs only the partner's role. "random" and "oracle" stay as they are. `sizes`
    are those of the game, for a class that makes agents. Raises `ValueError` for an unknown name.
    """
    if not isinstance(partner, (str, os.PathLike, type, tuple)) or partner in SCRIPTED:
        return partner
    from spatial_agents.agents import (
        resolve,
    )  # the only name that the environments need from the other package

    return resolve(partner, sizes=sizes)


def game_of(agents: Any) -> GameConfig | None:
    """Return the game that a pair, a policy or a model was made for; None if it does not tell."""
    config = getattr(agents, "config", None)
    if config is None and hasattr(agents, "get_env"):
        with contextlib.suppress(AttributeError):  # without an environment, or with another one
            config = agents.get_env().get_attr("config")[0]
    return config if isinstance(config, GameConfig) else None


def make_partner(partner: Any, role: str, config: GameConfig, num_games: int) -> Partner:
    """Let what `load_partner` returned play `role` ("sender_0" or "receiver_0") in the game of `config`.

    Raises `ValueError` for a partner made for another game, and `TypeError` for one that cannot play the
    role.
    """
    half = role.split("_")[0]
    if not hasattr(partner, _METHODS[role]):
        partner = getattr(partner, half, partner)
    if isinstance(partner, str) and partner == "random":
        return RandomPartner(role, config, num_games)
    if isinstance(partner, str) and partner == "oracle":
        try:
            partner = scripted_pair(partner, config)
        except ValueError as fault:
            raise ValueError(f'partner "oracle" cannot play this game, but "random" can: {fault}') from None
    return PolicyPartner(policy_of(partner, role, config, "partner"), role, config)


def policy_of(agents: Any, role: str, config: GameConfig, field: str) -> Sender | Receiver:
    """Return what plays a role in a game: a policy, a half of a pair, or a model of Stable-Baselines3.

    Raises `TypeError` or `ValueError`, which name the `field`, for what cannot play the role or this game.
    """
    method, half = _METHODS[role], role.split("_")[0]
    if not hasattr(agents, method) and hasattr(agents, half):  # a pair
        agents = getattr(agents, half)
    if not hasattr(agents, method) and hasattr(agents, "predict"):  # a model of Stable-Baselines3
        agents = _MODELS[role](agents, config)
    if isinstance(agents, type) or not callable(getattr(agents, method, None)):
        raise TypeError(
            f"{field} must be {KINDS}, or have a method {method}() to play the {half}; got {agents!r}"
        )
    fault = incompatibility(agents, config)
    if fault is not None:
        raise ValueError(f"{field} must suit the game: {fault}")
    policy: Sender | Receiver = agents
    return policy
