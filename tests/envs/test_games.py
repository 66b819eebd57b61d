"""Many games: seeds of those in a mask, and what begins anew with each episode."""

from __future__ import annotations

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.envs.games import Games
from spatial_game.envs.turns import SENDER
from spatial_game.game.episodes import draw_episodes

SMALL = GameConfig(sequence_length=9, num_distractors=2)


def test_each_game_of_a_mask_gets_its_own_seed_of_a_list() -> None:
    games = Games(SMALL, 3)
    games.restart([1, 2, 3], None)
    chosen, seeds = games.restart([7, 8, 9], {"reset_mask": np.array([False, True, True])})
    assert chosen is not None
    assert (chosen.tolist(), seeds) == ([1, 2], [8, 9])
    for game, seed in enumerate([1, 8, 9]):
        alone = draw_episodes(SMALL, 1, np.random.default_rng(seed))
        np.testing.assert_array_equal(games.episodes.sequence[game], alone.sequence[0])


def test_an_episode_begins_without_message_and_choice() -> None:
    games = Games(SMALL, 2)
    games.restart(1, None)
    games.send(games.check(SENDER, [[1, 2, 3], [4, 5, 6]]))
    games.choose(np.array([2, 0], dtype=np.int16))
    assert [games.scene(game).choice for game in (0, 1)] == [2, 0]
    shown = games.scene(1)
    games.begin(np.array([1]))
    assert shown.message.tolist() == [4, 5, 6]
    assert [games.scene(game).choice for game in (0, 1)] == [2, None]
    for game in (0, 1):
        np.testing.assert_array_equal(games.scene(game).episode.sequence[0], games.episodes.sequence[game])
    assert [games.scene(game).message.tolist() for game in (0, 1)] == [[1, 2, 3], [-1, -1, -1]]
    assert games.over.tolist() == [True, False]
