"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts.types import File, PositiveInt

from spatial_game.cli.options import Command, GameFlags, UnlistedGame, group, require_writable
from spatial_game.cli.terminal import Output, progress
from spatial_game.errors import UserError
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import IntArray
from spatial_game.game.seeds import random_stream
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.tables import FORMATS, Table, counted

if TYPE_CHECKING:
    from spatial_game.cli.read_language import Language
    from spatial_game.language.dictionary.interpreter import Interpreter
    from spatial_game.language.dictionary.lexicon import Lexicon

Shown = tuple[Table, dict[str, Any]]
"""The table for other formats than text, and the results for JSON."""
BEST = 10
"""Symbols of each slot, and messages, that text shows, most episodes first; other formats show all."""
CROSS_PLAY = 20_000
"""Episodes in which two pairs that are compared play with each other, where no number is given."""


@dataclass(frozen=True, kw_only=True)
class Analyse(Command):
    """The options of `spatial-game analyse`."""

    recordings: tuple[str, ...] = field(kw_only=False)
    """Recordings of one game and language, a folder of them, or one trained pair, such as embed-60/0, which
    then plays."""
    select: Literal["dictionary", "npmi"] = "dictionary"
    """What to find. dictionary: what each symbol says in its slot, and what whole messages add. npmi: the
    paper's table of forms and referents, by the estimator and the thresholds below."""
    settings: Annotated[NpmiSettings, group("Entries", "What an entry must show, with --select npmi.")] = (
        field(default_factory=NpmiSettings)
    )
    game: UnlistedGame = field(default_factory=GameFlags)
    message: tuple[int, ...] = ()
    """Show what one message means, such as 9 9 20, instead of the dictionary."""
    beside: str | None = None
    """Compare with this language, a recording or a trained pair of the same game, instead of showing the
    dictionary: what each tells, its symbols and words, and how well each reads the other."""
    measures: bool = False
    """Show the measures that papers report instead of the dictionary: entropy, information, disentanglement,
    topographic similarity and others."""
    out: File | None = None
    """Write the lexicon, or the table of --select npmi, to this JSON file."""
    format: Literal["text", "markdown", "csv"] = "text"
    """How to print the dictionary or the measures. All formats except text print nothing else, and write out
    the members of every set."""
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams: of the episodes that a pair plays, of resampling and of shuffling."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Count, then show the measures, a message or the dictionary."""
        from spatial_game.cli.read_language import read_language, require_players, warn_of_several

        for setting in fields(self.settings) if self.select != "npmi" else ():
            value = getattr(self.settings, setting.name)
            if value != setting.default:
                raise UserError(f"{setting.name} needs select npmi; got {value}")
        show = self._describe if self.select == "dictionary" else self._tabulate
        other_ways = {"message": self._read_message, "measures": self._measure, "beside": self._compare}
        chosen = self.non_default(*other_ways)
        if chosen:
            show = other_ways[chosen[0]]
            excluded = [*chosen[1:], *self.non_default("select", "out")]
            if excluded:
                raise UserError(f"{excluded[0]} must be given without --{chosen[0]}")
        if self.format != "text" and (self.message or self.json):
            raise UserError("format must be given without --message and --json")
        shown = output if self.format == "text" else Output(as_json=True)  # other formats are printed alone
        with read_language(self.recordings, self.game, self.episodes, self.seed) as language:
            require_players(self.episodes, self.recordings, *([[self.beside]] if self.beside else []))
            require_writable(self.out, language.files)
            table, result = show(shown, language)
            warn_of_several(shown, language.senders)
            result["senders"] = language.senders
        if shown is not output and not self.json:
            print(FORMATS[self.format](table), end="")
        return result

    def _describe(self, output: Output, language: Language) -> Shown:
        """Find the dictionary, write it and show it; return its table and the results."""
        from spatial_game.language import dictionary_tables, write_lexicon
        from spatial_game.language.dictionary.interpreter import interpreter

        counts, lexicon = language.counts, language.lexicon()
        with progress("describing"):
            means = interpreter(lexicon)
            every = dictionary_tables.dictionary(means, complete=True)
        if self.out is not None:
            write_lexicon(lexicon, self.out)
        show_dictionary(output, means)
        output.say(f"signature  {lexicon.signature}")
        if self.out is not None:
            output.say(f"lexicon    {self.out}")
        result = {
            "episodes": counts.total,
            "distinct_messages": len(counts.messages),
            "select": self.select,
            "signature": lexicon.signature,
            "bits": asdict(lexicon.bits),
            "classes": {name: list(members) for name, members in means.classes.members.items()},
            "dictionary": every.records(),
            "lexicon": str(self.out) if self.out else None,
        }
        return every, result

    def _tabulate(self, output: Output, language: Language) -> Shown:
        """Make the paper's table, show it and write it; return its entries and the results."""
        from spatial_game.language.association import npmi_of_integer_word
        from spatial_game.language.npmi.analysis import npmi_table

        counts = language.counts
        with progress("analysing"):
            table = npmi_table(counts, self.settings)
        if self.out is not None:
            table.write(self.out)
        best, types, settings = table.shown(BEST), table.shown_types(), table.settings
        if table.entries:
            some = f", the {BEST} most frequent of each type" if len(best.rows) < len(table) else ""
            output.table(f"Forms and referents: {len(table):,} entries{some}", best, group_by="Type")
        else:
            output.heading("Forms and referents: no form has a referent that passes")
        output.table("Types of messages", types)
        of_word, mark = None, ""
        if (settings.estimator, settings.top_n) == ("exact", 1):
            of_word = npmi_of_integer_word(table.config)
            mark = f"; words for every integer at one offset have {of_word:.2f} in this game"
        output.say("", f"threshold  {settings.threshold:g}{mark}", f"signature  {table.signature}")
        if self.out is not None:
            output.say(f"table      {self.out}")
        result = {
            "episodes": counts.total,
            "distinct_messages": len(counts.messages),
            "entries": len(table),
            "coverage": table.coverage,
            "select": self.select,
            "signature": table.signature,
            "threshold": settings.threshold,
            "npmi_of_integer_word": of_word,
            "types": types.records(),
            "table": table.shown().records(),
            "out": str(self.out) if self.out else None,
        }
        return table.shown(), result

    def _measure(self, output: Output, language: Language) -> Shown:
        """Show the measures that papers report; return them with all digits, and the results."""
        from spatial_game.language.measures import (
            all_measures,
            measure_table,
            measure_table_for_people,
            most_measured,
        )

        counts = language.counts
        with progress("measuring"):
            rng = np.random.default_rng(random_stream(self.seed, "measures"))
            measures = all_measures(counts.sources, rng)
        measured = min(counts.total, most_measured(counts.config))
        drawn = f", drawn at random from {counts.total:,}" if measured < counts.total else ""
        output.table(f"Measures of {counted(measured, 'message')}{drawn}", measure_table_for_people(measures))
        undefined = [f"  {m.name} is undefined: {m.reason}" for m in measures if m.value is None]
        if undefined:
            output.say("", *undefined)
        result = {"episodes": measured, "measures": [measure.to_dict() for measure in measures]}
        return measure_table(measures), result

    def _read_message(self, output: Output, language: Language) -> Shown:
        """Show how often one message was sent and what it means; return its entries and the results."""
        from spatial_game.language.counting.rows import UNKNOWN
        from spatial_game.language.dictionary.interpreter import interpreter

        [message] = check_messages([self.message], language.config, 1)
        counts, means = language.counts, interpreter(language.lexicon())
        sent = int(counts.message_totals[(counts.messages == message).all(axis=1)].sum())
        output.heading(f"Message {' '.join(map(str, self.message))}")
        unknown = means.lexicon.rows(message[None])[0] == UNKNOWN
        by_letters = "; the dictionary does not have it, and reads its symbols" if unknown else ""
        output.say("", f"  sent   in {sent:,} of {counted(counts.total, 'episode')}{by_letters}")
        table, words = show_meaning(output, means, message, "means  {}", indent="  ")
        result = {"message": list(self.message), "sent": sent, "episodes": counts.total, "means": words}
        return table, result | {"entries": table.records()}

    def _compare(self, output: Output, language: Language) -> Shown:
        """Show two languages side by side; return all of the tables in one, and the results."""
        from spatial_game.cli.read_language import read_language, warn_of_several
        from spatial_game.language.comparison import compare, in_one_table, require_one_game
        from spatial_game.studies.cross_play import cross_play

        assert self.beside is not None
        with read_language([self.beside], self.game, self.episodes, self.seed) as other:
            require_one_game(language.config, other.config)
            with progress("comparing"):
                compared = compare(language.counts, other.counts)
            tables, result = compared.tables, compared.to_dict()
            if language.players and other.players:
                with progress("cross-play"):
                    pairs = {"A": language.players, "B": other.players}
                    crossed = cross_play(pairs, self.episodes or CROSS_PLAY, self.seed)
                tables = {**tables, "Who understands whom (receivers in columns)": crossed.table}
                result["cross_play"] = crossed.to_dict()
            names = language.name, other.name
            warn_of_several(output, other.senders)
        output.heading("Two languages side by side")
        output.say("")
        for side, name, counts in zip("AB", names, (language.counts, other.counts), strict=True):
            output.say(f"  {side}  {name}, {counted(counts.total, 'episode')}")
        for title, table in tables.items():
            output.table(title, table)
        output.say("", *(f"signature  {signature}" for signature in result["signatures"]))
        return in_one_table(tables), {"languages": names, **result}


