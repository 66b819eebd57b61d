"""JSON that is written holds only numbers, and JSON that is read ends."""

import json
import sys

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


def test_nesting_has_an_end():
    with pytest.raises(ValueError, match="JSON must be nested less deep"):
        from_json("[" * 100_000)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="finite"):
        from_json(text)


def test_a_number_has_an_end_and_other_errors_stay_as_they_are():
    def wrong(fields):
        raise ValueError("a bug")

    most = sys.get_int_max_str_digits()
    with pytest.raises(UserError, match=f"JSON must hold numbers of at most {most} digits"):
        from_json("1" * (most + 1))
    assert from_json("1" * most) == int("1" * most)
    try:
        for limit in (most, 0):
            sys.set_int_max_str_digits(limit)
            with pytest.raises(ValueError, match="a bug") as raised:
                from_json('{"a": ' + "1" * most + "}", wrong)
            assert type(raised.value) is ValueError
    finally:
        sys.set_int_max_str_digits(most)
