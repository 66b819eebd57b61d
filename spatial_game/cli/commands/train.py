"""`spatial-game train`: train pairs of agents."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict

from cyclopts import Parameter

from spatial_agents.pairs.weights import by_setting
from spatial_agents.recipes import Recipe, RunOptions, TrainOptions, defaults_text, sweep
from spatial_game.agents.own import import_function
from spatial_game.checks import require
from spatial_game.cli.options import Command, game_options, group, options_of
from spatial_game.cli.report import Report
from spatial_game.config import GameConfig
from spatial_game.errors import TrainingFailed, UserError
from spatial_game.files import read_json
from spatial_game.game.policies import population_of
from spatial_game.json_text import from_json

if TYPE_CHECKING:
    Games: TypeAlias = dict[str, Any]
    Recipes: TypeAlias = dict[str, Any]
else:
    Games = TypedDict("Games", game_options(several=True), total=False)
    Recipes = TypedDict("Recipes", options_of(Recipe, several=True), total=False)
_SIZES = ", ".join(f"{name.replace('_', '-')} {value}" for name, value in GameConfig().to_dict().items())
_RECIPES = f"Several values of an option train a run for each: --temperature 0.5 1 2.\n\n{defaults_text()}"


@dataclass(frozen=True, kw_only=True)
class Train(Command):
    """The options of `spatial-game train`."""

    game: Annotated[Games, group("Game", f"Default: {_SIZES}.")] = field(default_factory=Games)
    recipe: Annotated[Recipes, group("Recipe", _RECIPES)] = field(default_factory=Recipes)
    options: Annotated[RunOptions, Parameter(name="*")] = field(default_factory=RunOptions)
    objective: str | None = None
    """A function of your own, module:function, that returns the loss of a batch, in place of the recipe's."""
    objective_options: tuple[str, ...] = ()
    """Values of its keyword-only parameters, such as cost=0.1; with cost=0 0.1 1, a run for each value."""
    sampler: str | None = None
    """A function of your own, module:function, that draws the episodes."""
    resume: Path | None = None
    """Continue the run, or the runs, in this folder with their own options. Only --objective, --sampler,
    --jobs, --on, --slurm and --detach may be added; other options are refused, unless they equal the
    defaults: then they have no effect."""
    jobs: int = 0
    """Pairs or populations that are trained at the same time. 0: one on each core; on Slurm, as many as it
    allows."""
    on: Literal["local", "slurm"] = "local"
    """local: in processes on this machine. slurm: as jobs of a Slurm cluster."""
    slurm: tuple[str, ...] = ()
    """Slurm's own options, such as partition=gpu time=60 gpus_per_node=1."""
    detach: bool = False
    """Do not wait for Slurm's jobs."""

    def runs(self) -> list[TrainOptions]:
        """Return the options of each run as `train` takes them. Raises `ValueError` if they do not fit."""
        given = {
            name: value if name == "shape" or not isinstance(value, tuple) else _of_sweep(value)
            for name, value in (self.game | self.recipe).items()
        }
        of_objective = _values_by_name(self.objective_options)
        return sweep(**given, **vars(self.options), objective_options=of_objective)

    def execute(self) -> Iterator[Report]:
        """Train, and show how well the pairs play."""
        from spatial_agents.training.folders import finished_folders, runs_in
        from spatial_agents.training.runs import train

        runs = self.runs()
        if self.resume is not None:
            for name, value, _ in filter(None, (run.difference(TrainOptions()) for run in runs)):
                raise UserError(
                    f"{name} must be left out with resume, which keeps the run's own; got {value}"
                )
            runs = runs_in(self.resume)
        named = {"objective": self.objective, "sampler": self.sampler}
        own: dict[str, Any] = {
            argument: import_function(name, argument) for argument, name in named.items() if name
        }
        place: dict[str, Any] = {"on": self.on, "slurm": self.slurm, "detach": self.detach}
        try:
            yield of_pairs(train(runs, jobs=self.jobs, **own, **place))
        except TrainingFailed:  # the others may have finished
            yield of_pairs([folder for run in runs if run.out for folder in finished_folders(run.out)])
            raise


def _of_sweep(values: tuple[Any, ...]) -> Any:
    """Return several values of an option as a list, and one as it is."""
    return list(values) if len(values) > 1 else values[0]


def _values_by_name(words: tuple[str, ...]) -> dict[str, Any]:
    """Return the values in words such as `cost=0 0.1`, by their names. A value is JSON, or else a text."""
    values = dict[str, list[Any]]()
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            once = "objective_options must name each parameter once, with all its values (cost=0 0.1)"
            require(name not in values, once, f"{name} twice")
            of_name = values[name] = []
        else:
            value = word
        require(bool(values), "objective_options must begin with a name, such as cost=0.1", word)
        try:
            of_name.append(from_json(value))
        except UserError:
            of_name.append(value)
    return {name: _of_sweep(tuple(of_name)) for name, of_name in values.items()}


def of_pairs(folders: list[Path]) -> Report:
    """Report how well the pairs in these folders play, with a mean for those of the same setting."""
    cards = {str(folder): read_json(folder / "card.json") for folder in folders}
    report = Report(pairs=[{"folder": folder, "card": card} for folder, card in cards.items()])
    for group_of in by_setting(cards):
        results = {folder: cards[folder]["evaluation"] for folder in group_of}
        for folder, result in results.items():
            report.lines(f"{folder}  accuracy {result['accuracy']:.2%} on {result['n']:,} new episodes")
        if len(results) > 1:
            report.lines(_over({folder: cards[folder] for folder in results}))
    return report


def _over(cards: Mapping[str, Any]) -> str:
    """Say the mean and the worst of pairs, and how much independent trainings differ.

    `cards` are those of the pairs, by their folders. The pairs of a population share senders and receivers,
    so a population is one training: its mean.
    """
    of_training = dict[Path, list[float]]()
    for folder, card in cards.items():
        training = population_of(card, Path(folder)) or Path(folder)
        of_training.setdefault(training, []).append(card["evaluation"]["accuracy"])
    accuracies = [each for of_one in of_training.values() for each in of_one]
    text = f"mean {statistics.mean(accuracies):.2%}, worst {min(accuracies):.2%}"
    populations = len(of_training) < len(accuracies)
    if len(of_training) > 1:
        deviation = statistics.stdev(map(statistics.mean, of_training.values()))
        return f"{text}, standard deviation {deviation:.2%}{' over populations' if populations else ''}"
    return f"{text} (one population, so one training)"
