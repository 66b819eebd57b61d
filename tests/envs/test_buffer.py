"""Each game's stream is the one that its seed alone would give, in whatever order games are asked."""

import numpy as np
import pytest
from helpers.strategies import configs, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.envs import buffer
from spatial_game.envs.buffer import Buffer, draw_ahead, integer_buffer
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.envs.states import ALL, episodes_of, new_states, state_type
from spatial_game.game.episodes import concatenate, draw_episodes


class EpisodeBuffer(Buffer):
    """A buffer of rows of episodes, which it takes as episodes."""

    def __init__(self, config, num_games):
        kind, numbers = state_type(config, symbol_per_turn=False), 2 * config.num_integers
        super().__init__(
            lambda *ahead: new_states(kind, draw_ahead(config, *ahead)), num_games, kind, numbers
        )

    def episodes(self, games=ALL):
        return episodes_of(self.take(games).copy())


@settings(max_examples=8, deadline=None)
@given(configs(), seeds, st.integers(1, 5), st.data())
def test_games_yield_the_episodes_of_their_seeds(config, seed, num_games, data):
    streams = EpisodeBuffer(config, num_games)
    streams.seed(range(seed, seed + num_games))
    played = [[] for _ in range(num_games)]
    for _ in range(data.draw(st.integers(1, 12))):
        some = data.draw(st.lists(st.integers(0, num_games - 1), min_size=1, unique=True) | st.none())
        games = np.arange(num_games) if some is None else np.sort(some)
        for _ in range(data.draw(st.integers(1, 15))):
            episodes = streams.episodes(ALL if some is None else games)
            for row, game in enumerate(games):
                played[game].append(episodes[row : row + 1])
    for game, rows in enumerate(played):
        alone = draw_episodes(config, len(rows), np.random.default_rng(seed + game))
        for name, column in vars(alone).items() if rows else ():
            np.testing.assert_array_equal(getattr(concatenate(rows), name), column)


@pytest.mark.parametrize("rows_ahead", [0, 3])
def test_episodes_are_the_same_however_few_are_drawn_ahead(rows_ahead, monkeypatch):
    config = GameConfig(sequence_length=5)  # 11 keys of 4 bytes, an odd number
    monkeypatch.setattr(buffer, "_NUMBERS_AHEAD", 20 * rows_ahead)
    streams = EpisodeBuffer(config, 2)
    streams.seed([3, 4])
    played = [streams.episodes().sequence[1].tolist() for _ in range(9)]
    assert played == draw_episodes(config, 9, np.random.default_rng(4)).sequence.tolist()


def test_what_is_taken_out_of_step_is_independent_of_the_buffer():
    """The caller may write into it, also after some games are seeded, or begin their next block."""
    streams, undisturbed = integer_buffer(9, 2, 4), integer_buffer(9, 2, 4)
    for each in (streams, undisturbed):
        each.seed([1, 2, 3, 4])
        each.take()
        each.seed([None, 7, None, 8])
    for games in (np.array([1]), ALL):
        for _ in range(30):
            taken = streams.take(games)
            np.testing.assert_array_equal(taken, undisturbed.take(games))
            taken[:] = -1


def test_streams_without_a_seed_differ():
    config = GameConfig()
    one, other = (EpisodeBuffer(config, 2).episodes().sequence for _ in range(2))
    assert not np.array_equal(one, other)
    assert not np.array_equal(one[0], one[1])


def test_random_actions_depend_on_the_games_seed_alone_and_are_uniform():
    many, alone = integer_buffer(5, 3, 4), integer_buffer(5, 3, 1)
    many.seed([7, 8, 9, 10])
    alone.seed([9])
    rows = np.stack([many.take().copy() for _ in range(500)])
    np.testing.assert_array_equal(rows[:, 2], np.concatenate([alone.take().copy() for _ in range(500)]))
    counts = np.bincount(rows.ravel(), minlength=5)
    assert len(counts) == 5
    assert np.abs(counts - 1200).max() < 150  # five standard deviations


def test_neighbouring_seeds_share_no_episodes():
    """And a game has the same seed in a batch of any size."""
    seeds = checked_seeds(3, 500)
    assert (seeds[0], seeds[:20]) == (3, checked_seeds(3, 20))
    assert len({*seeds, *checked_seeds(4, 500)}) == 1000
    assert (checked_seeds([3, None], 2), checked_seeds(None, 2)) == ([3, None], [None, None])
    first = [draw_episodes(GameConfig(), 1, np.random.default_rng(seed)).sequence.tobytes() for seed in seeds]
    assert len({*first}) == 500


@pytest.mark.parametrize("seed", ["1", 1.0, True, -1, [1, "x"]])
def test_seeds_that_are_no_whole_numbers_are_refused(seed):
    with pytest.raises((TypeError, ValueError), match=r"seed must be (a whole number|at least 0); got"):
        checked_seeds(seed, 2)
