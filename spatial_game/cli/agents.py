"""The agents that play in a command: a trained pair, oracle, random, or agents of your own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from spatial_agents.agents import OWN, load_agents
from spatial_agents.pairs.names import PairFiles
from spatial_agents.pairs.pair import Pair
from spatial_game.cli.options import Command, GameFlags
from spatial_game.cli.terminal import note
from spatial_game.errors import AgentsFailed, UserError
from spatial_game.game.episodes import IntArray
from spatial_game.game.policies import Agents


@dataclass(frozen=True, kw_only=True)
class Players(Agents):
    """Agents with their identity, and the files of a trained pair."""

    identity: dict[str, Any]
    """The policy, or the name and the hash of a trained pair, for the provenance of recordings."""
    pair_files: PairFiles | None = None
    """The files of a trained pair."""

    @property
    def dictionary(self) -> Path | None:
        """The dictionary of a trained pair, if it has one."""
        return self.pair_files.dictionary if self.pair_files else None

    @property
    def files(self) -> list[Path]:
        """The files of a trained pair, which a command must not write."""
        return [self.pair_files.weights, self.pair_files.card] if self.pair_files else []

    @property
    def name(self) -> str:
        """Their name: the pair with its index, or the policy."""
        return name_of(self.identity)


def load_players(agents: str, game: GameFlags, seed: int) -> Players:
    """Load the agents with this name, as `spatial_agents.load_agents` does, for the game of the options.

    Raises `ValueError` for agents that do not exist or cannot play the game of the options.
    """
    load, files = _load_own if OWN.fullmatch(agents) else load_agents, None
    loaded = load(agents, seed=seed, **game.given)
    identity: dict[str, Any] = {"policy": agents}
    if isinstance(loaded, Pair) and loaded.files:  # a class of the user's own may return a pair without files
        files = loaded.files
        named = {"name": files.name, "index": files.index, "weights_hash": loaded.weights_hash}
        identity = {"policy": "pair", **named}
    of_agents = {field.name: getattr(loaded, field.name) for field in fields(Agents)}
    return Players(**of_agents, identity=identity, pair_files=files)


def _load_own(agents: str, **options: Any) -> Agents:
    """Load agents of the user's own. Their errors name them, and a note says which game is assumed."""
    with naming_errors(f"{agents} could not be made"):
        loaded = load_agents(agents, **options)
    if isinstance(loaded, Pair):
        return loaded
    game, assumed = loaded.config.signature, loaded.assumes_game
    if assumed:
        note(f"{agents} names no game (config): the paper's full game is assumed, {game}")
    error = f"{agents} failed in the game {game}{' (assumed)' if assumed else ''}"
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


def name_of(agents: Mapping[str, Any]) -> str:
    """Return the name of agents that a recording describes: `embed-60/0`, or `oracle`."""
    name = str(agents.get("name", agents.get("policy", "agents without a name")))
    return f"{name}/{agents['index']}" if "index" in agents else name


@dataclass(frozen=True, kw_only=True)
class AgentsCommand(Command):
    """A command in which two agents play."""

    agents: str = "embed-60"
    """A trained pair (bundled name, run folder or weights file; NAME/2 for pair 2), oracle, random, or agents
    of your own: module:Class has a sender and a receiver, or the methods send and choose."""
