"""Places and columns of windows, and counts of what stands there, against loops over what windows show."""

import numpy as np
import pytest
from columns import column_meaning
from windows import SMALL, WIDE, all_windows

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, draw_episodes, window_around
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import (
    ABSENT,
    candidate_columns,
    categories_at_places,
    counts_by_place,
    edge_values,
    num_columns,
    places_of,
    prior_at,
    share_showing,
    values_at_places,
    window_columns,
)
from spatial_game.recording import Recording


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


@pytest.mark.parametrize("num_visible", [None, 2])
def test_counts_by_place_are_those_of_a_loop(num_visible):
    config = GameConfig(
        8, window_radius=2, num_visible=num_visible, num_distractors=1, vocab_size=3, message_length=1
    )
    episodes = draw_episodes(config, 400, np.random.default_rng(0))
    message = (episodes.mask_column % 3)[:, None].astype(np.int16)
    counts, places = count(Recording(config, window=episodes.window, message=message)), places_of(config)
    expected = [np.zeros((3, places.categories(place))) for place in range(len(places))]
    names = {ABSENT: places.num_values, HIDDEN: places.num_values + 1}
    for m, column, shown in zip(
        message[:, 0].tolist(),
        episodes.mask_column.tolist(),
        values_at_places(config, episodes.window)[:, :-1].tolist(),
        strict=True,
    ):
        for place, value in enumerate(shown):
            expected[place][m, names.get(value, value)] += 1
        expected[-1][m, edge_values(config)[column]] += 1
    for table, wanted in zip(counts_by_place(config, counts.table), expected, strict=True):
        np.testing.assert_array_equal(table, wanted)


@pytest.mark.parametrize("num_visible", [None, 2])
def test_the_prior_is_how_often_things_stand_at_a_place(num_visible):
    config = GameConfig(8, window_radius=2, num_visible=num_visible, num_distractors=1)
    window = draw_episodes(config, 40_000, np.random.default_rng(0)).window
    for place, categories in enumerate(categories_at_places(config, window).T):
        prior = prior_at(config, place)
        seen = np.bincount(categories, minlength=len(prior)) / len(window)
        np.testing.assert_allclose(seen, prior, atol=0.01)


@pytest.mark.parametrize("config", [SMALL, WIDE], ids=["small", "wide"])
def test_the_share_of_windows_that_show_one_of_several_integers_is_that_of_a_loop(config):
    for number in range(config.num_integers + 4):  # top_n may be more than the game has
        expected = sum(share for window, share in all_windows(config) if {*range(number)} & {*window})
        assert share_showing(config, number) == pytest.approx(expected)
