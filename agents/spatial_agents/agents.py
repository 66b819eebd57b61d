"""One function that turns names, classes, objects and models into agents that play."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from spatial_agents.pairs.pair import Pair, load_pair
from spatial_game.config import GameConfig
from spatial_game.envs.game import RECEIVER, SENDER
from spatial_game.envs.partners import KINDS, game_of, policy_of
from spatial_game.game import evaluation
from spatial_game.game.evaluation import Evaluation
from spatial_game.game.policies import SCRIPTED, Agents, scripted_pair

OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""How agents of your own are named: `module:Class`."""


def load_agents(agents: Any, config: GameConfig | None = None, *, seed: int = 0, **sizes: Any) -> Agents:
    """Turn anything that can play into agents. `agents` is one of:

    - "oracle" or "random";
    - the name of a bundled pair, such as "embed-60" or "embed-60/3", a run folder or a weights file;
    - an object with a `sender` and a `receiver`, or with the methods `send` and `choose`;
    - a sender and a receiver, `(one, other)`, each in any of these forms;
    - a model of Stable-Baselines3: its environment tells the role, and its partner plays the other one;
    - a class that makes such an object, or its name, `"module:Class"`. It is called with the game if one is
      given, or if it takes nothing less, and otherwise without arguments.

    The game is `config`, by default that of the agents (their `config`), else the paper's full game; `sizes`
    are fields of `GameConfig` to change. `seed` is for random agents. A trained pair stays a `Pair`. Raises
    `ValueError` for anything else, and for agents that cannot play the game.
    """
    if isinstance(agents, str) and agents in SCRIPTED:
        return scripted_pair(agents, (config or GameConfig()).changed(**sizes), seed)
    found = resolve(agents, config, sizes)
    if hasattr(found, "predict") and not hasattr(found, "send"):
        found = _with_partner(found)
    two = found if hasattr(found, "sender") else _two(found, found)
    own = next(filter(None, (game_of(each) for each in (found, two.sender, two.receiver))), None)
    game = (config or own or GameConfig()).changed(**sizes)
    try:
        sender = _half(two.sender, SENDER, game, seed)
        receiver = _half(two.receiver, RECEIVER, game, seed)
    except TypeError as error:
        raise ValueError(f"agents must be {KINDS}; got {agents!r}, which lacks {error}") from None
    if isinstance(found, Pair):
        return replace(found, config=game)
    return Agents(sender, receiver, game)


def evaluate(
    agents: Any, num_episodes: int = 20_000, seed: int = 0, config: GameConfig | None = None
) -> Evaluation:
    """Play fresh episodes from the seed's evaluation stream. `agents` and `config` as for `load_agents`."""
    return evaluation.evaluate(load_agents(agents, config, seed=seed), num_episodes, seed)


def resolve(agents: Any, config: GameConfig | None = None, sizes: Any = None) -> Any:
    """Return the object that a name, a class or a sender and a receiver mean; other objects as they are."""
    if isinstance(agents, (str, os.PathLike)):
        name = os.fspath(agents)
        if name.endswith(".zip"):
            raise ValueError(
                "agents must not be a file of Stable-Baselines3, as loading one can run code: if you trust "
                f"it, load it yourself and pass the model; got {name}"
            )
        if name in SCRIPTED:
            return name
        return _made(_imported(name), config, sizes, name) if OWN.fullmatch(name) else load_pair(name)
    if isinstance(agents, type):
        return _made(agents, config, sizes, agents.__name__)
    if isinstance(agents, (tuple, list)):
        if len(agents) != 2:
            raise ValueError(f"agents must be a sender and a receiver; got {len(agents)} of them")
        return _two(*(resolve(each, config, sizes) for each in agents))
    return agents


def _two(sender: Any, receiver: Any) -> SimpleNamespace:
    """Return what plays the two roles, in any form, as one object."""
    return SimpleNamespace(sender=sender, receiver=receiver)


def _imported(name: str) -> Any:
    """Return the class `module:Class`. Modules of the current folder are found, too."""
    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ValueError(f"agents must be a class that can be imported; got {name} ({error})") from error
    finally:
        sys.path.remove("")


def _made(kind: Any, config: GameConfig | None, sizes: Any, name: str) -> Any:
    """Return what a class makes: for the game if one is given or must be, else without arguments."""
    if not callable(kind):
        return kind
    own = getattr(kind, "config", None)
    own = own if isinstance(own, GameConfig) else None
    given = config is not None or bool(sizes)
    game = (config or own or GameConfig()).changed(**(sizes or {}))
    signature = inspect.signature(kind)
    for arguments in ((game,), ()) if given else ((), (game,)):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return kind(*arguments)
    raise ValueError(f"agents must be a class that can be called with the game; {name} takes {signature}")


def _with_partner(model: Any) -> SimpleNamespace:
    """Return a model and the partner of its environment. Raises `ValueError` for a model without one."""
    try:
        role, partner = (model.get_env().get_attr(name)[0] for name in ("agent", "partner"))
    except AttributeError:
        raise ValueError(
            "agents must be a sender and a receiver; a model without its environment plays only one role: "
            "give (sender, receiver)"
        ) from None
    other = resolve(partner)
    return _two(model, other) if role == SENDER else _two(other, model)


def _half(given: Any, role: str, game: GameConfig, seed: int) -> Any:
    """Return the policy that plays a role in a game. Raises `TypeError` with the method that it lacks."""
    if isinstance(given, str) and given in SCRIPTED:
        given = scripted_pair(given, game, seed)
    try:
        return policy_of(given, role, game, "agents")
    except TypeError:
        raise TypeError("sender.send" if role == SENDER else "receiver.choose") from None
