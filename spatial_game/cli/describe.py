"""`spatial-game describe`: a language on one page, from a recording or from a trained pair."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cyclopts.types import File, PositiveInt

from spatial_game.cli.options import Command, GameFlags, UnlistedGame, require_writable
from spatial_game.cli.terminal import Output, progress
from spatial_game.files import write_text
from spatial_game.tables import Table, Value

if TYPE_CHECKING:
    from spatial_game.language.page.sections import Section

SHOWN = 10
"""Rows of a table that text shows."""
LONGEST = 90
"""Characters of a cell that text shows."""


@dataclass(frozen=True, kw_only=True)
class Describe(Command):
    """The options of `spatial-game describe`."""

    recordings: tuple[str, ...] = field(kw_only=False)
    """Recordings of one game and language, a folder of them, or one trained pair, such as embed-60/0, which
    then plays."""
    out: File | None = None
    """Also write the language as a page (HTML), with a map, a search and all of its messages."""
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams of the episodes that a pair plays."""
    game: UnlistedGame = field(default_factory=GameFlags)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read or play, count, and show."""
        from spatial_game.cli.read_language import read_language, require_players, warn_of_several
        from spatial_game.language.page.html import page
        from spatial_game.language.page.sections import sections
        from spatial_game.language.page.sketch import sketch

        with read_language(self.recordings, self.game, self.episodes, self.seed) as language:
            require_players(self.episodes, self.recordings)
            require_writable(self.out, language.files)
            lexicon, senders = language.lexicon(), language.senders
            with progress("describing"):
                content = sketch(language.counts, lexicon, name=language.name, pair=language.players)
        parts = sections(content)
        if self.out is not None:
            write_text(self.out, page(content))
        show(output, content.name, parts)
        warn_of_several(output, senders)
        if self.out is not None:
            output.say("", f"page       {self.out}")
        by_title = {part.title: part.to_dict() for part in parts}
        path = None if self.out is None else str(self.out)
        return {**content.to_dict(), "senders": senders, "sections": by_title, "page": path}


def show(output: Output, name: str, parts: Sequence[Section]) -> None:
    """Show the sections of a page as text, with the first rows of their tables."""
    output.heading(f"The language of {name}")
    for section in parts:
        output.heading(section.title)
        output.say("")
        output.paragraphs(section.sentences)
        for title, table in section.tables.items():
            first = Table(table.columns, tuple(tuple(map(_shortened, row)) for row in table.rows[:SHOWN]))
            more = len(table.rows) - len(first.rows)
            output.table(f"{title}{f' (first {SHOWN}; {more:,} more)' if more else ''}", first)


def _shortened(value: Value) -> Value:
    return textwrap.shorten(value, LONGEST, placeholder=" ...") if isinstance(value, str) else value
