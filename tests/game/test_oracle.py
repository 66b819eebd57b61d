"""The oracle always wins, in the code that it says it speaks."""

import dataclasses
import re

import numpy as np
import pytest
from helpers.oracle_tables import tables_of, what_is_named
from helpers.strategies import configs, grids, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_game import MASK, GameConfig, OracleReceiver, OracleSender, draw_episodes, play
from spatial_game.game.oracle import OracleCode
from spatial_game.game.rules import payoff
from spatial_game.game.windows import cells_at_offsets, window_tables

COMPOSITIONAL = GameConfig()
HOLISTIC = GameConfig(vocab_size=300, message_length=1)


def code_or_none(config):
    try:
        return OracleCode(config)
    except ValueError:
        return None


def codes(games):
    """The codes of those of these games that have enough messages."""
    return games.map(code_or_none).filter(lambda code: code is not None)


def assert_always_won(config, played, seed, number):
    """The oracle pair of one game wins every episode of another, or of the same."""
    episodes = draw_episodes(played, number, np.random.default_rng(seed))
    _, choices = play(OracleSender(config), OracleReceiver(config), episodes, played)
    assert payoff(episodes.target_index, choices).all()


# The oracle wins


@given(codes(configs() | grids()), seeds)
@settings(deadline=None, max_examples=20)
def test_the_oracle_wins_every_episode_of_any_game_it_can_play(code, seed):
    assert_always_won(code.config, code.config, seed, 200)


@given(st.integers(5, 100), seeds)
@settings(deadline=None, max_examples=20)
def test_the_oracle_wins_sequences_of_other_lengths(length, seed):
    assert_always_won(GameConfig(60, num_integers=100), GameConfig(length, num_integers=100), seed, 50)


@pytest.mark.parametrize(
    ("config", "compositional"),
    [
        (GameConfig(sequence_length=25, vocab_size=5, message_length=3), True),
        (GameConfig(sequence_length=26, vocab_size=5, message_length=3), False),
        (GameConfig(vocab_size=244, message_length=1), False),
        (GameConfig(sequence_length=12, vocab_size=5), True),
        (GameConfig(sequence_length=12, vocab_size=4), False),
        (GameConfig(vocab_size=2, message_length=70), False),
        (GameConfig(shape=(3, 4, 3, 4), window_radius=1, num_visible=1, message_length=4), False),
        (GameConfig(sequence_length=40, num_integers=2000, vocab_size=200, window_radius=15), True),
    ],
)
def test_both_forms_at_their_limits(config, compositional):
    assert OracleCode(config).compositional == compositional
    assert_always_won(config, config, 8, 1000)


def test_too_few_messages_are_refused():
    text = "the oracle's code needs vocab_size**message_length >= 244, its number of meanings; got 243**1"
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        OracleSender(GameConfig(vocab_size=243, message_length=1))


# The code


