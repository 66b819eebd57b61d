"""Turn what a caller gives, such as a name, a class or a model, into agents and their game.

`find_agents` finds what is meant: it imports, loads or makes it. `find_partners` does so for the partner of
an environment, which may be several, and `Found.policy` is what plays its role. `load_agents` has both roles,
for everything else.
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
from typing import Any, Unpack, cast

from spatial_game.agents.models import ModelReceiver, ModelSender
from spatial_game.agents.own import OWN, import_own, naming_agents, naming_errors
from spatial_game.checks import kind_of, require_kind, shortened
from spatial_game.config import GameConfig, GameOptions
from spatial_game.errors import GameAssumed, UserError
from spatial_game.game.episodes import Sampler
from spatial_game.game.evaluation import Evaluation, evaluate_agents
from spatial_game.game.policies import (
    SCRIPTED,
    Agents,
    Receiver,
    Sender,
    incompatibility,
    scripted_agents,
)
from spatial_game.game.rules import RECEIVER, SENDER

# Of each role: its name, the method with which it plays, and what lets a model play it.
_ROLES = {SENDER: ("sender", "send", ModelSender), RECEIVER: ("receiver", "choose", ModelReceiver)}


@dataclass(frozen=True)
class Found:
    """What the argument of a caller means: something for each role, and the game."""

    source: Any
    """The object that was given, loaded, imported or made; "oracle" and "random" stay names."""
    sender: Any
    """What plays the sender: a policy, a model, or "oracle" or "random". It is checked by `policy`."""
    receiver: Any
    config: GameConfig
    assumes_game: bool
    """Whether no game was given and the agents name none, so that `config` is the paper's full game."""
    argument: str
    """The name of the argument, for errors."""

    def of(self, role: str) -> Any:
        """Return what plays a role ("sender_0" or "receiver_0"), unchecked."""
        return self.sender if role == SENDER else self.receiver

    def policy(self, role: str, seed: int = 0) -> Sender | Receiver:
        """Return the policy for a role. `seed` is for "random".

        Raises `ValueError` for what cannot play the role or this game.
        """
        name, method, model = _ROLES[role]
        policy = self.of(role)
        if isinstance(policy, str) and policy in SCRIPTED:
            try:
                policy = getattr(scripted_agents(policy, self.config, seed), name)
            except UserError as error:
                rule = f'{self.argument} "{policy}" cannot play this game, but "random" can'
                raise UserError(f"{rule}: {error}") from None
        if not hasattr(policy, method) and hasattr(policy, "predict"):
            policy = model(policy, self.config)
        if isinstance(policy, type) or not callable(getattr(policy, method, None)):
            forms = 'what load_agents takes, such as "oracle", "embed-60" or (sender, receiver)'
            rule = f"{self.argument} must be {forms}, or have a method {method}() to play the {name}"
            raise UserError(f"{rule}; got {shortened(policy)}")
        fault = incompatibility(policy, self.config)
        if fault is not None:
            raise UserError(f"{self.argument} must suit the game: {fault}")
        return cast(Sender | Receiver, policy)


def find_agents(
    agents: Any, config: GameConfig | None, sizes: GameOptions, *, argument: str = "agents"
) -> Found:
    """Return what `agents` means, in each form that `load_agents` takes.

    A model plays by itself: its role is unknown here. `argument` names the argument of the caller in errors.
    The rest is as in `load_agents`.
    """
    if config is not None:
        require_kind("config", config, GameConfig, "GameConfig.small()")
    given = config is not None or any(size is not None for size in sizes.values())
    source = _LookUp(argument, config, sizes, given).meaning_of(agents)
    sender, receiver = (_of_role(source, role) for role in (SENDER, RECEIVER))
    named = config or _config_of(source, sender, receiver)
    whole = (named or GameConfig()).changed(**sizes)
    return Found(source, sender, receiver, whole, not (named or given), argument)


def find_partners(partner: Any, config: GameConfig | None, sizes: GameOptions) -> list[Found]:
    """Return what the partner of an environment means, each of them in the same game.

    `partner` is one, as in `load_agents`, a list of several, or "NAME/all", all pairs of that name.
    """
    listed = partner if isinstance(partner, list) else [partner]
    members = [member for each in listed for member in _all_of(each)]
    if not members:
        raise UserError("partner must be at least one; got an empty list")
    found = [find_agents(member, config, sizes, argument="partner") for member in members]
    named = next((each for each in found if _config_of(each.source, each.sender, each.receiver)), found[0])
    return [replace(each, config=named.config) for each in found]


