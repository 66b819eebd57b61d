"""The state of games: which episode each plays, whose turn it is, and what follows from an action.

The rules are those of `game.rules`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.envs.buffer import (
    ALL,
    Buffer,
    Columns,
    Games,
    Generators,
    draw_ahead,
    games_in,
    put,
)
from spatial_game.envs.reset_arguments import checked_mask, checked_seed, checked_seeds, one_episode, option
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, IntArray, Mask, key_layout
from spatial_game.game.rules import AGENTS, RECEIVER, SENDER, Action
from spatial_game.game.scene import Scene


class CopiedWhole:
    """The base of what `copy.copy` copies deeply: another copy would share half of its state."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


class Game(CopiedWhole):
    """The state of B games: in each, the sender acts once (or once for each symbol), then the receiver.

    Games may end at different times. The methods take the indices of the games to act on (default: all).
    Arrays are replaced, never changed: what was handed out stays as it is. Under seed s, game i plays the
    same as a single environment under seed s + i.
    """

    def __init__(self, config: GameConfig, num_games: int, actions: Mapping[str, Action]) -> None:
        """`actions` as from `actions_of`: the sender's is a message, or one symbol in each turn."""
        self.config = config
        self.num_games = num_games
        self.actions = actions
        self.symbol_per_turn = not actions[SENDER].shape
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        """Called with the episodes that have just ended, their messages and their choices."""
        self._unsent: IntArray = np.full((num_games, config.message_length), rules.UNSENT, dtype=np.int16)
        self.messages = self._unsent
        self.choices = self._unchosen = np.full(num_games, -1, dtype=np.int16)  # -1 before the end
        self._sender_turns = config.message_length if self.symbol_per_turn else 1  # of an episode
        self._turns_taken: int | IntArray = self._sender_turns + 2
        """Turns taken in each game: the sender's, one more after the choice, and two more after giving up.
        One integer while all games are in step."""
        self._buffer = Buffer(self._draw, num_games, len(key_layout(config).numbers))
        # The current episodes: columns as from `_columns`, and an index into each of them.
        self._current: tuple[Columns, Any] | None = None
        self._send_in_advance: Callable[[Episodes], IntArray] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle keeps: everything except the listeners of the original."""
        return vars(self) | {"on_end": []}

    # Episodes begin

    def _draw(self, generators: Generators, number: int) -> Columns:
        return self._columns(draw_ahead(self.config, generators, number), self._send_in_advance)

    def _columns(self, episodes: Episodes, send: Callable[[Episodes], IntArray] | None) -> Columns:
        """Return the columns of episodes, and what each agent sees before anything is sent.

        If a sender is asked in advance (`send`), also its messages.
        """
        unsent = np.broadcast_to(self._unsent[:1], (len(episodes), self.config.message_length))
        seen = {
            SENDER: rules.sender_observation(episodes, unsent if self.symbol_per_turn else None),
            RECEIVER: rules.receiver_observation(episodes, unsent),
        }
        sent = {"message": send(episodes)} if send else {}
        return vars(episodes) | seen | sent

    @property
    def episodes(self) -> Episodes:
        """The current episodes, one for each game. Raises `RuntimeError` before the first reset."""
        return Episodes(*map(self._column, Episodes.__annotations__))

    def send_in_advance(self, send: Callable[[Episodes], IntArray] | None) -> None:
        """Ask a sender about whole blocks of episodes before they are played; None: ask nobody.

        It must send the same whenever it is asked. If it fails, nothing has changed.
        """
        current = self._current and (self._columns(self.episodes, send), ALL)
        self._buffer.change(lambda rows: self._columns(_episodes(rows), send))
        self._current, self._send_in_advance = current, send  # only now, as the sender may fail

    def sent_in_advance(self, games: Games) -> IntArray | None:
        """Return the messages (n, T) of the sender in these games; None if it was not asked in advance."""
        return self._column("message")[games] if self._send_in_advance else None

    def seed(self, seeds: Sequence[int | None], games: Games = ALL) -> None:
        """Restart the drawing of the games; with seed None, it continues."""
        self._buffer.seed(seeds, games)

    def restart(self, seed: Any, options: Mapping[str, Any] | None) -> tuple[Games, Sequence[int | None]]:
        """Begin episodes as `VectorEnv.reset` asks; return the games and the seed of each.

        `options["reset_mask"]`, (B,) of booleans, says which games to reset; default: all. Raises `TypeError`
        or `ValueError` for a wrong seed or option, and then changes nothing.
        """
        mask = option(options, "reset_mask")
        games = ALL if mask is None else games_in(checked_mask(mask, self.num_games))
        if games is not ALL and self._current is None:
            raise RuntimeError("the first reset() must be of all games; got a reset_mask")
        every = checked_seeds(seed, self.num_games)
        seeds = [every[game] for game in np.arange(self.num_games)[games]]
        self.seed(seeds, games)
        self.begin(games)
        return games, seeds

    def begin(self, games: Games = ALL, episodes: Episodes | None = None) -> None:
        """Begin these episodes, or else the next ones, in these games."""
        begun = (
            self._buffer.take(games)
            if episodes is None
            else (self._columns(episodes, self._send_in_advance), ALL)
        )
        if games is ALL:
            self._current, self._turns_taken = begun, 0
            self.messages, self.choices = self._unsent, self._unchosen
            return
        columns, row = begun
        mixed = {name: self._put(self._column(name), games, column[row]) for name, column in columns.items()}
        self._current = mixed, ALL
        self._turns_taken = self._put(self._turns_taken, games, 0)
        self.messages = self._put(self.messages, games, rules.UNSENT)
        self.choices = self._put(self.choices, games, -1)

    # Whose turn it is

    @property
    def sending(self) -> Mask:
        """In which games it is the sender's turn, (B,)."""
        return self._turns_taken_by_game < self._sender_turns

    @property
    def choosing(self) -> Mask:
        """In which games it is the receiver's turn, (B,)."""
        choosing: Mask = self._turns_taken_by_game == self._sender_turns
        return choosing

    @property
    def over(self) -> Mask:
        """Which games have finished their episode, (B,). Raises `RuntimeError` before the first reset."""
        self._require_begun()
        return self._turns_taken_by_game > self._sender_turns

    def require_running(self, *, or_ended: bool = False) -> None:
        """Raise `RuntimeError` unless every game is within an episode, or, if allowed, has ended one."""
        self._require_begun()
        over = self._turns_taken_by_game > self._sender_turns + or_ended
        if over.any():
            game = int(over.argmax())
            raise RuntimeError(f"the episode of game {game} is over: reset it before the next step()")

    # What agents see and do

    def observe(self, agent: str) -> rules.FloatArray:
        """Return the agent's current observation in each game, (B, n), whoever's turn it is."""
        seen: rules.FloatArray = self._column(agent).copy()
        if agent == RECEIVER:
            seen[:, : self.config.message_length] = self.messages
        elif self.symbol_per_turn:
            seen[:, self.config.window_size :] = self.messages
        return seen

    def check(self, agent: str, actions: Any, games: Games = ALL) -> IntArray:
        """Return the agent's actions in the games as int16, (n, ...), of actions (B, ...) in all games.

        Raises `TypeError` or `ValueError` for wrong actions; the rows of other games may have any values.
        """
        action, shape = self.actions[agent], (self.num_games, *self.actions[agent].shape)
        if isinstance(games, slice):
            return action.check(actions, self.num_games)
        actions = np.asarray(actions)
        if actions.shape != shape:
            raise UserError(f"{action.name}s must have shape {shape}; got {actions.shape}")
        return action.check(actions[games], len(games))

    def act_checked(self, agent: str, actions: IntArray, games: Games) -> rules.FloatArray | float:
        """Take actions from `check` of the agent in turn in these games; return the rewards, (n,) or 0."""
        if agent == RECEIVER:
            return self.choose(actions, games)
        self.send(actions, games)
        return 0.0

    def send(self, actions: IntArray, games: Games = ALL) -> None:
        """Store the messages (n, T) of the senders in these games, or the next symbol of each, (n,)."""
        if self.symbol_per_turn:
            slot = self._turns_taken if games is ALL else self._turns_taken_by_game[games]
            rows = games if isinstance(slot, int) else np.arange(self.num_games)[games]
            self.messages = self.messages.copy()
            self.messages[rows, slot] = actions
        else:
            self.messages = self._put(self.messages, games, actions)
        self._take_turn(games)

    def give_up(self, games: Games) -> None:
        """End the episodes of these games without a result: `require_running` never allows them."""
        self._turns_taken = self._put(self._turns_taken, games, self._sender_turns + 2)

    def choose(self, choices: IntArray, games: Games = ALL) -> rules.FloatArray:
        """Store the choices (n,) of the receivers in these games, and return the rewards, (n,)."""
        self.choices = self._put(self.choices, games, choices)
        self._take_turn(games)
        for listener in self.on_end:
            listener(*self.episodes_and_messages(games), choices)
        return rules.payoff(self._column("target_index")[games], choices)

    # What others read

    def episodes_and_messages(self, games: Games) -> tuple[Episodes, IntArray]:
        """Return the episodes and messages of the games."""
        episodes = self.episodes
        return (episodes, self.messages) if games is ALL else (episodes[games], self.messages[games])

    def scene(self, game: int = 0) -> Scene:
        """Return the current state of one game's episode, for drawing."""
        choice = int(self.choices[game])
        episode = self.episodes[game : game + 1]
        return Scene(self.config, episode, self.messages[game], None if choice < 0 else choice)

    def _column(self, name: str) -> Any:
        """Return a column of the current episodes, (B, ...). Raises `RuntimeError` before the first reset."""
        columns, row = self._current or self._require_begun()  # without a call
        return columns[name][row]

    def _require_begun(self) -> tuple[Columns, Any]:
        """Return `_current`. Raises `RuntimeError` before the first reset."""
        if self._current is None:
            raise RuntimeError("there is no episode yet: call reset() first")
        return self._current

    @property
    def _turns_taken_by_game(self) -> IntArray:
        """The turns taken in each game, (B,)."""
        return np.full(self.num_games, self._turns_taken)

    def _take_turn(self, games: Games) -> None:
        """Count a turn of these games."""
        if games is ALL:
            self._turns_taken = self._turns_taken + 1
        else:
            self._turns_taken = self._put(self._turns_taken, games, self._turns_taken_by_game[games] + 1)

    def _put(self, old: Any, games: Games, new: Any) -> Any:
        return new if games is ALL else put(old, games, new, self.num_games)


