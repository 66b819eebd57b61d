"""From counts to rules."""

from types import SimpleNamespace

import pytest

from spatial_game.language.dictionary.describe import _promising


@pytest.mark.parametrize(
    ("integers", "begun", "followed"),
    [
        ([], [], []),
        ([1, 2, 3], [90, 100, 94], [0, 1]),  # fewer integers may save less alone
        ([1, 2, 3], [79, 100, 96], [1, 2]),
        ([1, 2], [4, 3], []),  # neither saves enough
    ],
)
def test_only_promising_compositions_are_followed(integers, begun, followed):
    candidates = [SimpleNamespace(most_integers=number) for number in integers]
    assert list(_promising(candidates, begun, 5)) == [candidates[i] for i in followed]
