"""`spatial-game film`: a language over its training or its generations, as a page with frames."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from spatial_game.cli.files import OutFile, Reads
from spatial_game.cli.options import Command, positional, require_at_least
from spatial_game.cli.terminal import Output, progress
from spatial_game.tables import Table

if TYPE_CHECKING:
    from spatial_game.language.film.film import Film as Shown

ROWS, WORDS = 12, 10
"""Frames, evenly spaced, and words that text shows of a sender."""


@positional
@dataclass(frozen=True, kw_only=True)
class Film(Command):
    """The options of `spatial-game film`."""

    folder: Annotated[Path, Reads(), Parameter(name="RUN")] = field(kw_only=False)
    """The folder of a training run: of pairs or a population trained with --keep-every, whose frames are the
    steps that were kept; or of generations (--iterate), which are the frames."""
    out: OutFile | None = None
    """Write the film as a page (HTML)."""
    gif: OutFile | None = None
    """Write the map of each frame as an animated picture (.gif)."""
    frames: int = 40
    """Show at most this number of frames, evenly spaced."""
    episodes: int = 20_000
    """Episodes that are played in every frame. They are always the same."""
    seed: int = 0
    """Root of the random stream of these episodes."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Play with the pairs of each frame, read their languages, and write the page."""
        from spatial_game.cli.frames import find_frames, play
        from spatial_game.files import write_text
        from spatial_game.language.film.film import film
        from spatial_game.rendering.film import film_gif
        from spatial_game.web.film.page import page

        require_at_least(2, frames=self.frames)
        require_at_least(1, episodes=self.episodes)
        if self.gif is not None and self.gif.suffix.lower() != ".gif":
            raise ValueError(f"gif must be a file whose name ends in .gif; got {self.gif}")
        name, reel = self._name, play(find_frames(self.folder, self.frames), self.episodes, self.seed)
        with progress("cutting"):
            shown = film(reel)
            if self.out is not None:
                write_text(self.out, page(name, shown))
            if self.gif is not None:
                film_gif(self.gif, shown)
        show(output, name, shown)
        written = {kind: str(path) for kind, path in (("page", self.out), ("gif", self.gif)) if path}
        output.say("", *(f"{kind:10} {path}" for kind, path in written.items()))
        return {"name": name, **shown.to_dict(), **written}

    @property
    def _name(self) -> str:
        """The name of the run; of one of its pairs, both names."""
        folder = self.folder.resolve()
        own, above = folder.name, folder.parent
        return f"{above.name}/{own}" if (above / "config.json").is_file() else own


def show(output: Output, name: str, shown: Shown) -> None:
    """Show the figures of each frame, and the most used words, as text."""
    from spatial_game.language.film.words import story

    heading = (
        f"{shown.unit.capitalize()} :, | Right :.1% | As before :.1% | Effect of the integer :.1% | "
        "Effect of the offset :.1% | Bits :.2f | Explained :.2f | Kilobits :.1f | Entries :,"
    )
    times = [f"{time:,}" for time in shown.times]
    last = len(times) - 1
    frames = dict.fromkeys(round(last * row / (ROWS - 1)) for row in range(ROWS))
    for sender, figures, words in zip(shown.senders, shown.figures, shown.words, strict=True):
        title = name if len(shown.senders) == 1 else f"{name}/{sender}"
        rows = [(shown.times[frame], *astuple(figures[frame])) for frame in frames]
        output.table(title, Table.of(heading, rows))
        output.heading(f"{title}: the most used of {len(words):,} words")
        output.say("")
        output.paragraphs(f"{word.form}: {story(word, times, shown.unit)}" for word in words[:WORDS])
    if len(shown.senders) > 1:
        rows = [(one, *row) for one, row in zip(shown.senders, shown.agreement[-1].tolist(), strict=True)]
        heading = " | ".join(["Sender", *(f"{other} :.0%" for other in shown.senders)])
        output.table(f"The same message, in {shown.unit} {times[-1]}", Table.of(heading, rows))
