"""Alignment of messages with cells, on languages whose words are known."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes, mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.studies.alignment import align
from spatial_game.studies.splitting import split_share

SIZES = {"vocab_size": 64, "message_length": 2}
SEEN = GameConfig(20, num_visible=1, **SIZES)
FULL = GameConfig(20, **SIZES)
GRID = GameConfig(shape=(5, 5), window_radius=1, num_visible=2, **SIZES)


def named(config, number):
    """Windows, and of a visible cell that their sum chooses the integer and the number of its offset."""
    window = draw_episodes(config, number, np.random.default_rng(1)).window
    cells = np.flatnonzero
    chosen = np.array([cells(row >= 0)[row.sum() % (row >= 0).sum()] for row in window])
    offset = offset_numbers(config)[mask_columns(window), chosen]
    return window, window[np.arange(number), chosen].astype(np.int64), offset


def compositional(integer, offset):
    return np.column_stack([integer, offset])


def of_any_order(integer, offset):
    """Words for offsets are other symbols than words for integers."""
    return np.where(
        (integer % 2 == 0)[:, None],
        *(np.column_stack(p) for p in ((integer, 40 + offset), (40 + offset, integer))),
    )


def holistic(integer, offset):
    code = np.random.default_rng(0).permutation(64 * 64)[integer * 64 + offset]
    return np.column_stack([code // 64, code % 64])


@pytest.mark.parametrize(
    ("language", "config", "share"),
    [(compositional, FULL, 1), (of_any_order, SEEN, 1), (of_any_order, GRID, 1), (holistic, FULL, 0)],
)
def test_known_languages_tell_everything_and_split_as_they_are_made(language, config, share):
    window, integer, offset = named(config, 10_000)
    found = align(config, window, language(integer, offset), np.random.default_rng(2))
    assert found.integer_bits == pytest.approx(np.log2(config.num_integers), abs=0.01)
    assert found.offset_bits == pytest.approx(np.log2(config.window_size - 1), abs=0.01)
    assert split_share(found) == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(("config", "what"), [(SEEN, "integer"), (FULL, "left neighbour")])
def test_a_language_that_tells_no_offset_does_not_split(config, what):
    """It has no words for offsets, or it always names the left neighbour."""
    window = draw_episodes(config, 20_000, np.random.default_rng(1)).window
    named = window.max(axis=1) if what == "integer" else window[:, 1].clip(0)
    found = align(config, window, np.repeat(named[:, None], 3, axis=1), np.random.default_rng(2))
    assert found.integer_bits == pytest.approx(np.log2(20), abs=0.05)
    assert found.offset_bits < 0.02
    assert split_share(found) == 0


def test_one_of_two_offsets_is_news():
    """By chance, one of the two is named more often than the other."""
    config = GameConfig(12, window_radius=1, **SIZES)
    window, integer, offset = named(config, 4_000)
    found = align(config, window, compositional(integer, offset), np.random.default_rng(2))
    assert split_share(found) == 1


def test_the_share_that_splits_is_that_of_the_messages_with_parts():
    """Integers up to 7 are said in two parts, the others by whole messages of other symbols."""
    window, integer, offset = named(SEEN, 10_000)
    parts = np.column_stack([integer, 8 + offset])
    code = np.random.default_rng(0).permutation(40 * 40)[integer * 8 + offset]
    message = np.where((integer < 8)[:, None], parts, 20 + np.column_stack([code // 40, code % 40]))
    found = align(SEEN, window, message, np.random.default_rng(2))
    assert split_share(found) == pytest.approx(8 / 20, abs=0.05)


@pytest.mark.parametrize(("wrong", "share"), [(0.1, 1), (0.3, 0)])
def test_a_part_tells_the_offset_if_it_is_right_in_four_of_five_uses(wrong, share):
    window, integer, offset = named(SEEN, 10_000)
    rng = np.random.default_rng(0)
    step = np.where(rng.random(len(offset)) < wrong, rng.integers(1, 4, len(offset)), 0)
    said = (offset - offset.min() + step) % 4
    found = align(SEEN, window, compositional(integer, said), np.random.default_rng(2))
    assert split_share(found) == pytest.approx(share, abs=0.02)


def test_a_part_may_stand_for_several_integers():
    window, integer, offset = named(SEEN, 10_000)
    found = align(SEEN, window, compositional(integer // 2, offset), np.random.default_rng(2))
    assert split_share(found) == pytest.approx(1, abs=0.02)


def test_a_message_names_its_usual_cell_and_none_where_that_is_not_seen():
    window, integer, offset = named(SEEN, 10_000)
    message = compositional(integer, offset)
    found = align(SEEN, window, message, np.random.default_rng(2))
    central = window[:, 2] == MASK
    window, integer, offset, message = (each[central] for each in (window, integer, offset, message))
    for given, own in ((message, True), (np.roll(message, 1, axis=0), False), (message + 30, False)):
        own = own | (given == message).all(axis=1)
        named_offset, named_integer = found.name(window, given)
        assert named_offset.tolist() == np.where(own, offset, -1).tolist()
        assert (named_integer == integer)[own].all()


def test_windows_need_one_with_the_mask_in_the_middle():
    window = draw_episodes(SEEN, 2_000, np.random.default_rng(1)).window
    at_border = window[window[:, 0] == MASK]
    with pytest.raises(ValueError, match="windows must include some with the mask in the middle; got none"):
        align(SEEN, at_border, np.zeros((len(at_border), 3), int), np.random.default_rng(2))
