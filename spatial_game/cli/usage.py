"""Explain what is wrong with a command line: the option, the rule and the value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args, get_origin

from cyclopts import CycloptsError
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from spatial_game.config import did_you_mean

KINDS: dict[object, str] = {int: "a whole number", float: "a number", bool: "true or false"}


def in_words(error: CycloptsError, commands: Sequence[str]) -> str:
    """Return what is wrong, in one line, with the nearest known name for a mistyped one."""
    command = " ".join(error.command_chain or ())
    match error:
        case UnknownCommandError(unused_tokens=[given, *_]) if given.startswith("-"):
            return _unknown("option", given, ["--help", "--version"])
        case UnknownCommandError(unused_tokens=[given, *_]):
            near = did_you_mean(given, commands) or f"; the commands are {', '.join(commands)}"
            return f'there is no command "{given}"{near}'
        case UnknownOptionError():
            known = [name for argument in error.argument_collection for name in argument.names]
            return _unknown("option", error.token.keyword or error.token.value, [*known, "--help"])
        case MissingArgumentError() if error.argument is not None and error.keyword is None:
            for given in error.unused_tokens or ():
                if given.startswith("--"):
                    return _unknown("option", given, error.argument.names)
            return f"{command} needs {error.argument.name.rstrip('.')}; got none"
        case MissingArgumentError():
            return f"{error.keyword} must have a value; got none"
        case RepeatArgumentError():
            return f"{error.token.keyword} must be given once; got {error.token.value} as well"
        case UnusedCliTokensError(unused_tokens=[given, *_]):
            return f"{command} does not take this argument; got {given}"
        case CoercionError() if error.token is not None and error.argument is not None:
            name = error.token.keyword or error.argument.name
            return f"{name} must be {_rule(error.target_type, error.token.value)}"
    return " ".join(str(error).split())


def _unknown(what: str, given: str, known: Iterable[str]) -> str:
    return f'there is no {what} "{given}"{did_you_mean(given, known)}'


def _rule(kind: object, given: str) -> str:
    """Return what a value must be, and what it is."""
    choices = [str(choice) for choice in get_args(kind)] if get_origin(kind) is Literal else []
    if choices:
        return f"one of {', '.join(choices)}; got {given}{did_you_mean(given, choices)}"
    return f"{KINDS.get(kind, 'valid')}; got {given}"
