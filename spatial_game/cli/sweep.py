"""`spatial-game sweep`: train pairs that differ in one thing, and evaluate them."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import load_trained
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.game.evaluation import evaluate
from spatial_game.studies.held_out import held_out_study
from spatial_game.studies.lengths import other_lengths
from spatial_game.studies.sweep import VALUES, Trained, Vary, accuracy_table, lengths_table
from spatial_game.tables import Table

if TYPE_CHECKING:
    from spatial_agents.recipes import TrainOptions

SMALL = GameConfig(20)
"""The game that is varied where no other is given: minutes instead of hours."""


@dataclass(frozen=True)
class Sweep:
    """Train pairs that differ in one thing, and evaluate them; kill it at any moment, and start it again.

    spatial-game sweep vocabulary --out sweeps/vocabulary
    spatial-game sweep length --inputs scalars --pairs 16 --out sweeps/table-7
    """

    vary: Annotated[tyro.conf.Positional[Vary], tyro.conf.arg(metavar="WHAT")]
    """vocabulary, hidden (size of networks), length (of sequences) or held-out (share of combinations)."""
    out: Path
    """Folder for the runs, results.json and the tables as CSV; an unfinished sweep is taken up."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """The game; what is not given is as in the paper's, but with sequences of 20."""
    values: tuple[float, ...] = ()
    """What to try. Default: 13 26 52 (vocabulary), 64 128 (hidden), 20 40 60 100 (length), 0.1 (held-out)."""
    pairs: int = 1
    """Pairs for each value, with seeds from `seed` on."""
    recipe: Literal["paper", "curriculum"] = "curriculum"
    """How pairs are trained."""
    inputs: Literal["scalars", "embedding"] = "embedding"
    """How integers enter the networks; the paper's way is scalars."""
    hidden_size: int = 64
    """Hidden size of the networks."""
    steps: int | None = None
    """Training steps of each pair. Default: the recipe's."""
    episodes: int = 20_000
    """Fresh episodes for each accuracy."""
    seed: int = 0
    """Root of all random streams."""
    device: str = "cpu"
    """Where pairs train and play: auto, cpu or cuda."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Train what is not there yet, evaluate it, and show the tables."""
        values = self.values or VALUES[self.vary]
        if self.pairs < 1:
            raise ValueError(f"pairs must be at least 1; got {self.pairs}")
        plans = {value: self.plan(value) for value in dict.fromkeys(values)}
        output = Output(self.json)
        trained = [self._trained(value, options) for value, options in plans.items()]
        tables = self.tables(trained)
        for name, table in tables.items():
            write_text(self.out / f"{name}.csv", table.to_csv())
            output.heading(name.capitalize())
            output.say("", table.to_text(width=output.table_width))
        content: dict[str, Any] = {"vary": self.vary, "results": [each.to_dict() for each in trained]}
        write_text(self.out / "results.json", json.dumps(content, indent=1) + "\n")
        output.result(content)

    def plan(self, value: float) -> TrainOptions:
        """The training of one value. Raises `ValueError` for a value that cannot be."""
        from spatial_agents.recipes import Recipe, TrainOptions

        if self.vary != "held-out" and not float(value).is_integer():  # nor are inf and nan
            raise ValueError(f"values of {self.vary} must be whole numbers; got {value}")
        whole = value if self.vary == "held-out" else int(value)
        game: dict[str, Any] = {**SMALL.to_dict(), "num_integers": None, **self.game.given}
        settings: dict[str, Any] = {
            "recipe": self.recipe,
            "inputs": self.inputs,
            "hidden_size": self.hidden_size,
            "steps": self.steps,
        }
        part, field = _FIELDS[self.vary]
        (game if part == "game" else settings)[field] = whole
        return TrainOptions(
            GameConfig(**game),
            Recipe(**settings),
            pairs=self.pairs,
            seed=self.seed,
            out=self.out / f"{self.vary}-{value:g}",
            device=self.device,
        )

    def tables(self, trained: list[Trained]) -> dict[str, Table]:
        """The tables of the sweep by name."""
        if self.vary == "length":
            return {"length": lengths_table(trained), "length-accuracy": accuracy_table(self.vary, trained)}
        if self.vary == "held-out":
            studies = {
                f"held-out-{each.value:g}-pair-{i}": study.table
                for each in trained
                for i, study in enumerate(each.held_out)
            }
            return {"held-out": accuracy_table(self.vary, trained), **studies}
        return {self.vary: accuracy_table(self.vary, trained)}

    def _trained(self, value: float, options: TrainOptions) -> Trained:
        """Train, or take up, the pairs of one value, and evaluate them."""
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


_FIELDS = {
    "vocabulary": ("game", "vocab_size"),
    "hidden": ("recipe", "hidden_size"),
    "length": ("game", "sequence_length"),
    "held-out": ("recipe", "hold_out"),
}
"""Which field of which part each sweep varies."""


def train_or_resume(options: TrainOptions) -> list[Path]:
    """Train into `options.out`, or take up the run that is there; the folders of the finished pairs.

    Raises `ValueError` where that run has other options.
    """
    from spatial_agents.recipes import TrainOptions as Options
    from spatial_agents.training.runs import train

    folder = options.out
    assert folder is not None
    config = folder / "config.json"
    if not config.is_file():
        return train(options)
    stored = Options.from_dict(json.loads(config.read_text("utf-8"))["options"])
    asked, there = options.to_dict(), stored.to_dict()
    for name in asked:
        if asked[name] != there[name]:
            raise ValueError(
                f"{folder} must hold a run with the same {name}, {asked[name]}; got {there[name]} "
                "(name another folder with --out)"
            )
    return train(dataclasses.replace(options, out=None, resume=folder))
