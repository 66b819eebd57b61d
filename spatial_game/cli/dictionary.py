"""Show a dictionary, for `analyse` and `demo`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spatial_game.cli.terminal import Output, progress
from spatial_game.language import tables
from spatial_game.language.association import integer_word_ceiling
from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.account import Remainder, remainders
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.wording import Words
from spatial_game.language.npmi.analysis import Analysis, analyses
from spatial_game.language.players import ReadShares, read_held_out
from spatial_game.tables import written


@dataclass(frozen=True)
class Analysed:
    """A language, its lexicon, and the tables that are shown with it."""

    counts: Counts
    lexicon: Lexicon
    by_npmi: Analysis | None
    """The tables of the paper's analysis, where entries were selected by NPMI."""
    read: ReadShares | None = None
    """How well a description reads held-out episodes."""
    unsaid: Sequence[Remainder] = ()
    """The messages and offsets that a description explains worst, the largest first."""


def analyse(counts: Counts, settings: NpmiSettings | None = None) -> Analysed:
    """Find the entries of a language: by NPMI with settings, by description length without."""
    if settings is not None:
        with progress("analysing"):
            [by_npmi] = analyses(counts, settings)
            return Analysed(counts, by_npmi.lexicon(), by_npmi)
    with progress("describing"):
        lexicon = dictionary_of(counts)
        unsaid = remainders(lexicon.rules, counts)
    with progress("reading"):
        read = read_held_out(lexicon, counts.sources)
    return Analysed(counts, lexicon, None, read, unsaid)


def show(output: Output, analysed: Analysed, best: int) -> None:
    """Show the most used entries of each type, and how much the dictionary explains."""
    lexicon = analysed.lexicon
    table, listed = tables.dictionary(lexicon, best), len(lexicon.listed)
    shown = f", the {best} most used of each type" if len(table.rows) < listed else ""
    if listed:
        output.table(f"Dictionary: {listed:,} entries{shown}", table, group_by="Type")
    else:
        output.heading("Dictionary: no message has a meaning that passes")
    if analysed.by_npmi is not None:
        output.table("Types of messages", tables.coverage(analysed.by_npmi))
        threshold, ceiling = analysed.by_npmi.settings.threshold, integer_word_ceiling(lexicon.config)
        reached = f"in this game a perfect word for an integer reaches {ceiling:.2f}"
        output.say("", f"threshold  {threshold:g}; {reached}", f"signature  {lexicon.signature}")
        return
    legend = Words(lexicon.listed).legend
    if legend:
        output.say("")
        output.paragraphs(legend)
    assert lexicon.account is not None
    output.table("What messages tell, in bits an episode", tables.told(lexicon.account, lexicon.config))
    if analysed.unsaid:
        output.table("What the dictionary leaves unsaid", tables.unsaid(analysed.unsaid))
    output.say("")
    output.paragraphs(in_bits(analysed))
    output.say(f"signature  {lexicon.signature}")


def in_bits(analysed: Analysed) -> list[str]:
    """Return the account in bits, in two or three sentences."""
    lexicon, account, read = analysed.lexicon, analysed.lexicon.account, analysed.read
    assert account is not None
    bits = account.held_out_bits
    held_out = "" if bits is None else f" (held out {written(bits, '.2f')})"
    lines = [
        f"The messages carry {account.message_bits:.2f} bits; the dictionary explains "
        f"{written(account.explained_bits, '.2f')} of them{held_out}, in {len(lexicon.listed):,} entries, "
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


def summary(analysed: Analysed) -> dict[str, Any]:
    """Return the results of an analysis, for JSON."""
    counts, lexicon = analysed.counts, analysed.lexicon
    results: dict[str, Any] = {
        "episodes": counts.total,
        "distinct_messages": len(counts.messages),
        "entries": len(lexicon),
        "listed": len(lexicon.listed),
        "coverage": lexicon.coverage,
        "select": "npmi" if analysed.by_npmi else "description",
        "signature": lexicon.signature,
        "dictionary": tables.dictionary(lexicon).records(),
    }
    if analysed.by_npmi is not None:
        results["types"] = tables.coverage(analysed.by_npmi).records()
        results["threshold"] = analysed.by_npmi.settings.threshold
        results["ceiling"] = integer_word_ceiling(lexicon.config)
    if lexicon.account is not None:
        results |= lexicon.account.to_dict()
        results["unsaid"] = [asdict(each) for each in analysed.unsaid]
    if analysed.read is not None:
        results |= {f"read_{name}": value for name, value in asdict(analysed.read).items()}
    return results
