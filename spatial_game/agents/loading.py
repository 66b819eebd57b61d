"""Turn what a caller gives, such as a name, a class or a model, into agents and their game.

`_Search` imports, loads or makes what an argument means, which is `Playable`. `load_agents` needs both roles
of it, and the partner of an environment one. `find_partners` searches for that: it may be several.
"""

from __future__ import annotations

import contextlib
import inspect
import multiprocessing
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple, Unpack

from spatial_game.agents.models import ModelReceiver, ModelSender
from spatial_game.agents.own import OWN, import_own, naming_agents
from spatial_game.checks import kind_of, require_kind, shortened, within
from spatial_game.config import GameConfig, GameOptions
from spatial_game.errors import GameAssumed, UserError, naming_errors
from spatial_game.game.episodes import Sampler
from spatial_game.game.evaluation import Evaluation, evaluate_agents
from spatial_game.game.policies import SCRIPTED, Agents, incompatibility, scripted_agents
from spatial_game.game.rules import RECEIVER, SENDER


def load_agents(
    agents: Any, config: GameConfig | None = None, *, seed: int = 0, **sizes: Unpack[GameOptions]
) -> Agents:
    """Turn anything that can play into agents. `agents` is one of:

    - "oracle" or "random";
    - the name of a bundled pair, such as "embed-60" or "embed-60/3", a run folder or a weights file;
    - an object with a `sender` and a `receiver`, or with the methods `send` and `choose`;
    - a sender and a receiver, `(one, other)`, each in any of these forms;
    - a model of Stable-Baselines3: its environment tells the role, and its partner plays the other one;
    - a class or a function that makes one of these, or its name, `"module:Class"`. It is called with the game
      if one is given or if it needs one, and otherwise without arguments.

    The game is `config`, by default that of the agents (their `config`), else the paper's full game; `sizes`
    are fields of `GameConfig` to change. `seed` is for random agents. A trained pair stays a `Pair`.

    Raises `ValueError` for anything else, and for agents that cannot play the game. Errors of agents that are
    named `"module:Class"` become `AgentsFailed`, which names them. Agents without a game get the warning
    `GameAssumed`, which says the game that they play.
    """
    if config is not None:
        require_kind("config", config, GameConfig, "GameConfig.small()")
    search = _Search("agents", config, sizes)
    label = os.fspath(agents) if isinstance(agents, (str, os.PathLike)) else ""
    if OWN.fullmatch(label):
        with naming_errors(f"{label} could not be made"):
            loaded = naming_agents(_load(agents, label, search, seed))
    else:
        loaded = _load(agents, label, search, seed)
    # In a process of a pool, its parent has warned. The scripted agents are of no game in particular.
    if loaded.assumes_game and label not in SCRIPTED and multiprocessing.parent_process() is None:
        rule = "names no game (config): the paper's full game is assumed"
        text = f"{label or kind_of(agents)} {rule}, {loaded.config.signature}"
        warnings.warn(text, GameAssumed, stacklevel=2)
    return loaded


def _load(agents: Any, label: str, search: _Search, seed: int) -> Agents:
    """Return the agents that an argument of `load_agents` means, with the name by which they were loaded."""
    playable = search.find(agents)
    if hasattr(playable.source, "predict") and not hasattr(playable.source, "send"):
        playable = search.find(_with_partner(playable.source))
    source, card = playable.source, getattr(playable.source, "card", {})
    fields: dict[str, Any] = {
        "sender": playable.policy(SENDER, seed),
        "receiver": playable.policy(RECEIVER, seed),
        "config": playable.config,
        "card": card if isinstance(card, Mapping) else {},
        "assumes_game": not playable.names_game and not search.game_given,
        "label": label,
    }
    # A pair stays one; a class whose fields are no arguments does not.
    stays = isinstance(source, Agents) and "__dataclass_fields__" in vars(type(source))
    return replace(source, **fields) if stays else Agents(**fields)


