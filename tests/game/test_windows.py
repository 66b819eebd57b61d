"""Tables of windows, against a loop over cells."""

import itertools

import numpy as np
from helpers.strategies import configs, grids
from hypothesis import given, settings

from spatial_game.game.episodes import draw_episodes
from spatial_game.game.windows import (
    candidate_surroundings,
    cells_at_offsets,
    offset_numbers,
    window_cells,
    window_tables,
)


@given(configs(max_length=12) | grids())
@settings(deadline=None, max_examples=15)
def test_each_cell_of_a_window_stands_at_its_offset(config):
    cells, mask = window_cells(config), window_tables(config).mask_column
    number, offsets = offset_numbers(config), np.reshape(config.offsets, (-1, len(config.shape)))
    for target in range(config.sequence_length):
        assert cells[target, mask[target]] == target
        here = np.unravel_index(target, config.shape)
        for column, cell in enumerate(cells[target]):
            found = number[mask[target], column]
            assert (found == -1) == (column == mask[target])
            if found >= 0:
                assert np.array_equal(np.subtract(np.unravel_index(cell, config.shape), here), offsets[found])


@given(configs(max_length=12) | grids())
@settings(deadline=None, max_examples=15)
def test_offsets_lead_to_the_cells_of_a_walk_over_the_grid(config):
    cells = {where: cell for cell, where in enumerate(itertools.product(*map(range, config.shape)))}
    offsets = np.reshape(config.offsets, (-1, len(config.shape)))
    for here, row in zip(cells, cells_at_offsets(config).tolist(), strict=True):
        there = [tuple(np.add(here, offset).tolist()) for offset in offsets]
        assert row == [cells.get(where, config.sequence_length) for where in there]


@given(configs(max_length=12) | grids())
@settings(deadline=None, max_examples=15)
def test_surroundings_of_candidates_are_the_integers_at_the_offsets(config):
    episodes = draw_episodes(config, 5, np.random.default_rng(0))
    found = candidate_surroundings(config, episodes.sequence, episodes.candidates)
    for sequence, candidates, around in zip(
        episodes.sequence.tolist(), episodes.candidates.tolist(), found.tolist(), strict=True
    ):
        padded = [*sequence, config.num_integers]
        at = cells_at_offsets(config)[[sequence.index(each) for each in candidates]].tolist()
        assert around == [[padded[cell] for cell in row] for row in at]
