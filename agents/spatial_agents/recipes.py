"""How pairs are built and trained, as dataclasses whose docstrings are the command line's help.

Nothing here needs torch, so `--help` and error messages come at once.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from spatial_game.config import GameConfig, did_you_mean, require

LARGEST_WIDTH = 65_536
"""The largest allowed hidden size and embedding size."""

LARGEST_TABLE = 2**24
"""The most numbers in a table that a pair plays with. Two copies of such a table take 128 MiB of memory."""

BLANK = -1
"""What a local or landmark receiver sees beyond the border."""

SHARP, UNSEEN = 4.0, -1e9
"""In landmark networks: the factor before a softmax, and the score of a hidden cell."""

WIDER = 2
"""The width of the layer before the state, in local networks, as a multiple of the hidden size."""

WARM_UP, WARM_UP_FROM = 0.25, 1 / 25
"""One-cycle: the share of the steps in which the rate rises, and the first rate as a share of the highest."""

LAST_RATE = 0.01
"""Linear: the last learning rate, as a share of the first."""

BONUS_ENDS = 0.7
"""The share of the steps after which the entropy has no weight in the loss."""

SIGHT_GROWS = 0.6
"""The share of the steps in which the sender sees more and more neighbours, with `start_visible`."""

GROW_AT = 0.35
"""Training accuracy over an interval from which on sequences grow by a quarter (at least 2)."""

Inputs = Literal["scalars", "embedding", "one-hot"]
Network = Literal["sequential", "local", "landmark"]
Schedule = Literal["constant", "one-cycle", "linear"]


@dataclass(frozen=True, kw_only=True)
class RecipeSettings:
    """What a recipe says: the defaults of its options, and below them what no option changes.

    What a recipe does not say is as in the paper.
    """

    inputs: Inputs = "scalars"
    steps: int | dict[Inputs, int] = 98_000
    batch_size: int = 2048
    learning_rate: float = 1e-3
    schedule: Schedule = "constant"
    entropy_bonus: float | dict[Inputs, float] = 0.0

    network: Network = "sequential"
    every_target: bool = False
    """Whether each cell of a sequence is the target of one episode, and all cells are candidates. Batches are
    then rounded up to whole sequences. Otherwise each sequence has one target."""
    start_length: int = 0
    """Sequence length of the first steps, which grows to the game's; 0 for the full game from the start."""
    scalar_reach: float = 0.0
    """See `AgentConfig`."""
    clip_norm: float = 0.0
    """Gradients are scaled down to this norm; 0 for never."""
    weight_average: float = 0.0
    """The pair plays with a moving average of the weights, which keeps this share of itself at each step
    (less in the first steps); 0 for the latest weights."""


_CURRICULUM = RecipeSettings(
    steps={"scalars": 70_000, "embedding": 20_000, "one-hot": 20_000},
    batch_size=256,
    learning_rate=5e-3,
    schedule="one-cycle",
    entropy_bonus={"scalars": 0.0, "embedding": 0.01, "one-hot": 0.01},
    start_length=6,
    scalar_reach=8.0,
    clip_norm=1.0,
)
_LOCAL = RecipeSettings(
    inputs="embedding",
    steps=1_500,
    batch_size=480,
    learning_rate=3e-3,
    schedule="one-cycle",
    entropy_bonus=0.03,
    network="local",
    every_target=True,
    scalar_reach=8.0,
    clip_norm=1.0,
    weight_average=0.998,
)
RECIPES = {
    "paper": RecipeSettings(),
    "curriculum": _CURRICULUM,
    "local": _LOCAL,
    "landmark": dataclasses.replace(_LOCAL, network="landmark"),
}


def require_small_tables(game: GameConfig, agent: AgentConfig) -> None:
    """Raise `ValueError` for a game whose tables of windows take too much memory."""
    if agent.network == "sequential":
        return
    offsets = (4 * game.window_radius + 1) ** len(game.shape)
    numbers = max(game.window_size**2, offsets * math.prod(game.shape[1:]))
    rule = f"window_radius must be small enough for a table of at most {LARGEST_TABLE} numbers"
    require(numbers <= LARGEST_TABLE, rule, f"{game.window_radius}, for which it has {numbers}")


