"""The rules on a batch, against twins that take one episode at a time."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import configs, seeds

from spatial_game.config import GameConfig
from spatial_game.game import rules
from spatial_game.game.checks import check_integers
from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.policies import RandomReceiver, RandomSender


def drawn(config: GameConfig, seed: int, size: int = 8) -> tuple[Episodes, IntArray, IntArray]:
    """Episodes with random messages and choices."""
    rng = np.random.default_rng(seed)
    episodes = draw_episodes(config, size, rng)
    return episodes, *rules.play(RandomSender(config, rng), RandomReceiver(config, rng), episodes, config)


@given(configs(), seeds)
def test_views_are_what_each_agent_may_know(config: GameConfig, seed: int) -> None:
    episodes, messages, _ = drawn(config, seed)
    senders, prefixed = rules.sender_view(episodes), rules.sender_view(episodes, messages)
    receivers = rules.receiver_view(episodes, messages)
    assert senders.dtype == prefixed.dtype == receivers.dtype == np.float32
    for row in range(len(episodes)):
        window, message = episodes.window[row].tolist(), messages[row].tolist()
        sequence, candidates = episodes.sequence[row].tolist(), episodes.candidates[row].tolist()
        assert senders[row].tolist() == window
        assert prefixed[row].tolist() == window + message
        assert receivers[row].tolist() == message + sequence + candidates
    parts = rules.split_receiver_view(config, receivers)
    for part, expected in zip(parts, (messages, episodes.sequence, episodes.candidates), strict=True):
        np.testing.assert_array_equal(part, expected)
    for view, prefix in ((prefixed, messages), (senders, messages[:, :0])):
        for part, expected in zip(
            rules.split_sender_view(config, view), (episodes.window, prefix), strict=True
        ):
            np.testing.assert_array_equal(part, expected)


def test_views_hold_the_largest_integers_exactly() -> None:
    config = GameConfig(sequence_length=5, num_integers=32767, vocab_size=32767)
    episodes, messages, _ = drawn(config, 0, size=200)
    assert episodes.sequence.max() > 32000
    split = rules.split_receiver_view(config, rules.receiver_view(episodes, messages))
    np.testing.assert_array_equal(split[0], messages)
    np.testing.assert_array_equal(split[1], episodes.sequence)


def test_views_of_another_game_are_refused() -> None:
    config = GameConfig()
    with pytest.raises(ValueError, match=r"^a receiver's views must have shape \(B, 68\); got \(68,\)$"):
        rules.split_receiver_view(config, np.zeros(68))
    with pytest.raises(
        ValueError, match=r"^a sender's views must have shape \(B, 5\) or \(B, 8\); got \(4, 6\)$"
    ):
        rules.split_sender_view(config, np.zeros((4, 6)))


@given(configs(), seeds)
def test_the_payoff_is_one_for_the_target(config: GameConfig, seed: int) -> None:
    episodes, _, choices = drawn(config, seed, size=30)
    rewards = rules.payoff(episodes.target_index, choices)
    assert rewards.dtype == np.float32
    picked = episodes.candidates[np.arange(30), choices]
    assert rewards.tolist() == [float(found) for found in picked == episodes.target]


class Scripted:
    """Sends and chooses whatever it was told to."""

    def __init__(self, messages: Any, choices: Any) -> None:
        self.send = lambda window: messages
        self.choose = lambda messages, sequence, candidates: choices


@pytest.mark.parametrize(
    ("messages", "choices", "text"),
    [
        ([[0, 1, 2]], [0, 4], "messages must have shape (2, 3); got (1, 3)"),
        ([[0, 1, 2], [3]], [0, 4], "messages must have shape (2, 3); got [[0, 1, 2], [3]]"),
        (None, [0, 4], "messages must be integers; got None"),
        ([[0, 25, 3], [1, 1, 1]], [0, 5], "choices must be in 0..4; got 5"),
        ([[0, 25, 3], [1, 1, 1]], [True, False], "choices must be integers; got dtype bool"),
    ],
)
def test_what_a_policy_may_not_do_is_refused(messages: Any, choices: Any, text: str) -> None:
    episodes = draw_episodes(GameConfig(), 2, np.random.default_rng(0))
    policy: Any = Scripted(messages, choices)
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(text)}$"):
        rules.play(policy, policy, episodes, GameConfig())


@given(
    st.sampled_from(["int8", "uint8", "int16", "uint16", "int32", "int64", "uint64", ">i2", ">i8"]),
    st.lists(st.integers(-130, 300), min_size=1, max_size=24),
    st.integers(-2, 0),
    st.integers(1, 300),
)
@example("int8", [0] * 16 + [-1], 0, 300)  # as an unsigned byte, -1 is less than this bound
def test_integers_are_checked_whatever_their_type(
    dtype: str, values: list[int], low: int, bound: int
) -> None:
    limits = np.iinfo(dtype)
    values = [min(max(value, limits.min), limits.max) for value in values]
    wrong = [row for row, value in enumerate(values) if not low <= value < bound]
    array = np.array(values, dtype)
    if wrong:
        text = f"messages must be in {low}..{bound - 1}; got {values[wrong[0]]} in row {7 + wrong[0]}"
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            check_integers("messages", array, array.shape, bound, low=low, first_row=7)
    else:
        assert check_integers("messages", array, array.shape, bound, low=low).tolist() == values
