"""One game and many: what is seen, and what begins anew with each episode."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, seeds

from spatial_game.config import GameConfig
from spatial_game.envs.games import Games
from spatial_game.envs.turns import AGENTS, RECEIVER, SENDER, Game
from spatial_game.game import rules
from spatial_game.game.episodes import draw_episodes

SMALL = GameConfig(sequence_length=9, num_distractors=2)


@settings(deadline=None, max_examples=30)
@given(configs(), seeds, st.booleans())
def test_views_are_those_of_the_rules(config: GameConfig, seed: int, symbol_per_turn: bool) -> None:
    game = Game(config, symbol_per_turn=symbol_per_turn)
    episodes = draw_episodes(config, 30, np.random.default_rng(seed))
    game.restart(seed + 1, None)  # of which the next seed leaves nothing
    for row in range(30):
        game.restart(seed if row == 0 else None, None)
        for _ in range(2):
            message = game.messages.copy()
            views = {
                SENDER: rules.sender_view(episodes[row : row + 1], message if symbol_per_turn else None),
                RECEIVER: rules.receiver_view(episodes[row : row + 1], message),
            }
            for agent in AGENTS:
                np.testing.assert_array_equal(game.observe(agent), views[agent][0])
            game.send(game.check(SENDER, 1 if symbol_per_turn else [1] * config.message_length))
            if game.turn == RECEIVER:
                break


@pytest.mark.parametrize("symbol_per_turn", [False, True])
def test_an_episode_begins_without_message_and_choice(symbol_per_turn: bool) -> None:
    game = Game(SMALL, symbol_per_turn=symbol_per_turn)
    game.restart(1, None)
    for action in [1, 2, 3] if symbol_per_turn else [[1, 2, 3]]:
        game.act(SENDER, game.check(SENDER, action))
    game.act(RECEIVER, game.check(RECEIVER, 0))
    scene = game.scene()
    assert (scene.message.tolist(), scene.choice) == ([1, 2, 3], 0)
    game.restart(None, None)
    assert (game.scene().message.tolist(), game.scene().choice) == ([-1, -1, -1], None)
    assert (scene.message.tolist(), scene.choice) == ([1, 2, 3], 0)


def test_each_game_of_a_mask_gets_its_own_seed_of_a_list() -> None:
    games = Games(SMALL, 3)
    games.restart([1, 2, 3], None)
    chosen, seeds = games.restart([7, 8, 9], {"reset_mask": np.array([False, True, True])})
    assert chosen is not None
    assert (chosen.tolist(), seeds) == ([1, 2], [8, 9])
    for game, seed in enumerate([1, 8, 9]):
        alone = draw_episodes(SMALL, 1, np.random.default_rng(seed))
        np.testing.assert_array_equal(games.episodes.sequence[game], alone.sequence[0])


def test_the_other_games_of_a_batch_go_on() -> None:
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