def show_dictionary(output: Output, means: Interpreter) -> None:
    """Show what is told of each place, the most frequent symbols and messages, and the classes."""
    from spatial_game.language import dictionary_tables

    shown = dictionary_tables.dictionary(means, BEST)
    show_bits(output, "What messages tell", means.lexicon)
    number = len(means.letters) + len(means.words)
    some = f", those of the {BEST} most frequent of each kind" if len(shown.rows) < number else ""
    if number:
        output.table(f"Dictionary: {number:,} entries{some}", shown, group_by="Kind")
    else:
        output.heading("Dictionary: no symbol and no message says anything")
    output.say("")
    output.paragraphs(means.classes.legend)


def show_bits(output: Output, heading: str, lexicon: Lexicon) -> None:
    """Show how many bits messages tell, of which place."""
    from spatial_game.language.dictionary_tables import bits_by_place

    output.heading(heading)
    output.say("")
    output.paragraphs([lexicon.bits.in_words])
    output.table("Bits an episode, by place", bits_by_place(lexicon))


def show_meaning(
    output: Output, means: Interpreter, message: IntArray, sentence: str, indent: str = ""
) -> tuple[Table, str]:
    """Show what a message (T,) means, in a sentence and by its entries; return the entries and the words."""
    from spatial_game.language.dictionary_tables import entries

    words = means.in_words(message)
    output.paragraphs([sentence.format(words), *means.legend(words)], indent)
    table = entries(means.entries_in(message), means.lexicon.config, means.classes)
    output.table("What its symbols say, and what the whole message adds", table)
    return table, words
