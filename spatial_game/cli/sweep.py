"""`spatial-game sweep`: train pairs that differ in one setting, and compare them."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.cli.files import OutFolder
from spatial_game.cli.options import Command, GameOptions, group, positional, require_at_least
from spatial_game.cli.players import load_trained
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.game.evaluation import evaluate
from spatial_game.studies.held_out import held_out_study
from spatial_game.studies.lengths import other_lengths
from spatial_game.studies.sweep import VALUES, Trained, Vary, accuracy_table, lengths_table
from spatial_game.tables import Table

SMALL = GameConfig(20)
"""The game that is varied by default: it trains in minutes instead of hours."""
FIELDS = {
    "vocabulary": "vocab_size",
    "hidden": "hidden_size",
    "length": "sequence_length",
    "held-out": "hold_out",
}
"""The field of the game or of the recipe that each sweep varies."""


@positional
@dataclass(frozen=True, kw_only=True)
class Sweep(Command):
    """The options of `spatial-game sweep`."""

    vary: Annotated[Vary, Parameter(name="WHAT")] = field(kw_only=False)
    """vocabulary, hidden (size of networks), length (of sequences) or held-out (share of combinations)."""
    out: OutFolder
    """Folder for the runs, results.json and the tables as CSV; an unfinished sweep continues."""
    game: Annotated[GameOptions, group("Game", "Default: the paper's, with sequences of 20.")] = field(
        default_factory=GameOptions
    )
    values: Annotated[tuple[float, ...], Parameter(consume_multiple=True)] = ()
    """Values. Default: 13 26 52 (vocabulary), 64 128 (hidden), 20 40 60 100 (length), 0.1 (held-out)."""
    pairs: int = 1
    """Pairs for each value; pair i has the seed seed+i."""
    recipe: Literal["paper", "curriculum"] = "curriculum"
    """How pairs are trained."""
    inputs: Literal["scalars", "embedding"] = "embedding"
    """How integers enter the networks; the paper uses scalars."""
    hidden_size: int = 64
    """Hidden size of the networks."""
    steps: int | None = None
    """Training steps of each pair. Default: the recipe's."""
    episodes: int = 20_000
    """New episodes for each accuracy."""
    seed: int = 0
    """Root of all random streams."""
    device: str = "cpu"
    """Where pairs train and play: auto, cpu or cuda."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Train what is missing, evaluate it, and show the tables."""
        require_at_least(1, pairs=self.pairs)
        plans = {value: self.plan(value) for value in dict.fromkeys(self.values or VALUES[self.vary])}
        trained = [self._trained(value, options) for value, options in plans.items()]
        for name, table in self.tables(trained).items():
            write_text(self.out / f"{name}.csv", table.to_csv())
            output.table(name.capitalize(), table)
        content: dict[str, Any] = {"vary": self.vary, "results": [each.to_dict() for each in trained]}
        write_text(self.out / "results.json", json.dumps(content, indent=1) + "\n")
        return content

    def plan(self, value: float) -> TrainOptions:
        """Return the training of one value. Raises `ValueError` for an impossible value."""
        if self.vary != "held-out" and not float(value).is_integer():  # this refuses inf and nan, too
            raise ValueError(f"values of {self.vary} must be whole numbers; got {value}")
        game: dict[str, Any] = {**SMALL.to_dict(), "num_integers": None, **self.game.given}
        names = ("recipe", "inputs", "hidden_size", "steps")
        recipe: dict[str, Any] = {name: getattr(self, name) for name in names}
        varied = FIELDS[self.vary]
        (game if varied in game else recipe)[varied] = value if self.vary == "held-out" else int(value)
        return TrainOptions(
            GameConfig(**game),
            Recipe(**recipe),
            pairs=self.pairs,
            seed=self.seed,
            out=self.out / f"{self.vary}-{value:g}",
            device=self.device,
        )

    def tables(self, trained: list[Trained]) -> dict[str, Table]:
        """Return the tables of the sweep by name."""
        accuracy = accuracy_table(self.vary, trained)
        if self.vary == "length":
            return {"length": lengths_table(trained), "length-accuracy": accuracy}
        studies = {
            f"held-out-{each.value:g}-pair-{i}": study.table
            for each in trained
            for i, study in enumerate(each.held_out)
        }
        return {self.vary: accuracy, **studies}

    def _trained(self, value: float, options: TrainOptions) -> Trained:
        """Train, or continue, the pairs of one value, and evaluate them."""
        folders = train_or_resume(options)
        evaluations, lengths, held = [], [], []
        for number, folder in enumerate(folders):
            pair = load_trained(str(folder), 0, self.device)
            with progress(f"{folder}: playing"):
                evaluations.append(evaluate(pair, self.episodes, self.seed))
                if self.vary == "length":
                    lengths.append(other_lengths(pair, self.episodes, self.seed))
                if self.vary == "held-out":
                    held.append(held_out_study(pair, value, self.seed + number, self.episodes, self.seed))
        return Trained(value, options.game, tuple(evaluations), tuple(lengths), tuple(held))


def train_or_resume(options: TrainOptions) -> list[Path]:
    """Train into `options.out`, or continue the run that is there; return the folders of the finished pairs.

    Raises `ValueError` if that run has other options.
    """
    from spatial_agents.training.runs import train

    folder = options.out
    assert folder is not None
    config = folder / "config.json"
    if not config.is_file():
        return train(options)
    asked = options.to_dict()
    there = TrainOptions.from_dict(json.loads(config.read_text("utf-8"))["options"]).to_dict()
    for name in asked:
        if asked[name] != there[name]:
            raise ValueError(
                f"{folder} must hold a run with the same {name}, {asked[name]}; got {there[name]} "
                "(name another folder with --out)"
            )
    return train(dataclasses.replace(options, out=None, resume=folder))
