"""Combinations that training leaves out: how many windows show, and what may be left out."""

import numpy as np
import pytest
from helpers.held_out_windows import number_shown
from helpers.strategies import configs, seeds
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spatial_game import GameConfig, draw_episodes
from spatial_game.game.combinations import draw_combinations
from spatial_game.game.episodes import mask_columns


@settings(max_examples=15, deadline=None)
@given(configs(max_length=20), seeds, st.floats(0.05, 0.45))
def test_windows_show_what_a_loop_finds(config, seed, fraction):
    number = round(fraction * config.num_integers)
    assume(number > 0 and config.num_integers * (1 - fraction) >= 11)
    held = draw_combinations(config, fraction, seed)
    assert set(held.cells.sum(axis=1)) == {number}
    window = draw_episodes(config, 50, np.random.default_rng(seed)).window
    left_out = held.by_mask_column[mask_columns(window)[:, None], range(config.window_size), window]
    assert ((left_out & (window >= 0)).sum(axis=1) == number_shown(held, window)).all()


def test_impossible_choices_of_what_is_held_out_are_refused():
    for fraction in (0.0, 1.0, -0.1):
        with pytest.raises(ValueError, match=f"unseen must be above 0 and below 1; got {fraction}"):
            draw_combinations(GameConfig(20), fraction, 0)
    for fraction in (0.001, 0.6, 0.9):
        fault = f"unseen must be from 0.05 to 0.5 with 20 integers, .* for the control; got {fraction}"
        with pytest.raises(ValueError, match=fault):
            draw_combinations(GameConfig(20), fraction, 0)
    with pytest.raises(ValueError, match="unseen must be 0 with 5 integers, "):
        draw_combinations(GameConfig(5), 0.2, 0)


@pytest.mark.parametrize("num_integers", range(5, 40))
def test_all_that_may_be_held_out_leaves_enough_for_the_control(num_integers):
    config = GameConfig(5, num_integers=num_integers)
    for chosen in range(1, num_integers):
        fraction = chosen / num_integers
        try:
            held = draw_combinations(config, fraction, 0)
        except ValueError:
            assert chosen > num_integers / 2 or num_integers - chosen < config.window_size
            continue
        control = draw_combinations(config, fraction, 0, apart_from=held)
        assert (control.cells.sum(axis=1) == chosen).all()
        assert not (control.cells & held.cells).any()
