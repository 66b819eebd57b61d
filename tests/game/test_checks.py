"""Episodes from elsewhere are checked, and a fault is said in one line."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, grids, seeds

from spatial_game.config import GameConfig
from spatial_game.game.checks import check_episodes
from spatial_game.game.episodes import HIDDEN, MASK, Episodes, derive, draw_episodes

# What follows from the sequence and the candidates.
FOLLOWING = ["target_position", "window", "mask_column", "target_index"]
SMALL = GameConfig(sequence_length=6, num_integers=9, num_distractors=1)


def small_episode(**changes: Any) -> Episodes:
    fields: dict[str, Any] = {
        "sequence": [[4, 0, 5, 2, 1, 3]],
        "target_position": [1],
        "window": [[4, MASK, 5, 2, 1]],
        "mask_column": [1],
        "candidates": [[3, 0]],
        "target_index": [1],
    }
    return Episodes(**{name: np.array(value) for name, value in (fields | changes).items()})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sequence": [[4, 0, 5, 2, 1]]}, "sequence must have shape (1, 6); got (1, 5)"),
        ({"sequence": [[4, 0, 5, 2, 1, 9]]}, "sequence must be in 0..8; got 9 in row 0"),
        ({"sequence": [[4, 0, 5, 2, 1, 4]]}, "sequence must hold different integers; not so in row 0"),
        ({"window": [[4, -2, 5, 2, 1]]}, "window must be in -1..8; got -2 in row 0"),
        (
            {"window": [[4, MASK, 5, 2, 3]]},
            "window must show the sequence around the target; not so in row 0",
        ),
        (
            {"mask_column": [2]},
            "mask_column must be the target's place in the window; not so in row 0",
        ),
        ({"candidates": [[0, 0]]}, "candidates must be different integers; not so in row 0"),
        ({"candidates": [[8, 0]]}, "candidates must be integers of the sequence; not so in row 0"),
        ({"target_index": [0]}, "target_index must be the target's place in candidates; not so in row 0"),
    ],
)
def test_an_episode_of_another_game_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_episodes(SMALL, small_episode(**changes))


def test_an_episode_made_by_hand_is_taken_as_int16() -> None:
    assert small_episode().sequence.dtype != np.int16
    checked = check_episodes(SMALL, small_episode())
    derived = derive(SMALL, [[4, 0, 5, 2, 1, 3]], [[5, 1]], [1])
    for name, column in vars(checked).items():
        assert column.dtype == np.int16
        np.testing.assert_array_equal(column, getattr(derived, name))


HALF_SEEN = GameConfig(shape=(3, 3), window_radius=1, num_distractors=1, num_visible=2)
# 0 1 2 / 3 4 5 / 6 7 8, the target in the middle
GRID_EPISODE = derive(HALF_SEEN, [range(9)], [[4, 0]], [0], [[0, 1, 2, 3, 4, 5]])


def test_an_episode_of_a_grid() -> None:
    assert GRID_EPISODE.window.tolist() == [[HIDDEN, HIDDEN, HIDDEN, HIDDEN, MASK, HIDDEN, HIDDEN, 7, 8]]
    np.testing.assert_array_equal(check_episodes(HALF_SEEN, GRID_EPISODE).window, GRID_EPISODE.window)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({7: HIDDEN}, "window must show num_visible cells beside the mask; not so in row 0"),
        ({0: 0}, "window must show num_visible cells beside the mask; not so in row 0"),
        ({4: HIDDEN, 0: 0}, "window must show the sequence around the target; not so in row 0"),
        ({7: 8}, "window must show the sequence around the target; not so in row 0"),
        ({0: -3}, "window must be in -2..8; got -3 in row 0"),
    ],
)
def test_a_window_that_hides_something_else_is_refused(cells: dict[int, int], message: str) -> None:
    window = GRID_EPISODE.window.copy()
    for place, value in cells.items():
        window[0, place] = value
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_episodes(HALF_SEEN, dataclasses.replace(GRID_EPISODE, window=window))


@pytest.mark.parametrize("dtype", [float, bool, object])
def test_episodes_of_other_types_are_refused(dtype: type) -> None:
    with pytest.raises(TypeError, match=r"^target_index must be integers; got array"):
        check_episodes(SMALL, small_episode(target_index=np.array([1], dtype=dtype)))


@settings(max_examples=30)
@given(configs() | grids(), seeds, st.sampled_from(FOLLOWING), st.integers(0, 4))
def test_a_change_of_what_follows_is_noticed(config: GameConfig, seed: int, field: str, row: int) -> None:
    episodes = draw_episodes(config, 5, np.random.default_rng(seed))
    changed = getattr(episodes, field).copy()
    changed.reshape(5, -1)[row, 0] += 1
    with pytest.raises(ValueError, match=r"must"):
        check_episodes(config, dataclasses.replace(episodes, **{field: changed}))
