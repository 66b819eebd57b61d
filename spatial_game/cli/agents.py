"""The agents that play in a command: a trained pair, oracle, random, or agents of your own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from spatial_game.agents import OWN, load_agents
from spatial_game.cli.options import Command, GameFlags
from spatial_game.cli.terminal import note
from spatial_game.errors import AgentsFailed, UserError
from spatial_game.game.episodes import IntArray
from spatial_game.game.policies import Agents


def agents_named(name: str, game: GameFlags, seed: int) -> Agents:
    """Load the agents with this name, as `spatial_game.agents.load_agents` does, for the game of the options.

    Raises `ValueError` for agents that do not exist or cannot play the game of the options.
    """
    load = _load_own if OWN.fullmatch(name) else load_agents
    return load(name, seed=seed, **game.given)


def _load_own(name: str, **options: Any) -> Agents:
    """Load agents of the user's own. Their errors name them, and a note says which game is assumed."""
    with naming_errors(f"{name} could not be made"):
        loaded = load_agents(name, **options)
    if loaded.paths:  # a trained pair
        return loaded
    game, assumed = loaded.config.signature, loaded.assumes_game
    if assumed:
        note(f"{name} names no game (config): the paper's full game is assumed, {game}")
    error = f"{name} failed in the game {game}{' (assumed)' if assumed else ''}"
    return replace(loaded, sender=OwnAgent(loaded.sender, error), receiver=OwnAgent(loaded.receiver, error))


class OwnAgent:
    """A sender or receiver of the user's own. Its errors name the agents and the game."""

    def __init__(self, agent: Any, error: str) -> None:
        self._agent, self._error = agent, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def send(self, window: IntArray) -> Any:
        """Return what the agent sends."""
        return self._ask(self._agent.send, window)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Any:
        """Return what the agent chooses."""
        return self._ask(self._agent.choose, messages, sequence, candidates)

    def _ask(self, method: Callable[..., Any], *observation: IntArray) -> Any:
        with naming_errors(self._error):
            try:
                return method(*observation)
            except UserError as refused:  # by an agent of this package that they use
                raise UserError(f"{self._error}: {refused}") from refused


@contextlib.contextmanager
def naming_errors(what: str) -> Iterator[None]:
    """Let an error of the block, which calls code of the user's own, begin with these words."""
    try:
        yield
    except (UserError, ImportError, MemoryError):  # these say what to do
        raise
    except Exception as error:
        raise AgentsFailed(f"{what}: {type(error).__name__}: {error}") from error


@dataclass(frozen=True, kw_only=True)
class AgentsCommand(Command):
    """A command in which two agents play."""

    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random, or agents
    of your own: module:Class has a sender and a receiver, or the methods send and choose."""
