"""`spatial-game reproduce`: the paper's tables, measured on trained pairs, in one report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import bundled_pairs, load_players
from spatial_game.cli.terminal import Output, progress
from spatial_game.reproduce import QUICK, Sizes, Subject, reproduce
from spatial_game.reproduction import write_pages

STAGES = 7
"""Stages of each pair; cross-play is one more for all."""


@dataclass(frozen=True)
class Reproduce:
    """Measure everything that the paper reports on trained pairs, into one report; resumes where it stopped.

    spatial-game reproduce --quick --out reproduction
    """

    out: Path
    """Folder for report.html, report.md, results.json, a CSV file for each table, and the data of stages."""
    pairs: tuple[str, ...] = ()
    """Pairs: bundled names, run folders, weights files, or oracle. Default: all bundled ones."""
    quick: bool = False
    """Fewer episodes: under five minutes on two cores."""
    train: bool = False
    """Train pairs first, into OUT/runs, and use them instead; takes up an unfinished run."""
    trained: int = 5
    """With --train: pairs to train."""
    inputs: Literal["scalars", "embedding"] = "embedding"
    """With --train: how integers enter the networks."""
    steps: int | None = None
    """With --train: training steps of each pair. Default: the recipe's."""
    seed: int = 0
    """Root of all random streams."""
    device: str = "cpu"
    """Where pairs play and train: auto, cpu or cuda."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Run the stages that are not there yet, and write the pages."""
        output = Output(self.json)
        names = self._train() if self.train else list(self.pairs) or bundled_pairs()
        if not names:
            raise ValueError("pairs must name at least one pair, as none are bundled; got none")
        subjects = self._subjects(names)
        with progress("reproducing", STAGES * len(subjects) + 1) as advance:

            def say(stage: str) -> None:
                advance(1)

            results = reproduce(subjects, self.out, QUICK if self.quick else Sizes(), self.seed, say)
        pages = write_pages(results, self.out)
        output.say(f"report  {pages[0]}", *(f"        {page}" for page in pages[1:3]))
        output.result({"report": str(pages[0]), "files": [str(page) for page in pages], **results})

    def _subjects(self, names: list[str]) -> list[Subject]:
        subjects = []
        for name in names:
            players = load_players(name, 0, GameOptions(), self.seed, self.device)
            short = name if name in bundled_pairs() else "-".join(Path(name).parts[-2:])
            weights = players.identity.get("weights_hash")
            agents = (players.sender, players.receiver, players.config)
            subjects.append(Subject(short, *agents, weights, Path(name) / "metrics.csv"))
        return subjects

    def _train(self) -> list[str]:
        """Train, or take up, the pairs of this reproduction; their folders."""
        from spatial_agents.recipes import Recipe, TrainOptions
        from spatial_agents.train import train
        from spatial_game.config import GameConfig

        runs = self.out / "runs"
        resume = runs if (runs / "config.json").exists() else None
        options = TrainOptions(
            game=GameConfig(),
            recipe=Recipe(inputs=self.inputs, steps=self.steps),
            pairs=self.trained,
            seed=self.seed,
            out=None if resume else runs,
            resume=resume,
            device=self.device,
        )
        return [str(folder) for folder in train(options)]
