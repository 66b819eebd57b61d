"""The entries of the paper's table, one by one: a form, its referent, and their figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spatial_game.config import GameConfig, Offset
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import edge_names
from spatial_game.language.npmi.associations import NO_INTEGER, Associations
from spatial_game.language.wording import place_of_table_3


@dataclass(frozen=True)
class Referent:
    """What a form refers to: an edge, integers at an offset, integers at any offset, or an offset alone."""

    edge: str | None = None
    """The name of an edge: see `GameConfig.edges`."""
    integers: tuple[int, ...] = ()
    """One of them is there; the most frequent first."""
    offset: Offset | None = None
    """Signed distance from the target, negative to the left; in a grid, a step on each axis."""

    def __str__(self) -> str:
        """Return the referent in the words of the paper's table 3."""
        if self.edge is not None:
            return self.edge
        integers = " or ".join(map(str, self.integers))
        if self.offset is None:
            return f"integer {integers}"
        return f"{integers or '?'} is {place_of_table_3(self.offset)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that the referent has, for JSON."""
        return {name: value for name, value in vars(self).items() if value not in (None, ())}


@dataclass(frozen=True)
class NpmiEntry:
    """A form with its referent, and how closely the two go together."""

    form: Form
    referent: Referent
    joint: int
    """Episodes with both form and referent."""
    form_total: int
    """Episodes with the form; of an offset, those in which the message names an integer beside the form."""
    referent_total: int
    """Episodes with the referent; of an offset, those in which the message names an integer there."""
    npmi: float
    """In -1..1, by the estimator of the settings."""
    p_value: float
    """The hypergeometric tail; of several integers, that of the least significant one."""
    q_value: float
    """The same, corrected for all pairs of its kind (Benjamini and Hochberg 1995)."""

    @property
    def confidence(self) -> float:
        """Share of the form's episodes in which the referent holds."""
        return self.joint / self.form_total

    def to_dict(self) -> dict[str, Any]:
        """Return the entry, for JSON."""
        form = {"form": list(self.form.symbols), "slot": self.form.slot, "referent": self.referent.to_dict()}
        return form | {name: value for name, value in vars(self).items() if name not in form}


def entries_of(associations: Associations, config: GameConfig) -> Iterator[NpmiEntry]:
    """Yield the entries of one kind, in order."""
    names = ("joint", "form_total", "referent_total", "npmi", "p_value", "q_value")
    figures = zip(*(getattr(associations, name).tolist() for name in names), strict=True)
    forms, places, integers = associations.forms, associations.place.tolist(), associations.integers.tolist()
    for row, figures_of_row in enumerate(figures):
        if associations.kind == "edge":
            referent = Referent(edge=edge_names(config)[places[row]])
        else:
            offset = None if associations.kind == "integer" else config.offsets[places[row]]
            referent = Referent(None, tuple(n for n in integers[row] if n != NO_INTEGER), offset)
        yield NpmiEntry(forms.form(row), referent, *figures_of_row)
