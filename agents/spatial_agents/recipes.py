"""How pairs are built and trained, as dataclasses whose docstrings are the command line's help.

Nothing here needs torch, so `--help` and error messages come at once.
"""

from __future__ import annotations

import dataclasses
import functools
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

Inputs = Literal["scalars", "embedding", "one-hot"]
Network = Literal["sequential", "local", "landmark", "product"]

# The settings of each recipe, for options that are not given. Some depend on the inputs; one-hot inputs are
# trained like embeddings.
_SEQUENTIAL = {"network": "sequential", "inputs": "scalars", "targets": "one", "weight_average": 0.0}
_EVERY_CELL = {
    "inputs": "embedding",
    "targets": "all",
    "weight_average": 0.998,
    "steps": 1_500,
    "batch_size": 480,
    "learning_rate": 3e-3,
    "schedule": "one-cycle",
    "clip_norm": 1.0,
    "entropy_bonus": 0.03,
    "start_length": 0,
    "scalar_reach": 8.0,
}
RECIPES: dict[str, dict[str, Any]] = {
    "paper": {
        **_SEQUENTIAL,
        "steps": {"scalars": 98_000, "embedding": 98_000},
        "batch_size": 2048,
        "learning_rate": 1e-3,
        "schedule": "constant",
        "clip_norm": 0.0,
        "entropy_bonus": 0.0,
        "start_length": 0,
        "scalar_reach": 0.0,
    },
    "curriculum": {
        **_SEQUENTIAL,
        "steps": {"scalars": 70_000, "embedding": 20_000},
        "batch_size": 256,
        "learning_rate": 5e-3,
        "schedule": "one-cycle",
        "clip_norm": 1.0,
        "entropy_bonus": {"scalars": 0.0, "embedding": 0.01},
        "start_length": 6,
        "scalar_reach": 8.0,
    },
    "local": {**_EVERY_CELL, "network": "local"},
    "landmark": {**_EVERY_CELL, "network": "landmark"},
    "product": {**_EVERY_CELL, "network": "product", "steps": 5_000, "schedule": "constant"},
}


@functools.lru_cache(maxsize=16)
def smaller_shapes(game: GameConfig) -> dict[int, tuple[int, ...]]:
    """Return the shapes from the window's to the game's, by their numbers of cells.

    Each has one cell more than the one before on its shortest axis that can still grow.
    """
    shape, shapes = list(game.window_shape), {game.window_size: game.window_shape}
    while growing := [axis for axis, length in enumerate(shape) if length < game.shape[axis]]:
        shape[min(growing, key=shape.__getitem__)] += 1
        shapes[math.prod(shape)] = tuple(shape)
    return shapes


def length_from(least: int, game: GameConfig) -> int:
    """Return the smallest number of cells in `smaller_shapes` from `least` on; at most the game's."""
    return next((length for length in smaller_shapes(game) if length >= least), game.sequence_length)


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


