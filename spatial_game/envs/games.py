"""Many games at once: whose turn it is in each, and which episodes come next.

Games may end at different times. The methods take the indices of the games to act on (default: all).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spatial_game.checks import require_whole
from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import ALL, EpisodeSampler, Games, checked_seeds
from spatial_game.envs.game import RECEIVER, Action, Game, after_reset, option
from spatial_game.envs.observations import ObservationForm
from spatial_game.errors import UserError
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.memory import require_memory


class ManyGames(Game):
    """The state of B games. Under seed s, game i plays the same as a single environment under seed s + i."""

    def __init__(self, config: GameConfig, num_games: int, actions: Mapping[str, Action]) -> None:
        super().__init__(config, num_games, actions)
        # Turns taken in each game: the sender's, one more after the choice, and two more after giving up.
        self._taken: IntArray = np.zeros(num_games, dtype=np.intp)
        self._sampler = EpisodeSampler(config, num_games)
        self._episodes: Episodes | None = None

    @property
    def episodes(self) -> Episodes:
        """The current episodes, one for each game. Raises `RuntimeError` before the first reset."""
        return after_reset(self._episodes)

    @property
    def sending(self) -> Mask:
        """In which games it is the sender's turn, (B,)."""
        return self._taken < self._sender_turns

    @property
    def choosing(self) -> Mask:
        """In which games it is the receiver's turn, (B,)."""
        choosing: Mask = self._taken == self._sender_turns
        return choosing

    @property
    def over(self) -> Mask:
        """Which games have finished their episode, (B,). Raises as `episodes` does."""
        _ = self.episodes
        return self._taken > self._sender_turns

    def require_running(self, *, or_ended: bool = False) -> None:
        """Raise `RuntimeError` unless every game is within an episode, or, if allowed, has ended one."""
        _ = self.episodes
        over = self._taken > self._sender_turns + (1 if or_ended else 0)
        if over.any():
            game = int(over.argmax())
            raise RuntimeError(f"the episode of game {game} is over: reset it before the next step()")

    def seed(self, seeds: Sequence[int | None], games: Games = ALL) -> None:
        """Restart the drawing of the games; with seed None, it continues."""
        self._sampler.seed(seeds, games)

    def restart(self, seed: Any, options: Mapping[str, Any] | None) -> tuple[Games, Sequence[int | None]]:
        """Begin episodes as `VectorEnv.reset` asks; return the games and the seed of each.

        `options["reset_mask"]`, (B,) of booleans, says which games to reset; default: all. Raises `TypeError`
        or `ValueError` for a wrong seed or option, and then changes nothing.
        """
        mask = option(options, "reset_mask")
        games = ALL if mask is None else which(_checked_mask(mask, self.num_games))
        if games is not ALL and self._episodes is None:
            raise RuntimeError("the first reset() must be of all games; got a reset_mask")
        every = checked_seeds(seed, self.num_games)
        seeds = [every[game] for game in np.arange(self.num_games)[games]]
        self.seed(seeds, games)
        self.begin(games)
        return games, seeds

    def begin(self, games: Games = ALL) -> None:
        """Begin the next episode of each of these games."""
        episodes = self._sampler.next_episodes(games)
        if games is not ALL:
            columns = [column.copy() for column in vars(self.episodes).values()]
            for column, rows in zip(columns, vars(episodes).values(), strict=True):
                column[games] = rows
            episodes = Episodes(*columns)
        self._episodes = episodes
        self.messages[games], self.choices[games], self._taken[games] = rules.UNSENT, -1, 0

    def observe(self, agent: str) -> rules.FloatArray:
        """Return the agent's current observation in each game, (B, n), whoever's turn it is."""
        if agent == RECEIVER:
            return rules.receiver_view(self.episodes, self.messages)
        return rules.sender_view(self.episodes, self.messages if self.symbol_per_turn else None)

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

    def act_checked(self, agent: str, actions: IntArray, games: Games = ALL) -> rules.FloatArray | float:
        """Take actions from `check` of the agent in turn in these games; return the rewards, (n,) or 0."""
        if agent == RECEIVER:
            return self.choose(actions, games)
        self.send(actions, games)
        return 0.0

    def send(self, actions: IntArray, games: Games = ALL) -> None:
        """Store the messages (n, T) of the senders in these games, or the next symbol of each, (n,)."""
        if self.symbol_per_turn:
            rows = np.arange(self.num_games)[games]
            self.messages[rows, self._taken[rows]] = actions
        else:
            self.messages[games] = actions
        self._taken[games] += 1

    def give_up(self, games: Games = ALL) -> None:
        """End the episodes of these games without a result: `require_running` never allows them."""
        self._taken[games] = self._sender_turns + 2

    def choose(self, choices: IntArray, games: Games = ALL) -> rules.FloatArray:
        """Store the choices (n,) of the receivers in these games, and return the rewards, (n,)."""
        self.choices[games] = choices
        self._taken[games] += 1
        for listener in self.on_end:
            listener(*self.of(games), choices)
        return rules.payoff(self.episodes.target_index[games], choices)

    def of(self, games: Games = ALL) -> tuple[Episodes, IntArray]:
        """Return the episodes and messages of the games; later turns do not change them."""
        return self.episodes[games], self.messages[games].copy()


def require_num_envs(num_envs: Any, form: ObservationForm) -> int:
    """Return the number of games to play at once. Raises `UserError` for more than fit into memory."""
    whole = require_whole("num_envs", num_envs, 1)
    require_memory("num_envs", whole, whole * form.bytes_of_game, "play fewer games at once")
    return whole


def which(mask: Mask) -> Games:
    """Return the games in a mask."""
    return ALL if mask.all() else np.flatnonzero(mask)


def _checked_mask(mask: Any, num_games: int) -> Mask:
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (num_games,):
        raise UserError(
            f"reset_mask must be {num_games} booleans; got dtype {array.dtype} and shape {array.shape}"
        )
    if not array.any():
        raise UserError("reset_mask must have at least one True; got none")
    return array
