"""What goes wrong with other people's files, in one line."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spatial_game.language.measures.corpus import CorpusError
from spatial_game.recording import RecordingError


class InterchangeError(ValueError):
    """A file that cannot be read or written; names file, place, field, rule and value."""


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a file to be read, and put its name before what is found wrong with it.

    Raises `InterchangeError` also where the file is missing, is a folder, or is not UTF-8.
    """
    file = Path(path)
    try:
        if not file.exists():
            raise InterchangeError("No such file or directory")
        if file.is_dir():
            raise InterchangeError("a file is to be read; this is a folder")
        yield file
    except UnicodeDecodeError as error:
        raise InterchangeError(f"{file}: not UTF-8 text; {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise InterchangeError(f"{file}: {error.strerror or error}") from None
    except (InterchangeError, RecordingError, CorpusError) as error:
        raise InterchangeError(f"{file}: {error}") from None


def shortened(value: Any, length: int = 60) -> str:
    """A value as an error shows it."""
    text = repr(value)
    return text if len(text) <= length else text[: length - 3] + "..."