def test_the_compositional_code_as_documented():
    code = tables_of(OracleCode(COMPOSITIONAL))
    assert code.offsets == {-2: 0, -1: 1, 1: 2, 2: 3}
    assert code.edges == {"begin": (4, 2, 8), "begin+1": (4, 2, 9), "end-1": (4, 2, 10), "end": (4, 2, 11)}
    assert code.integers == {integer: (integer // 26, integer % 26) for integer in range(60)}
    assert code.holistic == {}
    no_room = tables_of(OracleCode(GameConfig(sequence_length=25, vocab_size=5)))  # past the integers
    assert no_room.edges == {"begin": (4, 4, 1), "begin+1": (4, 4, 2), "end-1": (4, 4, 3), "end": (4, 4, 4)}
    # 12 + 10 + 3 + 15 = 40, 40 mod 4 = 0: it names the first visible integer, 12, two left of the target.
    window = np.array([[12, 10, MASK, 3, 15]])
    assert OracleSender(COMPOSITIONAL).send(window).tolist() == [[0, 0, 12]]


def test_the_code_of_a_grid_as_documented():
    config = GameConfig(shape=(4, 4), window_radius=1)
    code = tables_of(OracleCode(config))
    assert list(code.edges) == ["top left", "top right", "bottom left", "bottom right"]
    assert code.offsets[-1, -1] == 0
    assert code.offsets[1, 1] == 7
    # The target, 1, is at the top: 0 + 2 + 4 + 5 + 6 = 17, 17 mod 5 = 2: it names the third near integer, 4.
    window = np.array([[0, MASK, 2, 4, 5, 6, 8, 9, 10]])
    assert OracleSender(config).send(window).tolist() == [[code.offsets[1, -1], 0, 4]]
    # Seen in part, it may also name 9, two down; no other offset is as far on both axes.
    partial = dataclasses.replace(config, num_visible=1)
    offsets = tables_of(OracleCode(partial)).offsets
    assert len(offsets) == 20
    window = np.array([[-2, MASK, -2, -2, -2, -2, -2, 9, -2]])
    assert OracleSender(partial).send(window).tolist() == [[offsets[2, 0], 0, 9]]


def test_the_holistic_code_as_documented():
    code = tables_of(OracleCode(HOLISTIC))
    assert (code.offsets, code.integers) == ({}, {})
    assert code.edges == {"begin": (0,), "begin+1": (1,), "end-1": (2,), "end": (3,)}
    assert code.holistic[0, -2] == (4,)
    assert code.holistic[7, 1] == (4 * 8 + 2,)


def test_a_message_outside_the_code_means_the_first_candidate():
    receiver = OracleReceiver(COMPOSITIONAL)
    episodes = draw_episodes(COMPOSITIONAL, 50, np.random.default_rng(0))
    for message in ([5, 0, 0], [4, 2, 7], [4, 2, 12], [4, 25, 25], [25, 25, 25], [0, 2, 8], [3, 25, 25]):
        messages = np.tile(np.array(message, dtype=np.int16), (50, 1))
        assert OracleCode(COMPOSITIONAL).read(messages[:1]).tolist() == [-1]
        assert receiver.choose(messages, episodes.sequence, episodes.candidates).tolist() == [0] * 50


def place_of(config, meaning, sequence):
    """Find where a target must stand for this meaning to be true, cell by cell; -1 if nowhere."""
    corners, offsets = what_is_named(config)
    integer, offset = divmod(meaning - len(corners), len(offsets))
    edges, around = window_tables(config).mask_column, cells_at_offsets(config)
    for place in range(len(sequence) if meaning >= 0 else 0):
        if meaning < len(corners):
            fits = config.edges[edges[place]] == corners[meaning]
        else:
            # The cell beyond the border has the length of the sequence as its number.
            neighbour = around[place, config.offsets.index(offsets[offset])]
            fits = neighbour < len(sequence) and sequence[neighbour] == integer
        if fits:
            return place
    return -1


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(sequence_length=20, vocab_size=6),
        GameConfig(sequence_length=20, vocab_size=300, message_length=1),
        GameConfig(shape=(4, 3), window_radius=1, num_visible=1, vocab_size=30, message_length=2),
    ],
)
def test_of_all_messages_each_meaning_has_one(config):
    code = OracleCode(config)
    messages = np.indices((config.vocab_size,) * config.message_length)
    messages = messages.reshape(config.message_length, -1).T
    meanings = code.read(messages)
    assert sorted(meanings[meanings >= 0].tolist()) == list(range(code.num_meanings))
    assert set(meanings[meanings < 0].tolist()) == {-1}
    sequence = np.roll(np.arange(config.sequence_length), 5)
    positions = code.target_position(meanings, np.tile(sequence, (len(meanings), 1)))
    assert positions.tolist() == [place_of(config, number, sequence) for number in meanings.tolist()]


def test_a_long_message_does_not_wrap_around_into_the_code():
    code = OracleCode(GameConfig(vocab_size=2, message_length=70))
    digits = np.array([[int(bit) for bit in f"{2**64 + 5:070b}"], [int(bit) for bit in f"{5:070b}"]])
    assert code.read(digits).tolist() == [-1, 5]
