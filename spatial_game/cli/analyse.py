"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts.types import File, PositiveInt

from spatial_game.cli.options import Command, GameFlags, UnlistedGame, group, require_writable
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import IntArray
from spatial_game.game.seeds import random_stream
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.tables import FORMATS, Table

if TYPE_CHECKING:
    from spatial_game.cli.read_language import Language
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.interpreter import Interpreter
    from spatial_game.language.dictionary.lexicon import Lexicon

BEST = 10
"""Symbols of each slot, and messages, that text shows by default."""
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
    best: PositiveInt | None = None
    """Symbols of each slot, and messages, to print, most episodes first. Default: 10 as text, otherwise
    all."""
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams: of the episodes that a pair plays, of resampling and of shuffling."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Count, then show the measures, a message or the dictionary."""
        from spatial_game.cli.read_language import are_agents, read_language, warn_of_several

        for each in fields(self.settings) if self.select != "npmi" else ():
            value = getattr(self.settings, each.name)
            if value != each.default:
                raise ValueError(f"{each.name} needs select npmi; got {value}")
        instead = [name for name in ("message", "measures", "beside") if getattr(self, name)]
        if len(instead) > 1:
            raise ValueError(f"{instead[0]} must be given without --{instead[1]}")
        for name in ("select", "out", "best") if instead else ():
            if getattr(self, name) != getattr(type(self), name):
                raise ValueError(f"{name} must be given without --{instead[0]}, for the dictionary")
        if self.format != "text" and (self.message or self.json):
            raise ValueError("format must be given without --message and --json")
        shown = output if self.format == "text" else Output(as_json=True)  # other formats are printed alone
        other_plays = self.beside is not None and are_agents([self.beside])
        episodes = None if other_plays and not are_agents(self.recordings) else self.episodes
        with read_language(self.recordings, self.game, episodes, self.seed) as language:
            require_writable(self.out, language.files)
            if self.message:
                table, result = show_message(shown, language, self.message)
            elif self.beside:
                table, result = self._compare(shown, language, self.beside)
            else:
                of_entries = self._describe if self.select == "dictionary" else self._tabulate
                show = self._measure if self.measures else of_entries
                table, result = show(shown, language.counts)
            warn_of_several(shown, language.senders)
            result["senders"] = language.senders
        if shown is not output and not self.json:
            print(FORMATS[self.format](table), end="")
        return result

    def _describe(self, output: Output, counts: Counts) -> tuple[Table, dict[str, Any]]:
        """Find the dictionary, write it and show it; return its table and the results."""
        from spatial_game.language import letters_and_words, tables, write_lexicon
        from spatial_game.language.dictionary.interpreter import interpreter

        with progress("describing"):
            lexicon = letters_and_words(counts)
            means = interpreter(lexicon)
            every = tables.dictionary(means, complete=True)
        if self.out is not None:
            write_lexicon(lexicon, self.out)
        show_dictionary(output, means, self.best or BEST)
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
        return tables.dictionary(means, self.best, complete=True), result

    def _tabulate(self, output: Output, counts: Counts) -> tuple[Table, dict[str, Any]]:
        """Make the paper's table, show it and write it; return its entries and the results."""
        from spatial_game.language.association import integer_word_ceiling
        from spatial_game.language.npmi.analysis import npmi_table

        with progress("analysing"):
            table = npmi_table(counts, self.settings)
        if self.out is not None:
            table.write(self.out)
        best, types, settings = table.shown(self.best or BEST), table.shown_types(), table.settings
        if table.entries:
            some = (
                f", the {self.best or BEST} most frequent of each type" if len(best.rows) < len(table) else ""
            )
            output.table(f"Forms and referents: {len(table):,} entries{some}", best, group_by="Type")
        else:
            output.heading("Forms and referents: no form has a referent that passes")
        output.table("Types of messages", types)
        ceiling, reached = None, ""
        if (settings.estimator, settings.top_n) == ("exact", 1):
            ceiling = integer_word_ceiling(table.config)
            reached = f"; in this game a perfect word for an integer reaches {ceiling:.2f}"
        output.say("", f"threshold  {settings.threshold:g}{reached}", f"signature  {table.signature}")
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
            "ceiling": ceiling,
            "types": types.records(),
            "table": table.shown().records(),
            "out": str(self.out) if self.out else None,
        }
        return table.shown(self.best), result

    def _measure(self, output: Output, counts: Counts) -> tuple[Table, dict[str, Any]]:
        """Show the measures that papers report; return them with all digits, and the results."""
        from spatial_game.language import tables
        from spatial_game.language.measures import MAX_EPISODES, all_measures

        with progress("measuring"):
            rng = np.random.default_rng(random_stream(self.seed, "measures"))
            measures = all_measures(counts.sources, rng)
        measured = min(counts.total, MAX_EPISODES)
        drawn = f", drawn at random from {counts.total:,}" if measured < counts.total else ""
        output.table(f"Measures of {measured:,} messages{drawn}", tables.measures_for_people(measures))
        undefined = [f"  {m.name} is undefined: {m.reason}" for m in measures if m.value is None]
        if undefined:
            output.say("", *undefined)
        result = {"episodes": measured, "measures": [measure.to_dict() for measure in measures]}
        return tables.measures(measures), result

    def _compare(self, output: Output, one: Language, beside: str) -> tuple[Table, dict[str, Any]]:
        """Show two languages side by side; return all of the tables in one, and the results."""
        from spatial_game.cli.read_language import are_agents, read_language, warn_of_several
        from spatial_game.language.comparison import compare, in_one_table, require_one_game
        from spatial_game.studies.cross_play import cross_play

        episodes = self.episodes if are_agents([beside]) else None
        with read_language([beside], self.game, episodes, self.seed) as other:
            require_one_game(one.config, other.config)
            counts = one.counts, other.counts
            with progress("comparing"):
                compared = compare(*counts)
            tables, result = compared.tables, compared.to_dict()
            if one.players and other.players:
                with progress("cross-play"):
                    pairs = {"A": one.players, "B": other.players}
                    crossed = cross_play(pairs, self.episodes or CROSS_PLAY, self.seed)
                tables = {**tables, "Who understands whom (receivers in columns)": crossed.table}
                result["cross_play"] = crossed.to_dict()
            names = one.name, other.name
            warn_of_several(output, other.senders)
        of_each = zip("AB", names, counts, strict=True)
        output.heading("Two languages side by side")
        output.say("", *(f"  {side}  {name}, {each.total:,} episodes" for side, name, each in of_each))
        for title, table in tables.items():
            output.table(title, table)
        output.say("", *(f"signature  {signature}" for signature in result["signatures"]))
        return in_one_table(tables), {"languages": names, **result}


