"""JSON that is written or read holds only numbers."""

import json

import numpy as np
import pytest

from spatial_game.errors import UserError
from spatial_game.json_text import from_json, to_json


def test_what_is_no_number_becomes_null():
    content = {
        "a": [1.5, float("nan"), (float("inf"), -float("inf"))],
        "b": {"c": np.float64("nan")},
        "d": "NaN",
    }
    assert json.loads(to_json(content)) == {"a": [1.5, None, [None, None]], "b": {"c": None}, "d": "NaN"}
    assert from_json(to_json({"x": [1, 2.5, None, True]}, indent=1)) == {"x": [1, 2.5, None, True]}


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="finite"):
        from_json(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 10_000, '{"a": '])
def test_what_is_too_long_or_not_whole_is_refused_in_one_line(text):
    with pytest.raises(UserError, match=r"^not whole JSON; .*$"):
        from_json(text)
