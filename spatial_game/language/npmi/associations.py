"""Forms of one kind, each with a referent: how often they occur, and how strongly they go together.

A referent is an edge, an integer at an offset, an integer at any offset, or an offset. Where forms may have
several meanings, it is several integers, of which one is there.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.language.counting.forms import Forms, FormTable
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.npmi.settings import NpmiSettings

KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "integer": "Compositional Integer",
    "offset": "Compositional Positional",
}
"""The kinds of referents, with the names that the paper's table 3 gives to the types of their forms."""
NO_INTEGER = -1
"""In tables of several integers for each form, where a form has no more."""


@dataclass(frozen=True, eq=False)
class Associations:
    """E forms of one kind, each with a referent."""

    kind: str  # one of KINDS
    table: FormTable
    total: int  # episodes that were counted
    form: Numbers  # (E,), row of `table`
    place: Numbers  # (E,), the edge's value or the offset's number; 0 of integers at any offset
    integers: Numbers  # (E, n), the most frequent first, padded with NO_INTEGER; (E, 0) if there are none
    joint: Numbers  # (E,), episodes with form and referent
    form_total: Numbers  # (E,)
    referent_total: Numbers  # (E,)
    raw_npmi: FloatArray  # (E,), before clipping
    p_value: FloatArray  # (E,); of several integers, the largest of their p-values
    q_value: FloatArray  # (E,)

    def __len__(self) -> int:
        return len(self.form)

    @property
    def forms(self) -> Forms:
        """The E forms."""
        return self.table.take(self.form)

    @property
    def npmi(self) -> FloatArray:
        """(E,), in [-1, 1]."""
        return np.clip(self.raw_npmi, -1.0, 1.0)

    @property
    def clipped(self) -> int:
        """How many NPMIs the estimator put outside [-1, 1], by more than rounding."""
        return int(np.sum(np.abs(self.raw_npmi) > 1 + 1e-9))

    @property
    def key(self) -> tuple[bytes, ...]:
        """Equal for the same rows of one `table` with the same referents."""
        return self.form.tobytes(), self.place.tobytes(), self.integers.tobytes()

    def take(self, which: npt.NDArray[Any]) -> Associations:
        """Return those of a mask or of row numbers."""
        columns = [field.name for field in fields(self)][3:]
        return replace(self, **{name: getattr(self, name)[which] for name in columns})

    def admitted(self, settings: NpmiSettings) -> Associations:
        """Return those that meet every demand of the settings, ordered by referent, then by form."""
        least = settings.least_offset_npmi if self.kind == "offset" else settings.threshold
        kept = self.take(
            (self.joint >= settings.min_count)
            & (self.q_value <= settings.significance)
            & (self.npmi >= least)
            & (self.joint >= settings.least_confidence * self.form_total)
        )
        forms = kept.forms
        keys = [kept.place, *kept.integers.T, *forms.symbols.T, forms.slot]
        kept = kept.take(np.lexsort(keys[::-1]))
        used = (kept.integers != NO_INTEGER).any(axis=0)
        return replace(kept, integers=kept.integers[:, used])
