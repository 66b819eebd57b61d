"""`spatial-game train`: train pairs of agents."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from spatial_agents.recipes import Recipe, RunOptions, TrainOptions, defaults_text
from spatial_game.cli.options import Command, GameFlags, group
from spatial_game.cli.report import Report
from spatial_game.config import GameConfig
from spatial_game.errors import TrainingFailed, UserError
from spatial_game.files import read_json

_FIXED = "|".join(field.name for field in fields(Recipe) if not field.init)
_OPTIONS = re.compile(f"^(?!({_FIXED})$)")  # Cyclopts 5.4 takes all fields of a dataclass for options
_SIZES = ", ".join(f"{name.replace('_', '-')} {value}" for name, value in GameConfig().to_dict().items())


@dataclass(frozen=True, kw_only=True)
class Train(Command):
    """The options of `spatial-game train`."""

    game: Annotated[GameFlags, group("Game", f"Default: {_SIZES}.")] = field(default_factory=GameFlags)
    recipe: Annotated[Recipe, group("Recipe", defaults_text()), Parameter(parse=_OPTIONS)] = field(
        default_factory=Recipe
    )
    options: Annotated[RunOptions, Parameter(name="*")] = field(default_factory=RunOptions)
    resume: Path | None = None
    """Continue the run in this folder with its own options. Only --jobs, --on and --slurm may be added; other
    options are refused, unless they equal the defaults: then they have no effect."""
    jobs: int = 0
    """Pairs that are trained at the same time. 0: one on each core; on Slurm, as many as it allows."""
    on: Literal["local", "slurm"] = "local"
    """local: in processes on this machine. slurm: as jobs of a Slurm cluster."""
    slurm: tuple[str, ...] = ()
    """Slurm's own options, such as partition=gpu time=60 gpus_per_node=1."""

    def whole(self) -> TrainOptions:
        """Return all options as `train` takes them. Raises `ValueError` if they do not fit."""
        return TrainOptions(GameConfig().changed(**self.game), self.recipe, **vars(self.options))

    def execute(self) -> Iterator[Report]:
        """Train, and show how well the pairs play."""
        from spatial_agents.training.runs import finished_folders, options_of, train

        options = self.whole()
        if self.resume is not None:
            different = options.difference(TrainOptions())
            if different is not None:
                name, value, _ = different
                raise UserError(
                    f"{name} must be left out with resume, which keeps the run's own; got {value}"
                )
            options = options_of(self.resume)
        try:
            yield of_pairs(train(options, jobs=self.jobs, on=self.on, slurm=self.slurm))
        except TrainingFailed:  # the others may have finished
            assert options.out is not None
            yield of_pairs(finished_folders(options.out))
            raise


def of_pairs(folders: list[Path]) -> Report:
    """Report how well the pairs in these folders play."""
    cards = [read_json(folder / "card.json") for folder in folders]
    results = [card["evaluation"] for card in cards]
    report = Report(pairs=[{"folder": str(f), "card": c} for f, c in zip(folders, cards, strict=True)])
    for folder, result in zip(folders, results, strict=True):
        report.lines(f"{folder}  accuracy {result['accuracy']:.2%} on {result['n']:,} new episodes")
    if len(results) > 1:
        accuracies = [result["accuracy"] for result in results]
        mean, deviation = statistics.mean(accuracies), statistics.stdev(accuracies)
        report.lines(f"mean {mean:.2%}, worst {min(accuracies):.2%}, standard deviation {deviation:.2%}")
    return report
