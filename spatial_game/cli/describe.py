"""`spatial-game describe`: a language on one page, from a recording or from a trained pair."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from spatial_game.cli.files import InFile, OutFile, ReadsPairs, is_missing
from spatial_game.cli.options import Command, FilesGame, GameOptions, positional, require_at_least
from spatial_game.cli.terminal import Output, progress
from spatial_game.tables import Table

if TYPE_CHECKING:
    from spatial_game.cli.language_files import RecordedLanguage
    from spatial_game.cli.players import Players
    from spatial_game.language.sketch import Sketch

SHOWN = 10
"""Messages with their meanings that text shows."""


@positional
@dataclass(frozen=True, kw_only=True)
class Describe(Command):
    """The options of `spatial-game describe`."""

    languages: Annotated[tuple[str, ...], ReadsPairs(), Parameter(name="RECORDING...")] = field(kw_only=False)
    """Recordings of one game and language (patterns in quotes are expanded), or one trained pair, such as
    embed-60/0, which then plays."""
    lexicon: InFile | None = None
    """The lexicon of the language (JSON, as analyse writes it). Default: made from the recordings."""
    out: OutFile | None = None
    """Also write the sketch as a page (HTML), with the map of the language and all of its words."""
    episodes: int | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int | None = None
    """Root of the random streams of the episodes that a pair plays. Default: 0."""
    game: FilesGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read or play, count, and show."""
        from spatial_game.cli.language_files import speakers
        from spatial_game.language.sketch import sketch

        with self._recorded() as (language, players):
            players = players or speakers(language.counts)
            with progress("describing"):
                found = sketch(language.counts, language.lexicon, name=language.name, pair=players)
            if self.out is not None:
                self._write(found)
            show(output, found)
            if len(language.senders) > 1:
                output.say("", mixed(language.senders))
        if self.out is not None:
            output.say("", f"page       {self.out}")
        return {
            **found.to_dict(),
            "senders": language.senders,
            "page": None if self.out is None else str(self.out),
        }

    @contextmanager
    def _recorded(self) -> Iterator[tuple[RecordedLanguage, Players | None]]:
        """Yield the language, and the pair that was asked for; its recording exists until the end."""
        from spatial_game.cli.language_files import read_language
        from spatial_game.cli.players import load_players
        from spatial_game.cli.record import write_recording

        if not is_pair(self.languages):
            self._check_recordings()
            yield read_language([*map(Path, self.languages)], self.lexicon, self.game), None
            return
        episodes, seed = 200_000 if self.episodes is None else self.episodes, self.seed or 0
        require_at_least(1, episodes=episodes)
        players = load_players(self.languages[0], self.game, seed)
        with tempfile.TemporaryDirectory(prefix="spatial-game-") as folder:
            recording = Path(folder) / "play.parquet"
            write_recording(players, episodes, seed, recording)
            yield read_language([recording], self.lexicon, GameOptions()), players

    def _check_recordings(self) -> None:
        """Raise `ValueError` for a recording that does not exist, and for options that only a pair takes."""
        from spatial_agents.pairs.names import pair_names
        from spatial_game.config import did_you_mean

        for given in self.languages:
            if is_missing(Path(given)):
                near = did_you_mean(given, ["oracle", "random", *pair_names()])
                rule = "recording must name a file that exists, or a trained pair"
                raise ValueError(f"{rule}; got {given}{near}")
        for name, value in (("episodes", self.episodes), ("seed", self.seed)):
            if value is not None:
                raise ValueError(f"{name} needs a pair that plays, such as embed-60/0; got {value}")

    def _write(self, found: Sketch) -> None:
        from spatial_game.files import write_text
        from spatial_game.web.sketch.page import page

        assert self.out is not None
        write_text(self.out, page(found))


def is_pair(languages: tuple[str, ...]) -> bool:
    """Return whether a trained pair or a scripted agent is meant, and not recordings."""
    from spatial_agents.pairs.names import pair_names
    from spatial_game.cli.players import named_pairs

    [first, *others] = languages
    path = Path(first)
    if others or path.is_file():
        return not others and path.suffix == ".safetensors"
    return (
        path.is_dir()
        or first in ("oracle", "random")
        or first.partition("/")[0] in pair_names()
        or named_pairs([first])[0][1] != first
    )


def mixed(senders: Sequence[str]) -> str:
    """Return a warning that these senders may speak several languages."""
    return (
        f"Warning: these recordings have {len(senders)} senders ({', '.join(senders)}). Their languages may "
        "differ: describe them one by one."
    )


def show(output: Output, found: Sketch) -> None:
    """Show a sketch as text."""
    from spatial_game.language.sketch.sentences import example_in_words, sections

    output.heading(f"The language of {found.name}")
    for section in sections(found):
        output.heading(section.title)
        output.say("")
        output.paragraphs(section.sentences)
    if found.says_nothing:
        return
    shown = found.words.forms[:SHOWN]
    rows = [(form.form, form.meaning, form.share, form.episodes) for form in shown]
    heading = "Message | Meaning | True in :.0% | Episodes :,"
    output.table(f"The {len(shown)} messages of most episodes", Table.of(heading, rows))
    if rows:
        output.say("", "m1, m2, ... stand for any symbol; [.. 7 ..] may stand at any slot.")
    output.heading("Examples")
    output.say("")
    output.paragraphs(map(example_in_words, found.examples))
    output.say("", f"signature  {found.signature}")
