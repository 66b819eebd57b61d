"""Agents and functions of the user's own, named `module:Class`: importing them, and errors that name them."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from spatial_game.checks import did_you_mean, kind_of
from spatial_game.errors import UserError, naming_errors, naming_function
from spatial_game.game.episodes import IntArray
from spatial_game.game.policies import Agents

OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""How agents of your own are named: `module:Class`."""


def import_own(name: str, argument: str, kind: str = "a class or a function") -> Any:
    """Return what `module:Class` names, also in this folder. Raises `ValueError` that names the argument."""
    module, _, attribute = name.partition(":")
    rule = f"{argument} must be {kind} that can be imported"
    if "" not in sys.path:
        sys.path.insert(0, "")  # it stays, as agents may import modules when they play
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        of_file = f' (did you mean "{module[:-3]}:{attribute}"?)' if module.endswith(".py") else ""
        raise UserError(f"{rule}; got {name}{of_file or f' ({error})'}") from error
    try:
        return getattr(imported, attribute)
    except AttributeError as error:
        near = did_you_mean(attribute, vars(imported))
        raise UserError(f"{rule}; got {name} ({error}){near}") from error


def own_function(name: str, argument: str) -> Callable[..., Any]:
    """Return the function that `module:function` names; its errors begin with its name.

    Raises `ValueError` that names the argument if there is no such function.
    """
    return naming_function(import_function(name, argument), name)


def import_function(name: str, argument: str) -> Callable[..., Any]:
    """Return the function that `module:function` names. Raises as `own_function` does."""
    if not OWN.fullmatch(name):
        raise UserError(f"{argument} must be named as module:function; got {name}")
    function = import_own(name, argument, "a function")
    if not callable(function):
        raise UserError(f"{argument} must be a function; got {name}, which is {kind_of(function)}")
    return cast("Callable[..., Any]", function)


def naming_agents(agents: Agents) -> Agents:
    """Return agents whose errors name them and their game."""
    assumed = " (assumed)" if agents.assumes_game else ""
    error = f"{agents.label} failed in the game {agents.config.signature}{assumed}"
    return replace(agents, sender=OwnPolicy(agents.sender, error), receiver=OwnPolicy(agents.receiver, error))


class OwnPolicy:
    """A sender or receiver of the user's own. Its errors begin with the text `error`."""

    def __init__(self, policy: Any, error: str) -> None:
        self.policy, self._error = policy, error

    def __getattr__(self, name: str) -> Any:
        """Return a public attribute of the policy, which copying and pickling do not have at first."""
        if name.startswith("_") or name == "policy":
            raise AttributeError(name)
        return getattr(self.policy, name)

    def send(self, window: IntArray) -> Any:
        """Return what the policy sends."""
        return self._ask(self.policy.send, window)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Any:
        """Return what the policy chooses."""
        return self._ask(self.policy.choose, messages, sequence, candidates)

    def _ask(self, method: Callable[..., Any], *observation: IntArray) -> Any:
        with naming_errors(self._error):
            try:
                return method(*observation)
            except UserError as refused:  # by an agent of this package that they use
                raise UserError(f"{self._error}: {refused}") from refused
