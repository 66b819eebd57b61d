"""One game: what begins anew with each episode, and blocks of episodes drawn in advance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, seeds

from spatial_game.config import GameConfig
from spatial_game.envs.game import Game
from spatial_game.envs.turns import AGENTS, RECEIVER, SENDER
from spatial_game.game import rules
from spatial_game.game.episodes import draw_episodes

SMALL = GameConfig(sequence_length=9, num_distractors=2)


def play(game: Game, message: list[int], choice: int) -> float:
    for action in message if game.symbol_per_turn else [message]:
        game.send(game.check(SENDER, action))
    return game.choose(game.check(RECEIVER, choice))


@settings(deadline=None, max_examples=30)
@given(configs(), seeds, st.booleans())
def test_views_are_those_of_the_rules(config: GameConfig, seed: int, symbol_per_turn: bool) -> None:
    game = Game(config, symbol_per_turn=symbol_per_turn)
    episodes = draw_episodes(config, 30, np.random.default_rng(seed))
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
def test_a_given_episode_comes_between_those_drawn(symbol_per_turn: bool) -> None:
    game = Game(SMALL, symbol_per_turn=symbol_per_turn)
    drawn, other = (draw_episodes(SMALL, 5, np.random.default_rng(seed)) for seed in (1, 2))
    for row in range(4):
        game.restart(1 if row == 0 else None, None)
        np.testing.assert_array_equal(game.episodes.sequence[0], drawn.sequence[row])
    game.restart(None, {"episode": other[3:4]})
    np.testing.assert_array_equal(game.observe(SENDER)[:5], other.window[3])
    assert play(game, [1, 2, 3], int(other.target_index[3])) == 1
    game.restart(None, None)
    np.testing.assert_array_equal(game.episodes.sequence[0], drawn.sequence[4])


@pytest.mark.parametrize("symbol_per_turn", [False, True])
def test_an_episode_begins_without_message_and_choice(symbol_per_turn: bool) -> None:
    game = Game(SMALL, symbol_per_turn=symbol_per_turn)
    game.restart(1, None)
    play(game, [1, 2, 3], 0)
    scene = game.scene()
    assert (scene.message.tolist(), scene.choice) == ([1, 2, 3], 0)
    game.restart(None, None)
    assert (game.scene().message.tolist(), game.scene().choice) == ([-1, -1, -1], None)
    assert (scene.message.tolist(), scene.choice) == ([1, 2, 3], 0)
