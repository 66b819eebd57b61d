"""`spatial-game train`: pairs of agents."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from spatial_agents.recipes import TrainOptions
from spatial_game.cli.terminal import Output
from spatial_game.tables import Column, Table


@dataclass(frozen=True)
class Train:
    """Train pairs of agents into a run folder; kill it at any moment, and continue with --resume.

    spatial-game train --sequence-length 60 --inputs embedding --seed 0 --out runs/mine
    """

    options: Annotated[TrainOptions, tyro.conf.arg(name="")]
    """How to train."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Train, and show how well the pairs play."""
        from spatial_agents.training.runs import TrainingFailed, finished_folders, train

        output = Output(self.json)
        try:
            folders = train(self.options)
        except TrainingFailed:  # of some pairs: the others are worth a look
            self._show(output, finished_folders(self.options.out or self.options.resume or Path()))
            raise
        self._show(output, folders)

    def _show(self, output: Output, folders: list[Path]) -> None:
        cards = [json.loads((folder / "card.json").read_text("utf-8")) for folder in folders]
        if len(cards) == 1:
            result = cards[0]["evaluation"]
            output.say(f"{folders[0]}  accuracy {result['accuracy']:.2%} on {result['n']:,} fresh episodes")
        elif cards:
            output.say(
                accuracies([folder.name for folder in folders], cards).to_text(width=output.table_width)
            )
        pairs = [{"folder": str(f), "card": card} for f, card in zip(folders, cards, strict=True)]
        output.result({"pairs": pairs})


def accuracies(names: list[str], cards: list[dict[str, Any]]) -> Table:
    """How well each pair of a run plays; then their mean, the worst, and the standard deviation."""
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
    columns = (Column("Pair"), Column("Accuracy", ".2%"), Column("95% interval"), Column("Minutes", ".1f"))
    return Table(columns, (*rows, *((name, value, None, None) for name, value in summary.items())))
