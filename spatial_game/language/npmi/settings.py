"""What the paper's analysis demands of an association."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from spatial_game.checks import require_one_of
from spatial_game.settings import Settings

Estimator = Literal["exact", "text", "code"]


@dataclass(frozen=True)
class NpmiSettings(Settings):
    """What the paper's analysis demands of an association.

    Raises `ValueError` (an impossible value) or `TypeError` that names the field, the rule and the value.
    """

    estimator: Estimator = "exact"
    """exact: probabilities are shares of the counted episodes. text: those of the equations that the paper
    prints. code: those of its published program. The last two are clipped to [-1, 1]."""
    threshold: float = 0.5
    """Least NPMI of an association (t_c in the paper), in -1..1."""
    top_n: int = 1
    """Most integers that one n-gram may stand for (t_n in the paper)."""
    min_count: int = 10
    """Least number of episodes with both n-gram and referent."""
    min_confidence: float | None = None
    """Least share of the n-gram's episodes with the referent. By default 0.8 for `exact`, else 0."""
    significance: float = 0.05
    """Largest q-value: the expected share of false associations among those at least this good."""

    def __post_init__(self) -> None:
        require_one_of("estimator", self.estimator, get_args(Estimator))
        self._number("threshold", -1, 1)
        self._whole("top_n", 1)
        self._whole("min_count", 1)
        if self.min_confidence is not None:
            self._number("min_confidence", 0, 1)
        self._number("significance", 0, 1)

    @property
    def least_confidence(self) -> float:
        """`min_confidence`, or its default."""
        if self.min_confidence is not None:
            return self.min_confidence
        return 0.8 if self.estimator == "exact" else 0.0

    @property
    def least_offset_npmi(self) -> float:
        """Least NPMI of an offset: the threshold for `exact`, else 0.3 (the paper's table 2)."""
        return self.threshold if self.estimator == "exact" else 0.3

    def resolved(self) -> NpmiSettings:
        """Return these settings with every default filled in, as a table keeps them."""
        return replace(self, min_confidence=self.least_confidence)

    @property
    def signature(self) -> str:
        """The settings in one short phrase, such as `exact min10 t0.5 conf0.8 top1`.

        The significance is named only if it is not the default.
        """
        text = f"{self.estimator} min{self.min_count} t{self.threshold:g} conf{self.least_confidence:g}"
        q = f" q{self.significance:g}" if self.significance != NpmiSettings.significance else ""
        return f"{text} top{self.top_n}{q}"
