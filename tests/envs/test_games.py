"""One game and many: what is seen, what begins anew with each episode, and what is refused."""

import re

import numpy as np
import pytest

from spatial_game import GameConfig, OracleSender, draw_episodes
from spatial_game.envs.games import Games, OneGame
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game.rules import RECEIVER, SENDER, actions_of

SMALL = GameConfig(sequence_length=9, num_distractors=2)
ACTIONS = actions_of(SMALL)


@pytest.mark.parametrize("symbol_per_turn", [False, True])
def test_a_scene_stays_when_the_next_episode_begins(symbol_per_turn):
    game = OneGame(SMALL, actions_of(SMALL, symbol_per_turn=symbol_per_turn))
    game.restart(1, None)
    for action in [1, 2, 3, 0] if symbol_per_turn else [[1, 2, 3], 0]:
        game.step(action)
    scene = game.scene()
    game.restart(None, None)
    assert (game.scene().message.tolist(), game.scene().choice) == ([-1, -1, -1], None)
    assert (scene.message.tolist(), scene.choice) == ([1, 2, 3], 0)


def test_each_game_of_a_mask_gets_its_own_seed_of_a_list():
    games = Games(SMALL, 3, ACTIONS)
    games.restart([1, 2, 3], None)
    seeded = []
    chosen = games.restart(
        [7, 8, 9], {"reset_mask": np.array([False, True, True])}, lambda *given: seeded.append(given)
    )
    assert chosen.tolist() == [1, 2]
    assert [(seeds, some.tolist()) for seeds, some in seeded] == [([8, 9], [1, 2])]
    for game, seed in enumerate([1, 8, 9]):
        alone = draw_episodes(SMALL, 1, np.random.default_rng(seed))
        np.testing.assert_array_equal(games.episodes.sequence[game], alone.sequence[0])
    games.begin()
    undisturbed = draw_episodes(SMALL, 2, np.random.default_rng(1))
    np.testing.assert_array_equal(games.episodes.sequence[0], undisturbed.sequence[1])


@pytest.mark.parametrize("send", [None, lambda states, games: OracleSender(SMALL).send(states["window"])])
def test_given_episodes_are_played_in_the_games_that_are_reset(send):
    games = Games(SMALL, 3, ACTIONS)
    games.send_in_advance(send)
    games.restart(1, None)
    before, given = games.episodes, draw_episodes(SMALL, 3, np.random.default_rng(5))
    mask = np.array([True, False, True])
    games.restart(None, {"episodes": given, "reset_mask": mask})
    np.testing.assert_array_equal(games.episodes.window[mask], given.window[mask])
    np.testing.assert_array_equal(games.episodes.window[1], before.window[1])
    expected = np.full((3, 3), -1)  # senders are asked in advance only about episodes that games draw
    if send is not None:
        expected[1] = OracleSender(SMALL).send(before.window)[1]
    np.testing.assert_array_equal(games.parts()["message"], expected)
    games.restart(None, {"episodes": given})
    assert games.episodes == given


def test_the_other_games_of_a_batch_go_on():
    games = Games(SMALL, 2, ACTIONS)
    games.restart(1, None)
    games.send(games.check(SENDER, [[1, 2, 3], [4, 5, 6]]))
    games.choose(np.array([2, 0], dtype=np.int16))
    assert [games.scene(game).choice for game in (0, 1)] == [2, 0]
    shown = games.scene(1)
    games.begin(np.array([1]))
    assert shown.message.tolist() == [4, 5, 6]
    assert [games.scene(game).choice for game in (0, 1)] == [2, None]
    assert [games.scene(game).message.tolist() for game in (0, 1)] == [[1, 2, 3], [-1, -1, -1]]
    assert games.over.tolist() == [True, False]


def test_listeners_hear_only_of_the_games_that_end():
    games = Games(SMALL, 3, ACTIONS)
    games.restart(1, None)
    heard = []
    games.on_end.append(lambda *ended: heard.append(ended))
    games.send(games.check(SENDER, [[1, 2, 3], [4, 5, 6], [0, 1, 2]]))
    games.choose(np.array([2, 1], dtype=np.int16), np.array([0, 2]))
    [(episodes, messages, choices)] = heard
    np.testing.assert_array_equal(episodes.sequence, games.episodes.sequence[[0, 2]])
    assert (messages.tolist(), choices.tolist()) == ([[1, 2, 3], [0, 1, 2]], [2, 1])


