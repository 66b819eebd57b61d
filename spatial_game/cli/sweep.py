"""`spatial-game sweep`: train pairs that differ in one setting, and compare them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from spatial_game.cli import sweep_file
from spatial_game.cli.files import OutFolder, Reads
from spatial_game.cli.options import Command, GameOptions, Where, group, positional, require_at_least
from spatial_game.cli.players import load_trained
from spatial_game.cli.terminal import Output, progress
from spatial_game.files import write_text
from spatial_game.studies.held_out import held_out_study
from spatial_game.studies.lengths import lengths_table, other_lengths
from spatial_game.tables import Table
from spatial_game.units import Place

VARIED: dict[str, tuple[str, list[float]]] = {
    "vocabulary": ("vocab_size", [13, 26, 52]),
    "hidden": ("hidden_size", [64, 128]),
    "length": ("sequence_length", [20, 40, 60, 100]),
    "held-out": ("hold_out", [0.1]),
}
"""The setting that each sweep varies, and its values in the paper; of combinations, the share left out."""


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

    where: Where = field(default_factory=Place)

    def execute(self, output: Output) -> dict[str, Any]:
        """Train the missing pairs, and show and write the results of the finished ones."""
        from spatial_agents.pairs.card import finished
        from spatial_agents.training.runs import TrainingFailed, train_all

        require_at_least(1, pairs=self.pairs)
        plans = self._from_file() if self.vary.endswith(".toml") else self._by_name()
        missing = sum(not finished(self.out / name) for name in plans)
        output.say(f"{len(plans)} pairs, {missing} to train")
        fault = None
        try:
            train_all(plans, self.out, self.where)
        except TrainingFailed as failed:  # the others are finished
            fault = failed
        rows = sweep_file.results(plans, self.out)
        sweep_file.write_results(rows, self.out)
        output.table("Accuracy on new episodes", sweep_file.table(rows))
        output.say("", f"results  {self.out / 'results.parquet'}")
        if fault is not None:
            raise fault
        studied = self._studied(plans)
        for title, table in studied.items():
            output.table(title, table)
            write_text(self.out / f"{title.replace(' ', '-')}.csv", table.to_csv())
        return {"pairs": rows, "studies": {title: table.records() for title, table in studied.items()}}

    def _from_file(self) -> sweep_file.Plans:
        """Return the pairs of a file. Raises `ValueError` for an option that belongs in the file."""
        for each in dataclasses.fields(self):
            own = getattr(self, each.name)
            if each.name not in ("vary", "out", "where", "json", "game") and own != each.default:
                raise ValueError(f"{each.name} must be in {self.vary}; got {own} as an option")
        if self.game.given:
            raise ValueError(f"{next(iter(self.game.given))} must be in {self.vary}; got it as an option")
        return sweep_file.read_plans(Path(self.vary))

    def _by_name(self) -> sweep_file.Plans:
        """Return the pairs of a setting's values. Raises `ValueError` for an impossible value."""
        if self.vary not in VARIED:
            raise ValueError(f"WHAT must be {', '.join(VARIED)} or a .toml file; got {self.vary}")
        varied, usual = VARIED[self.vary]
        values = [value if self.vary == "held-out" else whole(value, self.vary) for value in self.values]
        names = ("recipe", "inputs", "hidden_size", "steps", "device")
        own = {name: getattr(self, name) for name in names}
        settings = {"sequence_length": 20, **self.game.given, **own, "evaluation_episodes": self.episodes}
        grid = {varied: values or usual, "seed": list(range(self.seed, self.seed + self.pairs))}
        fixed = {k: value for k, value in settings.items() if k != varied and value is not None}
        return sweep_file.plans_of({**fixed, "grid": grid}, self.vary)

    def _studied(self, plans: sweep_file.Plans) -> dict[str, Table]:
        """Return the tables of what is studied beside the accuracy: of shorter sequences, and held out."""
        if self.vary not in ("length", "held-out"):
            return {}
        pairs = {name: load_trained(str(self.out / name), 0, self.device) for name in plans}
        with progress("playing"):
            if self.vary == "length":
                studies = [other_lengths(pair, self.episodes, self.seed) for pair in pairs.values()]
                return {"shorter sequences": lengths_table(studies)}
            return {
                f"held out of {name}": held_out_study(
                    pair, plans[name].recipe.hold_out, plans[name].seed, self.episodes, self.seed
                ).table
                for name, pair in pairs.items()
            }


def whole(value: float, what: str) -> int:
    """Return a whole number. Raises `ValueError` for another one, also for inf and nan."""
    if not float(value).is_integer():
        raise ValueError(f"values of {what} must be whole numbers; got {value}")
    return int(value)
