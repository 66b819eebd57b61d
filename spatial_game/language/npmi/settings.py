"""The thresholds of an analysis: what an entry of a lexicon must reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from spatial_game.language.fields import number, shortened, whole

Estimator = Literal["exact", "paper"]


@dataclass(frozen=True)
class NpmiSettings:
    """What the paper's analysis demands of an entry. Raises `ValueError` naming field, rule and value."""

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
    """Least share of the form's episodes in which the referent holds. By default 0.8; for `paper` 0."""
    offset_threshold: float | None = None
    """Least NPMI of an offset entry. By default the threshold; for `paper` 0.3 (the paper's table 2)."""
    significance: float = 0.05
    """Largest q-value: the share of false entries to be expected among as good ones."""

    def __post_init__(self) -> None:
        if self.estimator not in ("exact", "paper"):
            raise ValueError(f"estimator must be exact or paper; got {self.estimator!r}")
        _within("threshold", self.threshold, -1, 1)
        _within("offset_threshold", self.least_offset_npmi, -1, 1)
        _within("min_confidence", self.least_confidence, 0, 1)
        _within("significance", self.significance, 0, 1)
        for name in ("top_n", "min_count"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1; got {getattr(self, name)}")

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> NpmiSettings:
        """Return stored settings. Raises `ValueError` naming field, rule and value."""
        known = [field.name for field in fields(cls)]
        for name, value in content.items():
            if name not in known:
                raise ValueError(f"settings must be among {', '.join(known)}; got {shortened(name)}")
            if name in ("top_n", "min_count"):
                whole(name, value, 1)
            elif name != "estimator" and (value is not None or name in ("threshold", "significance")):
                number(name, value, -1, 1)
        return cls(**content)

    @property
    def least_confidence(self) -> float:
        """`min_confidence`, or its default."""
        if self.min_confidence is not None:
            return self.min_confidence
        return 0.0 if self.estimator == "paper" else 0.8

    @property
    def least_offset_npmi(self) -> float:
        """`offset_threshold`, or its default."""
        if self.offset_threshold is not None:
            return self.offset_threshold
        return 0.3 if self.estimator == "paper" else self.threshold

    def resolved(self) -> NpmiSettings:
        """Return these settings with every default filled in, as a lexicon keeps them."""
        return replace(self, min_confidence=self.least_confidence, offset_threshold=self.least_offset_npmi)

    @property
    def signature(self) -> str:
        """The settings in one short phrase, such as `exact min10 t0.5 conf0.8 top1`.

        The threshold for offsets and the significance are named only where they are not the default.
        """
        default = NpmiSettings(self.estimator, self.threshold)
        parts = [
            f"{self.estimator} min{self.min_count} t{self.threshold:g}",
            f"conf{self.least_confidence:g} top{self.top_n}",
        ]
        if self.least_offset_npmi != default.least_offset_npmi:
            parts.append(f"off{self.least_offset_npmi:g}")
        if self.significance != default.significance:
            parts.append(f"q{self.significance:g}")
        return " ".join(parts)


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # also refuses NaN
        raise ValueError(f"{name} must be in {low}..{high}; got {value}")
