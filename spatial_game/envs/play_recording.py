"""Record the episodes that are played through an environment, whatever its interface.

    with record_play(env, "play.parquet"):
        model.learn(10_000)

Every episode that ends within the block becomes a row, so the analyser reads the language of agents that were
trained by reinforcement learning like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

import spatial_game
from spatial_game.envs.games import Games
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game.episodes import Episodes, IntArray, concatenate
from spatial_game.recording import Recording, RecordingWriter

# Episodes kept before they are written together.
_KEPT = 1 << 13
# Attributes without "env" in their names that hold environments: Tianshou's, and those of torch's modules.
_HOLDERS = ("workers", "_modules")


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

    The file is written only if the block finishes without an error. `env` is any environment of this package,
    or what another library has made of one or several of them in this process: they are found in attributes
    with "env" in their names. (TorchRL's `SerialEnv` has none before its first reset.) Raises `TypeError` for
    anything else, and `ValueError` for environments of different games.
    """
    games = _games_in(env)
    config, *others = {game.config: None for game in games}
    if others:
        raise UserError(f"env must hold one game; got {config.signature} and {others[0].signature}")
    origin = {"spatial_game_version": spatial_game.__version__, "policy": "played through an environment"}
    with RecordingWriter(path, config, {**origin, **(provenance or {})}) as writer:
        recorder = PlayRecorder(writer)
        for game in games:
            game.on_end.append(recorder)
        try:
            yield recorder
        finally:
            for game in games:
                game.on_end.remove(recorder)
        recorder.flush()


def _games_in(env: Any) -> list[Games]:
    """Return the games beneath an environment; several, if it holds several environments."""
    games: list[Games] = []
    searched: set[int] = set()
    objects = [env]
    for each in objects:  # it grows, and keeps all objects, so that no other has their identity
        if id(each) in searched:
            continue
        searched.add(id(each))
        attributes = getattr(each, "__dict__", {})  # asked by name, TorchRL's environments start processes
        if isinstance(attributes.get("game"), Games):
            games.append(attributes["game"])
            continue
        for held in (value for name, value in attributes.items() if "env" in name or name in _HOLDERS):
            held = list(held.values()) if isinstance(held, dict) else held
            objects += held if isinstance(held, (list, tuple)) else [held]
    if not games:
        raise UserTypeError(f"env must be an environment of spatial_game in this process; got {env!r}")
    return games
