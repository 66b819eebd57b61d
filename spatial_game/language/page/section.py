"""A section of a page: sentences and tables, which the terminal and the page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spatial_game.tables import Table

LISTED = 100
"""Rows of a long list."""


@dataclass(frozen=True)
class Section:
    """A part of a page: a title, sentences, and tables by their titles."""

    title: str
    sentences: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the sentences and the rows of the tables, for JSON."""
        tables = {title: table.records() for title, table in self.tables.items()}
        return {"sentences": [*self.sentences], "tables": tables}
