"""One episode after another, played turn by turn: what the environments adapt to their interfaces.

The rules are those of `game`, called with a batch of one. What is added here is time: whose turn it is, what
has been sent so far, and which episode comes next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import checked_seed
from spatial_game.game import rules
from spatial_game.game.episodes import MASK, Episodes, IntArray, check_episodes, draw_episodes
from spatial_game.game.scene import Scene

SENDER, RECEIVER = AGENTS = ("sender_0", "receiver_0")

# Episodes drawn at a time: few at first, for those who seed every reset, then enough to cost next to nothing.
_FIRST_BLOCK, _LARGEST_BLOCK = 8, 512

Mask = npt.NDArray[np.int8] | tuple[npt.NDArray[np.int8], ...]


class Turns:
    """The state of one episode: first the sender's turn, or one turn per symbol; then the receiver's.

    Attributes that the environments pass on: `turn` (the agent whose turn it is, None outside an episode),
    `over` (whether an episode has been played to its end), `reward` (what both have earned in it),
    `action_spaces`, `observation_spaces`, `state_space`; `on_end`: what to call with an episode that has just
    ended, its message and its choice, each a batch of one.
    """

    def __init__(self, config: GameConfig, *, symbol_per_turn: bool) -> None:
        self.config = config
        self.symbol_per_turn = symbol_per_turn
        self.turn: str | None = None
        self.over = False
        self.reward = 0.0
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        self.action_spaces = _action_spaces(config, symbol_per_turn)
        self.observation_spaces = _observation_spaces(config, symbol_per_turn)
        self.state_space = _join(self.observation_spaces[agent] for agent in AGENTS)
        self._masks = {agent: _masks(space) for agent, space in self.action_spaces.items()}
        self._episodes: Iterator[Episodes] | None = None
        self._episode: Episodes | None = None

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin the next episode: `options["episode"]` (`Episodes`, a batch of one) or the next one drawn.

        A seed starts the drawing afresh: the episodes are those of `draw_episodes` with
        `np.random.default_rng(seed)`, in order. Other options are ignored, as is the custom.
        """
        given = (options or {}).get("episode")
        replayed = None if given is None else _checked_episode(given, self.config)
        if seed is not None or self._episodes is None:
            self._episodes = _endless(self.config, np.random.default_rng(checked_seed(seed)))
        self._episode = next(self._episodes) if replayed is None else replayed
        self._message = np.full((1, self.config.message_length), rules.UNSENT, dtype=np.int16)
        self._num_sent = 0
        self._choice: int | None = None
        self.turn, self.over, self.reward = SENDER, False, 0.0

    def act(self, action: Any) -> None:
        """Take the action of the agent whose turn it is.

        Raises `TypeError` or `ValueError` on an action outside the rules (nothing has happened then), and
        `RuntimeError` outside of an episode.
        """
        episode = self._current()
        if self.over:
            raise RuntimeError("the episode is over: call reset() before the next step()")
        if self.turn == SENDER:
            self._send(action)
        else:
            choice = rules.check_integers("choice", action, (), self.config.num_candidates)
            self._choice = int(choice)
            self.turn, self.over, self.reward = None, True, float(rules.payoff(episode, choice[None])[0])
            for listener in self.on_end:
                listener(episode, self._message, choice[None])

    def _send(self, action: Any) -> None:
        vocab_size, length = self.config.vocab_size, self.config.message_length
        if self.symbol_per_turn:
            self._message[0, self._num_sent] = rules.check_integers("symbol", action, (), vocab_size)
            self._num_sent += 1
        else:
            self._message[0] = rules.check_integers("message", action, (length,), vocab_size)
            self._num_sent = length
        if self._num_sent == length:
            self.turn = RECEIVER

    def observe(self, agent: str) -> rules.FloatArray:
        """What the agent sees now, whoever's turn it is, also after the end."""
        episode = self._current()
        if agent == SENDER:
            views = rules.sender_view(episode, self._message if self.symbol_per_turn else None)
        elif agent == RECEIVER:
            views = rules.receiver_view(episode, self._message)
        else:
            raise ValueError(f"agent must be {SENDER!r} or {RECEIVER!r}; got {agent!r}")
        view: rules.FloatArray = views[0]
        return view

    def info(self, agent: str) -> dict[str, Mask]:
        """The agent's action mask: 1 for what it may do now; off its turn, action 0 alone."""
        mask = self._masks[agent][agent == self.turn]
        # Copies, so that nobody can change the masks to come.
        return {"action_mask": mask.copy() if isinstance(mask, np.ndarray) else tuple(m.copy() for m in mask)}

    def state(self) -> rules.FloatArray:
        """What both agents see, the sender's first: all that a centralised critic may know."""
        return np.concatenate([self.observe(agent) for agent in AGENTS])

    def scene(self) -> Scene:
        """The episode as it stands, to be drawn."""
        return Scene(self.config, self._current(), self._message[0].copy(), self._choice)

    def _current(self) -> Episodes:
        if self._episode is None:
            raise RuntimeError("there is no episode yet: call reset() first")
        return self._episode


