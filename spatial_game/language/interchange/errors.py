"""One-line errors for files of other programs, and steps that all imports share."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spatial_game.files import fault_of_input
from spatial_game.language.fields import shortened
from spatial_game.language.measures.corpus import CorpusError
from spatial_game.recording import Recording, RecordingError
from spatial_game.tables import printable


class InterchangeError(ValueError):
    """A file that cannot be read or written; names file, place, field, rule and value."""


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a file to read, and put the file's name before the errors of the block.

    Raises `InterchangeError` if the file is missing, is not a regular file, or is not UTF-8.
    """
    file = Path(path)
    try:
        fault = fault_of_input(file)
        if fault:
            raise InterchangeError(fault)
        yield file
    except UnicodeDecodeError as error:
        raise InterchangeError(f"{file}: not UTF-8 text; {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise InterchangeError(f"{file}: {error.strerror or error}") from None
    except (InterchangeError, RecordingError, CorpusError) as error:
        raise InterchangeError(printable(f"{file}: {error}")) from None


def from_json(text: str, place: str) -> Any:
    """Return the value of a JSON text. Raises `InterchangeError` that names the place."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InterchangeError(f"{place}: a line must be JSON; got {shortened(text.strip())}") from None


def whole_numbers(value: Any, place: str, what: str, largest: int) -> list[int]:
    """Return a list of whole numbers in 0..largest. Raises `InterchangeError` that names the place."""
    if not isinstance(value, list):
        raise InterchangeError(f"{place}: {what} must be a list; got {shortened(value)}")
    for item in value:
        if type(item) is not int or not 0 <= item <= largest:
            raise InterchangeError(
                f"{place}: {what} must be whole numbers in 0..{largest}; got {shortened(item)}"
            )
    return value


def not_empty(recording: Recording) -> Recording:
    """Return the recording. Raises `InterchangeError` if it has no episode."""
    if len(recording) == 0:
        raise InterchangeError("there must be at least one episode; got none")
    return recording
