"""The columns of a recording, their shapes and bounds, and the header of its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spatial_game.checks import require, require_object, require_one_of, require_whole, shortened, within
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.checking import bounds_of, check_column, check_rules
from spatial_game.game.episodes import IntArray, rows_at_once
from spatial_game.json_text import from_json

FORMAT_VERSION = 1
METADATA_KEY = b"spatial_game"
NOBODY = -1
"""The choice in an episode without a receiver."""

COLUMNS = ("window", "message", "candidates", "target_index", "choice", "target_position", "sequence")
LIST_COLUMNS = ("window", "message", "candidates", "sequence")
ANALYSED = ("window", "message")
"""The columns that the analysis of a language reads."""

BLOCK = 1 << 16
"""Rows that are read at a time: few enough for a processor's cache; fewer if they are long."""

MOST_ROWS = 2**31 - 1
"""The most rows in a block: all of a recording that fits into memory."""


class RecordingError(UserError):
    """A recording cannot be read, or breaks a rule of the format; names the file, the row and the column."""


def list_width(config: GameConfig, name: str) -> int | None:
    """Return the number of cells in each row of a list column; None for any other column."""
    column = bounds_of(config).get(name)
    return column.shape[0] if column and column.shape else None


def block_rows(config: GameConfig, names: Iterable[str], most: int = BLOCK) -> int:
    """Return how many rows of these columns to hold at a time."""
    return rows_at_once(sum(list_width(config, name) or 1 for name in names), most)


def columns_and_rows(
    config: GameConfig, names: Iterable[str] | None, batch_size: int | None
) -> tuple[list[str], int]:
    """Return the columns to read, which include those of an analysis, and the rows of a block.

    Raises `ValueError` for columns that no recording has, and for blocks of no rows.
    """
    wanted = {*COLUMNS} if names is None else {*names, *ANALYSED}
    for name in wanted:
        require_one_of("columns", name, COLUMNS)
    rows = block_rows(config, wanted) if batch_size is None else require_whole("batch_size", batch_size, 1)
    return [name for name in COLUMNS if name in wanted], min(rows, MOST_ROWS)


def header_of(config: GameConfig, provenance: Mapping[str, Any]) -> bytes:
    """Return the header of a file: the version of the format, the game and the origin of the episodes.

    Raises `RecordingError` for a provenance that is not JSON or uses names of the format.
    """
    own = {"format_version": FORMAT_VERSION, "config": config.to_dict()}
    for name in own:
        if name in provenance:
            raise RecordingError(f"provenance must leave {name} to the format; got {provenance[name]!r}")
    try:
        return json.dumps({**own, **provenance}, allow_nan=False).encode()
    except (TypeError, ValueError) as error:  # json's
        raise RecordingError(f"provenance must be JSON; {error}") from None


def read_header(text: bytes) -> tuple[GameConfig, dict[str, Any]]:
    """Return the game and the provenance. Raises `ValueError` for anything but a header."""
    with within("the metadata spatial_game"):
        header = dict(require_object("the header", from_json(text)))
        version = header.pop("format_version", None)
        require(version == FORMAT_VERSION, f"format_version must be {FORMAT_VERSION}", shortened(version))
        config = require_object("config", header.pop("config", None))
        with within("config"):
            return GameConfig.from_dict(config), header


def symbol_names(config: GameConfig, origins: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the name of each symbol: what an imported file has in its place, otherwise its number.

    `origins` are the provenances of one language, such as those of a dictionary. Raises `RecordingError` if
    they name symbols differently.
    """
    named = [origin.get("symbols", []) for origin in origins]
    for names in named:
        texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not texts or not len({*names}) == len(names) <= config.vocab_size:
            rule = f"symbols in the provenance must be at most {config.vocab_size} different texts"
            raise RecordingError(f"{rule}; got {shortened(names)}")
        if names != named[0]:
            rule = "recordings of one language must name symbols alike: import it from one file"
            raise RecordingError(f"{rule}; got {shortened(named[0])} and {shortened(names)}")
    names = named[0] if named else []
    return (*names, *map(str, range(len(names), config.vocab_size)))


def game_of(widths: Mapping[str, int], sizes: Mapping[str, Any]) -> GameConfig:
    """Return the game of list columns with these numbers of cells; `sizes` are the fields that are given.

    Raises `RecordingError` if nothing tells the length of the sequences or the number of symbols.
    """
    cells = widths.get("window", 0) ** (1 / max(len(sizes.get("shape") or ()), 1))
    from_widths = {
        "sequence_length": widths.get("sequence", 0),
        "window_radius": round(cells) // 2,
        "num_distractors": widths.get("candidates", 0) - 1,
        "message_length": widths.get("message", 0),
    }
    fields = {name: value for name, value in from_widths.items() if value > 0} | dict(sizes)
    sources = {"sequence_length": ("sequence_length", "shape"), "vocab_size": ("vocab_size",)}
    lacking = [name for name, any_of in sources.items() if not any(map(fields.get, any_of))]
    if lacking:
        options = " and ".join(f"--{name.replace('_', '-')}" for name in lacking)
        raise RecordingError(f"the file does not tell its game: give {' and '.join(lacking)} ({options})")
    return GameConfig(**fields)


def require_sizes(config: GameConfig, sizes: Mapping[str, Any]) -> None:
    """Raise `RecordingError` unless the game has these sizes, which are given beside a file."""
    for name, value in sizes.items():
        own, given = getattr(config, name), tuple(value) if name == "shape" else value
        if own != given:
            raise RecordingError(f"{name} must be {given}, as given; got {own}")


def checked_columns(
    config: GameConfig, columns: Mapping[str, IntArray], rows: int, first_row: int
) -> dict[str, IntArray]:
    """Return the columns as int16. Raises `RecordingError` if one breaks the format, or two disagree."""
    checked = dict[str, IntArray]()
    try:
        for name, column in columns.items():
            low = NOBODY if name == "choice" else None
            checked[name] = check_column(config, name, column, rows, first_row, low=low)
        check_rules(config, checked, first_row)
    except UserError as error:
        raise RecordingError(f"column {error}") from None
    return checked
