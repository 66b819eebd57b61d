"""Many episodes side by side: the batched game, and its face for multi-agent libraries.

`BatchedTurns` is to B episodes what `turns.Turns` is to one, and calls the same rules. It has thin
faces: `ParallelVectorEnv` here (a dict of arrays per agent), the vector environments of one role in `roles`,
and those of Stable-Baselines3 and TorchRL in `spatial_agents`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from spatial_game.config import GameConfig
from spatial_game.envs.episode_sampler import BoolArray, EpisodeSampler, checked_seeds
from spatial_game.envs.turns import AGENTS, RECEIVER, SENDER, Turns, check_both_act
from spatial_game.game import rules
from spatial_game.game.episodes import Episodes, IntArray, check_episodes
from spatial_game.game.scene import Scene

AgentArrays = dict[str, Any]

_COLUMNS = ("sequence", "target_position", "window", "mask_column", "candidates", "target_index")


class BatchedTurns:
    """The state of B episodes, game by game: which episode, what has been sent, whose turn it is.

    Game i under seed s plays what a single environment seeded s + i plays. Games need not end
    together: methods take the indices of the games that they are about (None: all).
    """

    def __init__(self, config: GameConfig, num_games: int, *, symbol_per_turn: bool = False) -> None:
        self.config = config
        self.num_games = _checked_num_envs(num_games)
        self.symbol_per_turn = symbol_per_turn
        self.episodes: Episodes | None = None  # of all games
        self.messages = np.full((num_games, config.message_length), rules.UNSENT, dtype=np.int16)
        self.num_sent = np.zeros(num_games, dtype=np.int16)  # symbols, of each message
        self.choices = np.full(num_games, -1, dtype=np.int16)  # -1 before the end
        self.on_end: list[Callable[[Episodes, IntArray, IntArray], None]] = []
        """Called with the episodes that have just ended, their messages and their choices."""
        self._sampler = EpisodeSampler(config, num_games)

    @property
    def over(self) -> BoolArray:
        """Which games have played their episode to its end, (B,)."""
        over: BoolArray = self.choices >= 0
        return over

    @property
    def sending(self) -> BoolArray:
        """Where it is the sender's turn, (B,)."""
        sending: BoolArray = self.num_sent < self.config.message_length
        return sending

    def seed(self, seeds: Sequence[int | None], games: IntArray | None = None) -> None:
        """Start the drawing of games afresh; where the seed is None, let it go on."""
        self._sampler.seed(seeds, games)

    def reset(self, games: IntArray | None = None) -> None:
        """Begin the next episode of the games."""
        self.begin(self._sampler.next_episodes(games), games)

    def begin(self, episodes: Episodes, games: IntArray | None = None) -> None:
        """Begin these episodes, one a game."""
        if games is None or len(games) == self.num_games:
            self.episodes = episodes
            games = None
        else:
            whole = self._current()
            self.episodes = Episodes(
                *(_replaced(getattr(whole, name), games, getattr(episodes, name)) for name in _COLUMNS)
            )
        rows: Any = slice(None) if games is None else games
        self.messages[rows] = rules.UNSENT
        self.num_sent[rows] = 0
        self.choices[rows] = -1

    def send(self, actions: IntArray, games: IntArray | None = None) -> None:
        """Take what the senders of the games say: messages (n, T), or the next symbol of each, (n,)."""
        if not self.symbol_per_turn:
            self.send_messages(actions, games)
            return
        rows: Any = slice(None) if games is None else games
        self.messages[np.arange(self.num_games)[rows], self.num_sent[rows]] = actions
        self.num_sent[rows] += 1

    def send_messages(self, messages: IntArray, games: IntArray | None = None) -> None:
        """Take whole messages (n, T) of the games."""
        rows: Any = slice(None) if games is None else games
        self.messages[rows] = messages
        self.num_sent[rows] = self.config.message_length

    def choose(self, choices: IntArray, games: IntArray | None = None) -> rules.FloatArray:
        """Take what the receivers of the games choose, (n,), and return what both agents earn, (n,)."""
        episodes, messages = self.of(games)
        self.choices[slice(None) if games is None else games] = choices
        for listener in self.on_end:
            listener(episodes, messages, choices)
        return rules.payoff(episodes, choices)

    def of(self, games: IntArray | None = None) -> tuple[Episodes, IntArray]:
        """The episodes and messages of the games."""
        episodes = self._current()
        return (episodes, self.messages) if games is None else (episodes[games], self.messages[games])

    def sender_view(self, out: rules.FloatArray | None = None) -> rules.FloatArray:
        """What the senders see, a row a game; put into `out`, if given."""
        return rules.sender_view(self._current(), self.messages if self.symbol_per_turn else None, out)

    def receiver_view(self, out: rules.FloatArray | None = None) -> rules.FloatArray:
        """What the receivers see, a row a game; put into `out`, if given."""
        return rules.receiver_view(self._current(), self.messages, out)

    def scene(self, game: int) -> Scene:
        """One game's episode as it stands, to be drawn."""
        choice = int(self.choices[game])
        episode = self._current()[game : game + 1]
        return Scene(self.config, episode, self.messages[game].copy(), None if choice < 0 else choice)

    def require_running(self) -> None:
        """Raise `RuntimeError` unless every game is within an episode."""
        self._current()
        over = self.over
        if over.any():
            raise RuntimeError(
                f"the episode of game {int(over.argmax())} is over: reset it before the next step()"
            )

    def _current(self) -> Episodes:
        if self.episodes is None:
            raise RuntimeError("there is no episode yet: call reset() first")
        return self.episodes


