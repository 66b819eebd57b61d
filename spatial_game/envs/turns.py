"""Turn-taking in B games: whose turn it is, what has been sent, and which episode comes next.

Every environment plays through `Turns`, with one game or with many. The rules are those of `game.rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spatial_game.config import GameConfig, did_you_mean
from spatial_game.envs.episode_sampler import EpisodeSampler, checked_seed, checked_seeds
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, IntArray, Mask, check_episodes
from spatial_game.game.scene import Scene

SENDER, RECEIVER = AGENTS = ("sender_0", "receiver_0")

_ALL = slice(None)

# With so few games, what follows from episodes is computed for a whole block: one costs as much as many.
_FEW_GAMES = 16


class Reset(NamedTuple):
    """What a call of `reset` asks for."""

    games: IntArray | None  # their indices, ascending; None: all
    seeds: Sequence[int | None] | None  # one a game; None: the drawing goes on
    episodes: Episodes | None  # one a game; None: the next ones drawn


class Turns:
    """The state of B games: in each the sender acts, once or once a symbol, and then the receiver.

    Game i under seed s plays what a single environment seeded s + i plays. Games need not end together: the
    methods take the indices of the games that they are about (None: all). Arrays that are handed out stay as
    they are; those that are handed in must.
    """

    def __init__(self, config: GameConfig, num_games: int = 1, *, symbol_per_turn: bool = False) -> None:
        self.config = config
        self.num_games = _checked_number(num_games)
        self.symbol_per_turn = symbol_per_turn
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        """Called with the episodes that have just ended, their messages and their choices."""
        self._sampler = EpisodeSampler(config, num_games)
        # The episodes being played are rows of a block, from which they are cut when they are asked for.
        self._block: Episodes | None = None
        self._rows = _ALL
        self._cut: Episodes | None = None
        self._known: dict[str, Any] = {}  # by name, what was computed of the block
        self._heard: rules.FloatArray | None = None  # what receivers see, to be handed out once more
        self._unsent = np.full((num_games, config.message_length), rules.UNSENT, dtype=np.int16)
        self._unchosen = np.full(num_games, -1, dtype=np.int16)
        for array in (self._unsent, self._unchosen):
            array.setflags(write=False)
        self.messages: IntArray = self._unsent  # (B, T)
        self.choices: IntArray = self._unchosen  # (B,), -1 before the end
        # Turns taken: a number for all games, or of each game (B,) once they have parted.
        self._taken: Any = 0
        self._last_turn = config.message_length if symbol_per_turn else 1  # that of the receiver
        # Of each agent's actions: their name, the shape of one, and how many values each number may have.
        self._actions: dict[str, tuple[str, tuple[int, ...], int]] = {
            SENDER: ("message", (config.message_length,), config.vocab_size),
            RECEIVER: ("choice", (), config.num_candidates),
        }
        if symbol_per_turn:
            self._actions[SENDER] = ("symbol", (), config.vocab_size)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle keeps: all but those who listen to the original."""
        return vars(self) | {"on_end": []}

    @property
    def episodes(self) -> Episodes:
        """The episodes being played, one a game. Raises `RuntimeError` before the first reset."""
        if self._cut is None:
            self._cut = self._begun()[self._rows]
        return self._cut

    @property
    def taken(self) -> IntArray:
        """How many turns each game has taken, (B,)."""
        return np.full(self.num_games, self._taken) if isinstance(self._taken, int) else self._taken

    @property
    def over(self) -> Mask:
        """Which games have played their episode to its end, (B,). Raises as `episodes` does."""
        self._begun()
        return self.taken > self._last_turn

    @property
    def sending(self) -> Mask:
        """In which games it is the sender's turn, (B,)."""
        return self.taken < self._last_turn

    @property
    def choosing(self) -> Mask:
        """In which games it is the receiver's turn, (B,)."""
        choosing: Mask = self.taken == self._last_turn
        return choosing

    def turn(self, game: int = 0) -> str | None:
        """Return the agent whose turn it is in a game; None once its episode is over.

        Raises `RuntimeError` before the first reset.
        """
        self._begun()
        taken = self._taken if isinstance(self._taken, int) else self._taken[game]
        if taken < self._last_turn:
            return SENDER
        return RECEIVER if taken == self._last_turn else None

    def require_running(self) -> None:
        """Raise `RuntimeError` unless every game is within an episode."""
        over = self.over
        if over.any():
            one = self.num_games == 1
            which_one, call = ("", "call reset()") if one else (f" of game {int(over.argmax())}", "reset it")
            raise RuntimeError(f"the episode{which_one} is over: {call} before the next step()")

    def seed(self, seeds: Sequence[int | None], games: IntArray | None = None) -> None:
        """Start the drawing of the games afresh; where the seed is None, let it go on."""
        self._sampler.seed(seeds, games)

    def reset(self, games: IntArray | None = None) -> None:
        """Begin the next episode of the games."""
        if games is None and self.num_games <= _FEW_GAMES:
            self._take(*self._sampler.next_rows())
        else:
            self.begin(self._sampler.next_episodes(games), games)

    def restart(self, reset: Reset) -> None:
        """Begin episodes as a call of `reset` asks."""
        if reset.games is not None and self._block is None:
            raise RuntimeError("the first reset() must be of all games; got a reset_mask")
        if reset.seeds is not None:
            self.seed(reset.seeds, reset.games)
        if reset.episodes is None:
            self.reset(reset.games)
        else:
            self.begin(reset.episodes, reset.games)

    def begin(self, episodes: Episodes, games: IntArray | None = None) -> None:
        """Begin these episodes, one a game."""
        if games is None:
            self._take(episodes, _ALL)
            return
        messages, choices, taken = self.messages, self.choices, self.taken
        columns = zip(vars(self.episodes).values(), vars(episodes).values(), strict=True)
        self._take(Episodes.of_columns(_replaced(column, games, new) for column, new in columns), _ALL)
        self.messages = _replaced(messages, games, self._unsent[games])
        self.choices = _replaced(choices, games, self._unchosen[games])
        self._taken = _replaced(taken, games, 0)

    def _take(self, block: Episodes, rows: slice) -> None:
        """Begin these rows of a block, one in each game."""
        if block is not self._block:
            self._block, self._known = block, {}
        self._rows, self._cut, self._heard = rows, None, None
        self.messages, self.choices, self._taken = self._unsent, self._unchosen, 0

    def check(self, agent: str, actions: Any, games: IntArray | None = None) -> IntArray:
        """Return the agent's actions in the games as int16, (n, ...), of actions (B, ...) in all games.

        Raises `TypeError` or `ValueError` on wrong ones; the rows of other games may hold anything.
        """
        name, shape, bound = self._actions[agent]
        shape = (self.num_games, *shape)
        if games is not None:
            actions = np.asarray(actions)
            if actions.shape != shape:
                raise ValueError(f"{name}s must have shape {shape}; got {actions.shape}")
            actions, shape = actions[games], (len(games), *shape[1:])
        return rules.check_integers(f"{name}s", actions, shape, bound).astype(np.int16)

    def check_one(self, agent: str, action: Any) -> IntArray:
        """Return the agent's action in a single game as int16, (1, ...). Raises as `check` does."""
        name, shape, bound = self._actions[agent]
        return rules.check_integers(name, action, shape, bound).astype(np.int16)[None]

    def send(self, actions: IntArray, games: IntArray | None = None) -> None:
        """Take what the senders of the games say: messages (n, T), or the next symbol of each, (n,)."""
        self._heard = None
        if self.symbol_per_turn:
            messages, rows = self.messages.copy(), np.arange(self.num_games) if games is None else games
            messages[rows, self.taken[rows]] = actions
            self.messages = messages
        else:
            self.messages = _replaced(self.messages, games, actions)
        self._go_on(games)

    def choose(self, choices: IntArray, games: IntArray | None = None) -> rules.FloatArray:
        """Take what the receivers of the games choose, (n,), and return what both agents earn, (n,)."""
        targets = self._begun().target_index[self._rows]
        self.choices = _replaced(self.choices, games, choices)
        self._go_on(games)
        for listener in self.on_end:
            listener(*self.of(games), choices)
        return rules.payoff(targets if games is None else targets[games], choices)

    def of(self, games: IntArray | None = None) -> tuple[Episodes, IntArray]:
        """Return the episodes and messages of the games."""
        episodes = self.episodes
        return (episodes, self.messages) if games is None else (episodes[games], self.messages[games])

    def observe(self, agent: str) -> rules.FloatArray:
        """Return what the agent sees now in each game, (B, n), whoever's turn it is."""
        if self.num_games > _FEW_GAMES:
            return self._hear() if agent == RECEIVER else self._view(self.episodes, agent, self.messages)
        view: rules.FloatArray = self.per_episode(agent, self._view, agent).copy()
        if agent == RECEIVER:
            view[:, : self.config.message_length] = self.messages
        elif self.symbol_per_turn:
            view[:, self.config.window_size :] = self.messages
        return view

    def _hear(self) -> rules.FloatArray:
        """Return what receivers see, which they see twice: when the message comes, and at the end."""
        if self._heard is None:
            self._heard = self._view(self.episodes, RECEIVER, self.messages)
            return self._heard.copy()
        heard, self._heard = self._heard, None
        return heard

    def per_episode(self, name: str, of_episodes: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function of episodes (and arguments) returns for those being played, (B, ...).

        For few games it is asked once for all episodes that were drawn ahead; `name` tells functions apart.
        """
        if self.num_games > _FEW_GAMES:
            return of_episodes(self.episodes, *arguments)
        if name not in self._known:
            self._known[name] = of_episodes(self._begun(), *arguments)
        return self._known[name][self._rows]

    def scene(self, game: int = 0) -> Scene:
        """Return one game's episode as it stands, to be drawn."""
        choice = int(self.choices[game])
        episode = self.episodes[game : game + 1]
        return Scene(self.config, episode, self.messages[game], None if choice < 0 else choice)

    def _begun(self) -> Episodes:
        """Return the block of the episodes being played. Raises `RuntimeError` before the first reset."""
        if self._block is None:
            raise RuntimeError("there is no episode yet: call reset() first")
        return self._block

    def _go_on(self, games: IntArray | None) -> None:
        """Count a turn of the games."""
        if games is None:
            self._taken = self._taken + 1
        else:
            taken = self.taken
            self._taken = _replaced(taken, games, taken[games] + 1)

    def _view(self, episodes: Episodes, agent: str, messages: IntArray | None = None) -> rules.FloatArray:
        """Return what the agent sees of episodes with these messages; None: before anything is sent."""
        if agent not in AGENTS:
            raise ValueError(f"agent must be {SENDER!r} or {RECEIVER!r}; got {agent!r}")
        if messages is None:
            messages = np.full((len(episodes), self.config.message_length), rules.UNSENT, dtype=np.int16)
        if agent == RECEIVER:
            return rules.receiver_view(episodes, messages)
        return rules.sender_view(episodes, messages if self.symbol_per_turn else None)


def which(mask: Mask) -> IntArray | None:
    """Return the indices of the games in a mask; None for all of them."""
    return None if mask.all() else np.flatnonzero(mask)


def one_reset(config: GameConfig, seed: int | None, options: Mapping[str, Any] | None) -> Reset:
    """Return what the `reset` of a single environment asks for.

    `options["episode"]`, `Episodes` with one episode, is played instead of the next one drawn.
    """
    seeds = None if seed is None else [checked_seed(seed)]
    if options is None:
        return Reset(None, seeds, None)
    return Reset(None, seeds, given_episodes(_checked_options(options, "episode"), "episode", 1, config))


def batch_reset(turns: Turns, seed: Any, options: Mapping[str, Any] | None) -> Reset:
    """Return what `VectorEnv.reset` asks for.

    `options["reset_mask"]`, (B,) of booleans, says which games to reset; default: all. `options["episodes"]`
    are `Episodes`, one for each of those games, which are played instead of the next ones drawn.
    """
    options = _checked_options(options, "episodes", "reset_mask")
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


def _replaced(array: IntArray, games: IntArray | None, rows: Any) -> IntArray:
    """Return the array with other rows in these games (None: all)."""
    replaced: IntArray = rows if games is None else array.copy()
    if games is not None:
        replaced[games] = rows
    return replaced


def _checked_options(options: Any, *known: str) -> Mapping[str, Any]:
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


def _checked_mask(mask: Any, num_games: int) -> Mask:
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
