"""Columns of tables of counts, against what windows show."""

import numpy as np
from columns import column_meaning

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes, window_around
from spatial_game.language.counting.places import (
    candidate_columns,
    num_columns,
    window_columns,
)


def test_the_columns_of_candidates_and_windows_are_what_they_show():
    config = GameConfig(12, num_integers=20, window_radius=2)
    episodes = draw_episodes(config, 50, np.random.default_rng(0))
    columns = candidate_columns(config, episodes.sequence, episodes.candidates)
    for row in range(50):
        sequence = episodes.sequence[row : row + 1]
        for i, candidate in enumerate(episodes.candidates[row].tolist()):
            [window], [mask] = window_around(config, sequence, np.flatnonzero(sequence[0] == candidate))
            shown = {(value, cell - mask) for cell, value in enumerate(window.tolist()) if value != MASK}
            said = [column_meaning(config, int(column)) for column in columns[row, i]]
            assert {edge or (value, offset) for edge, value, offset in said} == shown | {config.edges[mask]}
    at_target = np.take_along_axis(columns, episodes.target_index[:, None, None], axis=1)[:, 0]
    assert np.array_equal(np.sort(at_target), np.sort(window_columns(config, episodes.window)))


def test_an_integer_that_a_game_lacks_has_the_column_after_the_last():
    config = GameConfig(8, window_radius=1)
    for lacking in (8, 20):
        columns = window_columns(config, np.array([[7, MASK, lacking]]))
        assert (columns == num_columns(config)).tolist() == [[False, False, True]]
