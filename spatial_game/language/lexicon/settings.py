"""What an analysis asks of an entry before it believes it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

Estimator = Literal["exact", "paper"]


@dataclass(frozen=True)
class Settings:
    """How a lexicon is made from counts. Raises `ValueError` naming field, rule and value."""

    estimator: Estimator = "exact"
    """exact: probabilities are shares of the counted episodes. paper: the constants and equations printed in
    the paper's appendix D, clipped to [-1, 1]."""
    threshold: float = 0.5
    """Least NPMI of an entry (t_c in the paper), in -1..1."""
    top_n: int = 1
    """Most integers that one form may stand for (t_n in the paper)."""
    min_count: int = 10
    """Least number of episodes with both form and referent."""
    min_confidence: float | None = None
    """Least share of the form's episodes in which the referent holds. Default: 0.8; paper: 0."""
    offset_threshold: float | None = None
    """Least NPMI of an offset entry. Default: the threshold; paper: 0.3, as its table 2 notes."""
    significance: float = 0.05
    """Largest q-value: the share of false entries to be expected among as good ones."""

    def __post_init__(self) -> None:
        if self.estimator not in ("exact", "paper"):
            raise ValueError(f"estimator must be exact or paper; got {self.estimator!r}")
        paper = self.estimator == "paper"
        left_out = {name for name in ("min_confidence", "offset_threshold") if getattr(self, name) is None}
        object.__setattr__(self, "_left_out", left_out)
        if self.min_confidence is None:
            object.__setattr__(self, "min_confidence", 0.0 if paper else 0.8)
        if self.offset_threshold is None:
            object.__setattr__(self, "offset_threshold", 0.3 if paper else self.threshold)
        _within("threshold", self.threshold, -1, 1)
        _within("offset_threshold", self.least_offset_npmi, -1, 1)
        _within("min_confidence", self.least_confidence, 0, 1)
        _within("significance", self.significance, 0, 1)
        for name in ("top_n", "min_count"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1; got {getattr(self, name)}")

    def changed(self, **changes: Any) -> Settings:
        """These settings with others of some fields. What was left out follows from the rest anew."""
        left_out: set[str] = getattr(self, "_left_out")  # noqa: B009  (no field)
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in left_out}
        return Settings(**{**own, **changes})

    @property
    def least_confidence(self) -> float:
        """`min_confidence`, with the default in its place."""
        assert self.min_confidence is not None  # __post_init__ has replaced it
        return self.min_confidence

    @property
    def least_offset_npmi(self) -> float:
        """`offset_threshold`, with the default in its place."""
        assert self.offset_threshold is not None  # __post_init__ has replaced it
        return self.offset_threshold

    @property
    def signature(self) -> str:
        """The settings in one short phrase, such as `exact min10 t0.5 conf0.8 top1`.

        The threshold for offsets and the significance are named where they are not the usual ones.
        """
        plain = Settings(self.estimator, self.threshold)
        offset = f" off{self.least_offset_npmi:g}"
        significance = f" q{self.significance:g}"
        return (
            f"{self.estimator} min{self.min_count} t{self.threshold:g} "
            f"conf{self.least_confidence:g} top{self.top_n}"
            + offset * (self.least_offset_npmi != plain.least_offset_npmi)
            + significance * (self.significance != plain.significance)
        )


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # also refuses NaN
        raise ValueError(f"{name} must be in {low}..{high}; got {value}")
