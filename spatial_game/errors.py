"""The errors that a user can fix, and a warning. All else that is raised is a bug and keeps its traceback."""

from __future__ import annotations


class UserError(ValueError):
    """A value that a user or a file gives breaks a rule. The text names the field, the rule and the value.

    The command line shows it as one line.
    """


class UserTypeError(UserError, TypeError):
    """A value that a user or a file gives is of the wrong type."""


class AgentsFailed(Exception):
    """Agents of the user's own raised an error, which is the cause of this one.

    The text names the agents, the game and that error. The command line shows it as one line, and below it
    the traceback of their code.
    """


class TrainingFailed(RuntimeError):
    """A pair was not trained to the end; the text says why."""


class GameAssumed(UserWarning):
    """Agents name no game and none was given, so they play the paper's full game."""
