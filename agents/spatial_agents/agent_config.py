"""The sizes and the inputs of the networks of a pair, and how the fields of a config are checked.

Nothing here needs torch, so `--help` and error messages come at once.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from spatial_game.config import GameConfig, did_you_mean, require

LARGEST_TABLE = 2**24
"""The most numbers in a table that a pair plays with. Two copies of such a table take 128 MiB of memory."""

BLANK = -1
"""What a local or landmark receiver sees beyond the border."""

SHARP, UNSEEN = 4.0, -1e9
"""In landmark networks: the factor before a softmax, and the score of a hidden cell."""

WIDER = 2
"""The width of the layer before the state, in local networks, as a multiple of the hidden size."""

Inputs = Literal["scalars", "embedding", "one-hot"]
Network = Literal["sequential", "local", "landmark"]


# --- Fields that check themselves ---------------------------------------------------------------------------

RANGES: dict[str, Callable[[Any], bool]] = {
    "at least 0": lambda value: value >= 0,
    "at least 1": lambda value: value >= 1,
    "above 0": lambda value: value > 0,
    "in [0, 1)": lambda value: 0 <= value < 1,
    "in 1..65536": lambda value: 1 <= value <= 65_536,
}
"""The ranges that a number may have to be in."""

_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
"""What a field of each type must be."""


def number(default: Any, must_be: str) -> Any:
    """Return a dataclass field with a default and one of `RANGES`."""
    return dataclasses.field(default=default, metadata={"range": must_be})


class Checked:
    """A dataclass that checks its fields and can be stored as JSON. Every number needs a range.

    Raises `ValueError` (an impossible value) or `TypeError` that names the field, the rule and the value.
    """

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            _check(field, getattr(self, field.name), hints[field.name])

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


def _check(field: dataclasses.Field[Any], value: Any, hint: Any) -> None:
    """Raise `TypeError` for a value of a wrong type, and `ValueError` for one not allowed or out of range."""
    kinds = (hint, *get_args(hint))  # `int | None` may be None, or an int
    for kind in kinds if value is not None or type(None) not in kinds else ():
        if get_origin(kind) is Literal:
            require_one_of(field.name, value, get_args(kind))
        is_config = isinstance(kind, type) and dataclasses.is_dataclass(kind)
        must_be = f"a {kind.__name__}" if is_config else _TYPES.get(kind)
        if must_be is not None:
            fits = isinstance(value, (int, float) if kind is float else kind)
            fits &= isinstance(value, bool) == (kind is bool)
            if not fits:
                raise TypeError(f"{field.name} must be {must_be}; got {value!r}")
        if kind in (int, float):
            must_be = field.metadata["range"]
            fits = RANGES[must_be](value) and (isinstance(value, int) or math.isfinite(value))
            require(fits, f"{field.name} must be {must_be}", value)


def require_one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise `ValueError` if a value is not one of the choices."""
    if value not in choices:
        near = did_you_mean(str(value), choices)
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}{near}")


# --- The config ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class AgentConfig(Checked):
    """The size and the inputs of the two networks (section 3 and figure 1 of the paper).

    With `inputs="scalars"` and `scalar_reach=0` they are the paper's networks. Raises `ValueError` (an
    impossible value) or `TypeError` that names the field, the rule and the value.
    """

    hidden_size: int = number(64, "in 1..65536")
    """Hidden size of every GRU of both agents."""
    inputs: Inputs = "scalars"
    """How integers enter the networks: as numbers (as in the paper), as rows of a table, or one-hot."""
    scalar_reach: float = number(0.0, "at least 0")
    """Scalars are centred and scaled so that 0..num_integers-1 spans -reach..reach; 0 leaves them raw. The
    first weights could undo this linear change, so the networks stay the same."""
    embedding_size: int = number(16, "in 1..65536")
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


def require_small_tables(game: GameConfig, agent: AgentConfig) -> None:
    """Raise `ValueError` for a game whose tables of windows take too much memory."""
    if agent.network == "sequential":
        return
    offsets = (4 * game.window_radius + 1) ** len(game.shape)
    numbers = max(game.window_size**2, offsets * math.prod(game.shape[1:]))
    rule = f"window_radius must be small enough for a table of at most {LARGEST_TABLE} numbers"
    require(numbers <= LARGEST_TABLE, rule, f"{game.window_radius}, for which it has {numbers}")
