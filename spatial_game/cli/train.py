"""`spatial-game train`: train pairs of agents."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from spatial_agents.recipes import Recipe, TrainOptions, defaults_in_words
from spatial_game.cli.options import Command, group
from spatial_game.cli.terminal import Output
from spatial_game.config import GameConfig
from spatial_game.tables import Table

group("Game")(GameConfig)
group("Recipe", defaults_in_words())(Recipe)


@dataclass(frozen=True, kw_only=True)
class Train(Command):
    """The options of `spatial-game train`."""

    options: Annotated[TrainOptions, Parameter(name="*")] = TrainOptions(GameConfig(), Recipe())  # noqa: RUF009  (immutable)
    resume: Path | None = None
    """Continue the run in this folder with its own options. Only --jobs, --on and --slurm may be added; other
    options are refused, unless they equal the defaults: then they have no effect."""
    jobs: int = 0
    """Pairs that are trained at the same time. 0: one on each core; on Slurm, as many as it allows."""
    on: Literal["local", "slurm"] = "local"
    """local: in processes on this machine. slurm: as jobs of a Slurm cluster (needs the extra cluster)."""
    slurm: tuple[str, ...] = ()
    """Slurm's own options, such as partition=gpu time=60 gpus_per_node=1."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Train, and show how well the pairs play."""
        from spatial_agents.training.runs import TrainingFailed, finished_folders, options_of, train

        options = self.options
        if self.resume is not None:
            different = options.difference(TrainOptions())
            if different is not None:
                name, value, _ = different
                raise ValueError(
                    f"{name} must be left out with resume, which keeps the run's own; got {value}"
                )
            options = options_of(self.resume)
        try:
            return self._show(output, train(options, jobs=self.jobs, on=self.on, slurm=self.slurm))
        except TrainingFailed:  # the others may have finished
            assert options.out is not None
            output.result(self._show(output, finished_folders(options.out)))
            raise

    def _show(self, output: Output, folders: list[Path]) -> dict[str, Any]:
        cards = [json.loads((folder / "card.json").read_text("utf-8")) for folder in folders]
        if len(cards) == 1:
            result = cards[0]["evaluation"]
            output.say(f"{folders[0]}  accuracy {result['accuracy']:.2%} on {result['n']:,} new episodes")
        elif cards:
            output.table("Accuracy on new episodes", accuracies([folder.name for folder in folders], cards))
        return {"pairs": [{"folder": str(f), "card": c} for f, c in zip(folders, cards, strict=True)]}


def accuracies(names: list[str], cards: list[dict[str, Any]]) -> Table:
    """Return the accuracy of each pair, then the mean, the worst and the standard deviation."""
    found = [card["evaluation"] for card in cards]
    each = [result["accuracy"] for result in found]
    rows = [
        (name, result["accuracy"], f"{result['low']:.2%} to {result['high']:.2%}", card["seconds"] / 60)
        for name, result, card in zip(names, found, cards, strict=True)
    ]
    summary = {
        "mean": statistics.mean(each),
        "worst": min(each),
        "standard deviation": statistics.stdev(each),
    }
    heading = "Pair | Accuracy :.2% | 95% interval | Minutes :.1f"
    return Table.of(heading, [*rows, *((name, value, None, None) for name, value in summary.items())])
