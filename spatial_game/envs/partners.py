"""The partner of an agent that plays one role: anything that can send, or choose, in many games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spatial_game.agents import Playable
from spatial_game.agents.own import OwnPolicy
from spatial_game.config import GameConfig
from spatial_game.envs.buffer import integer_buffer
from spatial_game.envs.states import ALL, GameIndex, States
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray
from spatial_game.game.rules import SENDER, actions_of, ask_receiver, ask_sender

Act = Callable[[States, GameIndex], IntArray]
"""Returns actions in the states of these games."""


class PolicyPartner:
    """A policy, which plays all games in the same way. It needs only its role's method.

    What it does wrong is an error that begins with its name.
    """

    def __init__(self, policy: Any, role: str, config: GameConfig, name: str) -> None:
        self._policy, self._sends, self._config, self._name = policy, role == SENDER, config, name
        # A subclass may differ, so each class says for itself that it is fixed.
        own = policy.policy if isinstance(policy, OwnPolicy) else policy
        fixed = self._sends and vars(type(own)).get("fixed", False)
        self.in_advance: Act | None = self.act if fixed else None

    def seed(self, seeds: Sequence[int | None], games: GameIndex = ALL) -> None:
        """Do nothing: seeds do not reach a policy's own generator."""

    def act(self, states: States, games: GameIndex = ALL) -> IntArray:
        """Return its actions in these games: messages (n, T), or choices (n,) after them."""
        try:
            if self._sends:
                return ask_sender(self._policy, states["window"], self._config)
            return ask_receiver(self._policy, states["message"], states["sequence"], states["candidates"])
        except UserError as error:
            raise type(error)(f"{self._name}: {error}") from error


class RandomPartner:
    """A partner that is uniformly random, in each game from its own seed, apart from its episodes.

    (`RandomSender` and `RandomReceiver` have one generator, so a game would not play the same alone.)
    """

    in_advance = None

    def __init__(self, role: str, config: GameConfig, num_games: int) -> None:
        action, self._sends = actions_of(config)[role], role == SENDER
        self._buffer = integer_buffer(action.bound, len(action.sizes), num_games, "random partner")

    def seed(self, seeds: Sequence[int | None], games: GameIndex = ALL) -> None:
        """Restart the randomness of these games; with seed None, it continues."""
        self._buffer.seed(seeds, games)

    def act(self, states: States, games: GameIndex = ALL) -> IntArray:
        """Return its actions, as `PolicyPartner.act` does."""
        actions: IntArray = self._buffer.take(games)
        return actions if self._sends else actions[:, 0]


class OneOfSeveral:
    """Several partners, of which each episode of a game draws one, from the game's own seed."""

    def __init__(self, partners: Sequence[Partner], num_games: int) -> None:
        self._partners, self._games = partners, np.arange(num_games)
        fixed = all(each.in_advance for each in partners)
        self.in_advance: Act | None = self.act_in_advance if fixed else None
        # The second is for episodes that are drawn ahead: how far ahead must not matter for other episodes.
        streams = "population", "population in advance"
        self._now, self._ahead = (integer_buffer(len(partners), 1, num_games, name) for name in streams)

    def seed(self, seeds: Sequence[int | None], games: GameIndex = ALL) -> None:
        """Restart the drawing of partners in these games, and the partners; with seed None, it continues."""
        for each in (self._now, self._ahead, *self._partners):
            each.seed(seeds, games)

    def act(self, states: States, games: GameIndex = ALL) -> IntArray:
        """Return the actions of the partners that are drawn, as `PolicyPartner.act` does."""
        return self._act(states, self._games[games], self._now.take(games)[:, 0])

    def act_in_advance(self, states: States, games: GameIndex) -> IntArray:
        """Return the actions of the partners that are drawn in the next episodes of each of these games."""
        indices = self._games[games]
        times = len(states) // len(indices)
        drawn = np.concatenate([self._ahead.take(games)[:, 0] for _ in range(times)])
        return self._act(states, np.tile(indices, times), drawn)

    def _act(self, states: States, indices: IntArray, drawn: IntArray) -> IntArray:
        """Return the actions of the partners with these numbers in these games."""
        groups = [np.flatnonzero(drawn == number) for number in range(len(self._partners))]
        actions = [
            partner.act(states[group], indices[group])
            for partner, group in zip(self._partners, groups, strict=True)
            if len(group)
        ]
        return np.concatenate(actions)[np.argsort(np.concatenate(groups))]


Partner = PolicyPartner | RandomPartner | OneOfSeveral
"""The other agent of an environment, in all its games."""


def make_partner(playables: Sequence[Playable], role: str, num_games: int) -> Partner:
    """Return a partner that plays a role in all games. Raises `ValueError` for what cannot play it."""
    partners = [_make_one(each, role, num_games) for each in playables]
    return partners[0] if len(partners) == 1 else OneOfSeveral(partners, num_games)


def _make_one(playable: Playable, role: str, num_games: int) -> PolicyPartner | RandomPartner:
    policy = playable.of(role)
    if isinstance(policy, str) and policy == "random":
        return RandomPartner(role, playable.config, num_games)
    return PolicyPartner(playable.policy(role), role, playable.config, playable.argument)
