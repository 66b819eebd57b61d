"""`spatial-game browse`: the language of a recording as a page to look through in a browser."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from spatial_game.cli.files import InFile, InFiles, OutFile
from spatial_game.cli.options import Command, FilesGame, GameOptions, positional, require_at_least
from spatial_game.cli.terminal import Output, progress

if TYPE_CHECKING:
    from spatial_game.cli.language_files import RecordedLanguage
    from spatial_game.cli.players import Players
    from spatial_game.web.browse.sample import Sample
    from spatial_game.web.play.page import PairInPage


@positional
@dataclass(frozen=True, kw_only=True)
class Browse(Command):
    """The options of `spatial-game browse`."""

    files: Annotated[InFiles, Parameter(name="RECORDING...")] = field(kw_only=False)
    """Recordings of one game and language. Patterns in quotes are expanded."""
    lexicon: InFile | None = None
    """The lexicon of the language (JSON, as analyse writes it). Default: made from the recordings."""
    out: OutFile | None = None
    """Write the page to this file (HTML), and open nothing. Default: a temporary file, which is opened."""
    most: int = 200_000
    """The page holds at most this number of episodes: an even sample of a larger recording. With 200,000, it
    takes up to 5 MB."""
    game: FilesGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read, count, and write the page; open it unless `out` names a file."""
        from spatial_game.cli.language_files import read_language, speakers
        from spatial_game.files import write_text
        from spatial_game.language.sketch import sketch
        from spatial_game.web.browse.content import content
        from spatial_game.web.browse.page import page
        from spatial_game.web.browse.sample import sample

        require_at_least(1, most=self.most)
        language = read_language(self.files, self.lexicon, self.game)
        with progress("writing the page"):
            found, players = sample(language.counts.sources, self.most), speakers(language.counts)
            shown = content(found, language.counts, language.lexicon, about(language, found))
            described = sketch(language.counts, language.lexicon, name=language.name, pair=players)
            text = page(shown, described, in_page(players))
            path = self.out or Path(tempfile.mkdtemp(prefix="spatial-game-")) / "language.html"
            write_text(path, text)
        if len(found.row) < found.total:
            output.say(f"episodes   an even sample of {len(found.row):,} of {found.total:,}")
        opened = self.out is None and _open(path)
        output.say(f"page       {path}{'' if opened or self.out else ' (open it in a browser)'}")
        return {
            "page": str(path),
            "bytes": len(text.encode()),
            "opened": opened,
            "episodes": found.total,
            "sampled": len(found.row),
            "entries": len(language.lexicon.listed),
            "messages": len(language.counts.messages),
        }


def about(language: RecordedLanguage, found: Sample) -> dict[str, Any]:
    """Return the title of the page, and its notes about the recordings and the dictionary."""
    from spatial_game.cli.dictionary import Analysed, in_bits
    from spatial_game.tables import printable

    lexicon, many = language.lexicon, len(found.row) < found.total
    files = ", ".join(Path(file).name for file in language.files)
    shown = f" This page shows an even sample of {len(found.row):,} of them." if many else ""
    lines = [
        f"Recording: {files}, {found.total:,} episodes of the game {found.episodes.config.signature}.{shown}"
    ]
    if language.found:
        lines.append("The dictionary was made from this recording.")
    if lexicon.account is not None:
        lines += in_bits(Analysed(language.counts, lexicon, None))
    lines.append(f"Signature of the dictionary: {lexicon.signature}")
    title = f"The language of {language.name}"
    return {"title": printable(title), "about": [printable(line) for line in lines]}


def in_page(players: Players | None) -> PairInPage | None:
    """Return a pair for a page; None without one, or if it cannot play in a page."""
    from spatial_game.cli.browser import pair_in_page

    try:
        return None if players is None else pair_in_page(players, None)
    except (ValueError, ImportError):
        return None


def _open(path: Path) -> bool:
    """Open a page in the browser, and return whether there is a browser."""
    import os
    import sys
    import webbrowser

    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        return webbrowser.open(path.absolute().as_uri())
    except webbrowser.Error:
        return False