_IN_OLDER_FILES = {
    "cell": "gru",
    "end_symbol": False,
    "length_cost": 0.0,
    "final_rate": 0.01,
    "temperature_schedule": "constant",
    "final_temperature": 0.5,
    "grow_by": "success",
    "grow_until": 0.2,
    "sight_until": 0.6,
}
"""Fields that were removed, and the only value that older files may have."""


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
        fields = {n: fields[n] for n in fields if (n, fields[n]) not in _IN_OLDER_FILES.items()}
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
    and score each candidate by the integer at that offset. It has no GRUs, so hidden_size has no effect.
    product: as landmark, but the receiver reads the whole message for both, with a GRU."""

    def __post_init__(self) -> None:
        super().__post_init__()
        rule = f"inputs must be embedding or one-hot with network {self.network}"
        require(not self.names_neighbours or self.inputs != "scalars", rule, self.inputs)

    @property
    def names_neighbours(self) -> bool:
        """Whether the networks have vectors for the integer and for the offset of one neighbour."""
        return self.network in ("landmark", "product")

    @property
    def kind(self) -> str:
        """The name of the module of these networks."""
        return "gru" if self.network == "sequential" else self.network

    def scaling(self, num_integers: int) -> tuple[float, float]:
        """Return what is subtracted from a scalar, and the factor that multiplies the result."""
        half = (num_integers - 1) / 2
        return (half, self.scalar_reach / half) if self.scalar_reach else (0.0, 1.0)


Schedule = Literal["constant", "one-cycle", "linear"]


@dataclass(frozen=True)
class Recipe(AgentConfig):
    """How a pair is trained. A setting that is None takes its value from the named recipe."""

    recipe: Literal["paper", "curriculum", "local", "landmark", "product"] = "curriculum"
    """paper: the paper's schedule, on fresh episodes unless fixed_samples says otherwise. curriculum: short
    sequences first, small batches, and a higher rate that rises and falls; it is many times faster. local:
    networks that look at neighbourhoods, with every cell as a target; it takes minutes, also on grids.
    landmark: as local, with networks that can name an integer and its offset separately. product: the same,
    but the receiver reads whole messages; with reset receivers and reset_every 200, its languages compose."""
    steps: int | None = None
    """Training steps (paper: 98,000; curriculum: 70,000 with scalars, 20,000 with embedding; local and
    landmark: 1,500; product: 5,000)."""
    batch_size: int | None = None
    """Episodes in each step (paper: 2048; curriculum: 256; local: 480)."""
    targets: Literal["one", "all"] | None = None
    """one: each sequence has one target, and the game's number of candidates. all: each cell of a sequence is
    the target of one episode, and all cells are candidates; batches are rounded up to whole sequences (local:
    all; others: one)."""
    fixed_samples: int = 0
    """Train on this number of episodes, drawn once and shuffled for each pass (the paper: 200,000); 0 for
    fresh episodes in every step."""
    hold_out: float = 0.0
    """Leave out this share of the integers at each offset, chosen by the seed. No training window shows these
    combinations; `evaluate --held-out` then tests them."""
    learning_rate: float | None = None
    """Learning rate of Adam; in a one-cycle schedule, the highest rate (paper: 0.001; curriculum: 0.005;
    local: 0.003)."""
    schedule: Schedule | None = None
    """The learning rate over time: constant; one-cycle (rising over the first quarter, then falling to 0);
    linear (falling to a hundredth from the first step) (paper, product: constant; others: one-cycle)."""
    clip_norm: float | None = None
    """Scale gradients down to this norm; 0 for never (paper: 0; others: 1)."""
    entropy_bonus: float | None = None
    """Weight of the entropy of the sender's symbols in the loss, falling to 0 over 70% of the steps. It keeps
    the sender from settling on a few messages too early (paper: 0; curriculum: 0 with scalars, 0.01 with
    embedding; local: 0.03)."""
    weight_average: float | None = None
    """The pair plays with a moving average of the weights, which keeps this share of itself at each step
    (less in the first steps); 0 for the latest weights (paper, curriculum: 0; local: 0.998)."""
    channel: Literal["gumbel", "reinforce"] = "gumbel"
    """How the sender learns: from gradients through soft symbols (Gumbel-Softmax), or by REINFORCE, from the
    receiver's loss only, with a moving average as baseline."""
    temperature: float = 1.0
    """Temperature of the Gumbel-Softmax."""
    straight_through: bool = False
    """Send one-hot symbols forward and let the gradient pass as if they were soft."""
    start_length: int | None = None
    """Sequence length of the first steps, which grows to the game's; 0 for the full game from the first step
    (curriculum: 6; others: 0)."""
    grow_at: float = 0.35
    """Training accuracy at which sequences grow by a quarter (at least 2)."""
    start_visible: int = 0
    """Number of neighbours that the sender sees in the first steps (networks landmark and product). It grows
    to the game's number over 60% of the steps; 0 for the game's number from the first step."""
    grow_every: int = 50
    """The logging interval: steps between two rows of metrics. Training accuracy is measured over it."""
    reconstruct: float = 0.0
    """Weight of a second task in the loss: the receiver also says, from the message alone, which integer the
    sender saw at each offset (networks sequential and local)."""
    one_factor: float = 0.0
    """The share of distractors that a visible integer does not rule out: the other cells that could be the
    target if only this integer were known, without its offset. 0 draws all distractors alike."""
    one_factor_start: float | None = None
    """one_factor in the first step, from which it moves in a straight line; by default it stays the same."""
    senders: int = 1
    """Senders of a population. In each step one sender and one receiver, drawn at random, play. Pair i of the
    run is sender i mod senders with receiver i mod receivers."""
    receivers: int = 1
    """Receivers of a population."""
    partition: bool = False
    """In a population, a sender learns only from the receivers of its own pairs; with another receiver, only
    that receiver learns (Michel et al. 2023)."""
    reset: Literal["none", "receivers", "senders", "both"] = "none"
    """The networks that are replaced by new ones again and again (ease of teaching: Li and Bowling 2019)."""
    reset_every: int = 0
    """Steps of a network's life with reset. Networks of a population are replaced one after another, at equal
    distances. The schedules of a network run over its own life; no life is shorter."""
    scalar_reach: float | None = dataclasses.field(default=None, kw_only=True)
    """Scalars span -reach..reach; 0 for the raw integers (paper: 0; others: 8)."""
    inputs: Inputs | None = dataclasses.field(default=None, kw_only=True)
    """How integers enter the networks: as numbers (as in the paper), as rows of a table, or one-hot (paper,
    curriculum: scalars; local: embedding)."""
    network: Network | None = dataclasses.field(default=None, kw_only=True)
    """sequential: read windows and sequences cell by cell (as in the paper). local: see a window at once, and
    score each candidate by the cells around it. landmark: name one neighbour by its integer and its offset,
    and score each candidate by the integer at that offset. product: as landmark, but the receiver reads the
    whole message for both, with a GRU (paper, curriculum: sequential; others: their own)."""

    def __post_init__(self) -> None:
        _require_one_of("recipe", self.recipe, tuple(RECIPES))
        if self.inputs is not None:  # other defaults need it
            _require_one_of("inputs", self.inputs, get_args(Inputs))
        for name in RECIPES[self.recipe]:
            if getattr(self, name) is None:
                object.__setattr__(self, name, self.default(name))
        super().__post_init__()
        for name, refused, where in (
            ("fixed_samples", self.start_length > 0, "where sequences grow (start_length 0: they do not)"),
            ("hold_out", self.fixed_samples > 0, "with fixed_samples"),
            ("fixed_samples", self.targets == "all", "with targets all"),
            ("start_length", self.targets == "all", "with targets all"),
            ("start_visible", not self.names_neighbours, f"with network {self.network}"),
            ("start_visible", self.fixed_samples > 0, "with fixed_samples"),
            ("one_factor", self.fixed_samples > 0, "with fixed_samples"),
            ("one_factor_start", self.fixed_samples > 0, "with fixed_samples"),
            ("reconstruct", self.names_neighbours, f"with network {self.network}"),
            ("reset_every", self.reset == "none", "without reset"),
            ("partition", self.senders == self.receivers == 1, "without a population"),
        ):
            value = getattr(self, name)
            nothing = "false" if value is True else 0
            require(not value or not refused, f"{name} must be {nothing} {where}", value)
        if self.reset != "none":
            rule = f"reset_every must be at least 1 and below steps, {self.steps}, with reset"
            require(1 <= self.reset_every < (self.steps or 0), rule, self.reset_every)

    def default(self, name: str) -> Any:
        """Return the default of a setting, which depends on the recipe and the inputs."""
        of_recipe = RECIPES[self.recipe]
        if name not in of_recipe:
            return next(f.default for f in dataclasses.fields(self) if f.name == name)
        if name == "entropy_bonus" and self.channel == "reinforce":
            return 0.05  # without it, the sender soon sends one message for everything
        value = of_recipe[name]
        return value.get(self.inputs, value["embedding"]) if isinstance(value, dict) else value

    @property
    def agent(self) -> AgentConfig:
        """Return the config of the networks that this recipe trains."""
        return AgentConfig(**{f.name: getattr(self, f.name) for f in dataclasses.fields(AgentConfig)})

    @property
    def leaves_out(self) -> bool:
        """Whether some episodes of a step do not count, because their windows show held-out combinations."""
        return self.hold_out > 0 and self.targets == "all"

    @property
    def population(self) -> bool:
        """Whether several senders and receivers are trained together, or networks are replaced."""
        return self.senders > 1 or self.receivers > 1 or self.reset != "none"

    def sequences(self, game: GameConfig) -> int:
        """Return the number of sequences in a step."""
        return self.batch_size if self.targets == "one" else -(-self.batch_size // game.sequence_length)

    def episodes(self, game: GameConfig) -> int:
        """Return the number of episodes in a step."""
        return self.sequences(game) * (1 if self.targets == "one" else game.sequence_length)

    def first_length(self, game: GameConfig) -> int:
        """Return the sequence length of the first step, long enough for the window and the candidates."""
        if self.start_length == 0:
            return game.sequence_length
        return length_from(max(self.start_length, game.num_candidates), game)


@dataclass(frozen=True)
class TrainOptions(_Checked):
    """The options of `spatial-game train`."""

    game: GameConfig = dataclasses.field(default_factory=GameConfig)
    """The game to learn."""
    recipe: Recipe = dataclasses.field(default_factory=Recipe)
    """How to learn it."""
    pairs: int = 1
    """Pairs to train. Of several, pair i has the seed seed+i and the sub-folder i of the run."""
    matmul: Literal["tf32", "float32"] = "tf32"
    """Precision of matrix products in training on CUDA."""
    seed: int = 0
    """Root of every random stream: weights, episodes, noise, validation and evaluation."""
    out: Path | None = None
    """Folder for the run: a new or empty folder, or the folder of the same run, which then continues."""
    resume: Path | None = None
    """Continue this run with its own options. You can only change where it runs."""
    device: str = "auto"
    """auto (cuda if there is one), cpu or cuda."""
    threads: int = 1
    """CPU threads of each process. For these networks one is best; use other cores for other pairs."""
    validate_every: int = 1000
    """Steps between two validations, rounded up to whole logging intervals (grow_every)."""
    validation_episodes: int = 4096
    """Fresh episodes of the full game in each validation."""
    evaluation_episodes: int = 20_000
    """Fresh episodes of the full game to evaluate the finished pair."""
    checkpoint_seconds: float = 30.0
    """Seconds between two checkpoints."""
    keep_every: int = 0
    """Keep the pair each time that this number of steps is done, and at both ends, in the sub-folder history;
    0 keeps nothing."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_small_tables(self.game, self.recipe)
        grown_grid = len(self.game.shape) > 1 and self.recipe.network != "sequential"
        rule = f"start_length must be 0 with network {self.recipe.network} on a grid"
        require(not grown_grid or self.recipe.start_length == 0, rule, self.recipe.start_length)
        visible, start = visible_cells(self.game), self.recipe.start_visible
        require(
            start <= visible, f"start_visible must be at most {visible}, the number of visible cells", start
        )
        together = "senders or receivers"
        several = max(self.recipe.senders, self.recipe.receivers) > 1
        require(self.pairs == 1 or not several, f"pairs must be 1 with several {together}", self.pairs)
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
    plain = GameConfig(game.sequence_length)
    defaults = {f.name: getattr(plain, f.name) for f in dataclasses.fields(plain) if f.name != "shape"}
    words = _flags(game, defaults)
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


_TYPES = {bool: "true or false", int: "a whole number", float: "a number"}
"""What a field of each type must be."""

_RANGES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "at least 1": (
        "hidden_size embedding_size steps batch_size grow_every pairs threads validate_every "
        "validation_episodes evaluation_episodes senders receivers",
        lambda value: value >= 1,
    ),
    "at least 0": (
        "scalar_reach clip_norm entropy_bonus start_length start_visible fixed_samples seed "
        "checkpoint_seconds reconstruct reset_every keep_every",
        lambda value: value >= 0,
    ),
    "above 0": ("learning_rate temperature", lambda value: value > 0),
    "in [0, 1)": ("grow_at weight_average hold_out", lambda value: 0 <= value < 1),
    "in [0, 1]": ("one_factor one_factor_start", lambda value: 0 <= value <= 1),
    "at most 1000": ("senders receivers", lambda value: value <= 1000),
    f"at most {LARGEST_WIDTH}": ("hidden_size embedding_size", lambda value: value <= LARGEST_WIDTH),
}
"""The ranges of fields: the rule in words, the names of the fields, and the test."""


def _check_fields(config: Any) -> None:
    """Raise `ValueError` for a field with a wrong type, or outside its choices or its range."""
    for name, hint in get_type_hints(type(config)).items():
        value = getattr(config, name)
        for kind in (hint, *get_args(hint)) if value is not None else ():
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
