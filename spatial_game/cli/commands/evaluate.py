"""`spatial-game evaluate`: measure how well agents play, and study them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from statistics import fmean
from typing import Annotated

from cyclopts.types import NonNegativeInt, PositiveInt

from spatial_agents.pairs.names import labels_of
from spatial_agents.pairs.weights import by_setting
from spatial_game.agents import load_agents
from spatial_game.agents.own import own_function
from spatial_game.cli.options import GameCommand, SamplerName, names_in
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.errors import UserError
from spatial_game.game.evaluation import Evaluation, evaluate_agents
from spatial_game.game.policies import Agents
from spatial_game.studies import STUDIES, Study, find_study
from spatial_game.studies.cross_play import cross_play, shared_game
from spatial_game.tables import Table, Value
from spatial_game.text import between, counted


@dataclass(frozen=True, kw_only=True)
class Evaluate(GameCommand):
    """The options of `spatial-game evaluate`."""

    agents: tuple[str, ...] = field(kw_only=False)
    """Bundled name, run folder or weights file; NAME alone is its first pair, NAME/2 the pair with index 2,
    NAME/all all of them, as is the folder of a population or of several runs; oracle, random, or agents of
    your own as module:Class."""
    episodes: PositiveInt = 20_000
    """New episodes for each number."""
    seed: NonNegativeInt = 0
    """Root of the random streams of episodes."""
    study: Annotated[tuple[str, ...], names_in(STUDIES)] = ()
    cross_play: bool = False
    """Let every sender play with every receiver: do strangers understand each other?"""
    sampler: SamplerName = None

    def execute(self) -> Iterator[Report]:
        """Play, show the accuracy, and run the studies."""
        if self.sampler and self.study:
            rule = "sampler must be left out with study, which draws episodes of its own"
            raise UserError(f"{rule}; got {self.sampler}")
        sampler = own_function(self.sampler, "sampler") if self.sampler else None
        labels = labels_of(self.agents)
        agents = {label: load_agents(label, seed=self.seed, **self.game) for label in labels}
        game = shared_game(each.config for each in agents.values()) if self.cross_play else None
        results, studies = dict[str, Evaluation](), dict[str, dict[str, Study]]()
        for label, each in agents.items():
            studies[label] = dict(self._studied(label, each))
            with progress(f"{label}: playing"):
                results[label] = evaluate_agents(each, self.episodes, self.seed, sampler)
        report = report_of(agents, results, studies)
        if self.sampler:
            report.data["sampler"] = self.sampler
            report.lines("", f"the episodes are drawn by {self.sampler}")
        yield report
        if game is not None:
            with progress("cross-play"):
                crossed = cross_play(agents, self.episodes, self.seed, game, sampler)
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
        settings = by_setting({label: each.card for label, each in agents.items()})
        report.table("Pairs on new episodes", by_pair(results, settings))
        populations = {each.population for each in agents.values()} - {None}
        if populations:
            number = counted(len(populations), "population")
            report.lines(
                "", f"{number}: the pairs of one share senders and receivers, so they are one training"
            )
    else:
        [(label, result)] = results.items()
        report.table(f"{label}: {result.config.signature}", by_edge(result))
        chance = 1 / result.config.num_candidates
        report.lines("", f"{result.distinct_messages:,} distinct messages; chance is {chance:.0%}")
    for label, by_name in studies.items():
        for name, study in by_name.items():
            report.table(f"{label}: {name}", study.table)
            report.paragraphs(study.summary, study.key)
    return report


def by_pair(results: Mapping[str, Evaluation], settings: Sequence[Sequence[str]]) -> Table:
    """Return a row for each pair, and the mean and the worst of those of the same setting."""
    rows = list[tuple[Value, ...]]()
    for labels in settings:
        found = {label: results[label] for label in labels}
        rows += [
            (label, r.config.signature, r.accuracy, between(r.interval), r.distinct_messages)
            for label, r in found.items()
        ]
        accuracies, of = [r.accuracy for r in found.values()], f" of {_common(labels)}" * (len(settings) > 1)
        for name, value in (("mean", fmean), ("worst", min)) if len(found) > 1 else ():
            rows.append((f"{name}{of}", None, value(accuracies), None, None))
    heading = "Pair | Game | Accuracy :.2% | 95% interval | Distinct messages :,"
    return Table.of(heading, rows)


def _common(labels: Sequence[str]) -> str:
    """Return the name of the folder or the family that the labels share."""
    columns = zip(*(label.split("/") for label in labels), strict=False)
    shared = takewhile(lambda parts: len(set(parts)) == 1, columns)
    return "/".join(parts[0] for parts in shared) or ", ".join(labels)


def by_edge(result: Evaluation) -> Table:
    """Return the accuracy over all episodes, and for each edge, where the target stands."""
    rows = (
        (name, part.trials, part.accuracy, between(part.interval))
        for name, part in {"all": result.overall, **result.by_edge}.items()
        if part.trials
    )
    return Table.of("Target at | Episodes :, | Accuracy :.2% | 95% interval", rows)
