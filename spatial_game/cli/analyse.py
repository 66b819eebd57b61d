"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from spatial_game.cli.options import (
    Command,
    FilesGame,
    GameOptions,
    group,
    positional,
    require_at_least,
    require_writable,
)
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.game.seeds import stream
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.tables import FORMATS, Table

if TYPE_CHECKING:
    from spatial_game.cli.read_language import Language

BEST = 10
"""Entries of each type that text shows by default."""
MOST_ALIKE = 10
"""Messages with one different symbol that are shown."""
WIDE = 100
"""Width of a terminal, in columns, from which the intervals of measures fit."""


@positional
@dataclass(frozen=True, kw_only=True)
class Analyse(Command):
    """The options of `spatial-game analyse`."""

    languages: Annotated[tuple[str, ...], Parameter(name="RECORDING...")] = field(kw_only=False)
    """Recordings of one game and language, or one trained pair, such as embed-60/0, which then
    plays."""
    select: Literal["description", "npmi"] = "description"
    """How entries are chosen. description: those that shorten the description of the windows, without any
    threshold. npmi: by the estimator and the thresholds below, as in the paper."""
    settings: Annotated[NpmiSettings, group("Entries", "What an entry must show, with --select npmi.")] = (
        field(default_factory=NpmiSettings)
    )
    game: FilesGame = field(default_factory=GameOptions)
    message: tuple[int, ...] = ()
    """Show one message instead of the dictionary, such as 9 9 20: what it means, and what is alike."""
    measures: bool = False
    """Show the measures that papers report instead of the dictionary: entropy, information, disentanglement,
    topographic similarity and others."""
    out: Path | None = None
    """Write the lexicon, with the figures of every entry, to this JSON file."""
    format: Literal["text", "markdown", "csv"] = "text"
    """How to print the dictionary or the measures. All formats except text print nothing else."""
    best: int | None = None
    """Entries of each type to print, most episodes first. Default: 10 as text, otherwise all."""
    episodes: int | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams: of the episodes that a pair plays, of resampling and of shuffling."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Count, then show the measures, a message or the dictionary."""
        from spatial_game.cli.read_language import read_language

        self._check()
        with read_language(self.languages, self.game, self.episodes, self.seed) as language:
            require_writable("out", self.out, language.files)
            if self.measures:
                return self._measure(output, language)
            if self.message:
                return show_message(output, language, self.message)
            return self._analyse(output, language)

    def _check(self) -> None:
        for each in fields(self.settings) if self.select != "npmi" else ():
            value = getattr(self.settings, each.name)
            if value != each.default:
                raise ValueError(f"{each.name} needs select npmi; got {value}")
        if self.best is not None:
            require_at_least(1, best=self.best)
        if self.measures and self.message:
            raise ValueError("measures must be given without --message, as each is shown instead of all else")
        if self.out is not None and (self.measures or self.message):
            raise ValueError("out must be given without --message and --measures: it is for the lexicon")

    def _analyse(self, output: Output, language: Language) -> dict[str, Any]:
        """Show the dictionary, and write it."""
        from spatial_game.cli import dictionary
        from spatial_game.language import tables

        analysed = dictionary.analyse(language.counts, self.settings if self.select == "npmi" else None)
        if self.out is not None:
            analysed.lexicon.write(self.out)
        if self._for_programs:
            self._print(tables.dictionary(analysed.lexicon, self.best))
        else:
            dictionary.show(output, analysed, self.best or BEST)
            if self.out is not None:
                output.say(f"lexicon    {self.out}")
        return {**dictionary.summary(analysed), "lexicon": str(self.out) if self.out else None}

    def _measure(self, output: Output, language: Language) -> dict[str, Any]:
        """Show the measures that papers report."""
        from spatial_game.language import tables
        from spatial_game.language.measures import all_measures

        with progress("measuring"):
            rng = np.random.default_rng(stream(self.seed, "measures"))
            measures = all_measures(language.counts.sources, rng)
        episodes = language.counts.total
        if self._for_programs:
            self._print(tables.measures(measures))
        else:
            wide = not output.console.is_terminal or output.width >= WIDE
            shown = tables.measures_for_people(measures, intervals=wide)
            output.table(f"Measures of {episodes:,} messages", shown)
            notes = [f"  {m.name} is undefined: {m.reason}" for m in measures if m.value is None]
            notes += [] if wide else [f"  For 95% intervals, use a terminal of {WIDE} columns, or --json."]
            output.say("", *notes)
        return {"episodes": episodes, "measures": [measure.to_dict() for measure in measures]}

    @property
    def _for_programs(self) -> bool:
        """Whether a table is wanted in a format for programs, and nothing else."""
        return self.format != "text" and not self.json

    def _print(self, table: Table) -> None:
        print(FORMATS[self.format](table), end="")


def show_message(output: Output, language: Language, symbols: Sequence[int]) -> dict[str, Any]:
    """Show what one message means, and messages with one different symbol."""
    from spatial_game.language import reading, tables

    counts, message = language.counts, message_of(symbols, language.counts.config)
    lexicon = language.lexicon()
    different = (counts.messages != message).sum(axis=1)
    sent, episodes = int(counts.message_totals[different == 0].sum()), counts.total
    words = reading.in_words(lexicon, message)
    entries = tables.dictionary(replace(lexicon, entries=reading.entries_in(lexicon.listed, message)))
    rows = np.flatnonzero(different == 1)
    rows = rows[np.argsort(-counts.message_totals[rows], kind="stable")][:MOST_ALIKE]
    messages = (" ".join(map(str, each)) for each in counts.messages[rows].tolist())
    meanings = reading.read_in_words(lexicon, counts.messages[rows])
    cells = zip(messages, meanings, counts.message_totals[rows].tolist(), strict=True)
    alike = Table.of("Message | Meaning | Episodes :,", cells)
    output.heading(f"Message {' '.join(map(str, symbols))}")
    output.say("", f"  sent   in {sent:,} of {episodes:,} episodes")
    output.paragraphs([f"means  {words}", *reading.legend(lexicon, words)], indent="  ")
    output.table("Words in it", entries, group_by="Type")
    output.table("Messages with one different symbol", alike)
    result = {"message": list(symbols), "sent": sent, "episodes": episodes, "means": words}
    return result | {"words": entries.records(), "alike": alike.records()}


def message_of(symbols: Sequence[int], config: GameConfig) -> IntArray:
    """Return a message (T,). Raises `ValueError` unless the game allows it."""
    if len(symbols) != config.message_length:
        raise ValueError(f"message must have {config.message_length} symbols; got {len(symbols)}")
    wrong = [symbol for symbol in symbols if not 0 <= symbol < config.vocab_size]
    if wrong:
        raise ValueError(f"message must have symbols in 0..{config.vocab_size - 1}; got {wrong[0]}")
    return np.array(symbols, dtype=np.int16)
