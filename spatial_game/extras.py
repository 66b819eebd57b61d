"""What to install where a library is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS = {
    "cyclopts": "analysis",
    "matplotlib": "analysis",
    "pyarrow": "analysis",
    "rich": "analysis",
    "scipy": "analysis",
    "submitit": "agents",
    "tensorboard": "agents",
    "torch": "agents",
}
"""The extra that installs a module that commands need."""


def how_to_install(module: str, extra: str) -> str:
    """Return one line that says how to install a missing module."""
    return f"{module} is not installed; install it in the clone with: pip install -e '.[{extra}]'"


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Import libraries within this block; if one is missing, the error names the extra that installs it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        module = (missing.name or "a library").partition(".")[0]
        raise ModuleNotFoundError(how_to_install(module, extra), name=missing.name) from missing
