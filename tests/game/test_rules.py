"""The rules: what agents see, what they earn, what they cannot change; and what is refused."""

import dataclasses
import re

import numpy as np
import pytest

from spatial_game import Agents, GameConfig, OracleReceiver, OracleSender, checks, record
from spatial_game.envs.games import Games
from spatial_game.envs.roles import ReceiverEnv, ReceiverVectorEnv, SenderEnv, SenderVectorEnv
from spatial_game.game import checking, rules
from spatial_game.game.episodes import HIDDEN, MASK, Episodes, derive, draw_episodes
from spatial_game.game.evaluation import evaluate_agents

SMALL = GameConfig(sequence_length=6, num_integers=9, num_distractors=2)
BY_HAND = {
    "sequence": [[4, 0, 5, 2, 1, 3]],
    "target_position": [1],
    "window": [[4, MASK, 5, 2, 1]],
    "mask_column": [1],
    "candidates": [[3, 5, 0]],
    "target_index": [2],
}


def by_hand(**changed):
    """The episode above, with some fields changed."""
    return Episodes(**{name: np.array(values) for name, values in (BY_HAND | changed).items()})


def test_observations_are_what_each_agent_may_know():
    whole, by_symbol = (
        Games(SMALL, 1, rules.actions_of(SMALL, symbol_per_turn=each)) for each in (False, True)
    )
    for game in (whole, by_symbol):
        game.begin(episodes=by_hand())
    for symbol in (7, 8):
        by_symbol.send(np.array([symbol]))
    alone, prefixed = (game.observe(rules.SENDER) for game in (whole, by_symbol))
    receivers = by_symbol.observe(rules.RECEIVER)
    assert alone.dtype == prefixed.dtype == receivers.dtype == np.float32
    assert alone.tolist() == [[4, MASK, 5, 2, 1]]
    assert prefixed.tolist() == [[4, MASK, 5, 2, 1, 7, 8, -1]]
    assert receivers.tolist() == [[7, 8, -1, 4, 0, 5, 2, 1, 3, 3, 5, 0]]
    parts = [rules.split_sender_observation(SMALL, observation) for observation in (alone, prefixed)]
    assert [[part.tolist() for part in each] for each in parts] == [
        [[[4, MASK, 5, 2, 1]], [[]]],
        [[[4, MASK, 5, 2, 1]], [[7, 8, -1]]],
    ]
    split = rules.split_receiver_observation(SMALL, receivers)
    assert [part.tolist() for part in split] == [[[7, 8, -1]], [[4, 0, 5, 2, 1, 3]], [[3, 5, 0]]]


def test_observations_hold_the_largest_integers_exactly():
    config = GameConfig(sequence_length=5, num_integers=32767, vocab_size=32767)
    largest = derive(config, [[32766, 32765, 3, 2, 1]], [[0, 1, 2, 3, 4]], [2])
    game = Games(config, 1, rules.actions_of(config))
    game.begin(episodes=largest)
    game.send(np.array([[32766, 0, 0]]))
    message, sequence, _ = rules.split_receiver_observation(config, game.observe(rules.RECEIVER))
    assert (message.tolist(), sequence.tolist()) == ([[32766, 0, 0]], largest.sequence.tolist())


def test_the_payoff_is_one_for_the_target():
    rewards = rules.payoff(np.array([0, 1, 2]), np.array([0, 2, 2]))
    assert rewards.dtype == np.float32
    assert rewards.tolist() == [1, 0, 1]


class Vandal:
    """Plays like the oracle, and overwrites everything that it is shown."""

    def __init__(self, config):
        self.sender, self.receiver, self.config = OracleSender(config), OracleReceiver(config), config

    def send(self, window):
        messages = self.sender.send(window)
        window[:] = 0
        return messages

    def choose(self, messages, sequence, candidates):
        choices = self.receiver.choose(messages, sequence, candidates)
        messages[:] = sequence[:] = candidates[:] = 0
        return choices


def test_agents_cannot_change_the_game():
    config = GameConfig(20)
    vandal = Vandal(config)
    episodes, untouched = (draw_episodes(config, 300, np.random.default_rng(1)) for _ in range(2))
    recording = record((vandal, vandal), episodes, config)
    for name, column in vars(untouched).items():
        np.testing.assert_array_equal(getattr(episodes, name), column)
    np.testing.assert_array_equal(recording.message, vandal.sender.send(untouched.window))
    assert recording.accuracy == 1
    assert evaluate_agents(Agents(vandal, vandal, config), 300).accuracy == 1
    ended = []
    for env in (
        SenderEnv(vandal),
        SenderVectorEnv(2, vandal),
        ReceiverEnv(vandal),
        ReceiverVectorEnv(2, vandal),
    ):
        env.game.on_end.append(lambda played, messages, choices: ended.append(played))
        env.reset(seed=0)
        env.step(np.zeros_like(env.action_space.sample()))
    assert [len(checking.check_episodes(config, each)) for each in ended] == [1, 2, 1, 2]


