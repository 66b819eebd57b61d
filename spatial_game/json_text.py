"""JSON as the package writes and reads it, and text that a terminal shows as it stands.

JSON has no NaN or Infinity, and is not nested without end.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

DEEPEST = 100
"""The deepest nesting of JSON that is read."""


def to_json(content: Any, **options: Any) -> str:
    """Return content (see `plain`) as JSON by options of `json.dumps`."""
    return json.dumps(plain(content), allow_nan=False, **options)


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: by its `to_dict`, a dataclass by its fields, an array as lists.

    NaN and infinite numbers become None.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
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

    Raises `ValueError` for damaged text, NaN, a name that an object has twice, and nesting below 100 levels.
    """
    try:
        content = json.loads(
            text, parse_constant=_refuse, object_pairs_hook=lambda pairs: read(_unique(pairs))
        )
        too_deep = _too_deep(content)
    except RecursionError:
        too_deep = True
    if too_deep:
        raise ValueError(f"JSON must be nested at most {DEEPEST} deep; this is deeper")
    return content


def _too_deep(content: Any) -> bool:
    """Return whether content is nested too deep, level by level: a recursion takes several times as long."""
    level = [content]
    for _ in range(DEEPEST + 1):
        nested = (each for each in level if isinstance(each, (list, dict)))
        level = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
    return bool(level)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object. Raises `ValueError` if it has two of one name."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"an object of JSON must have each name once; got {twice!r} twice")
    return fields


def _refuse(name: str) -> Any:
    raise ValueError(f"JSON must hold finite numbers; got {name}")


def printable(text: str) -> str:
    """Return a text with escapes for control characters, which a terminal would obey."""
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)


# Control characters, line separators, characters that turn the direction of writing, and surrogates.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
