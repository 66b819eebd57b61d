"""The state of games: which episode each plays, whose turn it is, and what follows from an action.

The rules are those of `game.rules`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.envs.buffer import Buffer, Generators, OneStream, draw_ahead
from spatial_game.envs.reset_arguments import OPTIONS, checked_mask, checked_options, checked_seeds
from spatial_game.envs.states import (
    ALL,
    GameIndex,
    States,
    episodes_of,
    games_in,
    new_states,
    parts_of,
    state_type,
)
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game import rules
from spatial_game.game.checking import checked_batch, checked_sampler
from spatial_game.game.episodes import Episodes, IntArray, Mask, Sampler, key_layout
from spatial_game.game.rules import AGENTS, RECEIVER, SENDER, Action
from spatial_game.game.scene import Scene


class CopiedWhole:
    """The base of what `copy.copy` copies deeply: another copy would share half of its state."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


class Games(CopiedWhole):
    """The state of B games: in each, the sender acts once (or once for each symbol), then the receiver.

    Games may end at different times. The methods take the games to act on (default: all). What they return
    stays as it is. Game 0 plays the same as a single environment under the same seed.
    """

    options: ClassVar[tuple[str, ...]] = OPTIONS
    """The options of a reset."""

    def __init__(
        self,
        config: GameConfig,
        num_games: int,
        actions: Mapping[str, Action],
        sampler: Sampler | None = None,
    ) -> None:
        """`actions` as from `actions_of`: the sender's is a message, or one symbol in each turn.

        `sampler` draws the episodes; default: each game draws those of `draw_episodes`.
        """
        self.config = config
        self.num_games = num_games
        self.actions = actions
        self.symbol_per_turn = not actions[SENDER].shape
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        """Called with the episodes that have just ended, their messages and their choices."""
        self._state_type = state_type(config, symbol_per_turn=self.symbol_per_turn)
        self._sender_turns = config.message_length if self.symbol_per_turn else 1  # of an episode
        # Turns taken at the end of an episode, and more if it was given up or never began.
        self._over, self._given_up = self._sender_turns + 1, self._sender_turns + 2
        self._states: States = np.zeros(num_games, self._state_type)
        self.give_up(ALL)
        self._begun = False
        self._source: Buffer | OneStream
        if sampler is None:
            self._source = Buffer(self._draw, num_games, self._state_type, len(key_layout(config).numbers))
        else:
            self._source = OneStream(partial(self._sample, checked_sampler(sampler, config)), num_games)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle keeps: everything except the listeners of the original."""
        return vars(self) | {"on_end": []}

    # Episodes begin

    def _draw(self, generators: Generators, number: int) -> States:
        return new_states(self._state_type, draw_ahead(self.config, generators, number))

    def _sample(self, sampler: Sampler, number: int, rng: np.random.Generator) -> States:
        return new_states(self._state_type, sampler(number, rng))

    def send_in_advance(self, send: Callable[[States, GameIndex], IntArray] | None) -> None:
        """Ask a sender about many episodes before they are played; None: ask nobody.

        It gets the next states of some games, and these games (`Buffer.complete_with`), and must send the
        same whenever it is asked. From the next reset on, episodes begin after its turn, unless they are
        given or come from a sampler. If it fails, nothing has changed.
        """
        self._source.complete_with(partial(self._write_messages, send))

    def _write_messages(
        self, send: Callable[[States, GameIndex], IntArray] | None, states: States, games: GameIndex
    ) -> None:
        """Write into states what the sender sends in advance; without one, that nothing is sent."""
        states["message"] = send(states, games) if send else rules.UNSENT
        states["turns"] = self._sender_turns if send else 0

    def seed(self, seeds: Sequence[int | None], games: GameIndex = ALL) -> None:
        """Restart the drawing of the games; with seed None, it continues."""
        self._source.seed(seeds, games)

    def restart(
        self,
        seed: Any,
        options: Mapping[str, Any] | None,
        seed_partner: Callable[[Sequence[int | None], GameIndex], None] | None = None,
    ) -> GameIndex:
        """Begin episodes as `reset` of an environment asks, and return the games.

        A partner that also draws is seeded with the games, before it is asked in advance.

        `options["episodes"]`, `Episodes` with one for each game, are played instead of the next ones drawn.
        `options["reset_mask"]`, (B,) of booleans, says which games to reset; default: all. Raises `TypeError`
        or `ValueError` for a wrong seed or option, and then changes nothing.
        """
        if seed is None and not options:
            self.begin()
            return ALL
        given = checked_options(options, self.options)
        mask = checked_mask(given.get("reset_mask"), self.num_games)
        games = ALL if mask is None else games_in(mask)
        if games is not ALL and not self._begun:
            raise RuntimeError("the first reset() must be of all games; got a reset_mask")
        episodes = given.get("episodes")
        if episodes is not None:
            episodes = checked_batch(episodes, self.config, self.num_games, 'options["episodes"]')[games]
        if seed is not None:
            seeds = checked_seeds(seed, self.num_games)
            seeds = [seeds[game] for game in np.arange(self.num_games)[games]]
            self.seed(seeds, games)
            if seed_partner:
                seed_partner(seeds, games)
        self.begin(games, episodes)
        return games

    def begin(self, games: GameIndex = ALL, episodes: Episodes | None = None) -> None:
        """Begin these episodes, or else the next ones, in these games."""
        begun = self._source.take(games) if episodes is None else new_states(self._state_type, episodes)
        if games is ALL:
            self._states = begun
        else:
            self._states = self._states.copy()  # a copy, as it may be part of the buffer
            self._states[games] = begun
        self._begun = True

    # Whose turn it is

    @property
    def over(self) -> Mask:
        """Which games have finished their episode, (B,). Raises `RuntimeError` before the first reset."""
        self._require_begun()
        over: Mask = self._states["turns"] >= self._over
        return over

    def in_turn(self, agent: str) -> Mask:
        """Return in which games it is the agent's turn, (B,)."""
        turns, last = self._states["turns"], self._sender_turns
        in_turn: Mask = turns < last if agent == SENDER else turns == last
        return in_turn

    def require_running(self, *, or_ended: bool = False) -> None:
        """Raise `RuntimeError` unless every game is within an episode, or, if allowed, has ended one."""
        self._require_begun()
        over = self._states["turns"] >= self._over + or_ended
        if over.any():
            game = int(over.argmax())
            raise RuntimeError(f"the episode of game {game} is over: reset it before the next step()")

    def _require_begun(self) -> None:
        """Raise `RuntimeError` before the first reset."""
        if not self._begun:
            raise RuntimeError("there is no episode yet: call reset() first")

    # What agents see and do

    def observe(self, agent: str) -> rules.Float32Array:
        """Return the agent's current observation in each game, (B, n), whoever's turn it is."""
        self._require_begun()
        seen: rules.Float32Array = self._states[agent].astype(np.float32)
        return seen

    def check(self, agent: str, actions: Any, games: GameIndex = ALL) -> IntArray:
        """Return the agent's actions in the games, (n, ...), of actions (B, ...) in all games.

        Raises `TypeError` or `ValueError` for wrong actions; the rows of other games may have any values.
        """
        action, shape = self.actions[agent], (self.num_games, *self.actions[agent].shape)
        if games is ALL:
            return action.check(actions, self.num_games)
        actions = np.asarray(actions)
        if actions.shape != shape:
            raise UserError(f"{action.name}s must have shape {shape}; got {actions.shape}")
        chosen = actions[games]
        return action.check(chosen, len(chosen))

    def act(self, agent: str, actions: IntArray, games: GameIndex = ALL) -> rules.Float32Array | float:
        """Take actions from `check` of the agent in turn in these games; return the rewards, (n,) or 0."""
        if agent == RECEIVER:
            return self.choose(actions, games)
        self.send(actions, games)
        return 0.0

    def send(self, actions: IntArray, games: GameIndex = ALL) -> None:
        """Store the messages (n, T) of the senders in these games, or the next symbol of each, (n,)."""
        if self.symbol_per_turn:
            slots = self._states["turns"][games]
            self._states["message"][np.arange(self.num_games)[games], slots] = actions
            self._states["turns"][games] += 1
        else:
            self._states["message"][games] = actions
            self._states["turns"][games] = self._sender_turns

    def give_up(self, games: GameIndex) -> None:
        """End the episodes of these games without a result: `require_running` never allows them."""
        self._states["turns"][games] = self._given_up

    def choose(self, choices: IntArray, games: GameIndex = ALL) -> rules.Float32Array:
        """Store the choices (n,) of the receivers in these games, and return the rewards, (n,)."""
        self._states["choice"][games] = choices
        self._states["turns"][games] = self._over
        for listener in self.on_end:
            parts = parts_of(self._states[games])
            listener(episodes_of(parts), parts["message"], parts["choice"])
        return rules.payoff(self._states["target_index"][games], choices)

    # What others read

    def parts(self) -> dict[str, IntArray]:
        """Return what the current episodes are, (B, ...) by the names of the columns of a recording.

        Symbols that are not sent yet and choices that are not made yet are -1.
        """
        self._require_begun()
        return parts_of(self._states)

    def final_info(self, over: Mask) -> dict[str, Any]:
        """Return what the episodes of these games (B,) were, as infos of Gymnasium have it."""
        return {"final_info": self.parts(), "_final_info": over.copy()}

    @property
    def episodes(self) -> Episodes:
        """The current episodes, one for each game. Raises `RuntimeError` before the first reset."""
        return episodes_of(self.parts())

    def states(self, games: GameIndex) -> States:
        """Return the states of the games, which the caller must not change."""
        return self._states[games]

    def scene(self, game: int = 0) -> Scene:
        """Return the current state of one game's episode, for drawing."""
        self._require_begun()
        parts = parts_of(self._states[game : game + 1])
        choice = int(parts["choice"][0])
        return Scene(self.config, episodes_of(parts), parts["message"][0], None if choice < 0 else choice)


