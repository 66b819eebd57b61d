"""Record the episodes that are played through an environment, whatever its interface.

    with record_play(env, "play.parquet"):
        model.learn(10_000)

Every episode that ends within the block becomes a row, so the analyser can read the language of a
reinforcement-learning agent like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

import spatial_game
from spatial_game.envs.game import Game
from spatial_game.game.episodes import Episodes, IntArray, concatenate
from spatial_game.recording import Recording, RecordingWriter

# Episodes kept before they are written together.
_KEPT = 1 << 13


class PlayRecorder:
    """Collects the episodes that end and writes them in blocks. `num_episodes` have been recorded so far."""

    def __init__(self, writer: RecordingWriter) -> None:
        self.num_episodes = 0
        self._writer = writer
        self._kept: list[tuple[Episodes, IntArray, IntArray]] = []
        self._num_kept = 0

    def __call__(self, episodes: Episodes, messages: IntArray, choices: IntArray) -> None:
        """Keep episodes that have just ended, their messages and choices."""
        self._kept.append((episodes, messages, choices))
        self.num_episodes += len(episodes)
        self._num_kept += len(episodes)
        if self._num_kept >= _KEPT:
            self.flush()

    def flush(self) -> None:
        """Write the episodes that are kept."""
        if not self._kept:
            return
        episodes = concatenate([kept for kept, _, _ in self._kept])
        message, choice = (np.concatenate([kept[i] for kept in self._kept]) for i in (1, 2))
        recording = Recording.of(self._writer.config, episodes, message, choice)
        self._kept, self._num_kept = [], 0
        self._writer.write(recording)


@contextmanager
def record_play(
    env: Any, path: str | os.PathLike[str], provenance: Mapping[str, Any] | None = None
) -> Iterator[PlayRecorder]:
    """Record every episode that ends in `env` within the block.

    The file is written only if the block finishes without an error. `env`, wrapped or not: an AEC or parallel
    environment, a Gymnasium environment of one role, its vector form, `ParallelVectorEnv`, or an adapter of
    `spatial_game.envs.adapters`. Environments in other processes cannot be recorded. Raises `TypeError` for
    anything else.
    """
    games = _games_in(env)
    config = games[0].config
    known = {"spatial_game_version": spatial_game.__version__, "policy": "played through an environment"}
    with RecordingWriter(path, config, {**known, **(provenance or {})}) as writer:
        recorder = PlayRecorder(writer)
        for game in games:
            game.on_end.append(recorder)
        try:
            yield recorder
        finally:
            for game in games:
                game.on_end.remove(recorder)
        recorder.flush()


def _games_in(env: Any) -> list[Game]:
    """Return the state of the games beneath an environment; several, if it holds several environments."""
    bare = getattr(env, "unwrapped", env)
    game = getattr(bare, "game", None)
    if isinstance(game, Game):
        return [game]
    several = getattr(bare, "envs", None)  # of Gymnasium's SyncVectorEnv, Stable-Baselines3's DummyVecEnv
    if isinstance(several, (list, tuple)) and several:
        return [game for each in several for game in _games_in(each)]
    raise TypeError(f"env must be an environment of spatial_game in this process; got {env!r}")