def check_both_act(actions: Any) -> None:
    """Raise `TypeError` or `ValueError` unless these are a dict with an action of each agent."""
    if not isinstance(actions, Mapping):
        raise TypeError(f"actions must be a dict of {' and '.join(AGENTS)}; got {type(actions).__name__}")
    if set(actions) != set(AGENTS):
        raise ValueError(f"actions must be given for {' and '.join(AGENTS)}; got {sorted(actions)}")


def _endless(config: GameConfig, rng: np.random.Generator) -> Iterator[Episodes]:
    """Episodes one by one, each a batch of one; drawn ahead, which does not change them."""
    block = _FIRST_BLOCK
    while True:
        drawn = draw_episodes(config, block, rng)
        for row in range(block):
            yield drawn[row : row + 1]
        block = min(2 * block, _LARGEST_BLOCK)


def _checked_episode(episode: Any, config: GameConfig) -> Episodes:
    if not isinstance(episode, Episodes):
        raise TypeError(f'options["episode"] must be Episodes; got {type(episode).__name__}')
    if len(episode) != 1:
        raise ValueError(f'options["episode"] must be a batch of one episode; got {len(episode)}')
    return check_episodes(config, episode)


def _action_spaces(config: GameConfig, symbol_per_turn: bool) -> dict[str, spaces.Space[Any]]:
    sender: spaces.Space[Any] = (
        spaces.Discrete(config.vocab_size)
        if symbol_per_turn
        else spaces.MultiDiscrete([config.vocab_size] * config.message_length)
    )
    return {SENDER: sender, RECEIVER: spaces.Discrete(config.num_candidates)}


def _observation_spaces(config: GameConfig, symbol_per_turn: bool) -> dict[str, spaces.Box]:
    largest = len(config.integers) - 1
    window = _box(config.window_size, MASK, largest)
    message = _box(config.message_length, rules.UNSENT, config.vocab_size - 1)
    visible = _box(config.sequence_length + config.num_candidates, 0, largest)
    return {
        SENDER: _join((window, message)) if symbol_per_turn else window,
        RECEIVER: _join((message, visible)),
    }


def _box(width: int, low: int, high: int) -> spaces.Box:
    return spaces.Box(low, high, (width,), np.float32)


def _join(boxes: Any) -> spaces.Box:
    """The space of flat observations that follow one another."""
    parts = list(boxes)
    low, high = (np.concatenate([getattr(box, end) for box in parts]) for end in ("low", "high"))
    return spaces.Box(low, high, dtype=np.float32)


def _masks(space: spaces.Space[Any]) -> tuple[Mask, Mask]:
    """An agent's action masks (off its turn, on its turn), in the form that `space.sample` takes."""
    if isinstance(space, spaces.MultiDiscrete):
        off, on = zip(*(_masks_of(int(size)) for size in space.nvec), strict=True)
        return off, on
    assert isinstance(space, spaces.Discrete)
    return _masks_of(int(space.n))


def _masks_of(num_actions: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    every = np.ones(num_actions, dtype=np.int8)
    first_alone = np.zeros(num_actions, dtype=np.int8)
    first_alone[0] = 1
    return first_alone, every
