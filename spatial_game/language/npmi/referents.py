"""Forms of one kind with their referents, as arrays: what was counted, and what is measured of it.

A referent is an edge, an integer at an offset, an integer at any offset, or an offset. Where forms may have
several meanings, it is a union of integers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import Forms, FormTable, Occurrences, occurrences
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.npmi.settings import NpmiSettings

NO_INTEGER = -1
"""In tables of several integers for each form, where a form has no more."""


@dataclass(frozen=True)
class Referents:
    """E forms of one kind, each with a referent, and how closely the two go together."""

    kind: str  # one of table.KINDS
    table: FormTable
    total: int  # episodes that were counted
    form: Numbers  # (E,), row of `table`
    place: Numbers  # (E,), the edge's value or the offset's number; 0 of integers at any offset
    values: Numbers  # (E, n), the integers, most frequent first, padded with NO_INTEGER; (E, 0) if none
    joint: Numbers  # (E,), episodes with form and referent
    form_total: Numbers  # (E,)
    referent_total: Numbers  # (E,)
    raw_npmi: FloatArray  # (E,), before clipping
    p_value: FloatArray  # (E,), of the least significant member where there are several integers
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
    def rival(self) -> Numbers:
        """(E,), a number that those share of which the best is chosen: of a form, or of it and an offset."""
        if self.kind != "integer_at":
            return self.form
        return self.form * (int(self.place.max(initial=0)) + 1) + self.place

    def take(self, which: npt.NDArray[Any]) -> Referents:
        """Return those of a mask or of row numbers."""
        columns = [field.name for field in fields(self)][3:]
        return replace(self, **{name: getattr(self, name)[which] for name in columns})

    @property
    def order(self) -> npt.NDArray[np.intp]:
        """(E,), their rows in the order of the table: by referent, then by form."""
        forms = self.forms
        return np.lexsort([forms.slot, *forms.symbols.T[::-1], *self.values.T[::-1], self.place])

    def admitted(self, settings: NpmiSettings) -> Referents:
        """Return those that meet every demand of the settings."""
        least = settings.least_offset_npmi if self.kind == "offset" else settings.threshold
        return self.take(
            (self.joint >= settings.min_count)
            & (self.q_value <= settings.significance)
            & (self.npmi >= least)
            & (self.joint >= settings.least_confidence * self.form_total)
        )

    def occurrences(self, messages: IntArray) -> Occurrences:
        """Return every place in messages (M, T) where a form of these stands; `form` is their row here."""
        return occurrences(self.forms, messages)
