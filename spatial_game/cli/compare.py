"""`spatial-game compare`: two languages side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cyclopts.types import PositiveInt

from spatial_game.cli.options import GameFlags, TableCommand, UnlistedGame
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.tables import counted

CROSS_PLAY = 20_000
"""Episodes in which two pairs that are compared play with each other, where no number is given."""


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
    """Episodes that a pair plays. Default: 200,000, and 20,000 with the other pair."""
    seed: int = 0
    """Root of the random streams of the episodes that pairs play."""

    def execute(self) -> Iterator[Report]:
        """Compare what each tells, its symbols and messages, and how well each reads the other."""
        from spatial_game.cli.read_language import read_language, require_players, warn_of_several
        from spatial_game.language.comparison import compare, in_one_table, require_one_game
        from spatial_game.studies.cross_play import cross_play

        with (
            read_language([self.language], self.game, self.episodes, self.seed) as one,
            read_language([self.other], self.game, self.episodes, self.seed) as other,
        ):
            require_players(self.episodes, [self.language], [self.other])
            require_one_game(one.config, other.config)
            with progress("comparing"):
                compared = compare(one.counts, other.counts)
            tables, names = compared.tables, (one.name, other.name)
            report = Report(languages=names, **compared.to_dict(), senders=one.senders)
            if one.players and other.players:
                with progress("cross-play"):
                    pairs = {"A": one.players, "B": other.players}
                    crossed = cross_play(pairs, self.episodes or CROSS_PLAY, self.seed)
                tables = {**tables, "Who understands whom (receivers in columns)": crossed.table}
                report.data["cross_play"] = crossed.to_dict()
        report.complete = in_one_table(tables)
        report.heading("Two languages side by side")
        report.lines()
        for side, name, counts in zip("AB", names, (one.counts, other.counts), strict=True):
            report.lines(f"  {side}  {name}, {counted(counts.total, 'episode')}")
        for title, table in tables.items():
            report.table(title, table)
        report.lines("", *(f"signature  {signature}" for signature in report.data["signatures"]))
        for each in (one, other):
            warn_of_several(report, each.senders)
        yield report
