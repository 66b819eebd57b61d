"""The errors that a user can fix. Everything else that is raised is a bug, and keeps its traceback."""

from __future__ import annotations


class UserError(ValueError):
    """A value that a user or a file gives breaks a rule. The text names the field, the rule and the value.

    The command line shows it as one line.
    """


class UserTypeError(UserError, TypeError):
    """A value that a user or a file gives is of the wrong type."""
