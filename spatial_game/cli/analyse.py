"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts.types import File, PositiveInt

from spatial_game.cli.options import Command, FilesGame, GameOptions, group, require_writable
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.rules import check_messages
from spatial_game.game.seeds import stream
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.tables import FORMATS, Table, written

if TYPE_CHECKING:
    from spatial_game.cli.read_language import Language
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.lexicon.analyses import Account
    from spatial_game.language.lexicon.lexicon import Lexicon
    from spatial_game.language.players import ReadShares

BEST = 10
"""Entries of each type that text shows by default."""


@dataclass(frozen=True, kw_only=True)
class Analyse(Command):
    """The options of `spatial-game analyse`."""

    recordings: tuple[str, ...] = field(kw_only=False)
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
    """Show what one message means, such as 9 9 20, instead of the dictionary."""
    measures: bool = False
    """Show the measures that papers report instead of the dictionary: entropy, information, disentanglement,
    topographic similarity and others."""
    out: File | None = None
    """Write the lexicon, with the figures of every entry, to this JSON file."""
    format: Literal["text", "markdown", "csv"] = "text"
    """How to print the dictionary or the measures. All formats except text print nothing else."""
    best: PositiveInt | None = None
    """Entries of each type to print, most episodes first. Default: 10 as text, otherwise all."""
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams: of the episodes that a pair plays, of resampling and of shuffling."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Count, then show the measures, a message or the dictionary."""
        from spatial_game.cli.read_language import read_language, warn_of_several

        for each in fields(self.settings) if self.select != "npmi" else ():
            value = getattr(self.settings, each.name)
            if value != each.default:
                raise ValueError(f"{each.name} needs select npmi; got {value}")
        for name in ("select", "out", "best") if self.message or self.measures else ():
            if getattr(self, name) != getattr(type(self), name):
                raise ValueError(f"{name} must be given without --message and --measures, for the dictionary")
        if self.format != "text" and (self.message or self.json):
            raise ValueError("format must be given without --message and --json")
        if self.message and self.measures:
            raise ValueError("message must be given without --measures")
        shown = output if self.format == "text" else Output(as_json=True)  # other formats are printed alone
        with read_language(self.recordings, self.game, self.episodes, self.seed) as language:
            require_writable(self.out, language.files)
            if self.message:
                table, result = show_message(shown, language, self.message)
            else:
                show = self._measure if self.measures else self._analyse
                table, result = show(shown, language.counts)
            warn_of_several(shown, language.senders)
            result["senders"] = language.senders
        if shown is not output and not self.json:
            print(FORMATS[self.format](table), end="")
        return result

    def _analyse(self, output: Output, counts: Counts) -> tuple[Table, dict[str, Any]]:
        """Find the dictionary, show it and write it; return its table and the results."""
        from spatial_game.language import tables

        best = self.best or BEST
        if self.select == "npmi":
            lexicon, found = by_npmi(output, counts, self.settings, best)
        else:
            lexicon, found = by_description(output, counts, best)
        output.say(f"signature  {lexicon.signature}")
        if self.out is not None:
            lexicon.write(self.out)
            output.say(f"lexicon    {self.out}")
        result = {
            "episodes": counts.total,
            "distinct_messages": len(counts.messages),
            "entries": len(lexicon),
            "listed": len(lexicon.listed),
            "coverage": lexicon.coverage,
            "select": self.select,
            "signature": lexicon.signature,
            "dictionary": tables.dictionary(lexicon).records(),
            "lexicon": str(self.out) if self.out else None,
        }
        return tables.dictionary(lexicon, self.best), result | found

    def _measure(self, output: Output, counts: Counts) -> tuple[Table, dict[str, Any]]:
        """Show the measures that papers report; return them with all digits, and the results."""
        from spatial_game.language import tables
        from spatial_game.language.measures import MAX_EPISODES, all_measures

        with progress("measuring"):
            rng = np.random.default_rng(stream(self.seed, "measures"))
            measures = all_measures(counts.sources, rng)
        measured = min(counts.total, MAX_EPISODES)
        drawn = f", drawn at random from {counts.total:,}" if measured < counts.total else ""
        output.table(f"Measures of {measured:,} messages{drawn}", tables.measures_for_people(measures))
        undefined = [f"  {m.name} is undefined: {m.reason}" for m in measures if m.value is None]
        if undefined:
            output.say("", *undefined)
        result = {"episodes": measured, "measures": [measure.to_dict() for measure in measures]}
        return tables.measures(measures), result