# What is refused: observations, actions, integers, episodes from elsewhere


def test_observations_of_another_game_are_refused():
    config = GameConfig()
    with pytest.raises(ValueError, match=r"^a receiver's .* shape \(B, 68\); got \(68,\)$"):
        rules.split_receiver_observation(config, np.zeros(68))
    with pytest.raises(ValueError, match=r"^a sender's .* \(B, 5\) or \(B, 8\); got \(4, 6\)$"):
        rules.split_sender_observation(config, np.zeros((4, 6)))


@pytest.mark.parametrize("wrong", [0.5, np.nan, 70_000])
def test_observations_that_were_changed_on_the_way_are_refused(wrong):
    seen = np.array([[3, 4, 5, 6, wrong]])  # by a wrapper that scales observations, for example
    with pytest.raises(ValueError, match=r"^a sender's observations must be integers .*; got array"):
        rules.split_sender_observation(GameConfig(), seen)


class Scripted:
    """Sends and chooses whatever it was told to."""

    def __init__(self, messages, choices):
        self.send = lambda window: messages
        self.choose = lambda messages, sequence, candidates: choices


class WithGradients:
    """Refuses to become an array, as torch's tensors with gradients do."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


@pytest.mark.parametrize(
    ("messages", "choices", "text"),
    [
        ([[0, 1, 2]], [0, 4], "messages must have shape (2, 3); got (1, 3)"),
        ([[0, 1, 2], [3]], [0, 4], "messages must have shape (2, 3); got lists of different lengths"),
        (None, [0, 4], "messages must be integers; got None"),
        (WithGradients(), [0, 4], "messages must be integers; got a tensor with gradients"),
        ([[0, 25, 3], [1, 1, 1]], [0, 5], "choices must be in 0..4; got 5"),
        ([[0, 25, 3], [1, 1, 1]], [True, False], "choices must be integers; got dtype bool"),
    ],
)
def test_what_a_policy_may_not_do_is_refused(messages, choices, text):
    episodes = draw_episodes(GameConfig(), 2, np.random.default_rng(0))
    policy = Scripted(messages, choices)
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(text)}$"):
        rules.play(policy, policy, episodes, GameConfig())


def test_a_name_is_no_agent():
    name = "embed-60"
    episodes = draw_episodes(GameConfig(), 2, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"sender must have the method send, .* got 'embed-60'"):
        rules.play(name, name, episodes, GameConfig())
    with pytest.raises(TypeError, match=r"receiver must have the method choose, .* got OracleSender"):
        rules.play(OracleSender(GameConfig()), OracleSender(GameConfig()), episodes, GameConfig())
    for no_agents, got in ((name, "'embed-60'"), (OracleSender(GameConfig()), "OracleSender")):
        with pytest.raises(TypeError, match=f"agents must be Agents, as .* returns; got {got}"):
            evaluate_agents(no_agents)


@pytest.mark.parametrize("size", [1, 16, 17])
@pytest.mark.parametrize(
    ("dtype", "value", "passes"),
    [("int8", -3, False), (">i2", -2, True), ("int64", 4, True), (">i8", 5, False), ("uint64", 5, False)],
)
def test_both_bounds_of_integers_are_exact(dtype, size, value, passes):
    array = np.zeros(size, dtype)
    array[-1] = value
    if passes:
        assert checks.check_integers("choices", array, (size,), 5, low=-2) is array
    else:
        text = f"choices must be in -2..4; got {value} in row {6 + size}"
        with pytest.raises(ValueError, match=f"^{text}$"):
            checks.check_integers("choices", array, (size,), 5, low=-2, first_row=7)


def test_a_large_bound_wraps_integers_of_a_narrow_type():
    action = rules.Action("choice", (), 200, 300)
    narrow = [kind(5) for kind in (np.int8, np.int16, np.uint8, np.uint64, int)]
    assert [action.wrapped(np.array([each]))[0] for each in narrow] == [5] * 5
    assert [action.check(each) for each in narrow] == [5] * 5


HALF_SEEN = GameConfig(shape=(3, 3), window_radius=1, num_distractors=1, num_visible=2)
# 0 1 2 / 3 4 5 / 6 7 8, the target in the middle
GRID_EPISODE = derive(HALF_SEEN, [range(9)], [[4, 0]], [0], [[0, 1, 2, 3, 4, 5]])
WINDOW = "window must show the sequence around target_position, in a game of shape {}; got {} in row 0"


@pytest.mark.parametrize(
    ("sequence", "positions", "text"),
    [
        ([4, 0, 4, 2, 1, 3], [5, 2, 1], "sequence must hold different integers; got [4, 0, 4, 2, 1, 3]"),
        ([4, 0, 5, 2, 1, 3], [5, 2, 5], "candidate_positions must hold different integers; got [5, 2, 5]"),
    ],
)
def test_what_stands_twice_is_refused(sequence, positions, text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)} in row 1$"):
        derive(SMALL, [range(6), sequence], [[0, 1, 2], positions], [0, 0])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"candidate_positions": [[5, 2, -1]]}, "candidate_positions must be in 0..5; got -1 in row 0"),
        ({"candidate_positions": [[5, 2, 6]]}, "candidate_positions must be in 0..5; got 6 in row 0"),
        ({"sequence": [[4, 0, 5, 2, 1, 70000]]}, "sequence must be in 0..8; got 70000 in row 0"),
        ({"sequence": [4, 0, 5, 2, 1, 3]}, r"sequence must have shape (1, 6); got (6,)"),
        ({"target_index": [0.5]}, "target_index must be integers; got [0.5]"),
        ({"target_index": [3]}, "target_index must be in 0..2; got 3 in row 0"),
    ],
)
def test_episodes_follow_from_integers_in_range_alone(change, text):
    given = {"sequence": [[4, 0, 5, 2, 1, 3]], "candidate_positions": [[5, 2, 1]], "target_index": [2]}
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(text)}$"):
        derive(SMALL, **given | change)


@pytest.mark.parametrize("hidden", [None, [[0, 1, 2, 3, 4, 8]], [[0, 1, 2, 3, 4, 4]]])
def test_hidden_cells_are_different_cells_beside_the_mask(hidden):
    with pytest.raises((TypeError, ValueError), match=r"^hidden must "):
        derive(HALF_SEEN, [range(9)], [[4, 0]], [0], hidden)


def test_an_episode_made_by_hand_is_taken_as_int16():
    checked = checking.check_episodes(SMALL, by_hand())
    derived = derive(SMALL, [[4, 0, 5, 2, 1, 3]], [[5, 2, 1]], [2])
    for name, column in vars(checked).items():
        assert column.dtype == np.int16
        np.testing.assert_array_equal(column, getattr(derived, name))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("sequence", [[4, 0, 5, 2, 1]], "sequence must have shape (1, 6); got (1, 5)"),
        ("sequence", [[4, 0, 5, 2, 1, 9]], "sequence must be in 0..8; got 9 in row 0"),
        (
            "sequence",
            [[4, 0, 5, 2, 1, 4]],
            "sequence must hold different integers; got [4, 0, 5, 2, 1, 4] in row 0",
        ),
        ("window", [[4, -2, 5, 2, 1]], "window must be in -1..8; got -2 in row 0"),
        ("window", [[4, MASK, 5, 2, 3]], WINDOW.format((6,), [4, -1, 5, 2, 3])),
        ("mask_column", [2], "mask_column must be the target's cell in the window; got 2 in row 0"),
        ("candidates", [[3, 3, 0]], "candidates must hold different integers; got [3, 3, 0] in row 0"),
        ("candidates", [[3, 8, 0]], "candidates must be integers of the sequence; got [3, 8, 0] in row 0"),
        ("target_index", [0], "target_index must be the target's index in candidates; got 0 in row 0"),
        ("target_index", [1.0], "target_index must be integers; got array([1.])"),
    ],
)
def test_an_episode_of_another_game_is_refused(field, value, message):
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}$"):
        checking.check_episodes(SMALL, by_hand(**{field: value}))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({7: HIDDEN}, "window must hide 6 cells (-2); got 7 in row 0"),
        ({0: 0}, "window must hide 6 cells (-2); got 5 in row 0"),
        ({4: HIDDEN, 0: 0}, "window must have one mask (-1); got 0 in row 0"),
        ({7: 6}, WINDOW.format((3, 3), [HIDDEN] * 4 + [MASK] + [HIDDEN] * 2 + [6, 8])),
        ({0: -3}, "window must be in -2..8; got -3 in row 0"),
    ],
)
def test_a_window_that_hides_something_else_is_refused(cells, message):
    assert GRID_EPISODE.window.tolist() == [[HIDDEN, HIDDEN, HIDDEN, HIDDEN, MASK, HIDDEN, HIDDEN, 7, 8]]
    window = GRID_EPISODE.window.copy()
    for place, value in cells.items():
        window[0, place] = value
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        checking.check_episodes(HALF_SEEN, dataclasses.replace(GRID_EPISODE, window=window))
