"""Turn-taking in B games: whose turn it is, what has been sent, and which episode comes next.

Every environment plays through `Turns`, with one game or with many. The rules are those of `game.rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import BoolArray, EpisodeSampler, checked_seed, checked_seeds
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, IntArray, check_episodes
from spatial_game.game.scene import Scene

SENDER, RECEIVER = AGENTS = ("sender_0", "receiver_0")

_COLUMNS = ("sequence", "target_position", "window", "mask_column", "candidates", "target_index")
_ALL = slice(None)


class Reset(NamedTuple):
    """What a call of `reset` asks for."""

    games: IntArray | None  # their indices, ascending; None: all
    seeds: Sequence[int | None] | None  # one a game; None: the drawing goes on
    episodes: Episodes | None  # one a game; None: the next ones drawn


class Turns:
    """The state of B games: in each the sender acts, once or once a symbol, and then the receiver.

    Game i under seed s plays what a single environment seeded s + i plays. Games need not end together: the
    methods take the indices of the games that they are about (None: all).
    """

    def __init__(self, config: GameConfig, num_games: int = 1, *, symbol_per_turn: bool = False) -> None:
        self.config = config
        self.num_games = _checked_number(num_games)
        self.symbol_per_turn = symbol_per_turn
        self.messages = np.full((num_games, config.message_length), rules.UNSENT, dtype=np.int16)
        self.num_sent = np.zeros(num_games, dtype=np.int16)  # symbols of each message
        self.choices = np.full(num_games, -1, dtype=np.int16)  # -1 before the end
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        """Called with the episodes that have just ended, their messages and their choices."""
        self._sampler = EpisodeSampler(config, num_games)
        self._episodes: Episodes | None = None
        # Of each agent's actions: their name, the shape of one, and how many values each number may have.
        self._actions: dict[str, tuple[str, tuple[int, ...], int]] = {
            SENDER: ("message", (config.message_length,), config.vocab_size),
            RECEIVER: ("choice", (), config.num_candidates),
        }
        if symbol_per_turn:
            self._actions[SENDER] = ("symbol", (), config.vocab_size)

    @property
    def episodes(self) -> Episodes:
        """The episodes being played, one a game. Raises `RuntimeError` before the first reset."""
        if self._episodes is None:
            raise RuntimeError("there is no episode yet: call reset() first")
        return self._episodes

    @property
    def over(self) -> BoolArray:
        """Which games have played their episode to its end, (B,)."""
        over: BoolArray = self.choices >= 0
        return over

    @property
    def sending(self) -> BoolArray:
        """In which games it is the sender's turn, (B,)."""
        sending: BoolArray = self.num_sent < self.config.message_length
        return sending

    def turn(self, game: int = 0) -> str | None:
        """Return the agent whose turn it is in a game; None when there is no episode or it is over."""
        if self._episodes is None or self.choices.item(game) >= 0:
            return None
        return SENDER if self.num_sent.item(game) < self.config.message_length else RECEIVER

    def require_running(self) -> None:
        """Raise `RuntimeError` unless every game is within an episode."""
        _, over = self.episodes, self.over
        if over.any():
            one = self.num_games == 1
            which_one, call = ("", "call reset()") if one else (f" of game {int(over.argmax())}", "reset it")
            raise RuntimeError(f"the episode{which_one} is over: {call} before the next step()")

    def seed(self, seeds: Sequence[int | None], games: IntArray | None = None) -> None:
        """Start the drawing of the games afresh; where the seed is None, let it go on."""
        self._sampler.seed(seeds, games)

    def reset(self, games: IntArray | None = None) -> None:
        """Begin the next episode of the games."""
        self.begin(self._sampler.next_episodes(games), games)

    def restart(self, reset: Reset) -> None:
        """Begin episodes as a call of `reset` asks."""
        if reset.games is not None and self._episodes is None:
            raise RuntimeError("the first reset() must be of all games; got a reset_mask")
        if reset.seeds is not None:
            self.seed(reset.seeds, reset.games)
        if reset.episodes is None:
            self.reset(reset.games)
        else:
            self.begin(reset.episodes, reset.games)

    def begin(self, episodes: Episodes, games: IntArray | None = None) -> None:
        """Begin these episodes, one a game."""
        if games is not None:
            self._begin_some(episodes, games)
            return
        self._episodes = episodes
        self.messages.fill(rules.UNSENT)
        self.num_sent.fill(0)
        self.choices.fill(-1)

    def _begin_some(self, episodes: Episodes, games: IntArray) -> None:
        # Copies: the arrays may still be in use elsewhere.
        columns = {name: getattr(self.episodes, name).copy() for name in _COLUMNS}
        for name, column in columns.items():
            column[games] = getattr(episodes, name)
        self._episodes = Episodes(**columns)
        self.messages[games] = rules.UNSENT
        self.num_sent[games] = 0
        self.choices[games] = -1

    def check(self, agent: str, actions: Any, games: IntArray | None = None) -> IntArray:
        """Return the agent's actions in the games as int16, (n, ...), of actions (B, ...) in all games.

        Raises `TypeError` or `ValueError` on wrong ones; the rows of other games may hold anything.
        """
        name, shape, bound = self._actions[agent]
        shape = (self.num_games, *shape)
        if games is None:
            return rules.check_integers(f"{name}s", actions, shape, bound)
        array = np.asarray(actions)
        if array.shape != shape:
            raise ValueError(f"{name}s must have shape {shape}; got {array.shape}")
        return rules.check_integers(f"{name}s", array[games], (len(games), *shape[1:]), bound)

    def check_one(self, agent: str, action: Any) -> IntArray:
        """Return the agent's action in a single game as int16, (1, ...). Raises as `check` does."""
        name, shape, bound = self._actions[agent]
        return rules.check_integers(name, action, shape, bound)[None]

    def send(self, actions: IntArray, games: IntArray | None = None) -> None:
        """Take what the senders of the games say: messages (n, T), or the next symbol of each, (n,)."""
        rows: Any = _ALL if games is None else games
        if self.symbol_per_turn:
            self.messages[np.arange(self.num_games)[rows], self.num_sent[rows]] = actions
            self.num_sent[rows] += 1
        else:
            self.messages[rows] = actions
            self.num_sent[rows] = self.config.message_length

    def choose(self, choices: IntArray, games: IntArray | None = None) -> rules.FloatArray:
        """Take what the receivers of the games choose, (n,), and return what both agents earn, (n,)."""
        episodes, messages = self.of(games)
        self.choices[_ALL if games is None else games] = choices
        for listener in self.on_end:
            listener(episodes, messages, choices)
        return rules.payoff(episodes, choices)

    def of(self, games: IntArray | None = None) -> tuple[Episodes, IntArray]:
        """Return the episodes and messages of the games."""
        episodes = self.episodes
        return (episodes, self.messages) if games is None else (episodes[games], self.messages[games])

    def observe(self, agent: str) -> rules.FloatArray:
        """Return what the agent sees now in each game, (B, n), whoever's turn it is."""
        if agent == RECEIVER:
            return rules.receiver_view(self.episodes, self.messages)
        if agent == SENDER:
            return rules.sender_view(self.episodes, self.messages if self.symbol_per_turn else None)
        raise ValueError(f"agent must be {SENDER!r} or {RECEIVER!r}; got {agent!r}")

    def scene(self, game: int = 0) -> Scene:
        """Return one game's episode as it stands, to be drawn."""
        choice = self.choices.item(game)
        episode = self.episodes[game : game + 1]
        return Scene(self.config, episode, self.messages[game].copy(), None if choice < 0 else choice)