def show_dictionary(output: Output, means: Interpreter, best: int) -> None:
    """Show what is told of each place, the most frequent symbols and messages, and the classes."""
    from spatial_game.language import tables

    shown = tables.dictionary(means, best)
    show_bits(output, "What messages tell", means.lexicon)
    number = len(means.letters) + len(means.words)
    some = f", those of the {best:,} most frequent of each kind" if len(shown.rows) < number else ""
    if number:
        output.table(f"Dictionary: {number:,} entries{some}", shown, group_by="Kind")
    else:
        output.heading("Dictionary: no symbol and no message says anything")
    output.say("")
    output.paragraphs(means.classes.legend)


def show_bits(output: Output, heading: str, lexicon: Lexicon) -> None:
    """Show how many bits messages tell, of which place."""
    from spatial_game.language import tables

    output.heading(heading)
    output.say("")
    output.paragraphs([lexicon.bits.in_words])
    output.table("Bits an episode, by place", tables.bits_by_place(lexicon))


def show_message(output: Output, language: Language, symbols: Sequence[int]) -> tuple[Table, dict[str, Any]]:
    """Show how often one message was sent and what it means; return its entries and the results."""
    from spatial_game.language.dictionary.interpreter import interpreter

    [message] = check_messages([symbols], language.config, 1)
    counts, means = language.counts, interpreter(language.lexicon())
    sent = int(counts.message_totals[(counts.messages == message).all(axis=1)].sum())
    output.heading(f"Message {' '.join(map(str, symbols))}")
    output.say("", f"  sent   in {sent:,} of {counts.total:,} episodes")
    table, words = show_meaning(output, means, message, "means  {}", indent="  ")
    result = {"message": list(symbols), "sent": sent, "episodes": counts.total, "means": words}
    return table, result | {"entries": table.records()}


def show_meaning(
    output: Output, means: Interpreter, message: IntArray, sentence: str, indent: str = ""
) -> tuple[Table, str]:
    """Show what a message (T,) means, in a sentence and by its entries; return the entries and the words."""
    from spatial_game.language import tables

    words = means.in_words(message)
    output.paragraphs([sentence.format(words), *means.legend(words)], indent)
    table = tables.entries(means.entries_in(message), means.lexicon.config, means.classes)
    output.table("What its symbols say, and what the whole message adds", table)
    return table, words
