"""One function that turns names, classes, objects and models into agents that play."""

from __future__ import annotations

import importlib
import re
import sys
from dataclasses import replace
from typing import Any, Unpack

from spatial_agents.pairs.pair import Pair, load_pair
from spatial_game.checks import require_kind
from spatial_game.config import GameConfig, GameOptions
from spatial_game.envs.partners import game_of, half_of, policy_of, resolve
from spatial_game.errors import UserError
from spatial_game.game.actions import RECEIVER, SENDER
from spatial_game.game.evaluation import Evaluation, evaluate_pair
from spatial_game.game.policies import Agents

OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""How agents of your own are named: `module:Class`."""


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
    are fields of `GameConfig` to change. `seed` is for random agents. A trained pair stays a `Pair`. Raises
    `ValueError` for anything else, and for agents that cannot play the game.
    """
    if config is not None:
        require_kind("config", config, GameConfig, "GameConfig.small()")
    resolved = resolve(agents, config, **sizes)
    if hasattr(resolved, "predict") and not hasattr(resolved, "send"):
        resolved = _with_partner(resolved)
    named_game = config or game_of(resolved)
    game = (named_game or GameConfig()).changed(**sizes)
    sender, receiver = (
        policy_of(half_of(resolved, role), role, game, "agents", seed) for role in (SENDER, RECEIVER)
    )
    if isinstance(resolved, Pair):
        return replace(resolved, config=game)
    card = getattr(resolved, "card", {})  # a pair with networks of one's own has one
    known, assumed = card if isinstance(card, dict) else {}, not (named_game or sizes)
    return Agents(sender, receiver, game, card=known, assumes_game=assumed)


def evaluate(
    agents: Any,
    config: GameConfig | None = None,
    *,
    num_episodes: int = 20_000,
    seed: int = 0,
    **sizes: Unpack[GameOptions],
) -> Evaluation:
    """Play fresh episodes from the seed's evaluation stream.

    `agents`, `config` and `sizes` are those of `load_agents`, which says what it raises.
    """
    return evaluate_pair(load_agents(agents, config, seed=seed, **sizes), num_episodes, seed)


def named(name: str) -> Any:
    """Return the trained pair with this name, or the class, function or object that `module:Class` names.

    Raises `ValueError` if there is none. Modules of the current folder are found, too.
    """
    if name.endswith(".zip"):
        raise UserError(
            "agents must not be a file of Stable-Baselines3, as loading one can run code: if you trust "
            f"it, load it yourself and pass the model; got {name}"
        )
    if name.endswith(".parquet"):
        raise UserError(f"agents must be a pair or other agents, not a recording of them; got {name}")
    if not OWN.fullmatch(name):
        return load_pair(name)
    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        raise UserError(
            f"agents must be a class or a function that can be imported; got {name} ({error})"
        ) from error
    finally:
        sys.path.remove("")


def _with_partner(model: Any) -> Any:
    """Return a model and the partner of its environment. Raises `ValueError` for a model without one."""
    try:
        role, partner = (model.get_env().get_attr(name)[0] for name in ("agent", "partner"))
    except AttributeError:
        raise UserError(
            "agents must be a sender and a receiver; a model without its environment plays only one role: "
            "give (sender, receiver), and its game as config"
        ) from None
    return resolve((model, partner) if role == SENDER else (partner, model))
