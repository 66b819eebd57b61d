"""What the readers of all formats share: their error, and the check of what they found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import HIDDEN
from spatial_game.recording import Recording


class InterchangeError(UserError):
    """A file that cannot be read or written; names file, row, field, rule and value."""


def imported(
    config: GameConfig,
    columns: Mapping[str, Any],
    file: Path,
    first_row: int = 0,
    origin: Mapping[str, Any] = MappingProxyType({}),
) -> Recording:
    """Return a recording of these columns of a file, which begin in this row of it.

    `origin`: what its provenance says beside the name of the file.
    """
    if HIDDEN in columns["window"] and not config.num_hidden:
        rule = f"windows have hidden cells ({HIDDEN}), and the file does not tell their game"
        raise InterchangeError(f"{rule}: give num_visible")
    provenance = {"imported_from": file.name, **origin}
    return Recording(config, **columns, provenance=provenance, first_row=first_row)
