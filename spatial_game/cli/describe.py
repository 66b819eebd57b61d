"""`spatial-game describe`: a language on one page, from a recording or from a trained pair."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cyclopts.types import File, PositiveInt

from spatial_game.cli.options import Command, FilesGame, GameOptions, require_writable
from spatial_game.cli.terminal import Output, progress
from spatial_game.files import write_text
from spatial_game.tables import Table, Value

if TYPE_CHECKING:
    from spatial_game.language.page.sketch import Sketch

SHOWN = 10
"""Rows of a table that text shows."""
LONGEST = 90
"""Characters of a cell that text shows."""


@dataclass(frozen=True, kw_only=True)
class Describe(Command):
    """The options of `spatial-game describe`."""

    recordings: tuple[str, ...] = field(kw_only=False)
    """Recordings of one game and language, or one trained pair, such as embed-60/0, which then plays."""
    out: File | None = None
    """Also write the language as a page (HTML), with a map, a search and all of its words."""
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams of the episodes that a pair plays."""
    game: FilesGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read or play, count, and show."""
        from spatial_game.cli.read_language import read_language, warn_of_several
        from spatial_game.language.page.html import page
        from spatial_game.language.page.sketch import sketch

        with read_language(self.recordings, self.game, self.episodes, self.seed) as language:
            require_writable(self.out, language.files)
            lexicon, senders = language.lexicon(), language.senders
            with progress("describing"):
                found = sketch(language.counts, lexicon, name=language.name, pair=language.players)
        show(output, found)
        warn_of_several(output, senders)
        if self.out is not None:
            write_text(self.out, page(found))
            output.say("", f"page       {self.out}")
        return {**found.to_dict(), "senders": senders, "page": None if self.out is None else str(self.out)}


def show(output: Output, found: Sketch) -> None:
    """Show a sketch as text: its sections, with the first rows of their tables."""
    from spatial_game.language.page.sections import sections

    output.heading(f"The language of {found.name}")
    for section in sections(found):
        output.heading(section.title)
        output.say("")
        output.paragraphs(section.sentences)
        for title, table in section.tables.items():
            shown = Table(table.columns, tuple(tuple(map(_shortened, row)) for row in table.rows[:SHOWN]))
            more = len(table.rows) - len(shown.rows)
            output.table(f"{title}{f' (first {SHOWN}; {more:,} more)' if more else ''}", shown)


def _shortened(value: Value) -> Value:
    return textwrap.shorten(value, LONGEST, placeholder=" ...") if isinstance(value, str) else value
