"""The shared parts of one game and many games: agents, actions, listeners, and the options of a reset.

`envs.game` plays one game, `envs.games` many at once. The rules are those of `game.rules`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spatial_game.config import GameConfig, did_you_mean
from spatial_game.game import rules
from spatial_game.game.columns import check_episodes
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.scene import Scene

SENDER, RECEIVER = AGENTS = ("sender_0", "receiver_0")


class Action(NamedTuple):
    """An agent's action: integers of this shape in 0..bound-1."""

    name: str
    shape: tuple[int, ...]
    bound: int


class Turns(ABC):
    """The state of B games: in each, the sender acts once (or once for each symbol), then the receiver."""

    def __init__(self, config: GameConfig, num_games: int, *, symbol_per_turn: bool) -> None:
        self.config = config
        self.num_games = num_games
        self.symbol_per_turn = symbol_per_turn
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        """Called with the episodes that have just ended, their messages and their choices."""
        self.messages: IntArray = np.full((num_games, config.message_length), rules.UNSENT, dtype=np.int16)
        self.choices: IntArray = np.full(num_games, -1, dtype=np.int16)  # -1 before the end
        self._last_turn = config.message_length if symbol_per_turn else 1  # that of the receiver
        message = Action("message", (config.message_length,), config.vocab_size)
        self._actions = {
            SENDER: Action("symbol", (), config.vocab_size) if symbol_per_turn else message,
            RECEIVER: Action("choice", (), config.num_candidates),
        }

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle keeps: everything except the listeners of the original."""
        return vars(self) | {"on_end": []}

    @property
    @abstractmethod
    def episodes(self) -> Episodes:
        """The current episodes, one for each game. Raises `RuntimeError` before the first reset."""

    def scene(self, game: int = 0) -> Scene:
        """Return the current state of one game's episode, for drawing."""
        choice = int(self.choices[game])
        episode = self.episodes[game : game + 1]
        return Scene(self.config, episode, self.messages[game].copy(), None if choice < 0 else choice)


_Begun = TypeVar("_Begun")


def begun(state: _Begun | None) -> _Begun:
    """Return a state that is None before the first reset. Raises `RuntimeError` then."""
    if state is None:
        raise RuntimeError("there is no episode yet: call reset() first")
    return state


_Entry = TypeVar("_Entry")


def of_agent(entries: Mapping[str, _Entry], agent: str) -> _Entry:
    """Return the agent's entry. Raises `ValueError` for an unknown agent."""
    try:
        return entries[agent]
    except KeyError:
        raise unknown(agent) from None


def unknown(agent: Any) -> ValueError:
    """Return the error for an agent that the game does not have."""
    return ValueError(f"agent must be {SENDER!r} or {RECEIVER!r}; got {agent!r}")


def check_both_act(actions: Any) -> None:
    """Raise `TypeError` or `ValueError` unless this is a dict with an action for each agent."""
    if not isinstance(actions, Mapping):
        raise TypeError(f"actions must be a dict of {' and '.join(AGENTS)}; got {type(actions).__name__}")
    if set(actions) != set(AGENTS):
        raise ValueError(f"actions must be given for {' and '.join(AGENTS)}; got {sorted(actions)}")


def checked_options(options: Any, *known: str) -> Mapping[str, Any]:
    """Return the options of a reset. A name that resembles a known one is refused; others may pass."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict or None; got {type(options).__name__}")
    for name in options.keys() - set(known):
        near = did_you_mean(str(name), known)
        if near:
            raise ValueError(f'options of reset() must be {" or ".join(known)}; got "{name}"{near}')
    return options


def given_episodes(options: Mapping[str, Any], key: str, number: int, config: GameConfig) -> Episodes | None:
    """Return the episodes in the options under this key; None if there are none.

    Raises `TypeError` or `ValueError` unless they are this number of episodes of this game.
    """
    episodes = options.get(key)
    if episodes is None:
        return None
    if not isinstance(episodes, Episodes):
        raise TypeError(f'options["{key}"] must be Episodes; got {type(episodes).__name__}')
    if len(episodes) != number:
        batch = "one episode" if number == 1 else f"{number} episodes"
        raise ValueError(f'options["{key}"] must be a batch of {batch}; got {len(episodes)}')
    return check_episodes(config, episodes)
