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
    """Return content as JSON by options of `json.dumps`; NaN and infinite figures become null."""
    return json.dumps(_finite(content), allow_nan=False, **options)


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: by its `to_dict`, a dataclass by its fields, an array as lists."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _finite(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {name: _finite(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    return content


def from_json(text: str | bytes, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the content of JSON. Raises `ValueError` for damaged text, NaN, and nesting below 100 levels."""
    try:
        content = json.loads(text, object_pairs_hook=pairs_hook, parse_constant=_refuse)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [content]
    for _ in range(DEEPEST):
        level = [
            child
            for each in level
            if isinstance(each, (list, dict))
            for child in (each.values() if isinstance(each, dict) else each)
        ]
    if any(isinstance(each, (list, dict)) for each in level):
        raise ValueError(_TOO_DEEP)
    return content


_TOO_DEEP = f"JSON must be nested at most {DEEPEST} deep; this is deeper"


def _refuse(name: str) -> Any:
    raise ValueError(f"JSON must hold finite numbers; got {name}")


def printable(text: str) -> str:
    """Return a text with escapes for control characters, which a terminal would obey."""
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)


# Control characters, line separators, characters that turn the direction of writing, and surrogates.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
