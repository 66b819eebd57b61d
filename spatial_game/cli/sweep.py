"""`spatial-game sweep`: train pairs that differ in one setting, and compare them."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.cli import sweep_file
from spatial_game.cli.files import OutFolder, Reads
from spatial_game.cli.options import Command, GameOptions, group, positional, require_at_least
from spatial_game.cli.place import PlaceOptions, Where
from spatial_game.cli.players import load_trained
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.game.evaluation import evaluate
from spatial_game.studies.held_out import held_out_study
from spatial_game.studies.lengths import other_lengths
from spatial_game.studies.sweep import VALUES, Trained, accuracy_table, lengths_table
from spatial_game.tables import Table

SMALL = GameConfig(20)
"""The default game of a sweep: it trains in minutes instead of hours."""
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

    vary: Annotated[str, Parameter(name="WHAT"), Reads()] = field(kw_only=False)
    """vocabulary, hidden (size of networks), length (of sequences), held-out (share of combinations), or a
    TOML file with all settings of the pairs."""
    out: OutFolder
    """Folder for the runs and the tables of results. An unfinished sweep continues."""
    game: Annotated[GameOptions, group("Game", "Default: the paper's, with sequences of 20.")] = field(
        default_factory=GameOptions
    )
    values: tuple[float, ...] = ()
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

    where: Where = field(default_factory=PlaceOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Train the missing pairs, evaluate them, and show the tables."""
        require_at_least(1, pairs=self.pairs)
        if self.vary.endswith(".toml"):
            return self._from_file(output)
        if self.vary not in VALUES:
            raise ValueError(f"WHAT must be {', '.join(VALUES)} or a .toml file; got {self.vary}")
        from spatial_agents.training.runs import train_all

        values = {f"{self.vary}-{value:g}": value for value in self.values or VALUES[self.vary]}
        plans = {name: self.plan(value) for name, value in values.items()}
        folders = train_all(plans, self.out, self.where)
        trained = [self._measured(values[name], plans[name].game, found) for name, found in folders.items()]
        for name, table in self.tables(trained).items():
            write_text(self.out / f"{name}.csv", table.to_csv())
            output.table(name.capitalize(), table)
        content: dict[str, Any] = {"vary": self.vary, "results": [each.to_dict() for each in trained]}
        write_text(self.out / "results.json", json.dumps(content, indent=1) + "\n")
        return content

    def _from_file(self, output: Output) -> dict[str, Any]:
        """Train the pairs of a file, and show and write the results of the finished ones."""
        from spatial_agents.pairs.card import finished
        from spatial_agents.training.runs import TrainingFailed, train_all

        self._require_defaults()
        plans = sweep_file.plans_of(Path(self.vary))
        missing = {name: plan for name, plan in plans.items() if not finished(self.out / name)}
        output.say(sweep_file.announcement(len(plans), missing, self.where))
        fault = None
        try:
            train_all(plans, self.out, self.where)
        except TrainingFailed as failed:  # the others are finished
            fault = failed
        rows = sweep_file.results(plans, self.out)
        sweep_file.write_results(rows, self.out)
        output.table("Accuracy on new episodes", sweep_file.table(rows))
        output.say("", f"results  {self.out / 'results.parquet'}", f"plot     {self.out / 'results.svg'}")
        if fault is not None:
            raise fault
        return {"pairs": rows}

    def _require_defaults(self) -> None:
        """Raise `ValueError` for an option that belongs in the file."""
        for each in dataclasses.fields(self):
            own = getattr(self, each.name)
            if each.name not in ("vary", "out", "where", "json", "game") and own != each.default:
                raise ValueError(f"{each.name} must be in {self.vary}; got {own} as an option")
        if self.game.given:
            raise ValueError(f"{next(iter(self.game.given))} must be in {self.vary}; got it as an option")

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

    def _measured(self, value: float, game: GameConfig, folders: list[Path]) -> Trained:
        """Evaluate the pairs of one value."""
        evaluations, lengths, held = [], [], []
        for number, folder in enumerate(folders):
            pair = load_trained(str(folder), 0, self.device)
            with progress(f"{folder}: playing"):
                evaluations.append(evaluate(pair, self.episodes, self.seed))
                if self.vary == "length":
                    lengths.append(other_lengths(pair, self.episodes, self.seed))
                if self.vary == "held-out":
                    held.append(held_out_study(pair, value, self.seed + number, self.episodes, self.seed))
        return Trained(value, game, tuple(evaluations), tuple(lengths), tuple(held))