def which(mask: BoolArray) -> IntArray | None:
    """Return the indices of the games in a mask; None for all of them."""
    return None if mask.all() else np.flatnonzero(mask)


def one_reset(config: GameConfig, seed: int | None, options: Mapping[str, Any] | None) -> Reset:
    """Return what the `reset` of a single environment asks for.

    `options["episode"]`, `Episodes` with one episode, is played instead of the next one drawn.
    """
    seeds = None if seed is None else [checked_seed(seed)]
    return Reset(None, seeds, given_episodes(_checked_options(options), "episode", 1, config))


def batch_reset(turns: Turns, seed: Any, options: Mapping[str, Any] | None) -> Reset:
    """Return what `VectorEnv.reset` asks for.

    `options["reset_mask"]`, (B,) of booleans, says which games to reset; default: all. `options["episodes"]`
    are `Episodes`, one for each of those games, which are played instead of the next ones drawn.
    """
    options = _checked_options(options)
    mask = options.get("reset_mask")
    games = None if mask is None else which(_checked_mask(mask, turns.num_games))
    seeds = checked_seeds(seed, turns.num_games)
    if games is not None:
        seeds = [seeds[game] for game in games]
    return Reset(games, seeds, given_episodes(options, "episodes", len(seeds), turns.config))


def given_episodes(options: Mapping[str, Any], key: str, number: int, config: GameConfig) -> Episodes | None:
    """Return the episodes, so many, that options hold under this key; None where they hold none.

    Raises `TypeError` or `ValueError` unless they are episodes of this game.
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


def check_both_act(actions: Any) -> None:
    """Raise `TypeError` or `ValueError` unless these are a dict with an action of each agent."""
    if not isinstance(actions, Mapping):
        raise TypeError(f"actions must be a dict of {' and '.join(AGENTS)}; got {type(actions).__name__}")
    if set(actions) != set(AGENTS):
        raise ValueError(f"actions must be given for {' and '.join(AGENTS)}; got {sorted(actions)}")


def _checked_options(options: Any) -> Mapping[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict or None; got {type(options).__name__}")
    return options


def _checked_mask(mask: Any, num_games: int) -> BoolArray:
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (num_games,):
        raise ValueError(
            f"reset_mask must be {num_games} booleans; got dtype {array.dtype} and shape {array.shape}"
        )
    if not array.any():
        raise ValueError("reset_mask must have at least one True; got none")
    return array


def _checked_number(num_games: Any) -> int:
    if isinstance(num_games, bool) or not isinstance(num_games, (int, np.integer)):
        raise TypeError(f"num_envs must be a whole number; got {num_games!r}")
    if num_games < 1:
        raise ValueError(f"num_envs must be at least 1; got {num_games}")
    return int(num_games)