def _with_partner(model: Any) -> tuple[Any, Any]:
    """Return a model and the partner of its environment, the sender first.

    Raises `ValueError` for a model without one.
    """
    try:
        role, partner = (model.get_env().get_attr(name)[0] for name in ("agent", "partner"))
    except AttributeError:
        raise UserError(
            "agents must be a sender and a receiver; a model without its environment plays only one role: "
            "give (sender, receiver), and its game as config"
        ) from None
    if isinstance(partner, list):
        rule = "agents must be (sender, receiver) for a model that was trained with several partners"
        raise UserError(f"{rule}; got one with {len(partner)}")
    return (model, partner) if role == SENDER else (partner, model)


def evaluate(
    agents: Any,
    config: GameConfig | None = None,
    *,
    num_episodes: int = 20_000,
    seed: int = 0,
    sampler: Sampler | None = None,
    **sizes: Unpack[GameOptions],
) -> Evaluation:
    """Play fresh episodes from the seed's evaluation stream; `sampler(n, rng)` draws n of them.

    `agents`, `config` and `sizes` are those of `load_agents`, which says what it raises.
    """
    return evaluate_agents(load_agents(agents, config, seed=seed, **sizes), num_episodes, seed, sampler)


def find_partners(partner: Any, config: GameConfig | None, sizes: GameOptions) -> list[Playable]:
    """Return what the partner of an environment means: one or several, in the same game.

    `partner` is one, as in `load_agents`, a list of several, or "NAME/all", all pairs of that name.
    """
    search, partners = _Search("partner", config, sizes), list[Playable]()
    for each in partner if isinstance(partner, list) else [partner]:
        if isinstance(each, str) and each.endswith("/all"):
            from spatial_agents.pairs.names import labels_of  # all that is needed from that package

            partners += map(search.find, labels_of([each]))
        else:
            partners.append(search.find(each))
    if not partners:
        raise UserError("partner must be at least one; got an empty list")
    config = next((each for each in partners if each.names_game), partners[0]).config
    if len(partners) == 1:
        return partners
    numbered = enumerate(partners)
    return [replace(each, config=config, argument=f"partner[{index}]") for index, each in numbered]


# --- What is found ------------------------------------------------------------------------------------------


class _Role(NamedTuple):
    """How to find and to ask what plays a role."""

    name: str
    """"sender" or "receiver", which is also the attribute of two agents that plays the role."""
    method: str
    model: type[ModelSender | ModelReceiver]
    """What lets a model of Stable-Baselines3 play it."""

    def policy_of(self, agents: Any) -> Any:
        """Return the sender or the receiver of two agents; anything else plays by itself."""
        return agents if hasattr(agents, self.method) else getattr(agents, self.name, agents)


_ROLES = {
    SENDER: _Role("sender", "send", ModelSender),
    RECEIVER: _Role("receiver", "choose", ModelReceiver),
}


@dataclass(frozen=True)
class Playable:
    """What the argument of a caller means, such as agents or a policy, and the game."""

    argument: str
    """The name of the argument, for errors."""
    source: Any
    """The object that was given, loaded, imported or made; "oracle" and "random" stay names."""
    config: GameConfig
    names_game: bool
    """Whether the object names its game."""

    def of(self, role: str) -> Any:
        """Return what plays a role ("sender_0" or "receiver_0"), unchecked: a policy, a model or a name."""
        return _ROLES[role].policy_of(self.source)

    def policy(self, role: str, seed: int = 0) -> Any:
        """Return the sender or the receiver that plays a role. `seed` is for "random".

        Raises `ValueError` for what cannot play the role or this game.
        """
        name, method, model = _ROLES[role]
        policy = self.of(role)
        if isinstance(policy, str) and policy in SCRIPTED:
            with within(f'{self.argument} "{policy}" cannot play this game, but "random" can'):
                policy = getattr(scripted_agents(policy, self.config, seed), name)
        if not hasattr(policy, method) and hasattr(policy, "predict"):
            with within(self.argument):
                policy = model(policy, self.config)
        if isinstance(policy, type) or not callable(getattr(policy, method, None)):
            forms = 'what load_agents takes, such as "oracle", "embed-60" or (sender, receiver)'
            rule = f"{self.argument} must be {forms}, or have a method {method}() to play the {name}"
            raise UserError(f"{rule}; got {shortened(policy)}")
        fault = incompatibility(policy, self.config)
        if fault is not None:
            raise UserError(f"{self.argument} must suit the game: {fault}")
        return policy