# What is refused, in one game and in many


ONE, TWO = (draw_episodes(SMALL, number, np.random.default_rng(0)) for number in (1, 2))
OTHER = draw_episodes(SMALL.changed(sequence_length=20), 1, np.random.default_rng(0))
WRONG_RESETS = [
    (1, -1, None, "seed must be at least 0; got -1"),
    (1, None, 5, "options must be a dict or None; got int"),
    (1, None, {"episodes": 1}, 'options["episodes"] must be Episodes; got int'),
    (1, None, {"episodes": TWO}, 'options["episodes"] must be a batch of 1; got 2'),
    (
        1,
        None,
        {"episodes": OTHER},
        'options["episodes"] must be of the game, whose sequence_length is 9; got 20 '
        "(for a game of these, set sequence_length)",
    ),
    (
        1,
        None,
        {"epsiodes": ONE},
        'options of reset() must be episodes; got "epsiodes" (did you mean "episodes"?)',
    ),
    (1, None, {"reset_mask": [True]}, 'options of reset() must be episodes; got "reset_mask"'),
    (2, [1], None, "seed must be one number or a list of 2; got 1"),
    (2, None, {"episodes": ONE}, 'options["episodes"] must be a batch of 2; got 1'),
    (
        2,
        None,
        {"resetmask": 1},
        'options of reset() must be episodes or reset_mask; got "resetmask" (did you mean "reset_mask"?)',
    ),
    (2, None, {"reset_mask": [True]}, "reset_mask must be 2 booleans; got dtype bool and shape (1,)"),
    (2, None, {"reset_mask": [1, 0]}, "reset_mask must be 2 booleans; got dtype int64 and shape (2,)"),
    (2, None, {"reset_mask": [False] * 2}, "reset_mask must have at least one True; got none"),
]


@pytest.mark.parametrize(("number", "seed", "options", "text"), WRONG_RESETS)
def test_wrong_resets_are_refused_and_change_nothing(number, seed, options, text):
    game = OneGame(SMALL, ACTIONS) if number == 1 else Games(SMALL, number, ACTIONS)
    game.restart(0, None)
    before = game.observe(SENDER)
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(text)}$"):
        game.restart(seed, options)
    np.testing.assert_array_equal(game.observe(SENDER), before)


@pytest.mark.parametrize(
    ("agent", "symbol_per_turn", "action", "text"),
    [
        (SENDER, False, [1, 2, 26], "message must be in 0..25; got 26"),
        (SENDER, False, [1, 2], "message must have shape (3,); got (2,)"),
        (SENDER, False, None, "message must be integers; got None"),
        (SENDER, True, -1, "symbol must be in 0..25; got -1"),
        (SENDER, True, [1, 2, 3], "symbol must have shape (); got (3,)"),
        (RECEIVER, False, 3, "choice must be in 0..2; got 3"),
        (RECEIVER, False, True, "choice must be an integer; got True"),
        (RECEIVER, False, 1.0, "choice must be an integer; got 1.0"),
        (RECEIVER, False, 2**70, f"choice must be an integer; got {2**70}"),
    ],
)
def test_wrong_actions_are_refused(agent, symbol_per_turn, action, text):
    each = actions_of(SMALL, symbol_per_turn=symbol_per_turn)
    own = each[agent]
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(text)}$"):
        own.check(action)
    for actions in ([action, action], [[0], [0], [0]]):
        with pytest.raises((TypeError, ValueError), match=f"^{own.name}s must "):
            Games(SMALL, 2, each).check(agent, actions)


@pytest.mark.parametrize(
    ("number", "text"), [(0, "must be at least 1; got 0"), (2.0, "must be a whole number; got 2.0")]
)
def test_the_number_of_games_is_checked(number, text):
    with pytest.raises((TypeError, ValueError), match=f"^num_envs {re.escape(text)}$"):
        ParallelVectorEnv(number)
