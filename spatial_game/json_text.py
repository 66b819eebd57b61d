"""JSON as the package writes and reads it: without NaN and Infinity."""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from spatial_game.errors import UserError


def to_json(content: Any, **options: Any) -> str:
    """Return content (see `plain`) as JSON by options of `json.dumps`."""
    return json.dumps(plain(content), allow_nan=False, **options)


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: by its `to_dict`, a dataclass by its fields, an array as lists.

    NaN and infinite numbers become None.
    """
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if getattr(getattr(value, "dtype", None), "kind", "") in ("i", "u", "b"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def from_json(text: str | bytes, read: Callable[[dict[str, Any]], Any] = lambda fields: fields) -> Any:
    """Return the content of JSON; `read` may return something else in place of an object.

    Raises `ValueError` for damaged text, for NaN, for a name that an object has twice, and for a number or
    nesting that is too long for Python.
    """
    text = text if isinstance(text, str) else from_utf8(text)
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=lambda pairs: read(_unique(pairs)))
    except UserError:
        raise
    except (ValueError, RecursionError) as error:  # also of numbers and nesting that are too long for Python
        raise UserError(f"not whole JSON; {error}") from None


def holds_bool(value: Any) -> bool:
    """Return whether a value of JSON is true or false, or has them in its lists; NumPy makes them 1 and 0."""
    kinds = set(map(type, value)) if isinstance(value, list) else {type(value)}
    return bool in kinds or (list in kinds and any(map(holds_bool, value)))


def from_utf8(content: bytes) -> str:
    """Return the text of bytes, without a byte order mark. Raises `ValueError` unless it is UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"not UTF-8 text; {error.reason} at byte {error.start}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object. Raises `ValueError` if two have one name: Python keeps the last."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise UserError(f"an object of JSON must have each name once; got {name!r} twice")
    return fields


def _refuse(name: str) -> Any:
    raise UserError(f"JSON must hold finite numbers; got {name}")