class OneGame(Games):
    """A batch of one game, which its environment sees without the axis of the batch."""

    options = OPTIONS[:1]

    def __init__(
        self, config: GameConfig, actions: Mapping[str, Action], sampler: Sampler | None = None
    ) -> None:
        super().__init__(config, 1, actions, sampler)
        self._agents = (*[SENDER] * self._sender_turns, RECEIVER, None, None)

    @property
    def turn(self) -> str | None:
        """The agent whose turn it is; None before the first reset and after the end of an episode."""
        taken: int = self._states["turns"].item()
        return self._agents[taken]

    def observe(self, agent: str) -> rules.Float32Array:
        """Return the agent's current observation, (n,), whoever's turn it is."""
        self._require_begun()
        seen: rules.Float32Array = self._states[agent][0].astype(np.float32)
        return seen

    def agent_in_turn(self) -> str:
        """Return the agent in turn. Raises `RuntimeError` before the first reset and after the end."""
        turn = self.turn
        if turn is None:
            self._require_begun()
            raise RuntimeError("the episode is over: call reset() before the next step()")
        return turn

    def step(self, action: Any) -> float:
        """Take the action of the agent in turn, and return the reward of both agents.

        Raises `TypeError` or `ValueError` for a wrong action, which changes nothing, and `RuntimeError`
        before the first reset and after the end.
        """
        agent = self.agent_in_turn()
        checked = self.actions[agent].check(action)
        if agent == RECEIVER:
            return float(self.choose(checked)[0])
        self.send(checked)
        return 0.0


def require_actions(actions: Any, *agents: str) -> None:
    """Raise `TypeError` or `ValueError` unless this is a dict with an action of each of these agents.

    It is their turn. The other agent may be there, with any value, or left out.
    """
    rule = f"actions must be a dict of {' and '.join(AGENTS)}"
    if not isinstance(actions, Mapping):
        raise UserTypeError(f"{rule}; got {type(actions).__name__}")
    if not set(agents) <= set(actions) <= set(AGENTS):
        raise UserError(f"{rule}, and hold that of {' and '.join(agents)}; got {sorted(map(str, actions))}")
