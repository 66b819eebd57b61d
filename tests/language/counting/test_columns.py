"""The window as numbers, against loops over what windows show."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, draw_episodes, mask_columns
from spatial_game.game.windows import cells_at_offsets
from spatial_game.language.counting.columns import ABSENT, columns_of

GAMES = [
    GameConfig(8),
    GameConfig(8, num_visible=2),
    GameConfig(shape=(4, 5), window_radius=1),
    GameConfig(shape=(4, 5), window_radius=1, num_visible=2),
    GameConfig(shape=(3, 4, 3), window_radius=1, num_visible=1),
]


def of_mask(config, window):
    """The column of the mask of each window."""
    return columns_of(config).of(window)[np.arange(len(window)), mask_columns(window)]


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_columns_are_of_what_stands_at_each_offset_and_of_the_view(config):
    columns, episodes = columns_of(config), draw_episodes(config, 300, np.random.default_rng(0))
    around, at_offsets = (
        cells_at_offsets(config)[episodes.target_position],
        columns.at_offsets(episodes.window),
    )
    for row, window in enumerate(episodes.window.tolist()):
        expected = []
        for offset, cell in enumerate(around[row].tolist()):
            inside = cell < config.sequence_length and episodes.sequence[row, cell] in window
            integer = int(episodes.sequence[row, cell]) if inside else None
            assert at_offsets[row, offset] in ((integer,) if inside else (ABSENT, HIDDEN))
            expected += [columns.integer_at(offset, integer)] if inside else []
        own = columns.of(episodes.window[row : row + 1])[0]
        of_cells = sorted(column for column in own.tolist() if column < columns.of_integers.stop)
        assert of_cells == expected
        [edge] = columns.edge_of(episodes.window[row : row + 1])
        name = config.edges[episodes.mask_column[row]]
        assert edge == (columns.no_edge if name == "middle" else columns.edges.index(name))
        assert (own == columns.size).sum() == (at_offsets[row] == HIDDEN).sum() == config.num_hidden


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_what_a_column_stands_for_is_decoded(config):
    columns, num_offsets = columns_of(config), len(config.offsets)
    offset, integer = np.indices((num_offsets, config.num_integers)).reshape(2, -1)
    views = columns.views
    of_cells, of_views = columns.integer_at(offset, integer), columns.view(views.edge, views.offsets)
    assert [*of_cells, *of_views] == [*range(columns.size)]
    for column, said in ((of_cells, (offset, integer)), (of_views, (num_offsets, np.arange(len(of_views))))):
        variable, value = columns.decode(column)
        assert ((variable == said[0]) & (value == said[1])).all()
    about = [range(columns.size)[columns.about(variable)] for variable in range(num_offsets + 1)]
    assert [column for each in about for column in each] == [*range(columns.size)]
    assert about[-1] == range(columns.size)[columns.of_views]


@pytest.mark.parametrize("num_visible", [None, 2])
@pytest.mark.parametrize("shape", [(8,), (4, 5)])
def test_views_are_the_edges_with_the_cells_that_are_seen(shape, num_visible):
    config = GameConfig(shape=shape, window_radius=1 + (len(shape) == 1), num_visible=num_visible)
    window, columns = draw_episodes(config, 20_000, np.random.default_rng(0)).window, columns_of(config)
    view, views = of_mask(config, window) - columns.of_views.start, columns.views
    np.testing.assert_array_equal(views.edge[view], columns.edge_of(window))
    np.testing.assert_array_equal(views.shown[view], columns.at_offsets(window) >= 0)
    assert views.share.sum() == pytest.approx(1)
    drawn = np.bincount(view, minlength=len(views.share)) / len(view)
    np.testing.assert_allclose(drawn, views.share, atol=0.01)


def test_with_too_many_views_a_view_is_just_an_edge():
    config = GameConfig(shape=(8, 8), window_radius=2, num_visible=3)
    window, columns = draw_episodes(config, 100, np.random.default_rng(0)).window, columns_of(config)
    np.testing.assert_array_equal(of_mask(config, window), columns.view(columns.edge_of(window)))
    assert len(columns.views.share) == config.window_size


def test_an_integer_that_a_game_lacks_has_the_column_after_the_last():
    columns = columns_of(GameConfig(8, window_radius=1))
    for lacking in (8, 20):
        found = columns.of(np.array([[7, MASK, lacking]]))
        assert (found == columns.size).tolist() == [[False, False, True]]


def test_windows_that_show_another_number_of_integers_are_refused():
    columns = columns_of(GameConfig(8, window_radius=1, num_visible=1))
    for windows in ([[3, MASK, 5]], [[3, MASK, 5], [HIDDEN, MASK, HIDDEN]]):
        with pytest.raises(ValueError, match="windows must show 1 integers each"):
            columns.of(np.array(windows))


def test_a_window_of_too_many_cells_has_no_views():
    columns = columns_of(GameConfig(9_000, window_radius=2_000))
    with pytest.raises(ValueError, match=r"a window must have at most 16,777,216 pairs of cells; got L9000"):
        _ = columns.views