def visible_cells(game: GameConfig) -> int:
    """Return the number of neighbours of the target that the sender sees."""
    return game.window_size - 1 - game.num_hidden


class _Checked:
    """A dataclass that checks its fields and can be stored as JSON."""

    def __post_init__(self) -> None:
        _check_fields(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Return what `to_dict` described. Raises `ValueError` on an unknown field."""
        known = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        for name in fields:
            require(name in known, f"{cls.__name__} fields must be among {', '.join(known)}", repr(name))
        return cls(**fields)


@dataclass(frozen=True, kw_only=True)
class AgentConfig(_Checked):
    """The size and the inputs of the two networks (section 3 and figure 1 of the paper).

    With `inputs="scalars"` and `scalar_reach=0` they are the paper's networks. Raises `ValueError` that names
    the field, the rule and the value.
    """

    hidden_size: int = 64
    """Hidden size of every GRU of both agents."""
    inputs: Inputs = "scalars"
    """How integers enter the networks: as numbers (as in the paper), as rows of a table, or one-hot."""
    scalar_reach: float = 0.0
    """Scalars are centred and scaled so that 0..num_integers-1 spans -reach..reach; 0 leaves them raw. The
    first weights could undo this linear change, so the networks stay the same."""
    embedding_size: int = 16
    """Width of a row of the learned table (inputs "embedding" only)."""
    network: Network = "sequential"
    """sequential: read windows and sequences cell by cell (as in the paper). local: see a window at once, and
    score each candidate by the cells around it. landmark: name one neighbour by its integer and its offset,
    and score each candidate by the integer at that offset. It has no GRUs, so hidden_size has no effect."""

    def __post_init__(self) -> None:
        super().__post_init__()
        rule = f"inputs must be embedding or one-hot with network {self.network}"
        require(self.network != "landmark" or self.inputs != "scalars", rule, self.inputs)

    def scaling(self, num_integers: int) -> tuple[float, float]:
        """Return what is subtracted from a scalar, and the factor that multiplies the result."""
        half = (num_integers - 1) / 2
        return (half, self.scalar_reach / half) if self.scalar_reach else (0.0, 1.0)


@dataclass(frozen=True)
class Recipe(_Checked):
    """How a pair is trained. A setting that is None takes its value from the named recipe (`RECIPES`).

    Raises `ValueError` that names the field, the rule and the value.
    """

    recipe: Literal["paper", "curriculum", "local", "landmark"] = "curriculum"
    """paper: the paper's schedule, on fresh episodes unless fixed_samples says otherwise. curriculum: short
    sequences first, small batches, and a higher rate that rises and falls; it is many times faster. local:
    networks that look at neighbourhoods, with every cell as a target; it takes minutes, also on grids.
    landmark: as local, with networks that name an integer and its offset separately."""
    steps: int | None = None
    """Training steps (paper: 98,000; curriculum: 70,000 with scalars, 20,000 otherwise; local and landmark:
    1,500)."""
    batch_size: int | None = None
    """Episodes in each step (paper: 2048; curriculum: 256; local and landmark: 480, rounded up to whole
    sequences)."""
    learning_rate: float | None = None
    """Learning rate of Adam; in a one-cycle schedule, the highest rate (paper: 0.001; curriculum: 0.005;
    local and landmark: 0.003)."""
    schedule: Schedule | None = None
    """The learning rate over time: constant; one-cycle (rising over the first quarter, then falling to 0);
    linear (falling to a hundredth from the first step) (paper: constant; others: one-cycle)."""
    entropy_bonus: float | None = None
    """Weight of the entropy of the sender's symbols in the loss, falling to 0 over 70% of the steps. It keeps
    the sender from settling on a few messages too early (paper: 0; curriculum: 0 with scalars, 0.01
    otherwise; local and landmark: 0.03)."""
    temperature: float = 1.0
    """Temperature of the Gumbel-Softmax."""
    straight_through: bool = False
    """Send one-hot symbols forward and let the gradient pass as if they were soft."""
    hidden_size: int = 64
    """Hidden size of every GRU of both agents (no effect in landmark)."""
    embedding_size: int = 16
    """Width of a row of the learned table (inputs "embedding" only)."""
    inputs: Inputs | None = None
    """How integers enter the networks: as numbers (as in the paper), as rows of a table, or one-hot (paper,
    curriculum: scalars; local, landmark: embedding)."""
    fixed_samples: int = 0
    """Train on this number of episodes, drawn once and shuffled for each pass (the paper: 200,000); 0 for
    fresh episodes in every step. Only the recipe paper can do this."""
    hold_out: float = 0.0
    """Leave out this share of the integers at each offset, chosen by the seed. No training window shows these
    combinations; `evaluate --held-out` then tests them."""
    start_visible: int = 0
    """Number of neighbours that the sender sees in the first steps (landmark only). It grows to the game's
    number over 60% of the steps; 0 for the game's number from the first step."""

    def __post_init__(self) -> None:
        _require_one_of("recipe", self.recipe, tuple(RECIPES))
        if self.inputs is not None:  # other defaults need it
            _require_one_of("inputs", self.inputs, get_args(Inputs))
        for field in dataclasses.fields(self):
            if getattr(self, field.name) is None:
                object.__setattr__(self, field.name, self.default(field.name))
        super().__post_init__()
        self.agent  # noqa: B018  (checks that the networks take these inputs)
        for name, refused, where in (
            ("fixed_samples", self.recipe != "paper", f"with recipe {self.recipe}"),
            ("fixed_samples", self.hold_out > 0, "with hold_out"),
            ("start_visible", self.recipe != "landmark", f"with recipe {self.recipe}"),
        ):
            value = getattr(self, name)
            require(not value or not refused, f"{name} must be 0 {where}", value)

    def default(self, name: str) -> Any:
        """Return the default of an option, which may depend on the recipe and the inputs."""
        default = next(field.default for field in dataclasses.fields(self) if field.name == name)
        value = getattr(self.settings, name) if default is None else default
        return value[self.inputs or self.settings.inputs] if isinstance(value, dict) else value

    @property
    def settings(self) -> RecipeSettings:
        """What the recipe says."""
        return RECIPES[self.recipe]

    @property
    def agent(self) -> AgentConfig:
        """The config of the networks that this recipe trains."""
        return AgentConfig(
            hidden_size=self.hidden_size,
            inputs=self.inputs or self.settings.inputs,
            scalar_reach=self.settings.scalar_reach,
            embedding_size=self.embedding_size,
            network=self.settings.network,
        )

    def every_setting(self) -> dict[str, Any]:
        """Return the options, and what the recipe says beside them, for cards and checkpoints."""
        return {"recipe": self.recipe, **dataclasses.asdict(self.settings), **self.to_dict()}

    def sequences(self, game: GameConfig) -> int:
        """Return the number of sequences in a step."""
        size = self.batch_size or 0
        return -(-size // game.sequence_length) if self.settings.every_target else size

    def episodes(self, game: GameConfig) -> int:
        """Return the number of episodes in a step."""
        return self.sequences(game) * (game.sequence_length if self.settings.every_target else 1)


@dataclass(frozen=True)
class TrainOptions(_Checked):
    """The options of `spatial-game train`."""

    game: GameConfig = dataclasses.field(default_factory=GameConfig)
    """The game to learn."""
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    """How to learn it."""
    pairs: int = 1
    """Pairs to train. Of several, pair i has the seed seed+i and the sub-folder i of the run."""
    seed: int = 0
    """Root of every random stream: weights, episodes, noise, validation and evaluation."""
    out: Path | None = None
    """Folder for the run: a new or empty folder, or the folder of the same run, which then continues."""
    resume: Path | None = None
    """Continue this run with its own options. You can only change where it runs."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto (cuda if there is one), cpu or cuda."""
    evaluation_episodes: int = 20_000
    """Fresh episodes of the full game to evaluate the finished pair."""
    checkpoint_seconds: float = 30.0
    """Seconds between two checkpoints."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_small_tables(self.game, self.recipe.agent)
        visible, start = visible_cells(self.game), self.recipe.start_visible
        rule = f"start_visible must be at most {visible}, the number of visible cells"
        require(start <= visible, rule, start)
        rule = "out must be left out with resume, which names the folder of the run"
        require(self.out is None or self.resume is None, rule, self.out)

    def to_dict(self) -> dict[str, Any]:
        """Return what a run folder records: all except `out` and `resume`, because a folder may move."""
        fields = super().to_dict()
        del fields["out"], fields["resume"]
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> TrainOptions:
        """Return the options that `to_dict` described. Raises `ValueError` on an unknown field."""
        parts = {
            "game": GameConfig.from_dict(fields["game"]),
            "recipe": Recipe.from_dict(fields["recipe"]),
        }
        return super().from_dict({**fields, **parts})

    def command(self, out_name: str) -> str:
        """Return the command line of this training, with the options that differ from the defaults, in order.

        The run's folder is always `runs/<out_name>`, because cards are shared with other machines.
        """
        words = ["spatial-game", "train", *_game_flags(self.game), "--recipe", self.recipe.recipe]
        own = {f.name: self.recipe.default(f.name) for f in dataclasses.fields(self.recipe)}
        words += _flags(self.recipe, {**own, "recipe": self.recipe.recipe})
        plain = {f.name: f.default for f in dataclasses.fields(self) if f.name not in ("game", "recipe")}
        plain |= {"out": self.out, "resume": self.resume, "seed": self.seed}
        words += _flags(self, plain)
        return " ".join([*words, "--seed", str(self.seed), "--out", f"runs/{out_name}"])


def _game_flags(game: GameConfig) -> list[str]:
    defaults = {f.name: f.default for f in dataclasses.fields(game) if f.name != "shape"}
    length = game.sequence_length
    words = _flags(game, {**defaults, "sequence_length": length, "num_integers": length})
    if len(game.shape) == 1:
        return [*words, "--sequence-length", str(game.sequence_length)]
    return [*words, "--shape", *map(str, game.shape)]


def _flags(config: Any, defaults: Mapping[str, Any]) -> list[str]:
    words = []
    for name, default in defaults.items():
        value = getattr(config, name)
        if value != default:
            flag = "--" + name.replace("_", "-")
            words += [flag] if value is True else [flag, str(value)]
    return words


_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
"""What a field of each type must be."""

_RANGES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "at least 1": (
        "hidden_size embedding_size steps batch_size pairs evaluation_episodes",
        lambda value: value >= 1,
    ),
    "at least 0": (
        "scalar_reach entropy_bonus start_visible fixed_samples seed checkpoint_seconds",
        lambda value: value >= 0,
    ),
    "above 0": ("learning_rate temperature", lambda value: value > 0),
    "in [0, 1)": ("hold_out", lambda value: 0 <= value < 1),
    f"at most {LARGEST_WIDTH}": ("hidden_size embedding_size", lambda value: value <= LARGEST_WIDTH),
}
"""The ranges of fields: the rule in words, the names of the fields, and the test."""


def _check_fields(config: Any) -> None:
    """Raise `ValueError` for a field with a wrong type, or outside its choices or its range."""
    for name, hint in get_type_hints(type(config)).items():
        value, kinds = getattr(config, name), (hint, *get_args(hint))
        for kind in kinds if value is not None or type(None) not in kinds else ():
            if get_origin(kind) is Literal:
                _require_one_of(name, value, get_args(kind))
            elif kind in _TYPES:
                fits = isinstance(value, (int, float) if kind is float else kind)
                fits &= isinstance(value, bool) == (kind is bool)
                require(fits, f"{name} must be {_TYPES[kind]}", repr(value))
    for rule, (names, holds) in _RANGES.items():
        for name in names.split():
            value = getattr(config, name, None)
            fits = value is None or (holds(value) and (isinstance(value, int) or math.isfinite(value)))
            require(fits, f"{name} must be {rule}", value)


def _require_one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        near = did_you_mean(str(value), choices)
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}{near}")
