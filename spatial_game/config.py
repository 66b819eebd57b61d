"""The rules of one game, as numbers that check themselves."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# Recordings store integers and symbols as int16, with -1 for the mask.
LARGEST_INT16 = 32767
LONGEST_MESSAGE = 1000  # so that no file can ask for more memory than there is


@dataclass(frozen=True)
class GameConfig:
    """The size of every part of the spatial referential game (section 2.1 of the paper).

    The defaults are the paper's full game. A config is a value: equal numbers make equal configs, and it
    holds no seed. `num_integers=None` means as many as the sequence is long, and is replaced by that number.

    Raises `ValueError` (a number that cannot work) or `TypeError` (not a whole number), naming field, rule
    and value.
    """

    sequence_length: int = 60
    """Integers in the hidden sequence (L)."""
    num_integers: int | None = None
    """A sequence is a random choice, in random order, from the integers 0..num_integers-1.
    Default: as many as the sequence is long."""
    window_radius: int = 2
    """Cells that the sender sees on each side of the target (r); the window has 2r+1 cells."""
    num_distractors: int = 4
    """Wrong candidates beside the target."""
    vocab_size: int = 26
    """Number of symbols (V): 0..vocab_size-1."""
    message_length: int = 3
    """Symbols in each message (T)."""

    def __post_init__(self) -> None:
        if self.num_integers is None:
            object.__setattr__(self, "num_integers", self.sequence_length)
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _whole_number(field.name, getattr(self, field.name)))
        self._check()

    def _check(self) -> None:
        length, radius, integers = self.sequence_length, self.window_radius, self.num_integers
        assert integers is not None  # __post_init__ has replaced it
        _require(radius >= 1, "window_radius must be at least 1", radius)
        _require(
            2 * radius + 1 <= length,
            "window_radius must satisfy 2*radius+1 <= sequence_length",
            f"{radius} and {length}",
        )
        _require(
            length <= integers, "num_integers must be at least sequence_length", f"{integers} and {length}"
        )
        _require(integers <= LARGEST_INT16, f"num_integers must be at most {LARGEST_INT16}", integers)
        _require(self.num_distractors >= 1, "num_distractors must be at least 1", self.num_distractors)
        _require(
            self.num_distractors < length,
            "num_distractors must be less than sequence_length, from which they are drawn",
            f"{self.num_distractors} and {length}",
        )
        _require(self.vocab_size >= 2, "vocab_size must be at least 2", self.vocab_size)
        _require(
            self.vocab_size <= LARGEST_INT16, f"vocab_size must be at most {LARGEST_INT16}", self.vocab_size
        )
        _require(self.message_length >= 1, "message_length must be at least 1", self.message_length)
        _require(
            self.message_length <= LONGEST_MESSAGE,
            f"message_length must be at most {LONGEST_MESSAGE}",
            self.message_length,
        )

    @property
    def integers(self) -> range:
        """The integers that a sequence is drawn from: 0..num_integers-1."""
        assert self.num_integers is not None  # __post_init__ has replaced it
        return range(self.num_integers)

    @property
    def window_size(self) -> int:
        """Cells in the sender's window, the mask included (W = 2r+1)."""
        return 2 * self.window_radius + 1

    @property
    def num_candidates(self) -> int:
        """Target and distractors together (C)."""
        return self.num_distractors + 1

    @property
    def offsets(self) -> tuple[int, ...]:
        """Signed distances from the target at which the window can show an integer: -2r..2r without 0."""
        reach = 2 * self.window_radius
        return tuple(offset for offset in range(-reach, reach + 1) if offset != 0)

    @property
    def edges(self) -> tuple[str, ...]:
        """What each mask column says of the target's place; "middle" for the centre column.

        With radius 2: begin, begin+1, middle, end-1, end (the paper's five observation types).
        """
        radius = self.window_radius
        begin = tuple("begin" if i == 0 else f"begin+{i}" for i in range(radius))
        end = tuple("end" if i == 0 else f"end-{i}" for i in reversed(range(radius)))
        return (*begin, "middle", *end)

    @property
    def signature(self) -> str:
        """The game in one short phrase, such as `L60 w2 c5 | v26x3`, for the signature of a figure."""
        length = f"L{self.sequence_length}"
        if len(self.integers) != self.sequence_length:
            length += f"/{len(self.integers)}"
        game = f"{length} w{self.window_radius} c{self.num_candidates}"
        return f"{game} | v{self.vocab_size}x{self.message_length}"

    def incompatibility(self, played: GameConfig, *, embedding: bool = False) -> str | None:
        """Say why agents or a lexicon of this config cannot play the game `played`; None if they can.

        Messages and windows must have the same shape; sequence length and number of candidates are free.
        `embedding` adds the rule for inputs that are looked up in a table: no integer outside the table.
        """
        for name in ("vocab_size", "message_length", "window_radius"):
            mine, theirs = getattr(self, name), getattr(played, name)
            if mine != theirs:
                return f"{name} must be {mine}, as it was made for; got {theirs}"
        if embedding and len(played.integers) > len(self.integers):
            mine, theirs = len(self.integers), len(played.integers)
            return f"num_integers must be at most {mine}, as its embeddings have no other; got {theirs}"
        return None

    def to_dict(self) -> dict[str, int]:
        """The fields as plain integers, for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> GameConfig:
        """The config that `to_dict` described. Raises `ValueError` on an unknown field."""
        known = cls._names()
        for name in fields:
            _require(name in known, f"config fields must be among {', '.join(known)}", repr(name))
        return cls(**fields)

    @classmethod
    def of_keywords(cls, fields: Mapping[str, Any], name: str, maker: Callable[..., Any]) -> GameConfig:
        """Return the config of the keyword arguments that a maker does not name in its signature.

        Raises `TypeError` on an unknown one, with the name of the maker and what it takes.
        """
        unknown = [field for field in fields if field not in cls._names()]
        if unknown:
            import inspect  # loaded for the rare error alone

            parameters = inspect.signature(maker).parameters.values()
            known = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD] + cls._names()
            near = did_you_mean(unknown[0], known)
            raise TypeError(f"{name} takes no argument {unknown[0]}{near}; it takes {', '.join(known)}")
        return cls(**fields)

    @classmethod
    def _names(cls) -> list[str]:
        return [field.name for field in dataclasses.fields(cls)]


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return ` (did you mean "oracle"?)` with the known name nearest to the given one; "" if none is near."""
    from difflib import get_close_matches  # loaded for the rare error alone

    near = get_close_matches(given, list(known), n=1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def _whole_number(name: str, value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number; got {value!r}")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number; got {value!r}") from None


def _require(holds: bool, rule: str, value: object) -> None:
    if not holds:
        raise ValueError(f"{rule}; got {value}")
