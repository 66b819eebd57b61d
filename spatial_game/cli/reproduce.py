"""`spatial-game reproduce`: the paper's tables, measured on trained pairs, in one report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import (
    bundled_pairs,
    indices_of_pairs,
    load_players,
    named_pairs,
    pretrained_folder,
)
from spatial_game.cli.terminal import Output, progress
from spatial_game.reproduction.sections import write_pages
from spatial_game.reproduction.stages import QUICK, Sizes, Subject, of_pair, reproduce
from spatial_game.workers import run_tasks, usable_cores

STAGES = 8
"""Stages of each pair; cross-play is one more for all."""
QUICK_PAIRS = 5
"""Pairs of each name that a quick reproduction measures: as many as a test over pairs needs."""

PairName = tuple[str, str, int]
"""Label, name and index of a pair."""


@dataclass(frozen=True)
class Reproduce:
    """Measure everything that the paper reports on trained pairs, into one report; resumes where it stopped.

    spatial-game reproduce --quick --out reproduction
    """

    out: Path
    """Folder for report.html, report.md, results.json, a CSV file for each table, and the data of stages."""
    pairs: tuple[str, ...] = ()
    """Pairs: bundled names, run folders, weights files, or oracle; NAME/2 for one of several, NAME alone for
    all of them. Default: all bundled ones."""
    quick: bool = False
    """Fewer episodes, and at most five pairs of each name: under five minutes on two cores."""
    workers: int = 0
    """Processes that measure pairs side by side; 0 for one a core."""
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
        if self.workers < 0:
            raise ValueError(f"workers must be at least 0; got {self.workers}")
        output = Output(self.json)
        names = self._train() if self.train else list(self.pairs) or bundled_pairs()
        if not names:
            raise ValueError("pairs must name at least one pair, as none are bundled; got none")
        sizes = QUICK if self.quick else Sizes()
        chosen = self._chosen(names)
        _require_different([short_name(label, name) for label, name, _ in chosen])
        with progress("reproducing", STAGES * len(chosen) + 1) as advance:
            self._measure(chosen, sizes, advance)
            subjects = [subject(*pair, self.seed, self.device) for pair in chosen]
            results = reproduce(subjects, self.out, sizes, self.seed)
            advance(1)
        pages = write_pages(results, self.out)
        output.say(f"report  {pages[0]}", *(f"        {page}" for page in pages[1:3]))
        output.result({"report": str(pages[0]), "files": [str(page) for page in pages], **results.content})

    def _chosen(self, names: list[str]) -> list[PairName]:
        """The pairs that the names stand for; of those of one name, with `quick`, the first five."""
        several = [f"{name}/all" if len(indices_of_pairs(name)) > 1 else name for name in names]
        chosen = named_pairs(several)
        if not self.quick:
            return chosen
        return [
            pair for i, pair in enumerate(chosen) if [p[1] for p in chosen[:i]].count(pair[1]) < QUICK_PAIRS
        ]

    def _measure(self, chosen: list[PairName], sizes: Sizes, advance: Callable[[int], None]) -> None:
        """Run the stages of each pair, in processes of their own where there are several; files hold them."""
        workers = min(self.workers or usable_cores(), len(chosen))
        if workers == 1 or self.device != "cpu":
            for pair in chosen:
                of_pair(
                    subject(*pair, self.seed, self.device), self.out, sizes, self.seed, lambda _: advance(1)
                )
            return
        tasks = {str(i): (pair, self.out, sizes, self.seed, self.device) for i, pair in enumerate(chosen)}
        for done in run_tasks(measure_pair, tasks, workers):
            done.result()
            advance(STAGES)

    def _train(self) -> list[str]:
        """Train, or take up, the pairs of this reproduction; their folders."""
        from spatial_agents.recipes import Recipe, TrainOptions
        from spatial_agents.training.runs import train
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


def subject(label: str, name: str, index: int, seed: int, device: str) -> Subject:
    """The pair of this name and index, ready to be measured."""
    players = load_players(name, index, GameOptions(), seed, device)
    bundled, short = name in bundled_pairs(), short_name(label, name)
    folder = Path(name) if indices_of_pairs(name) else Path(name).parent
    family = name if bundled else folder.name or short
    run = Path(name) / f"{index:02d}" if indices_of_pairs(name) else Path(name)
    metrics = pretrained_folder() / name / f"{index:02d}.csv" if bundled else run / "metrics.csv"
    agents = (players.sender, players.receiver, players.config)
    return Subject(short, *agents, players.identity.get("weights_hash"), metrics, family)


def short_name(label: str, name: str) -> str:
    """The name of a pair in the report and of its folder: of a run the last two parts of its path."""
    return label if name in bundled_pairs() or name == "oracle" else "-".join(Path(label).parts[-2:])


def _require_different(shorts: list[str]) -> None:
    """Raise `ValueError`, before anything is measured, where pairs would share a name and a folder."""
    for short in shorts:
        if shorts.count(short) > 1:
            raise ValueError(f"pairs must differ in the last two parts of their paths; got {short} twice")


def measure_pair(pair: PairName, out: Path, sizes: Sizes, seed: int, device: str) -> None:
    """Run the stages of one pair in a worker process; their files are the result."""
    of_pair(subject(*pair, seed, device), out, sizes, seed)