def _all_of(partner: Any) -> list[Any]:
    """Return the names of all pairs that "NAME/all" means; anything else is one partner."""
    if not (isinstance(partner, str) and partner.endswith("/all")):
        return [partner]
    from spatial_agents.pairs.names import labels_of  # all that is needed from that package

    return [*labels_of([partner])]


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
    label = os.fspath(agents) if isinstance(agents, (str, os.PathLike)) else ""
    is_own = OWN.fullmatch(label) is not None
    with naming_errors(f"{label} could not be made") if is_own else contextlib.nullcontext():
        loaded = _load(agents, label, config, seed, sizes)
    # In a process of a pool, its parent has warned. The scripted agents are of no game in particular.
    if loaded.assumes_game and label not in SCRIPTED and multiprocessing.parent_process() is None:
        rule = "names no game (config): the paper's full game is assumed"
        text = f"{label or kind_of(agents)} {rule}, {loaded.config.signature}"
        warnings.warn(text, GameAssumed, stacklevel=2)
    return naming_agents(loaded) if is_own else loaded


def _load(agents: Any, label: str, config: GameConfig | None, seed: int, sizes: GameOptions) -> Agents:
    """Return the agents that an argument of `load_agents` means, with the name by which they were loaded."""
    found = find_agents(agents, config, sizes)
    if hasattr(found.source, "predict") and not hasattr(found.source, "send"):
        found = find_agents(_with_partner(found.source), config, sizes)
    source, card = found.source, getattr(found.source, "card", {})
    known: dict[str, Any] = {
        "sender": found.policy(SENDER, seed),
        "receiver": found.policy(RECEIVER, seed),
        "config": found.config,
        "card": card if isinstance(card, Mapping) else {},
        "assumes_game": found.assumes_game,
        "label": label,
    }
    # A pair stays one; a class whose fields are no arguments does not.
    stays = isinstance(source, Agents) and "__dataclass_fields__" in vars(type(source))
    return replace(source, **known) if stays else Agents(**known)


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


@dataclass(frozen=True)
class _LookUp:
    """The search for what an argument means, with the game that the caller gives, if any."""

    argument: str
    config: GameConfig | None
    sizes: Mapping[str, Any]
    given: bool
    """Whether the caller gives a game, or a size that is not None."""

    def meaning_of(self, agents: Any) -> Any:
        """Return the object that names, classes and functions lead to; a sender and a receiver as one object.

        Anything else stays as it is.
        """
        if isinstance(agents, (str, os.PathLike)) and agents not in SCRIPTED:
            return self.meaning_of(self._by_name(os.fspath(agents)))
        if isinstance(agents, type) or inspect.isroutine(agents):
            try:
                return self.meaning_of(self._make(agents))
            except RecursionError as error:
                rule = f"{self.argument} must not be a function that makes itself"
                raise UserError(f"{rule}; got {agents!r}") from error
        if isinstance(agents, list):
            rule = f"{self.argument} must be one pair, or a tuple (sender, receiver)"
            raise UserError(
                f"{rule}; a list is for partner=, and draws one for each episode; got {len(agents)}"
            )
        if not isinstance(agents, tuple):
            return agents
        if len(agents) != 2:
            raise UserError(f"{self.argument} must be a sender and a receiver; got {len(agents)} of them")
        sender, receiver = map(self.meaning_of, agents)
        return SimpleNamespace(sender=_of_role(sender, SENDER), receiver=_of_role(receiver, RECEIVER))

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

    def _make(self, kind: Callable[..., Any]) -> Any:
        """Return what a class or function makes: for the game if one is given or must be, else without it."""
        config = (self.config or _config_of(kind) or GameConfig()).changed(**self.sizes)
        signature = inspect.signature(kind)
        for arguments in ((config,), ()) if self.given else ((), (config,)):
            try:
                signature.bind(*arguments)
            except TypeError:
                continue
            return kind(*arguments)
        rule = f"{self.argument} must be a class or a function that can be called with the game"
        raise UserError(f"{rule}; {kind.__name__} takes {signature}")


def _of_role(agents: Any, role: str) -> Any:
    """Return what plays a role: the sender or the receiver of two; anything else plays by itself."""
    name, method, _ = _ROLES[role]
    return agents if hasattr(agents, method) else getattr(agents, name, agents)


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
    return (model, partner) if role == SENDER else (partner, model)
