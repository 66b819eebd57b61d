"""Places, and counts of what stands there, against a loop over episodes."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import (
    ABSENT,
    counts_by_place,
    edge_values,
    integers_at_offsets,
    places_of,
)
from spatial_game.recording import Recording


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
        integers_at_offsets(config, episodes.window).tolist(),
        strict=True,
    ):
        for place, value in enumerate(shown):
            expected[place][m, names.get(value, value)] += 1
        expected[-1][m, edge_values(config)[column]] += 1
    for table, wanted in zip(counts_by_place(config, counts.table), expected, strict=True):
        np.testing.assert_array_equal(table, wanted)