# --- The search ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Search:
    """The search for what an argument means, with what the caller says of the game."""

    argument: str
    config: GameConfig | None
    sizes: GameOptions

    @property
    def game_given(self) -> bool:
        """Whether the caller gives a game, or a size that is not None."""
        return self.config is not None or any(size is not None for size in self.sizes.values())

    def find(self, given: Any) -> Playable:
        """Return what the argument means."""
        source = self._meaning_of(given)
        named = _config_of(source, *(role.policy_of(source) for role in _ROLES.values()))
        return Playable(self.argument, source, self._game(named), named is not None)

    def _game(self, named: GameConfig | None) -> GameConfig:
        """Return the game of the caller, else the one that the agents name, else the full one."""
        return (self.config or named or GameConfig()).changed(**self.sizes)

    def _meaning_of(self, given: Any) -> Any:
        """Return the object that names, classes and functions lead to; a sender and a receiver as one object.

        Anything else stays as it is.
        """
        if isinstance(given, (str, os.PathLike)) and given not in SCRIPTED:
            return self._meaning_of(self._by_name(os.fspath(given)))
        if isinstance(given, type) or inspect.isroutine(given):
            return self._meaning_of(self._made_by(given))
        if isinstance(given, list):
            rule = f"{self.argument} must be one pair, or a tuple (sender, receiver)"
            raise UserError(
                f"{rule}; a list is for partner=, and draws one for each episode; got {len(given)}"
            )
        if not isinstance(given, tuple):
            return given
        if len(given) != 2:
            raise UserError(f"{self.argument} must be a sender and a receiver; got {len(given)} of them")
        sender, receiver = map(self._meaning_of, given)
        return SimpleNamespace(
            sender=_ROLES[SENDER].policy_of(sender), receiver=_ROLES[RECEIVER].policy_of(receiver)
        )

    def _by_name(self, name: str) -> Any:
        """Return the trained pair with this name, or what `module:Class` names."""
        if name.endswith(".zip"):
            raise UserError(
                f"{self.argument} must not be a file of Stable-Baselines3, as loading one can run code: "
                f"if you trust it, load it yourself and pass the model; got {name}"
            )
        if name.endswith(".parquet"):
            rule = f"{self.argument} must be a pair or other agents, not a recording of them"
            raise UserError(f"{rule}; got {name}")
        if OWN.fullmatch(name):
            return import_own(name, self.argument)
        from spatial_agents.pairs.names import find_pair  # all that is needed from that package
        from spatial_agents.pairs.pair import read_pair

        return read_pair(find_pair(name, self.argument))

    def _made_by(self, maker: Callable[..., Any]) -> Any:
        """Return what a class or function makes: for the game if one is given or must be, else without it."""
        signature, game = inspect.signature(maker), self._game(_config_of(maker))
        for arguments in ((game,), ()) if self.game_given else ((), (game,)):
            try:
                signature.bind(*arguments)
            except TypeError:
                continue
            return maker(*arguments)
        rule = f"{self.argument} must be a class or a function that can be called with the game"
        raise UserError(f"{rule}; {maker.__name__} takes {signature}")


def _config_of(*agents: Any) -> GameConfig | None:
    """Return the game that the first of these was made for; None if none tells."""
    for each in agents:
        config = getattr(each, "config", None)
        if config is None and hasattr(each, "get_env"):
            with contextlib.suppress(AttributeError, TypeError):  # no environment, another one, or a class
                config = each.get_env().get_attr("config")[0]
        if isinstance(config, GameConfig):
            return config
    return None
