"""Minimal pairs: receivers whose hearing is known."""

import numpy as np
import pytest
from helpers.reproductions import oracle_phrases, phrases

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import RandomReceiver
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.ngrams import NGram
from spatial_game.reproduction.minimal_pairs import minimal_pairs

CONFIG = GameConfig(20)


class Asked:
    """Keeps what a receiver is asked: both messages for offsets, then both for integers."""

    def __init__(self, receiver):
        self.receiver, self.seen = receiver, []

    def choose(self, messages, sequence, candidates):
        self.seen.append((messages.copy(), sequence, candidates))
        return self.receiver.choose(messages, sequence, candidates)


class HearsIntegers(OracleReceiver):
    """Its offset is always that of the oracle's symbol 0: two to the left."""

    def choose(self, messages, sequence, candidates):
        heard = messages.copy()
        heard[:, 0] = np.where(heard[:, 0] < 4, 0, heard[:, 0])
        return super().choose(heard, sequence, candidates)


@pytest.fixture(scope="module")
def table():
    return oracle_phrases(CONFIG, "compositional")


def exchanged(table, receiver, num_episodes=600):
    episodes = draw_episodes(table.config, num_episodes, np.random.default_rng(1))
    return minimal_pairs(receiver, table, episodes, np.random.default_rng(2))


def test_a_receiver_that_composes_follows_both_parts(table):
    receiver = Asked(OracleReceiver(CONFIG))
    for exchange in exchanged(table, receiver).values():
        assert exchange.first_before.trials > 400
        assert exchange.both_followed.accuracy == exchange.effect == 1
        assert exchange.first_after.num_correct == 0
    # Both phrases name a place among the candidates.
    code = OracleSender(CONFIG).code
    for messages, sequence, candidates in receiver.seen:
        place = code.target_position(code.read(messages), sequence)
        named = np.take_along_axis(sequence, place[:, None], axis=1)
        assert (candidates == named).any(axis=1).all()
        assert all(len(set(row)) == len(row) for row in candidates.tolist())


def test_a_receiver_that_does_not_listen_follows_nothing(table):
    for exchange in exchanged(table, RandomReceiver(CONFIG, np.random.default_rng(3)), 4_000).values():
        assert abs(exchange.effect) < 0.04
        assert exchange.first_before.accuracy == pytest.approx(0.2, abs=0.03)
        assert exchange.both_followed.accuracy == pytest.approx(0.04, abs=0.02)


def test_a_receiver_that_hears_one_part_follows_that_part(table):
    result = exchanged(table, HearsIntegers(CONFIG), 2_000)
    assert abs(result["offset"].effect) < 0.05
    assert result["integer"].effect > 0.2
    assert result["offset"].both_followed.accuracy == 0


@pytest.mark.parametrize("slot", [None, 0])
def test_the_part_that_is_kept_stands_where_it_stood(slot):
    """Integers of two symbols and offsets of one, in either order: only one of them is exchanged."""
    config = GameConfig(12, num_distractors=2, vocab_size=12)
    words = {NGram((i, i), slot): [i] for i in range(6)}
    about = columns_of(config).integer_at  # -2, -1, 1 and 2
    places = {NGram((7 + i,), None): [about(2 + i, 0)] for i in range(4)}
    receiver = Asked(RandomReceiver(config, np.random.default_rng(3)))
    exchanged(phrases(config, words, places), receiver, 400)
    seen = [messages for messages, *_ in receiver.seen]
    for part, (said, other) in zip((lambda x: x < 6, lambda x: x >= 7), (seen[:2], seen[2:]), strict=True):
        assert len(said) > 100
        np.testing.assert_array_equal(np.where(part(said), said, -1), np.where(part(other), other, -1))
        assert (said != other).any(axis=1).all()
        assert {bool(row[0] >= 7) for row in said} == ({True, False} if slot is None else {False})


def test_a_phrase_without_another_is_not_exchanged():
    one = phrases(CONFIG, {NGram((1, 2), 1): [3]}, {NGram((0,), 0): [columns_of(CONFIG).integer_at(4, 0)]})
    for exchange in exchanged(one, OracleReceiver(CONFIG), 50).values():
        assert (exchange.first_before.trials, exchange.effect) == (0, None)
