"""One-line errors for files of other programs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from spatial_game.files import fault_of_file
from spatial_game.json_text import printable
from spatial_game.recording import Recording


class InterchangeError(ValueError):
    """A file that cannot be read or written; names file, place, field, rule and value."""


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a file to read, and put the file's name before each `ValueError` of the block.

    Raises `InterchangeError` if the file is missing, is not a regular file, or is not UTF-8.
    """
    file = Path(path)
    try:
        fault = fault_of_file(file)
        if fault:
            raise InterchangeError(fault)
        yield file
    except UnicodeDecodeError as error:
        raise InterchangeError(f"{file}: not UTF-8 text; {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise InterchangeError(f"{file}: {error.strerror or error}") from None
    except ValueError as error:
        raise InterchangeError(printable(f"{file}: {error}")) from None


def not_empty(recording: Recording) -> Recording:
    """Return the recording. Raises `InterchangeError` if it has no episode."""
    if len(recording) == 0:
        raise InterchangeError("there must be at least one episode; got none")
    return recording
