"""`spatial-game compare`: two languages side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cyclopts.types import PositiveInt

from spatial_game.cli.options import GameFlags, TableCommand, UnlistedGame
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.policies import Agents
from spatial_game.tables import Table, counted

if TYPE_CHECKING:
    from spatial_game.language.comparison import Comparison

UNDERSTOOD = 10_000
"""Episodes in which each of two languages hears the other, where no number is given."""


@dataclass(frozen=True, kw_only=True)
class Compare(TableCommand):
    """The options of `spatial-game compare`."""

    language: str = field(kw_only=False)
    """A recording, a folder of recordings of one language, or a trained pair, such as embed-60/0, which then
    plays."""
    other: str = field(kw_only=False)
    """Another language of the same game, in the same way."""
    game: UnlistedGame = field(default_factory=GameFlags)
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000, and 10,000 to hear the other language."""
    seed: int = 0
    """Root of the random streams of the episodes that pairs play."""

    def execute(self) -> Iterator[Report]:
        """Translate each language into the other, and compare what each tells, its symbols and messages."""
        from spatial_game.cli.read_language import read_language, require_agents, warn_of_several
        from spatial_game.language.comparison import compare, in_one_table, require_one_game
        from spatial_game.studies.translation import Party, bilingual, translation

        with (
            read_language([self.language], self.game, self.episodes, self.seed) as one,
            read_language([self.other], self.game, self.episodes, self.seed) as other,
        ):
            require_agents(self.episodes, [self.language], [self.other])
            require_one_game(one.config, other.config)
            with progress("comparing"):
                compared = compare(one.counts, other.counts)
            with progress("translating"):
                agents = (one.agents, other.agents)
                a, b = map(Party, compared.dictionaries, agents)
                understood = translation(a, b, self.episodes or UNDERSTOOD, self.seed)
                listed = bilingual(*compared.dictionaries)
        report = Report(languages=(one.name, other.name), **compared.to_dict(), senders=one.senders)
        report.data |= {"translation": understood.to_dict(), "bilingual": listed.records()}
        report.complete = in_one_table(compared.tables)
        report.heading("Two languages side by side")
        report.lines()
        for side, each in zip("AB", (one, other), strict=True):
            report.lines(f"  {side}  {each.name}, {counted(each.counts.total, 'episode')}")
        report.lines()
        report.paragraphs([understood.summary, *of_one_seed(*agents)])
        if compared.warning:
            report.lines()
            report.paragraphs([compared.warning])
        add_tables(report, understood.table, listed, compared)
        report.lines("", *(f"signature  {signature}" for signature in report.data["signatures"]))
        for each in (one, other):
            warn_of_several(report, each.senders)
        yield report


def add_tables(report: Report, understood: Table, listed: Table, compared: Comparison) -> None:
    """Report who understands whom, the most frequent messages, and what each language tells."""
    tables = {
        "Who understands whom": understood,
        "The most frequent messages of A, and in B's words (each has classes of its own)": listed,
        **compared.tables,
    }
    for title, table in tables.items():
        report.table(title, table)


def of_one_seed(one: Agents | None, other: Agents | None) -> list[str]:
    """Return a sentence about two different pairs that were trained with one seed; none about others."""
    if one is None or other is None or one.identity == other.identity:
        return []
    seeds = [each.card.get("seed") for each in (one, other)]
    if seeds[0] is None or seeds[0] != seeds[1]:
        return []
    return [f"Both pairs were trained with seed {seeds[0]}: networks of one kind then begin alike."]