def which(mask: BoolArray) -> IntArray | None:
    """Return the indices of the games in a mask; None for all of them."""
    return None if mask.all() else np.flatnonzero(mask)


def restart(
    turns: BatchedTurns, seed: Any, options: Mapping[str, Any] | None
) -> tuple[IntArray | None, list[int | None]]:
    """Reset as `VectorEnv.reset` is asked to; which games that was (None: all), and the seeds given to them.

    `options["reset_mask"]`, (B,) of booleans, says which games; default, all. `options["episodes"]` are
    `Episodes`, one for each of those games, to be played instead of the next ones drawn.
    """
    options = options or {}
    mask = options.get("reset_mask")
    games = None if mask is None else which(_checked_mask(mask, turns.num_games))
    seeds = checked_seeds(seed, turns.num_games)
    if games is not None:
        if turns.episodes is None:
            raise RuntimeError("the first reset() must be of all games; got a reset_mask")
        seeds = [seeds[game] for game in games]
    replayed = options.get("episodes")
    if replayed is not None:
        if not isinstance(replayed, Episodes) or len(replayed) != len(seeds):
            raise ValueError(f'options["episodes"] must be Episodes, {len(seeds)} of them; got {replayed!r}')
        replayed = check_episodes(turns.config, replayed)
    turns.seed(seeds, games)
    if replayed is None:
        turns.reset(games)
    else:
        turns.begin(replayed, games)
    return games, seeds


class ParallelVectorEnv:
    """B referential games at once for multi-agent libraries: each call takes and gives a dict of arrays.

    The protocol of AgileRL's vectorised environments, and the batched form of `parallel_env`: at each step
    both agents are present, the action of the one whose turn it is not is ignored, and `infos` hold masks.
    Ended games begin their next episode at once (`autoreset=True`; what was last seen is in
    `infos[agent]["final_obs"]`), or wait for `reset(options={"reset_mask": mask})`.

    `symbol_per_turn` as in `referential_symbol_v0`; the fields of `GameConfig` are keyword arguments.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        symbol_per_turn: bool = False,
        autoreset: bool = True,
        **game_config: int | None,
    ) -> None:
        self.config = GameConfig(**game_config)  # type: ignore[arg-type]
        self.turns = BatchedTurns(self.config, num_envs, symbol_per_turn=symbol_per_turn)
        self.num_envs = num_envs
        self.autoreset = autoreset
        self.possible_agents = self.agents = list(AGENTS)
        self.num_agents = self.max_num_agents = len(AGENTS)
        single = Turns(self.config, symbol_per_turn=symbol_per_turn)
        self.single_observation_spaces: dict[str, spaces.Box] = dict(single.observation_spaces)
        self.single_action_spaces = dict(single.action_spaces)
        self.observation_spaces = _batched(self.single_observation_spaces, num_envs)
        self.action_spaces = _batched(self.single_action_spaces, num_envs)
        self._masks: dict[str, npt.NDArray[np.int8]] = {
            agent: _flat_masks(space, num_envs) for agent, space in self.single_action_spaces.items()
        }

    def single_observation_space(self, agent: str) -> spaces.Box:
        """What the agent may see in one game."""
        return self.single_observation_spaces[agent]

    def single_action_space(self, agent: str) -> spaces.Space[Any]:
        """What the agent may do in one game."""
        return self.single_action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What the agent may see in all games together."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What the agent may do in all games together."""
        return self.action_spaces[agent]

    def reset(
        self, seed: Any = None, options: Mapping[str, Any] | None = None
    ) -> tuple[AgentArrays, AgentArrays]:
        """Begin the next episodes. Game i gets seed + i, or its own of a list; options: see `restart`."""
        restart(self.turns, seed, options)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[AgentArrays, AgentArrays, AgentArrays, AgentArrays, AgentArrays]:
        """Observations, rewards, terminations, truncations and infos, each an array (B, ...) per agent."""
        turns = self.turns
        rewards, over = self.act(actions)
        final = self._observations() if over.any() else {}
        observations = final or self._observations()
        if final and self.autoreset:
            turns.reset(which(over))
            observations = self._observations()
        infos = self._infos()
        for agent, last in final.items():
            infos[agent] |= {"final_obs": last, "_final_obs": over.copy()}
        return (
            observations,
            {agent: rewards.copy() for agent in AGENTS},
            {agent: over.copy() for agent in AGENTS},
            {agent: np.zeros(self.num_envs, dtype=np.bool_) for agent in AGENTS},
            infos,
        )

    def action_masks(self, agent: str) -> npt.NDArray[np.int8]:
        """What the agent may do now, flat, a row a game: off its turn, action 0 alone."""
        on_turn, masks = self.on_turn(agent), self._masks[agent]
        first = int(on_turn[0])
        if np.all(on_turn == first):  # all games in step: several times as fast
            chosen: npt.NDArray[np.int8] = masks[first].copy()
        else:
            chosen = np.where(on_turn[:, None], masks[1], masks[0])
        return chosen

    def on_turn(self, agent: str) -> BoolArray:
        """In which games it is the agent's turn, (B,)."""
        sending = self.turns.sending
        return sending if agent == SENDER else ~sending & ~self.turns.over

    def close(self) -> None:
        """Nothing is held that would have to be released."""

    def act(self, actions: Mapping[str, Any]) -> tuple[rules.FloatArray, BoolArray]:
        """Let the agent in turn of each game act: what both earn (B,), and which games are over (B,).

        Raises `RuntimeError` where a game is over already, `TypeError` or `ValueError` on wrong actions;
        nothing has happened then.
        """
        turns, config = self.turns, self.config
        turns.require_running()
        check_both_act(actions)
        sending = turns.sending
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        checked = {}
        for agent, acting in ((SENDER, sending), (RECEIVER, ~sending)):
            if acting.any():
                checked[agent] = checked_actions(
                    agent, actions[agent], config, which(acting), self.num_envs, turns.symbol_per_turn
                )
        # Only when all actions are found right does anything happen.
        for agent, (action, games) in checked.items():
            if agent == SENDER:
                turns.send(action, games)
            else:
                rewards[slice(None) if games is None else games] = turns.choose(action, games)
        return rewards, turns.over

    def _observations(self) -> AgentArrays:
        return {SENDER: self.turns.sender_view(), RECEIVER: self.turns.receiver_view()}

    def _infos(self) -> AgentArrays:
        return {agent: {"action_mask": self.action_masks(agent)} for agent in AGENTS}


