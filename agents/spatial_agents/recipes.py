"""How pairs are trained: recipes, and the options of `train`, whose docstrings are the command line's help.

Nothing here needs torch, so `--help` and error messages come at once.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from spatial_agents.network_config import Inputs, Network, NetworkConfig
from spatial_game.checks import (
    did_you_mean,
    require,
    require_field,
    require_object,
    require_one_of,
    shortened,
    within,
)
from spatial_game.config import GameConfig
from spatial_game.errors import UserTypeError
from spatial_game.settings import LEFT_OUT, Settings

MOST_PAIRS = 10_000
"""The most pairs of a run. The paper has 16; an array of Slurm takes some thousand jobs."""
MOST_EPISODES = 10_000_000
"""The most episodes of a step, of a fixed sample or of an evaluation. The first two are held in memory."""

MOST_SEED = 2**63 - 1
"""The largest seed: it stands in tables, whose integers have 64 bits."""
MOST_MEMBERS = 100
"""The most senders, and the most receivers, of a population."""

Schedule = Literal["constant", "one-cycle"]

_PAPER = {
    "inputs": "scalars",
    "steps": 98_000,
    "batch_size": 2048,
    "learning_rate": 1e-3,
    "schedule": "constant",
    "entropy_bonus": 0.0,
    "network": "sequential",
    "every_target": False,
    "start_length": 0,
    "scalar_reach": 0.0,
    "clip_norm": 0.0,
    "weight_average": 0.0,
}
_CURRICULUM = _PAPER | {
    "steps": {"scalars": 70_000, "embedding": 20_000, "one-hot": 20_000},
    "batch_size": 256,
    "learning_rate": 5e-3,
    "schedule": "one-cycle",
    "entropy_bonus": {"scalars": 0.0, "embedding": 0.01, "one-hot": 0.01},
    "start_length": 6,
    "scalar_reach": 8.0,
    "clip_norm": 1.0,
}
_LOCAL = _PAPER | {
    "inputs": "embedding",
    "steps": 1_500,
    "batch_size": 480,
    "learning_rate": 3e-3,
    "schedule": "one-cycle",
    "entropy_bonus": 0.03,
    "network": "local",
    "every_target": True,
    "scalar_reach": 8.0,
    "clip_norm": 1.0,
    "weight_average": 0.998,
}
RECIPES: Mapping[str, Mapping[str, Any]] = {
    "paper": _PAPER,
    "curriculum": _CURRICULUM,
    "local": _LOCAL,
    "landmark": _LOCAL | {"network": "landmark"},
}
"""What each recipe says about the fields of `Recipe`; some values depend on the inputs."""


def defaults_text() -> str:
    """Return a line for all recipes, and one for each, with the defaults of their options, for the help."""
    fields = [field for field in dataclasses.fields(Recipe) if field.init]
    options, common = [field.name for field in fields], {f.name: f.default for f in fields if f.default}
    words = (f"{name.replace('_', '-')} {value}" for name, value in common.items())
    lines = [f"Defaults: {', '.join(words)}."]
    for name, defaults in RECIPES.items():
        words = (f"{o.replace('_', '-')} {_in_words(defaults[o])}" for o in options if o in defaults)
        lines.append(f"Defaults of {name}: {', '.join(words)}.")
    return "\n\n".join(lines)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return " or ".join(f"{_in_words(of_inputs)} ({inputs})" for inputs, of_inputs in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Recipe(Settings):
    """How a pair is trained. An option that is left out (None) has the value that `RECIPES` says."""

    recipe: Literal["paper", "curriculum", "local", "landmark"] = "curriculum"
    """paper: the paper's schedule, on fresh episodes unless fixed_samples says otherwise. curriculum: short
    sequences first, small batches, and a higher rate that rises and falls; it is many times faster. local:
    networks that look at neighbourhoods, with every cell as a target; it takes minutes, also on grids.
    landmark: as local, with networks that name an integer and its offset separately."""
    inputs: Inputs = LEFT_OUT
    """How integers enter the networks: as numbers (as in the paper), as rows of a table, or one-hot."""
    steps: int = LEFT_OUT
    """Number of training steps."""
    batch_size: int = LEFT_OUT
    """Episodes in each step; local and landmark round it up to whole sequences."""
    learning_rate: float = LEFT_OUT
    """Learning rate of Adam; in a one-cycle schedule, the highest rate."""
    schedule: Schedule = LEFT_OUT
    """The learning rate over time: constant, or one-cycle (rises over the first quarter, then falls to 0)."""
    entropy_bonus: float = LEFT_OUT
    """Weight of the entropy of the sender's symbols in the loss, falling to 0 over 70% of the steps. It keeps
    the sender from settling on a few messages too early."""
    temperature: float = 1.0
    """Temperature of the Gumbel-Softmax."""
    straight_through: bool = False
    """Send one-hot symbols forward and let the gradient pass as if they were soft."""
    hidden_size: int = NetworkConfig.hidden_size
    """Hidden size of every GRU of both agents (no effect in landmark)."""
    embedding_size: int = NetworkConfig.embedding_size
    """Width of a row of the learned table (inputs "embedding" only)."""
    fixed_samples: int = 0
    """Train on this number of episodes, drawn once and shuffled for each pass (the paper: 200,000); 0 for
    fresh episodes in every step. Only the recipe paper can do this."""
    unseen: float = 0.0
    """Leave out this share of the integers at each offset, chosen by the seed. No training window shows these
    combinations (in local and landmark, candidates do not either); `evaluate --study unseen` then tests
    them."""
    start_visible: int = 0
    """Number of neighbours that the sender sees in the first steps (landmark only). It grows to the game's
    number over 60% of the steps; 0 for the game's number from the first step."""
    senders: int = 1
    """Number of senders. Each step trains one of them, drawn at random, with one of the receivers."""
    receivers: int = 1
    """Number of receivers. Each sender with each receiver is a pair of the run."""

    # What no option changes:
    network: Network = dataclasses.field(init=False)
    """The kind of networks: `NetworkConfig.network` explains each."""
    every_target: bool = dataclasses.field(init=False)
    """Whether each cell of a sequence is the target of one episode, and all cells are candidates. Batches are
    then rounded up to whole sequences. Otherwise each sequence has one target."""
    start_length: int = dataclasses.field(init=False)
    """Sequence length of the first steps, which grows to the game's; 0 for the full game from the start."""
    scalar_reach: float = dataclasses.field(init=False)
    """Numbers that enter the networks are scaled to -reach..reach; 0 leaves them raw."""
    clip_norm: float = dataclasses.field(init=False)
    """Gradients are scaled down to this norm; 0 for never."""
    weight_average: float = dataclasses.field(init=False)
    """The pair plays with a moving average of the weights, which keeps this share of itself at each step
    (less in the first steps); 0 for the latest weights."""

    def __post_init__(self) -> None:
        require_one_of("recipe", self.recipe, tuple(RECIPES))
        defaults = RECIPES[self.recipe]
        if self.inputs is LEFT_OUT:
            self._set("inputs", defaults["inputs"])
        require_one_of("inputs", self.inputs, get_args(Inputs))
        for name, value in defaults.items():
            if getattr(self, name, LEFT_OUT) is LEFT_OUT:
                self._set(name, value[self.inputs] if isinstance(value, dict) else value)
        self._whole("steps", 1)
        self._whole("batch_size", 1, MOST_EPISODES)
        self._number("learning_rate", 0, above=True)
        require_one_of("schedule", self.schedule, get_args(Schedule))
        self._number("entropy_bonus", 0)
        self._number("temperature", 0, above=True)
        self._bool("straight_through")
        self._whole("fixed_samples", 0, MOST_EPISODES)
        self._number("unseen", 0, 1, below=True)
        self._whole("start_visible", 0)
        self._whole("senders", 1, MOST_MEMBERS)
        self._whole("receivers", 1, MOST_MEMBERS)
        self.network_config  # noqa: B018  (checks the sizes of the networks, and that they take these inputs)
        for name, refused, where in (
            ("fixed_samples", self.recipe != "paper", f"with recipe {self.recipe}"),
            ("fixed_samples", self.unseen > 0, "with unseen"),
            ("start_visible", self.recipe != "landmark", f"with recipe {self.recipe}"),
        ):
            value = getattr(self, name)
            require(not value or not refused, f"{name} must be 0 {where}", value)

    @property
    def network_config(self) -> NetworkConfig:
        """The config of the networks that this recipe trains."""
        return NetworkConfig(
            **{each.name: getattr(self, each.name) for each in dataclasses.fields(NetworkConfig)}
        )

    @property
    def members(self) -> dict[str, tuple[int, int]]:
        """The sender and the receiver of each pair by the name of its folder, "" for the only one."""
        pairs = itertools.product(range(self.senders), range(self.receivers))
        several = self.senders * self.receivers > 1
        return {f"sender{i}-receiver{j}" if several else "": (i, j) for i, j in pairs}

    def sequences(self, config: GameConfig) -> int:
        """Return the number of sequences in a step."""
        return math.ceil(self.batch_size / config.sequence_length) if self.every_target else self.batch_size

    def episodes(self, config: GameConfig) -> int:
        """Return the number of episodes in a step."""
        return self.sequences(config) * (config.sequence_length if self.every_target else 1)


