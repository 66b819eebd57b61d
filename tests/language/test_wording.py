"""Offsets and edges in words, on every number of axes."""

import pytest

from spatial_game.config import GameConfig
from spatial_game.language.wording import edge_text, offset_text, symbols_text


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (-2, "two left"),
        (1, "one right"),
        ((0, -1), "left"),
        ((-1, 1), "above right"),
        ((0, 2), "two right"),
        ((-2, 1), "two above one right"),
        ((1, 0, 0), "behind"),
        ((-1, -1, 1), "in front above right"),
        ((1, 0, 0, -1), "later left"),
    ],
)
def test_offsets_are_named_in_words(offset, text):
    assert offset_text(offset) == text


@pytest.mark.parametrize(
    ("edge", "text"),
    [
        ("middle", "not near an end"),
        ("begin+1", "the second"),
        ("end", "the last"),
        ("top left", "at the top left"),
        ("top+1 left", "second from the top and at the left"),
        ("(begin, middle, end)", "at the front right"),
        ("(middle, end-1, middle)", "second from the bottom"),
    ],
)
def test_edges_are_named_in_words(edge, text):
    assert edge_text(edge) == f"the target is {text}"


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_no_two_offsets_and_no_two_edges_have_one_name(axes):
    config = GameConfig(shape=(5,) * axes, window_radius=2 if axes < 4 else 1)
    for names in (map(offset_text, config.offsets), map(edge_text, config.edges)):
        names = [*names]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("names", "text"),
    [("0 1 2", "0 to 2"), ("a b c", "a to c"), ("a b c 3", "a to c"), ("1 2 3", "1 to 3")],
)
def test_a_range_of_symbols_does_not_mix_words_and_numbers(names, text):
    assert symbols_text(names.split()) == text
