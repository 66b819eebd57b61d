"""What the readers of all formats share: errors that name the file, and the check of what they found."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.files import fault_of_file
from spatial_game.game.episodes import HIDDEN
from spatial_game.json_text import printable
from spatial_game.recording import Recording


class InterchangeError(ValueError):
    """A file that cannot be read or written; names file, place, field, rule and value."""


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a file to read, and put the file's name before each error of the block."""
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
    except (TypeError, ValueError) as error:  # of a type: numbers that are no integers
        raise InterchangeError(printable(f"{file}: {error}")) from None


def imported(config: GameConfig, columns: Mapping[str, Any], file: Path, first_row: int = 0) -> Recording:
    """Return a recording of these columns of a file, which begin in this row of it."""
    if HIDDEN in columns["window"] and not config.num_hidden:
        raise InterchangeError(f"num_visible must be given for windows with hidden cells ({HIDDEN})")
    return Recording(config, **columns, provenance={"imported_from": file.name}, first_row=first_row)
