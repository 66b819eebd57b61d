"""What is written."""

import json
import math

from spatial_game.files import to_json


def test_json_never_holds_nan_or_infinity() -> None:
    content = {"a": [math.nan, (1.5, -math.inf)], "b": {"c": math.inf, "d": "NaN", "e": True}}
    assert json.loads(to_json(content)) == {"a": [None, [1.5, None]], "b": {"c": None, "d": "NaN", "e": True}}