@dataclass(frozen=True, kw_only=True)
class RunOptions(Settings):
    """How many pairs to train, and where; `TrainOptions` checks the values."""

    pairs: int = 1
    """Number of pairs to train, each in a sub-folder of the run. The first has the seed, and the others seeds
    that are drawn from it; each is the pair of a run of its own with that seed."""
    seed: int = 0
    """Root of every random stream: weights, episodes, noise, validation and evaluation."""
    out: Path | None = None
    """Folder for the run: a new or empty folder, or the folder of the same run, which then continues."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train: cpu, cuda, or auto (cuda if there is one)."""
    evaluation_episodes: int = 20_000
    """Number of fresh episodes of the full game on which the finished pair is evaluated."""
    checkpoint_seconds: float = 30.0
    """Seconds between two checkpoints."""


@dataclass(frozen=True)
class TrainOptions(RunOptions):
    """What to train, and where: the game, the recipe, the number of pairs and the folder of the run."""

    config: GameConfig = dataclasses.field(default_factory=GameConfig)
    """The game to learn."""
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    """How to learn it."""
    objective_options: Mapping[str, Any] = dataclasses.field(default_factory=dict, kw_only=True)
    """Values of the keyword-only parameters of an objective of your own."""

    def __post_init__(self) -> None:
        for name, part, kind in (("config", self.config, GameConfig), ("recipe", self.recipe, Recipe)):
            if not isinstance(part, kind):
                raise UserTypeError(f"{name} must be a {kind.__name__}; got {part!r}")
        self._whole("pairs", 1, MOST_PAIRS)
        self._whole("seed", 0, MOST_SEED)
        if self.out is not None:
            if not isinstance(self.out, (str, os.PathLike)):
                raise UserTypeError(f"out must be the path of a folder; got {shortened(self.out)}")
            self._set("out", Path(self.out))
        require_one_of("device", self.device, ("auto", "cpu", "cuda"))
        self._whole("evaluation_episodes", 1, MOST_EPISODES)
        self._number("checkpoint_seconds", 0)
        _require_dict(self.objective_options)
        visible, start = self.config.num_shown, self.recipe.start_visible
        rule = f"start_visible must be at most {visible}, the number of visible cells"
        require(start <= visible, rule, start)

    def to_dict(self) -> dict[str, Any]:
        """Return what a run folder records: all except `out`, because a folder may move."""
        parts = {"config": self.config.to_dict(), "recipe": self.recipe.to_dict()}
        return {name: value for name, value in (super().to_dict() | parts).items() if name != "out"}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> TrainOptions:
        """Return the options that `to_dict` described. Raises `UserError` on an unknown field."""
        parts: dict[str, Settings] = {}
        for name, kind in (("config", GameConfig), ("recipe", Recipe)):
            content = require_field(require_object(cls.__name__, fields), name)
            with within(name):
                parts[name] = kind.from_dict(content)
        return super().from_dict({**fields, **parts})

    def difference(self, other: TrainOptions) -> tuple[str, Any, Any] | None:
        """Return the name of the first option that differs, and both values; None if all are equal."""
        mine, theirs = self._flat(), other._flat()
        name = next((name for name, value in mine.items() if value != theirs[name]), None)
        return None if name is None else (name, mine[name], theirs[name])

    @property
    def setting(self) -> dict[str, Any]:
        """The options that decide in which weights a training ends, by their names."""
        of_recipe = dataclasses.asdict(self.recipe)
        return {**self.config.to_dict(), **of_recipe, **self.objective_options, "seed": self.seed}

    def _flat(self) -> dict[str, Any]:
        """Return the options of the game, of the recipe and of the run by their names."""
        return {
            field.name: getattr(part, field.name)
            for part in (self.config, self.recipe, self)
            for field in dataclasses.fields(part)
            if not dataclasses.is_dataclass(getattr(part, field.name))
        }