class OneGame(Game):
    """A batch of one game, which its environment sees without the axis of the batch."""

    _turns_taken: int

    def __init__(self, config: GameConfig, actions: Mapping[str, Action]) -> None:
        super().__init__(config, 1, actions)
        self._turns = (*[SENDER] * self._sender_turns, RECEIVER, None, None)

    @property
    def turn(self) -> str | None:
        """The agent whose turn it is; None before the first reset and after the end of an episode."""
        return self._turns[self._turns_taken]

    def observe(self, agent: str) -> rules.FloatArray:
        """Return the agent's current observation, (n,), whoever's turn it is."""
        seen: rules.FloatArray = super().observe(agent)[0]
        return seen

    def agent_in_turn(self) -> str:
        """Return the agent in turn. Raises `RuntimeError` before the first reset and after the end."""
        turn = self.turn
        if turn is None:
            self._require_begun()
            raise RuntimeError("the episode is over: call reset() before the next step()")
        return turn

    def restart(self, seed: Any, options: Mapping[str, Any] | None) -> tuple[Games, Sequence[int | None]]:
        """Begin an episode as `Env.reset` asks; return what `Game.restart` does.

        `options["episode"]`, `Episodes` with one episode, is played instead of the next one drawn. Raises
        `TypeError` or `ValueError` for a wrong seed or option, and then changes nothing.
        """
        given = option(options, "episode")
        if given is not None:
            given = one_episode(given, self.config)
        seeds = [checked_seed(seed)]
        if seed is not None:
            self.seed(seeds)
        self.begin(episodes=given)
        return ALL, seeds

    def act(self, action: Any) -> float:
        """Take the action of the agent in turn, and return the reward of both agents.

        Raises `TypeError` or `ValueError` for a wrong action, which changes nothing, and `RuntimeError`
        before the first reset and after the end.
        """
        agent = self.turn or self.agent_in_turn()  # which raises
        checked = self.actions[agent].check(action)[None]
        if agent == RECEIVER:
            return float(self.choose(checked)[0])
        self.send(checked)
        return 0.0


def _episodes(rows: Columns) -> Episodes:
    """Return the episodes in rows that hold their columns."""
    return Episodes(*(rows[name] for name in Episodes.__annotations__))


def require_actions(actions: Any, *agents: str) -> None:
    """Raise `TypeError` or `ValueError` unless this is a dict with an action of each of these agents.

    It is their turn. The other agent may be there, with any value, or left out.
    """
    rule = f"actions must be a dict of {' and '.join(AGENTS)}"
    if not isinstance(actions, Mapping):
        raise UserTypeError(f"{rule}; got {type(actions).__name__}")
    if not set(agents) <= set(actions) <= set(AGENTS):
        raise UserError(f"{rule}, and hold that of {' and '.join(agents)}; got {sorted(actions)}")
