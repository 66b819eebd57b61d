"""`spatial-game evaluate`: measure how well trained pairs play, and study them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.types import PositiveInt

from spatial_agents.pairs.names import labels_of
from spatial_game.agents import load_agents
from spatial_game.checks import require_one_of
from spatial_game.cli.options import Command, GameFlags, UnlistedGame
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.errors import UserError
from spatial_game.game.evaluation import Evaluation, evaluate_agents
from spatial_game.game.policies import Agents
from spatial_game.studies import STUDIES, Study, find_study
from spatial_game.tables import Table, Value, between

_HELP = f"Studies to run: {'; '.join(f'{name}: {about}' for name, (_, about) in STUDIES.items())}."


def _require_studies(kind: type, names: tuple[str, ...]) -> None:
    """Refuse studies that do not exist."""
    for name in names:
        require_one_of("study", name, tuple(STUDIES))


@dataclass(frozen=True, kw_only=True)
class Evaluate(Command):
    """The options of `spatial-game evaluate`."""

    pairs: tuple[str, ...] = field(kw_only=False)
    """Bundled name, run folder or weights file; NAME alone is its first pair, NAME/2 the pair with index 2,
    NAME/all all of them; oracle, random, or agents of your own as module:Class."""
    game: UnlistedGame = field(default_factory=GameFlags)
    episodes: PositiveInt = 20_000
    """New episodes for each number."""
    seed: int = 0
    """Root of the random streams of episodes."""
    study: Annotated[tuple[str, ...], Parameter(help=_HELP, validator=_require_studies)] = ()
    cross_play: bool = False
    """Let every sender play with every receiver: do strangers understand each other?"""

    def execute(self) -> Iterator[Report]:
        """Play, show the accuracy, and run the studies."""
        from spatial_game.studies.cross_play import cross_play, shared_game

        sizes, labels = self.game.given, labels_of(self.pairs)
        pairs = {label: load_agents(label, seed=self.seed, **sizes) for label in labels}
        self._require_unseen(pairs)
        game = shared_game(pair.config for pair in pairs.values()) if self.cross_play else None
        results: dict[str, Evaluation] = {}
        for label, pair in pairs.items():
            with progress(f"{label}: playing"):
                results[label] = evaluate_agents(pair, self.episodes, self.seed)
        report = Report()
        add_results(report, results)
        report.data["pairs"] = [
            {
                "pair": label,
                "weights_hash": pair.identity.get("weights_hash"),
                "game_assumed": pair.assumes_game,
                **results[label].to_dict(),
                **self._run_studies(report, label, pair),
            }
            for label, pair in pairs.items()
        ]
        if game is not None:
            with progress("cross-play"):
                crossed = cross_play(pairs, self.episodes, self.seed, game)
            heading = f"Cross-play: {crossed.config.signature}; senders in rows, receivers in columns"
            report.table(heading, crossed.table)
            report.lines("", crossed.summary)
            report.data["cross_play"] = crossed.to_dict()
        yield report

    def _run_studies(self, report: Report, label: str, agents: Agents) -> dict[str, Any]:
        """Run the studies on agents, report them, and return their results by name."""
        found = {}
        for name in self.study:
            with progress(f"{label}: {name}"):
                study = find_study(name)(agents, self.episodes, self.seed)
            add_study(report, f"{label}: {name}", study)
            found[name.replace("-", "_")] = study.to_dict()
        return found

    def _require_unseen(self, pairs: Mapping[str, Agents]) -> None:
        """Refuse, before anything is played, pairs whose training left nothing out."""
        from spatial_game.studies.unseen import left_out_of

        if "unseen" in self.study:
            if self.game.given:
                given = self.game.given
                raise UserError(f"the study unseen must be given without options of the game; got {given}")
            for pair in pairs.values():
                left_out_of(pair)


def add_study(report: Report, title: str, study: Study) -> None:
    """Report the table of a study, and its summary if it has one."""
    report.table(title, study.table)
    if study.summary:
        report.lines()
        report.paragraphs([study.summary])


def add_results(report: Report, results: Mapping[str, Evaluation]) -> None:
    """Report one pair by where the target stands, or several with one line each."""
    if len(results) > 1:
        report.table("Pairs on new episodes", by_pair(results))
        return
    for label, result in results.items():
        report.table(f"{label}: {result.config.signature}", by_observation(result))
        chance = 1 / result.config.num_candidates
        report.lines("", f"{result.distinct_messages:,} distinct messages; chance is {chance:.0%}")


def by_pair(results: Mapping[str, Evaluation]) -> Table:
    """Return a row for each pair, then their mean and the worst."""
    rows: list[tuple[Value, ...]] = [
        (name, r.config.signature, r.accuracy, between(r.interval), r.distinct_messages)
        for name, r in results.items()
    ]
    accuracies = [result.accuracy for result in results.values()]
    rows += [(name, None, value(accuracies), None, None) for name, value in (("mean", fmean), ("worst", min))]
    heading = "Pair | Game | Accuracy :.2% | 95% interval | Distinct messages :,"
    return Table.of(heading, rows)


def by_observation(result: Evaluation) -> Table:
    """Return the accuracy over all episodes, and for each edge, where the target stands."""
    rows = (
        (name, part.trials, part.accuracy, between(part.interval))
        for name, part in {"all": result.overall, **result.by_observation}.items()
        if part.trials
    )
    return Table.of("Target at | Episodes :, | Accuracy :.2% | 95% interval", rows)