def by_npmi(
    output: Output, counts: Counts, settings: NpmiSettings, best: int
) -> tuple[Lexicon, dict[str, Any]]:
    """Find entries as the paper does, and show them with the types of messages; return both."""
    from spatial_game.language import tables
    from spatial_game.language.association import integer_word_ceiling
    from spatial_game.language.npmi.analysis import analyses

    with progress("analysing"):
        [analysis] = analyses(counts, settings)
        lexicon = analysis.lexicon()
    show_entries(output, lexicon, best)
    types, ceiling, reached = tables.coverage(analysis), None, ""
    output.table("Types of messages", types)
    if (settings.estimator, settings.top_n) == ("exact", 1):
        ceiling = integer_word_ceiling(lexicon.config)
        reached = f"; in this game a perfect word for an integer reaches {ceiling:.2f}"
    threshold = analysis.settings.threshold
    output.say("", f"threshold  {threshold:g}{reached}")
    return lexicon, {"types": types.records(), "threshold": threshold, "ceiling": ceiling}


def by_description(output: Output, counts: Counts, best: int) -> tuple[Lexicon, dict[str, Any]]:
    """Find the shortest description, and show how much it explains; return both."""
    from spatial_game.language import tables
    from spatial_game.language.dictionary.account import remainders
    from spatial_game.language.dictionary.build import dictionary_of
    from spatial_game.language.lexicon.wording import Words
    from spatial_game.language.players import read_held_out

    with progress("describing"):
        lexicon = dictionary_of(counts)
        unsaid = remainders(lexicon.rules, counts)
    with progress("reading"):
        read = read_held_out(lexicon, counts.sources)
    account = lexicon.account
    assert account is not None
    show_entries(output, lexicon, best)
    legend = Words(lexicon.listed).legend
    if legend:
        output.say("")
        output.paragraphs(legend)
    output.table("What messages tell, in bits an episode", tables.told(account, lexicon.config))
    output.table("What the dictionary leaves unsaid", tables.unsaid(unsaid))
    output.say("")
    output.paragraphs(in_bits(account, len(lexicon.listed), read))
    result = account.to_dict() | {"unsaid": [asdict(each) for each in unsaid]}
    if read is not None:
        result |= {f"read_{name}": value for name, value in asdict(read).items()}
    return lexicon, result


def show_entries(output: Output, lexicon: Lexicon, best: int) -> None:
    """Show the most used entries of each type."""
    from spatial_game.language import tables

    table, listed = tables.dictionary(lexicon, best), len(lexicon.listed)
    shown = f", the {best:,} most used of each type" if len(table.rows) < listed else ""
    if listed:
        output.table(f"Dictionary: {listed:,} entries{shown}", table, group_by="Type")
    else:
        output.heading("Dictionary: no message has a meaning that passes")


def in_bits(account: Account, num_listed: int, read: ReadShares | None) -> list[str]:
    """Return the account in bits, in two or three sentences."""
    bits = account.held_out_bits
    held_out = "" if bits is None else f" (held out {written(bits, '.2f')})"
    lines = [
        f"The messages carry {account.message_bits:.2f} bits; the dictionary explains "
        f"{written(account.explained_bits, '.2f')} of them{held_out}, in {num_listed:,} entries, "
        f"{account.kilobits:.1f} kbit."
    ]
    if account.too_few:
        lines.append(
            f"With half of the episodes, it is {account.half_bits:.2f} bits: record more episodes to be sure."
        )
    if read is not None:
        right = "" if read.right is None else f", and {read.right:.2%} of these readings are right"
        lines.append(
            f"In {read.unique:.1%} of {read.episodes:,} held-out episodes, the dictionary leaves exactly one "
            f"candidate{right}."
        )
    return lines


def show_message(output: Output, language: Language, symbols: Sequence[int]) -> tuple[Table, dict[str, Any]]:
    """Show what one message means, and the entries that say so; return these and the results."""
    from spatial_game.language import reading, tables

    [message] = check_messages([symbols], language.config, 1)
    counts, lexicon = language.counts, language.lexicon()
    sent = int(counts.message_totals[(counts.messages == message).all(axis=1)].sum())
    words = reading.in_words(lexicon, message)
    entries = tables.dictionary(replace(lexicon, entries=reading.entries_in(lexicon.listed, message)))
    output.heading(f"Message {' '.join(map(str, symbols))}")
    output.say("", f"  sent   in {sent:,} of {counts.total:,} episodes")
    output.paragraphs([f"means  {words}", *reading.legend(lexicon, words)], indent="  ")
    output.table("Words in it", entries, group_by="Type")
    result = {"message": list(symbols), "sent": sent, "episodes": counts.total, "means": words}
    return entries, result | {"words": entries.records()}
