"""JSON that is written holds only numbers, and JSON that is read ends."""

import json

import numpy as np
import pytest

from spatial_game.json_text import DEEPEST, from_json, to_json


def test_what_is_no_number_becomes_null():
    content = {
        "a": [1.5, float("nan"), (float("inf"), -float("inf"))],
        "b": {"c": np.float64("nan")},
        "d": "NaN",
    }
    assert json.loads(to_json(content)) == {"a": [1.5, None, [None, None]], "b": {"c": None}, "d": "NaN"}
    assert from_json(to_json({"x": [1, 2.5, None, True]}, indent=1)) == {"x": [1, 2.5, None, True]}


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_has_an_end(opening):
    def nested(depth):
        return opening * depth + "1" + {"[": "]", "{": "}"}[opening[0]] * depth

    assert from_json(nested(DEEPEST)) is not None
    for depth in (DEEPEST + 1, 100_000):
        with pytest.raises(ValueError, match="at most 100 deep"):
            from_json(nested(depth))


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="finite"):
        from_json(text)


def test_a_name_twice_is_refused():
    with pytest.raises(ValueError, match="an object of JSON must have each name once; got 'b' twice"):
        from_json('[{"a": 1, "b": {}, "c": 2, "b": 3, "c": 4}]')
