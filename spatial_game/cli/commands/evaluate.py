"""`spatial-game evaluate`: measure how well agents play, and study them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Annotated

from cyclopts.types import NonNegativeInt, PositiveInt

from spatial_agents.pairs.names import labels_of
from spatial_game.agents import load_agents
from spatial_game.cli.options import GameCommand, names_in
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.evaluation import Evaluation, evaluate_agents
from spatial_game.game.policies import Agents
from spatial_game.studies import STUDIES, Study, find_study
from spatial_game.studies.cross_play import cross_play, shared_game
from spatial_game.tables import Table, Value, between


@dataclass(frozen=True, kw_only=True)
class Evaluate(GameCommand):
    """The options of `spatial-game evaluate`."""

    agents: tuple[str, ...] = field(kw_only=False)
    """Bundled name, run folder or weights file; NAME alone is its first pair, NAME/2 the pair with index 2,
    NAME/all all of them; oracle, random, or agents of your own as module:Class."""
    episodes: PositiveInt = 20_000
    """New episodes for each number."""
    seed: NonNegativeInt = 0
    """Root of the random streams of episodes."""
    study: Annotated[tuple[str, ...], names_in(STUDIES)] = ()
    cross_play: bool = False
    """Let every sender play with every receiver: do strangers understand each other?"""

    def execute(self) -> Iterator[Report]:
        """Play, show the accuracy, and run the studies."""
        labels = labels_of(self.agents)
        agents = {label: load_agents(label, seed=self.seed, **self.game) for label in labels}
        game = shared_game(each.config for each in agents.values()) if self.cross_play else None
        results, studies = dict[str, Evaluation](), dict[str, dict[str, Study]]()
        for label, each in agents.items():
            studies[label] = dict(self._studied(label, each))
            with progress(f"{label}: playing"):
                results[label] = evaluate_agents(each, self.episodes, self.seed)
        yield report_of(agents, results, studies)
        if game is not None:
            with progress("cross-play"):
                crossed = cross_play(agents, self.episodes, self.seed, game)
            report = Report(cross_play=crossed.to_dict())
            title = f"Cross-play: {crossed.config.signature}; senders in rows, receivers in columns"
            report.table(title, crossed.table)
            report.lines("", crossed.summary)
            yield report

    def _studied(self, label: str, agents: Agents) -> Iterator[tuple[str, Study]]:
        """Run the studies on agents, and yield each with its name."""
        for name in self.study:
            with progress(f"{label}: {name}"):
                yield name, find_study(name)(agents, self.episodes, self.seed)


def report_of(
    agents: Mapping[str, Agents],
    results: Mapping[str, Evaluation],
    studies: Mapping[str, Mapping[str, Study]],
) -> Report:
    """Report how well agents play, and what studies found; all by the labels of the agents."""
    report = Report(
        pairs=[
            {
                "pair": label,
                "weights_hash": each.identity.get("weights_hash"),
                "game_assumed": each.assumes_game,
                **results[label].to_dict(),
                **{name.replace("-", "_"): study.to_dict() for name, study in studies[label].items()},
            }
            for label, each in agents.items()
        ]
    )
    if len(results) > 1:
        report.table("Pairs on new episodes", by_pair(results))
    else:
        [(label, result)] = results.items()
        report.table(f"{label}: {result.config.signature}", by_edge(result))
        chance = 1 / result.config.num_candidates
        report.lines("", f"{result.distinct_messages:,} distinct messages; chance is {chance:.0%}")
    for label, by_name in studies.items():
        for name, study in by_name.items():
            report.table(f"{label}: {name}", study.table)
            if study.summary:
                report.lines()
                report.paragraphs([study.summary])
    return report


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


def by_edge(result: Evaluation) -> Table:
    """Return the accuracy over all episodes, and for each edge, where the target stands."""
    rows = (
        (name, part.trials, part.accuracy, between(part.interval))
        for name, part in {"all": result.overall, **result.by_observation}.items()
        if part.trials
    )
    return Table.of("Target at | Episodes :, | Accuracy :.2% | 95% interval", rows)
