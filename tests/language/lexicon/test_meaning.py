"""Meanings, in files and by numbers, on a grid and in a game that lacks some of them."""

import pytest

from spatial_game.config import GameConfig
from spatial_game.language.counting.places import EDGE, edge_names
from spatial_game.language.lexicon.meaning import ANYWHERE, Meaning

LINE = GameConfig(sequence_length=9, window_radius=1)
GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2)


@pytest.mark.parametrize(
    ("game", "meaning"),
    [
        (GRID, Meaning((-1, 1), (3, 4))),
        (GRID, Meaning((0, 2), ())),
        (GRID, Meaning(EDGE, ("top left",))),
        (LINE, Meaning(None, (3,))),
    ],
)
def test_meanings_in_files(game, meaning):
    assert Meaning.from_dict(meaning.to_dict(), game) == meaning


@pytest.mark.parametrize("place", [1, [0, 0], [3, 0], [0, True], [1], "left", [0.0, 1.0]])
def test_a_place_that_a_grid_lacks_is_refused(place):
    with pytest.raises(ValueError, match=r"place must be 'edge', null or in .*; got"):
        Meaning.from_dict({"place": place, "values": [1]}, GRID)


@pytest.mark.parametrize("place", [True, 1.0, [1], 0, 3])
def test_a_place_that_a_line_lacks_is_refused(place):
    with pytest.raises(ValueError, match=r"place must be 'edge', null or in .*; got"):
        Meaning.from_dict({"place": place, "values": [1]}, LINE)


@pytest.mark.parametrize(
    ("meaning", "numbers"),
    [
        (Meaning(-1, (3, 20)), (LINE.offsets.index(-1), [3])),
        (Meaning(1, ()), (LINE.offsets.index(1), [])),
        (Meaning(EDGE, ("end", "top")), (len(LINE.offsets), [edge_names(LINE).index("end")])),
        (Meaning(None, (8, 9)), (ANYWHERE, [8])),
        (Meaning(-1, (20,)), (ANYWHERE, [])),
        (Meaning(None, (20,)), (ANYWHERE, [])),
        (Meaning(EDGE, ("top",)), (ANYWHERE, [])),
        (Meaning((0, 1), (3,)), (ANYWHERE, [])),
    ],
)
def test_the_numbers_of_a_meaning_are_those_that_the_game_has(meaning, numbers):
    assert meaning.numbers(LINE) == numbers
    assert meaning.in_game(LINE) == (numbers != (ANYWHERE, []))
