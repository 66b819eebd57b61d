"""The state of one game, with the agent whose turn it is, and what it shares with many (`envs.games`).

The rules are those of `game.rules`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from gymnasium import spaces

from spatial_game.checks import did_you_mean
from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import checked_seed
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game import rules
from spatial_game.game.checking import check_episodes, check_integers
from spatial_game.game.episodes import Episodes, IntArray, draw_episodes, rows_at_once
from spatial_game.game.scene import Scene

# Episodes that one game draws ahead, and the cells of all of their sequences.
_FEWEST_AHEAD, _MOST_AHEAD, _CELLS_AHEAD = 8, 512, 1 << 20

SENDER, RECEIVER = AGENTS = ("sender_0", "receiver_0")


class Action(NamedTuple):
    """What an agent does on its turn: integers of this shape in 0..bound-1."""

    name: str
    shape: tuple[int, ...]
    bound: int
    size: int
    """The size of the action space, at least `bound`: larger actions start again at 0."""

    @property
    def space(self) -> spaces.Discrete | spaces.MultiDiscrete:
        """The action space."""
        return (
            spaces.MultiDiscrete(np.full(self.shape, self.size)) if self.shape else spaces.Discrete(self.size)
        )

    @property
    def sizes(self) -> list[int]:
        """The number of values of each part of the action: one part for each slot, or a single part."""
        return [self.size] * (self.shape[0] if self.shape else 1)

    def check(self, actions: Any, *batch: int) -> IntArray:
        """Return actions (*batch, *shape) as int16. Raises `TypeError` or `ValueError` if they are wrong."""
        name = f"{self.name}s" if batch else self.name
        return self.wrapped(check_integers(name, actions, (*batch, *self.shape), self.size)).astype(np.int16)

    def wrapped(self, actions: IntArray) -> IntArray:
        """Return these elements of the action space as the agent's own actions."""
        return actions if self.size == self.bound else actions % self.bound


def actions_of(config: GameConfig, *, symbol_per_turn: bool = False) -> dict[str, Action]:
    """Return what each agent does on its turn."""
    symbols, choices = config.vocab_size, config.num_candidates
    name, shape = ("symbol", ()) if symbol_per_turn else ("message", (config.message_length,))
    return {
        SENDER: Action(name, shape, symbols, symbols),
        RECEIVER: Action("choice", (), choices, choices),
    }


class CopiedWhole:
    """The base of what `copy.copy` copies deeply: another copy would share half of its state."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


class Game(CopiedWhole, ABC):
    """The state of B games: in each, the sender acts once (or once for each symbol), then the receiver."""

    def __init__(self, config: GameConfig, num_games: int, actions: Mapping[str, Action]) -> None:
        """`actions` as from `actions_of`: the sender's is a message, or one symbol in each turn."""
        self.config = config
        self.num_games = num_games
        self.actions = actions
        self.symbol_per_turn = not actions[SENDER].shape
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        """Called with the episodes that have just ended, their messages and their choices."""
        self.messages: IntArray = np.full((num_games, config.message_length), rules.UNSENT, dtype=np.int16)
        self.choices: IntArray = np.full(num_games, -1, dtype=np.int16)  # -1 before the end
        self._sender_turns = config.message_length if self.symbol_per_turn else 1  # of an episode

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


class Block:
    """Episodes that were drawn together (drawing one takes nearly as long), with their first observations."""

    def __init__(self, episodes: Episodes, unsent: IntArray, symbol_per_turn: bool) -> None:
        self.episodes = episodes
        nothing = np.repeat(unsent, len(episodes), axis=0)
        self.views = {
            SENDER: rules.sender_view(episodes, nothing if symbol_per_turn else None),
            RECEIVER: rules.receiver_view(episodes, nothing),
        }
        """The observations of each agent before anything is sent, (B, n)."""