def checked_actions(
    agent: str,
    actions: Any,
    config: GameConfig,
    games: IntArray | None,
    num_games: int,
    symbol_per_turn: bool,
) -> tuple[IntArray, IntArray | None]:
    """The actions of an agent in the games that act (None: all), as int16, and those games.

    Raises `TypeError` or `ValueError` on wrong ones. Rows of other games may hold anything.
    """
    name, width, bound = {
        (SENDER, False): ("messages", (config.message_length,), config.vocab_size),
        (SENDER, True): ("symbols", (), config.vocab_size),
        (RECEIVER, symbol_per_turn): ("choices", (), config.num_candidates),
    }[agent, symbol_per_turn]
    if games is None:
        return rules.check_integers(name, actions, (num_games, *width), bound), None
    array = np.asarray(actions)
    if array.shape != (num_games, *width):
        raise ValueError(f"{name} must have shape {(num_games, *width)}; got {array.shape}")
    return rules.check_integers(name, array[games], (len(games), *width), bound), games


def _replaced(column: IntArray, games: IntArray, rows: IntArray) -> IntArray:
    """A copy of a column with some rows replaced: the rows may still be in use elsewhere."""
    whole = column.copy()
    whole[games] = rows
    return whole


def _checked_num_envs(num_envs: Any) -> int:
    if isinstance(num_envs, bool) or not isinstance(num_envs, (int, np.integer)):
        raise TypeError(f"num_envs must be a whole number; got {num_envs!r}")
    if num_envs < 1:
        raise ValueError(f"num_envs must be at least 1; got {num_envs}")
    return int(num_envs)


def _checked_mask(mask: Any, num_games: int) -> BoolArray:
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (num_games,):
        raise ValueError(
            f"reset_mask must be {num_games} booleans; got dtype {array.dtype} and shape {array.shape}"
        )
    if not array.any():
        raise ValueError("reset_mask must have at least one True; got none")
    return array


def _batched(single: Mapping[str, spaces.Space[Any]], num_envs: int) -> dict[str, spaces.Space[Any]]:
    return {agent: batch_space(space, num_envs) for agent, space in single.items()}


def _flat_masks(space: spaces.Space[Any], num_envs: int) -> npt.NDArray[np.int8]:
    """An agent's flat masks, (2, B, n): 0 off its turn, when it has action 0 alone, 1 on its turn."""
    sizes = space.nvec.tolist() if isinstance(space, spaces.MultiDiscrete) else [int(space.n)]  # type: ignore[attr-defined]
    off = np.concatenate([np.arange(size) == 0 for size in sizes])
    each = np.stack((off, np.ones_like(off))).astype(np.int8)
    return np.repeat(each[:, None], num_envs, axis=1)
