"""Places and columns of windows, and counts of what stands there, against loops over what windows show."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes, mask_columns
from spatial_game.language.counting.places import (
    num_columns,
    num_integer_columns,
    share_showing,
    values_at_places,
    views_of,
    window_columns,
)


def test_an_integer_that_a_game_lacks_has_the_column_after_the_last():
    config = GameConfig(8, window_radius=1)
    for lacking in (8, 20):
        columns = window_columns(config, np.array([[7, MASK, lacking]]))
        assert (columns == num_columns(config)).tolist() == [[False, False, True]]


@pytest.mark.parametrize("num_visible", [None, 2])
@pytest.mark.parametrize("shape", [(8,), (4, 5)])
def test_views_are_the_edges_with_the_cells_that_are_seen(shape, num_visible):
    config = GameConfig(shape=shape, window_radius=1 + (len(shape) == 1), num_visible=num_visible)
    window, views = draw_episodes(config, 20_000, np.random.default_rng(0)).window, views_of(config)
    values = values_at_places(config, window)
    column = np.take_along_axis(window_columns(config, window), mask_columns(window)[:, None], axis=1)[:, 0]
    view = column - num_integer_columns(config)
    np.testing.assert_array_equal(views.edge[view], values[:, -1])
    np.testing.assert_array_equal(views.shown[view], values[:, :-1] >= 0)
    assert views.share.sum() == pytest.approx(1)
    drawn = np.bincount(view, minlength=len(views.share)) / len(view)
    np.testing.assert_allclose(drawn, views.share, atol=0.01)


def test_with_too_many_views_a_view_is_just_an_edge():
    config = GameConfig(shape=(8, 8), window_radius=2, num_visible=3)
    window = draw_episodes(config, 100, np.random.default_rng(0)).window
    column = np.take_along_axis(window_columns(config, window), mask_columns(window)[:, None], axis=1)[:, 0]
    np.testing.assert_array_equal(
        column - num_integer_columns(config), values_at_places(config, window)[:, -1]
    )
    assert len(views_of(config).share) == config.window_size


def test_windows_that_show_another_number_of_integers_are_refused():
    config = GameConfig(8, window_radius=1, num_visible=1)
    with pytest.raises(ValueError, match="windows must show 1 integers each"):
        window_columns(config, np.array([[3, MASK, 5]]))


@pytest.mark.parametrize("num_visible", [None, 1])
def test_the_share_of_windows_that_show_one_of_several_integers_is_that_of_many_windows(num_visible):
    config = GameConfig(5, num_integers=6, window_radius=1, num_distractors=1, num_visible=num_visible)
    window = draw_episodes(config, 20_000, np.random.default_rng(0)).window
    for number in range(8):  # top_n may be more than the game has
        shown = ((window >= 0) & (window < number)).any(axis=1).mean()
        assert share_showing(config, number) == pytest.approx(shown, abs=0.01)