def sweep(**options: Any) -> list[TrainOptions]:
    """Return what to train for each combination of the values of options.

    A list, another sequence or an array is several values; of `shape`, a tuple of numbers is one.

    The options are the fields of `GameConfig`, `Recipe` and `RunOptions`, and `objective_options`, whose own
    values may be several. Of several combinations, each has a folder in `out` that is named after its values,
    such as `temperature=0.5`. Raises as these classes do.
    """
    objective_options = options.pop("objective_options", {})
    _require_dict(objective_options)
    _require_known(options)
    values_of = {name: _values(name, value) for name, value in {**options, **objective_options}.items()}
    several = {name: values for name, values in values_of.items() if values is not None}
    runs = []
    for values in itertools.product(*several.values()):
        setting = dict(zip(several, values, strict=True))
        run = {name: setting.get(name, value) for name, value in options.items()}
        game = {name: run.pop(name) for name in ("game", *GameConfig.names()) if name in run}
        recipe = {name: run.pop(name) for name in Recipe.names() if name in run}
        if setting and run.get("out") is not None:
            folder = ",".join(f"{name}={_as_name(value)}" for name, value in setting.items())
            run["out"] = Path(run["out"], folder)
        run["objective_options"] = {
            name: setting.get(name, value) for name, value in objective_options.items()
        }
        runs.append(TrainOptions(GameConfig().changed(**game), Recipe(**recipe), **run))
    return runs


def _require_dict(objective_options: Any) -> None:
    is_dict = isinstance(objective_options, Mapping)
    require(is_dict, "objective_options must be a dict", shortened(objective_options))


def _require_known(options: Mapping[str, Any]) -> None:
    """Raise `ValueError` for an option of a sweep that there is not."""
    known = ["game", *GameConfig.names(), *Recipe.names(), *RunOptions.names(), "objective_options"]
    for name in options:
        rule = f"options must be among {', '.join(known)}"
        require(name in known, rule, f"{name}{did_you_mean(name, known)}")


def _values(name: str, value: Any) -> list[Any] | None:
    """Return several values of an option as a list; None for one value. Raises `ValueError` for no value."""
    one_shape = name == "shape" and isinstance(value, tuple) and all(isinstance(n, Integral) for n in value)
    if one_shape or isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        return None
    values = value.tolist() if isinstance(value, np.ndarray) else list(value)
    require(bool(values), f"{name} must have at least one value", shortened(value))
    require(len({*map(str, values)}) == len(values), f"{name} must have different values", shortened(values))
    return values


def _as_name(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value).replace("/", "_")
