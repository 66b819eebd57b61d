"""The sizes of a game."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, TypedDict, Unpack

from spatial_game.checks import require, require_one_of, shortened
from spatial_game.errors import UserError, UserTypeError
from spatial_game.settings import LEFT_OUT, Settings

Offset = int | tuple[int, ...]
"""The distance of a cell from the target: an integer on one axis, else a tuple such as (rows, columns)."""

LARGEST_INT16 = 32767  # recordings store integers and symbols as int16, with -1 for the mask
LONGEST_MESSAGE = 1000  # so no file can ask for more memory than the machine has
MOST_AXES = 4
_USUAL_LENGTH = 60
# The words for the two ends of each axis, by the number of axes; from three axes on, the edges are listed.
_ENDS = {1: [("begin", "end")], 2: [("top", "bottom"), ("left", "right")]}


@dataclass(frozen=True)
class GameConfig(Settings):
    """The size of every part of the spatial referential game (section 2.1 of the paper).

    The defaults are the paper's full game. A config is a value: configs with equal numbers are equal, and it
    holds no seed. `shape` puts the integers on a grid; `GameConfig(shape=(60,))` is
    `GameConfig(sequence_length=60)`. `changed` returns the game with other sizes; `small` and `tiny` are
    games that learn in seconds.

    Raises `ValueError` (an impossible number) or `TypeError` (not a whole number) that names the field, the
    rule and the value.
    """

    sequence_length: int = LEFT_OUT
    """Integers in the hidden sequence (L); in a grid, its number of cells.
    Default: the cells of `shape`, or 60."""
    num_integers: int = LEFT_OUT
    """A sequence is a random choice, in random order, from the integers 0..num_integers-1.
    Default: the length of the sequence."""
    window_radius: int = 2
    """Cells that the sender sees on each side of the target (r); the window has 2r+1 cells on each axis."""
    num_distractors: int = 4
    """Number of wrong candidates."""
    vocab_size: int = 26
    """Number of symbols (V): 0..vocab_size-1."""
    message_length: int = 3
    """Symbols in each message (T)."""
    shape: tuple[int, ...] = LEFT_OUT
    """Cells on each of the 1 to 4 axes of a grid, the first axis downwards. Default: (sequence_length,)."""
    num_visible: int | None = None
    """Neighbours of the target that the sender sees, drawn at random for each episode.
    Default: all."""

    def __post_init__(self) -> None:
        if self.sequence_length is not LEFT_OUT:
            self._whole("sequence_length", 1, LARGEST_INT16)
        self._settle_shape()
        if self.num_integers is LEFT_OUT:
            self._set("num_integers", self.sequence_length)
        self._whole("num_integers", 1, LARGEST_INT16)
        self._whole("window_radius", 1, LARGEST_INT16)
        self._whole("num_distractors", 1, LARGEST_INT16)
        self._whole("vocab_size", 2, LARGEST_INT16)
        self._whole("message_length", 1, LONGEST_MESSAGE)
        if self.num_visible is not None:
            self._whole("num_visible", 1)
        self._require_room()
        if not self.num_hidden:
            self._set("num_visible", None)

    def _settle_shape(self) -> None:
        """Make `shape` and `sequence_length` agree, whichever was given."""
        length = self.sequence_length
        if self.shape is LEFT_OUT:
            self._set("sequence_length", _USUAL_LENGTH if length is LEFT_OUT else length)
            self._set("shape", (self.sequence_length,))
            return
        self._set("shape", axes_of(self.shape))
        require(1 <= len(self.shape) <= MOST_AXES, f"shape must have 1 to {MOST_AXES} axes", self.shape)
        require(min(self.shape) >= 1, "shape must hold numbers of at least 1", self.shape)
        cells = math.prod(self.shape)
        require(cells <= LARGEST_INT16, f"shape must have at most {LARGEST_INT16} cells", self.shape)
        rule = "sequence_length must be left out or be the number of cells of shape"
        require(length in (LEFT_OUT, cells), rule, f"{length} and {self.shape}")
        self._set("sequence_length", cells)

    def _require_room(self) -> None:
        """Raise `ValueError` unless window, integers and candidates fit the grid."""
        length, on_axis = self.sequence_length, len(self.shape) == 1
        side, room = ("sequence_length", length) if on_axis else ("each number of shape", self.shape)
        rule = f"window_radius must satisfy 2*radius+1 <= {side}"
        require(2 * self.window_radius + 1 <= min(self.shape), rule, f"{self.window_radius} and {room}")
        others = self.window_size - 1
        rule = f"num_visible must be in 1..{others}, the window's cells without the mask"
        require(self.num_visible is None or self.num_visible <= others, rule, self.num_visible)
        rule = "num_integers must be at least sequence_length"
        require(self.num_integers >= length, rule, f"{self.num_integers} and {length}")
        rule = "num_distractors must be less than sequence_length, from which they are drawn"
        require(self.num_distractors < length, rule, f"{self.num_distractors} and {length}")

    @classmethod
    def small(cls) -> GameConfig:
        """Return the game of 8 integers, 3 candidates and messages of 2 symbols out of 8."""
        return GAMES["small"]

    @classmethod
    def tiny(cls) -> GameConfig:
        """Return the game of 4 integers, 2 candidates and messages of 2 symbols out of 4."""
        return GAMES["tiny"]

    @property
    def integers(self) -> range:
        """The integers that a sequence is drawn from: 0..num_integers-1."""
        return range(self.num_integers)

    @property
    def window_size(self) -> int:
        """Cells in the sender's window, the mask included (W = 2r+1, to the power of the number of axes)."""
        return math.prod(self.window_shape)

    @property
    def window_shape(self) -> tuple[int, ...]:
        """Cells of the window on each axis."""
        return (2 * self.window_radius + 1,) * len(self.shape)

    @property
    def num_hidden(self) -> int:
        """Cells of the window that the sender does not see, besides the mask; 0 by default."""
        return 0 if self.num_visible is None else self.window_size - 1 - self.num_visible

    @property
    def num_shown(self) -> int:
        """Number of integers that the sender sees: 2r in a whole window on one axis."""
        return self.window_size - 1 - self.num_hidden

    @property
    def message_bits(self) -> float:
        """The most bits that a message can carry: those of messages that are equally frequent."""
        return self.message_length * math.log2(self.vocab_size)

    @property
    def num_candidates(self) -> int:
        """Number of candidates: the target and the distractors (C)."""
        return self.num_distractors + 1

    @cached_property
    def offsets(self) -> tuple[Any, ...]:
        """Signed distances from the target at which the window can show an integer: -2r..2r without 0.

        Each is an `Offset`: an integer, or in a grid a tuple such as (rows, columns); in row-major order.
        """
        reach = range(-2 * self.window_radius, 2 * self.window_radius + 1)
        if len(self.shape) == 1:
            return tuple(offset for offset in reach if offset)
        return tuple(offset for offset in itertools.product(reach, repeat=len(self.shape)) if any(offset))

    @cached_property
    def edges(self) -> tuple[str, ...]:
        """Where the target stands, for each mask column; "middle" for the centre column.

        With radius 2: begin, begin+1, middle, end-1, end (the paper's five observation types). In two
        dimensions: "top left", "top", "top right", "left", "middle" and so on; in more, the edge of each
        axis, such as "(begin, middle, end)".
        """
        ends = _ENDS.get(len(self.shape), [("begin", "end")] * len(self.shape))
        on_axes = (_edges_of_axis(low, high, self.window_radius) for low, high in ends)
        return tuple(map(_edge_name, itertools.product(*on_axes)))

    @property
    def signature(self) -> str:
        """A short name of the game, such as `L60 w2 c5 | v26x3`, for the signature of a figure."""
        length = f"L{'x'.join(map(str, self.shape))}"
        if self.num_integers != self.sequence_length:
            length += f"/{self.num_integers}"
        seen = f" seen{self.num_visible}" if self.num_hidden else ""
        game = f"{length} w{self.window_radius}{seen} c{self.num_candidates}"
        return f"{game} | v{self.vocab_size}x{self.message_length}"

    def incompatibility(self, played: GameConfig, *, embedding: bool = False) -> str | None:
        """Return why agents or a dictionary of this config cannot play the game `played`; None if they can.

        Messages, windows and grids must have the same shape; the length of a sequence and the number of
        candidates may differ. Agents for whole windows cannot play with hidden cells. `embedding` adds the
        rule for inputs that are looked up in a table: no integer outside the table.
        """
        if len(self.shape) + len(played.shape) > 2 and self.shape != played.shape:
            return f"shape must be {self.shape}, as it was made for; got {played.shape}"
        for name in ("vocab_size", "message_length", "window_radius"):
            mine, theirs = getattr(self, name), getattr(played, name)
            if mine != theirs:
                return f"{name} must be {mine}, as it was made for; got {theirs}"
        if played.num_hidden and not self.num_hidden:
            return f"num_visible must be all, as it was made for; got {played.num_visible}"
        if embedding and played.num_integers > self.num_integers:
            mine, theirs = self.num_integers, played.num_integers
            return f"num_integers must be at most {mine}, as its embeddings have no other; got {theirs}"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON, without `shape` if it has one axis, and `num_visible` if it is all."""
        fields = super().to_dict()
        fields["shape"] = None if len(self.shape) == 1 else list(self.shape)
        return {name: value for name, value in fields.items() if value is not None}

    def changed(self, **options: Unpack[GameOptions]) -> GameConfig:
        """Return this game with other sizes, or the named `game` with other sizes.

        An option that is None is left as it is, but `num_visible=None` shows whole windows. With another
        length or shape, the game has as many integers as cells unless `num_integers` is given. Raises
        `TypeError` for a field that a game does not have.
        """
        game = options.pop("game", None)
        if game is not None:
            require_one_of("game", game, tuple(GAMES))
            return GAMES[game].changed(**options)
        given: dict[str, Any] = {
            name: value for name, value in options.items() if name == "num_visible" or value is not None
        }
        self._require_sizes(given)
        kept = self.to_dict()
        if given.keys() & {"sequence_length", "shape"}:
            kept = {name: kept[name] for name in kept.keys() - {"sequence_length", "shape", "num_integers"}}
        return GameConfig(**{**kept, **given})

    @classmethod
    def _require_sizes(cls, given: Mapping[str, Any]) -> None:
        """Raise `TypeError` for a name that is no field.

        It begins with Python's own words, which TorchRL looks for when it tries out arguments of other
        environments.
        """
        unexpected = "got an unexpected keyword argument"
        if "num_envs" in given:
            many = "ParallelVectorEnv, gymnasium.make_vec or RoleVecEnv"
            raise UserTypeError(f"{unexpected} 'num_envs'; to play many games at once, use {many}")
        if unknown := cls._unknown(given):
            sizes = ", ".join(cls.names())
            raise UserTypeError(f"{unexpected} {unknown}; the sizes of a game are {sizes}")


def _edges_of_axis(low: str, high: str, radius: int) -> list[str]:
    """Return the name of each cell of the mask along one axis; "" for the centre."""
    return [
        *(f"{low}+{i}" if i else low for i in range(radius)),
        "",
        *(f"{high}-{i}" if i else high for i in reversed(range(radius))),
    ]


def _edge_name(on_axes: tuple[str, ...]) -> str:
    if not any(on_axes):
        return "middle"
    if len(on_axes) > max(_ENDS):
        return f"({', '.join(edge or 'middle' for edge in on_axes)})"
    return " ".join(filter(None, on_axes))


def require_one_game(
    name: str, one: GameConfig, other: GameConfig, error: type[UserError] = UserError
) -> None:
    """Raise an error unless what `name` says is of one game."""
    if one != other:
        raise error(f"{name} must be of one game; got {one.signature} and {other.signature}")


def axes_of(shape: Any) -> tuple[int, ...]:
    """Return `shape` as a tuple of integers."""
    whole = isinstance(shape, (tuple, list)) and all(isinstance(axis, Integral) for axis in shape)
    if not whole or any(isinstance(axis, bool) for axis in shape):
        raise UserTypeError(f"shape must hold whole numbers, such as (8, 8); got {shortened(shape)}")
    return tuple(map(int, shape))


GameName = Literal["small", "tiny"]
"""The names in `GAMES`, for editors and type checkers."""
GAMES: Mapping[GameName, GameConfig] = {
    "small": GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2),
    "tiny": GameConfig(4, window_radius=1, num_distractors=1, vocab_size=4, message_length=2),
}
"""The games that have a name, beside the paper's full game."""


class GameOptions(TypedDict, total=False):
    """The options of a game as keyword arguments, so that editors and type checkers know them.

    They are the fields of `GameConfig`, and the name of the game that they change.
    """

    game: GameName | None
    sequence_length: int | None
    num_integers: int | None
    window_radius: int | None
    num_distractors: int | None
    vocab_size: int | None
    message_length: int | None
    shape: tuple[int, ...] | list[int] | None
    num_visible: int | None
