"""The base of all settings: frozen dataclasses whose fields are checked, and stored as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any, Self

from spatial_game.checks import did_you_mean, require_bool, require_number, require_object, require_whole
from spatial_game.errors import UserError

LEFT_OUT: Any = None
"""The default of a field whose value follows from the others; `Any`, as no field keeps it."""


class Settings:
    """A frozen dataclass of settings, stored as JSON. Subclasses check their fields in `__post_init__`."""

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # the dataclass is frozen

    def _whole(self, name: str, low: int, high: int | None = None) -> None:
        """Check a field that is a whole number, and make it Python's: small ones of NumPy overflow."""
        self._set(name, require_whole(name, getattr(self, name), low, high))

    def _number(self, name: str, low: float, high: float = math.inf, **limits: bool) -> None:
        """Check a field that is a number, as `require_number` does, and make it Python's."""
        self._set(name, require_number(name, getattr(self, name), low, high, **limits))

    def _bool(self, name: str) -> None:
        """Check a field that is true or false, and make it Python's."""
        self._set(name, require_bool(name, getattr(self, name)))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return {name: getattr(self, name) for name in self.names()}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Return what `to_dict` described. Raises `ValueError` on an unknown field."""
        cls.require_known(require_object(cls.__name__, fields))
        return cls(**fields)

    @classmethod
    def require_known(cls, fields: Iterable[str]) -> None:
        """Raise `ValueError` if one of these names is no field."""
        if unknown := cls._unknown(fields):
            raise UserError(f"{cls.__name__} fields must be among {', '.join(cls.names())}; got {unknown}")

    @classmethod
    def _unknown(cls, fields: Iterable[str]) -> str | None:
        """Return the first of these names that is no field, with the field that is meant."""
        known = cls.names()
        return next(
            (f"{name!r}{did_you_mean(str(name), known)}" for name in fields if name not in known), None
        )

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of the fields that a caller may give."""
        return [field.name for field in dataclasses.fields(cls) if field.init]  # type: ignore[arg-type]
