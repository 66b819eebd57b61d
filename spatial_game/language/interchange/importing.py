"""What the readers of all formats share: their error, and the recording that they make."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from spatial_game.errors import UserError
from spatial_game.game.episodes import HIDDEN
from spatial_game.recording import LIST_COLUMNS, Recording, symbol_names
from spatial_game.recording.format import game_of


class InterchangeError(UserError):
    """A file that cannot be read or written; names file, row, field, rule and value."""


def imported(
    columns: Mapping[str, Any],
    sizes: Mapping[str, Any],
    file: Path,
    *,
    first_row: int = 0,
    origin: Mapping[str, Any] = MappingProxyType({}),
) -> Recording:
    """Return a recording of these columns of a file, arrays that begin in this row of it.

    Their widths and `sizes`, fields of `GameConfig`, tell the game. `origin` is what the provenance says
    beside the name of the file, such as the names of `symbols`.
    """
    widths = {name: c.shape[1] for name, c in columns.items() if name in LIST_COLUMNS and c.ndim == 2}
    config = game_of(widths, sizes)
    if HIDDEN in columns["window"] and not config.num_hidden:
        rule = f"windows have hidden cells ({HIDDEN}), and the file does not tell their game"
        raise InterchangeError(f"{rule}: give num_visible")
    provenance = {"imported_from": file.name, **origin}
    symbol_names(config, [provenance])
    rows = np.arange(first_row, first_row + len(columns["window"]))
    return Recording(config, **columns, provenance=provenance, rows=rows)
