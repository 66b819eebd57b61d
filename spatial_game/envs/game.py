"""One game: whose turn it is, and which episode comes next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import EpisodeSampler, checked_seed
from spatial_game.envs.turns import (
    RECEIVER,
    SENDER,
    Turns,
    begun,
    checked_options,
    given_episodes,
    unknown,
)
from spatial_game.game import rules
from spatial_game.game.columns import check_integers
from spatial_game.game.episodes import Episodes, IntArray


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


class Game(Turns):
    """The state of one game. Its arrays are batches of one."""

    def __init__(self, config: GameConfig, *, symbol_per_turn: bool = False) -> None:
        super().__init__(config, 1, symbol_per_turn=symbol_per_turn)
        self.turn: str | None = None
        """The agent whose turn it is; None before the first reset and after the end of an episode."""
        self.block: Block | None = None
        """The current episode is `row` of this block."""
        self.row = 0
        self._taken = 0  # turns of this episode
        self._unsent, self._unchosen = self.messages, self.choices
        self._sampler = EpisodeSampler(config, 1)
        self._drawn: Block | None = None  # the last block of the sampler
        self._num_begun = 0  # episodes of that block

    @property
    def episodes(self) -> Episodes:
        """The current episode. Raises `RuntimeError` before the first reset."""
        return begun(self.block).episodes[self.row : self.row + 1]

    def restart(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Begin an episode as `reset` asks.

        `options["episode"]`, `Episodes` with one episode, is played instead of the next one drawn. Raises
        `TypeError` or `ValueError` for a wrong seed or option, and then changes nothing.
        """
        given = None
        if options is not None:
            given = given_episodes(checked_options(options, "episode"), "episode", 1, self.config)
        if seed is not None:
            self._sampler.seed([checked_seed(seed)])
            self._drawn = None
        if given is None:
            self.block, self.row = self._next()
        else:
            self.block, self.row = Block(given, self._unsent, self.symbol_per_turn), 0
        self.messages, self.choices = self._unsent, self._unchosen
        self._taken, self.turn = 0, SENDER

    def _next(self) -> tuple[Block, int]:
        """Return the next episode, as a block and its row in it."""
        if self._drawn is None or self._num_begun == len(self._drawn.episodes):
            self._drawn = Block(self._sampler.next_block(), self._unsent, self.symbol_per_turn)
            self._num_begun = 0
        self._num_begun += 1
        return self._drawn, self._num_begun - 1

    def agent_in_turn(self) -> str:
        """Return the agent in turn. Raises `RuntimeError` before the first reset and after the end."""
        if self.turn is None:
            begun(self.block)
            raise RuntimeError("the episode is over: call reset() before the next step()")
        return self.turn

    def observe(self, agent: str) -> rules.FloatArray:
        """Return the agent's current observation, (n,), whoever's turn it is."""
        try:
            view: rules.FloatArray = begun(self.block).views[agent][self.row].copy()
        except KeyError:
            raise unknown(agent) from None
        if agent == RECEIVER:
            view[: self.config.message_length] = self.messages[0]
        elif self.symbol_per_turn:
            view[self.config.window_size :] = self.messages[0]
        return view

    def check(self, agent: str, action: Any) -> IntArray:
        """Return the agent's action as int16, (1, ...). Raises `TypeError` or `ValueError` if it is wrong."""
        name, shape, bound = self._actions[agent]
        return check_integers(name, action, shape, bound).astype(np.int16)[None]

    def act(self, agent: str, action: IntArray) -> float:
        """Take a checked action of the agent in turn, and return the reward of both agents."""
        if agent == RECEIVER:
            return self.choose(action)
        self.send(action)
        return 0.0

    def send(self, action: IntArray) -> None:
        """Store the sender's message (1, T), or its next symbol (1,)."""
        if self.symbol_per_turn:
            self.messages = self.messages.copy()
            self.messages[0, self._taken] = action[0]
        else:
            self.messages = action
        self._taken += 1
        if self._taken == self._last_turn:
            self.turn = RECEIVER

    def choose(self, choice: IntArray) -> float:
        """Store the receiver's choice (1,), and return the reward of both agents."""
        self.choices, self.turn = choice, None
        for listener in self.on_end:
            listener(self.episodes, self.messages, choice)
        return float(rules.payoff(begun(self.block).episodes.target_index[self.row], choice)[0])