class OneGame(Game):
    """The state of one game. Its arrays are batches of one."""

    def __init__(self, config: GameConfig, actions: Mapping[str, Action]) -> None:
        super().__init__(config, 1, actions)
        self.turn: str | None = None
        """The agent whose turn it is; None before the first reset and after the end of an episode."""
        self.block: Block | None = None
        """The current episode is `row` of this block."""
        self.row = 0
        self._taken = 0  # turns of this episode
        self._unsent, self._unchosen = self.messages, self.choices
        self._rng = np.random.default_rng()
        self._drawn: Block | None = None
        self._next = 0  # the row of the next episode in the block that was drawn

    @property
    def episodes(self) -> Episodes:
        """The current episode. Raises `RuntimeError` before the first reset."""
        return after_reset(self.block).episodes[self.row : self.row + 1]

    def restart(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Begin an episode as `reset` asks.

        `options["episode"]`, `Episodes` with one episode, is played instead of the next one drawn. Raises
        `TypeError` or `ValueError` for a wrong seed or option, and then changes nothing.
        """
        given = option(options, "episode")
        if given is not None:
            given = _one_episode(given, self.config)
        if seed is not None:
            self._rng, self._drawn = np.random.default_rng(checked_seed(seed)), None
        if given is not None:
            self.block, self.row = Block(given, self._unsent, self.symbol_per_turn), 0
        else:
            if self._drawn is None or self._next == len(self._drawn.episodes):
                self._drawn, self._next = self._draw(), 0
            self.block, self.row = self._drawn, self._next
            self._next += 1
        self.messages, self.choices = self._unsent, self._unchosen
        self._taken, self.turn = 0, SENDER

    def _draw(self) -> Block:
        """Draw the next episodes: few after seeding, then twice as many each time."""
        most = rows_at_once(self.config.sequence_length, _MOST_AHEAD, _CELLS_AHEAD)
        number = _FEWEST_AHEAD if self._drawn is None else 2 * len(self._drawn.episodes)
        episodes = draw_episodes(self.config, min(number, most), self._rng)
        return Block(episodes, self._unsent, self.symbol_per_turn)

    def agent_in_turn(self) -> str:
        """Return the agent in turn. Raises `RuntimeError` before the first reset and after the end."""
        if self.turn is None:
            after_reset(self.block)
            raise RuntimeError("the episode is over: call reset() before the next step()")
        return self.turn

    def observe(self, agent: str) -> rules.FloatArray:
        """Return the agent's current observation, (n,), whoever's turn it is."""
        view: rules.FloatArray = after_reset(self.block).views[agent][self.row].copy()
        if agent == RECEIVER:
            view[: self.config.message_length] = self.messages[0]
        elif self.symbol_per_turn:
            view[self.config.window_size :] = self.messages[0]
        return view

    def act(self, action: Any) -> float:
        """Take the action of the agent in turn, and return the reward of both agents.

        Raises `TypeError` or `ValueError` for a wrong action, which changes nothing, and `RuntimeError`
        before the first reset and after the end.
        """
        agent = self.agent_in_turn()
        checked = self.actions[agent].check(action)[None]
        if agent == RECEIVER:
            return self.choose(checked)
        self.send(checked)
        return 0.0

    def send(self, action: IntArray) -> None:
        """Store the sender's message (1, T), or its next symbol (1,)."""
        if self.symbol_per_turn:
            self.messages = self.messages.copy()
            self.messages[0, self._taken] = action[0]
        else:
            self.messages = action
        self._taken += 1
        if self._taken == self._sender_turns:
            self.turn = RECEIVER

    def give_up(self) -> None:
        """End the episode without a result."""
        self.turn = None

    def choose(self, choice: IntArray) -> float:
        """Store the receiver's choice (1,), and return the reward of both agents."""
        self.choices, self.turn = choice, None
        for listener in self.on_end:
            listener(self.episodes, self.messages, choice)
        return float(rules.payoff(after_reset(self.block).episodes.target_index[self.row], choice)[0])


_State = TypeVar("_State")


def after_reset(state: _State | None) -> _State:
    """Return a state that is None before the first reset. Raises `RuntimeError` then."""
    if state is None:
        raise RuntimeError("there is no episode yet: call reset() first")
    return state


def check_both_act(actions: Any) -> None:
    """Raise `TypeError` or `ValueError` unless this is a dict with an action for each agent."""
    if not isinstance(actions, Mapping):
        raise UserTypeError(f"actions must be a dict of {' and '.join(AGENTS)}; got {type(actions).__name__}")
    if set(actions) != set(AGENTS):
        raise UserError(f"actions must be given for {' and '.join(AGENTS)}; got {sorted(actions)}")


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


def _one_episode(given: Any, config: GameConfig) -> Episodes:
    """Return the option "episode". Raises `TypeError` or `ValueError` unless it is one of this game."""
    if not isinstance(given, Episodes):
        raise UserTypeError(f'options["episode"] must be Episodes; got {type(given).__name__}')
    if len(given) != 1:
        raise UserError(f'options["episode"] must be a batch of one episode; got {len(given)}')
    return check_episodes(config, given)
