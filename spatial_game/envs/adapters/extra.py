"""What to install for an adapter whose library is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(library: str, extra: str) -> Iterator[None]:
    """Import a library within this block; if it is missing, the error names the extra that installs it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        text = f"this adapter needs {library}; install it in the clone with: pip install -e '.[{extra}]'"
        raise ModuleNotFoundError(text, name=missing.name) from missing
