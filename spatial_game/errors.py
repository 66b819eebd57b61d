"""The errors that a user can fix, and a warning. All else that is raised is a bug and keeps its traceback."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any


class UserError(ValueError):
    """A value that a user or a file gives breaks a rule. The text names the field, the rule and the value.

    The command line shows it as one line.
    """


class UserTypeError(UserError, TypeError):
    """A value that a user or a file gives is of the wrong type."""


class AgentsFailed(Exception):
    """Agents or a function of the user's own raised an error, which is the cause of this one.

    The text names them and that error. The command line shows it as one line, and below it the traceback of
    their code.
    """


class TrainingFailed(RuntimeError):
    """A pair was not trained to the end; the text says why."""


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived, and the work was saved."""


class GameAssumed(UserWarning):
    """Agents name no game and none was given, so they play the paper's full game."""


@contextlib.contextmanager
def naming_errors(what: str) -> Iterator[None]:
    """Let an error of the block, which calls code of the user's own, begin with these words."""
    try:
        yield
    except (UserError, ImportError, MemoryError):  # these say what to do
        raise
    except Exception as error:
        raise AgentsFailed(f"{what}: {type(error).__name__}: {error}") from error


def naming_function(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function whose errors begin with its name."""

    @functools.wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        with naming_errors(f"{name} failed"):
            return function(*values, **options)

    return call
