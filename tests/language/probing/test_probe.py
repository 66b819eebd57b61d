"""Probing: on pairs whose language is known."""

import json

import numpy as np
import pytest
from lexicons import description_of, lexicon_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import RandomReceiver
from spatial_game.language.counting.counts import count
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.language.players.decode import Decoder
from spatial_game.language.probing.probe import probe
from spatial_game.recording import record

GAMES = [
    GameConfig(20, window_radius=1),
    GameConfig(30, window_radius=3, vocab_size=52),
    GameConfig(20, message_length=4),
    GameConfig(25, num_integers=40, window_radius=1, num_distractors=9, vocab_size=52, message_length=4),
    GameConfig(12, vocab_size=4, message_length=4),
    GameConfig(20, window_radius=1, vocab_size=60, message_length=1),
    GameConfig(20, vocab_size=40, message_length=2, num_distractors=1),
]


def oracle_lexicon(config):
    episodes = draw_episodes(config, 40_000, np.random.default_rng(0))
    counts = count(record(OracleSender(config), None, episodes, config))
    return lexicon_by_npmi(counts, threshold=0.3)


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_the_oracle_speaks_and_is_read_without_a_fault_in_games_of_every_shape(config):
    lexicon, rng = oracle_lexicon(config), np.random.default_rng(1)
    receiver, episodes = OracleReceiver(config), draw_episodes(config, 1_000, rng)
    report = probe(receiver, lexicon, episodes, sender=OracleSender(config), rng=rng)
    assert report.ordinary.accuracy == report.coverage.accuracy == 1
    messages = OracleSender(config).send(episodes.window)
    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    assert decoded.decided.all()
    assert (decoded.choice == episodes.target_index).all()


def test_a_receiver_that_does_not_listen_is_at_chance():
    config, lexicon = GAMES[0], oracle_lexicon(GAMES[0])
    episodes = draw_episodes(config, 4_000, np.random.default_rng(1))
    report = probe(RandomReceiver(config, np.random.default_rng(2)), lexicon, episodes)
    again = probe(RandomReceiver(config, np.random.default_rng(2)), lexicon, episodes)
    assert again.to_dict() == report.to_dict()
    assert report.ordinary.interval[0] < 0.2 < report.ordinary.interval[1]
    assert report.spoken is None
    assert "chance is 20%" in str(report)


def test_an_empty_lexicon_says_nothing():
    episodes = draw_episodes(GAMES[0], 100, np.random.default_rng(1))
    report = probe(OracleReceiver(GAMES[0]), description_of(GAMES[0], []), episodes)
    assert (report.coverage.successes, report.ordinary.trials, report.spoken) == (0, 0, None)
    assert all(part.agreeing.trials == 0 for part in report.exchanges.values())
    json.dumps(report.to_dict())


def test_a_lexicon_of_another_game_is_refused():
    lexicon, episodes = lexicon_of(GAMES[0], []), draw_episodes(GAMES[1], 5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="config must suit the lexicon: vocab_size"):
        probe(OracleReceiver(GAMES[1]), lexicon, episodes, GAMES[1])
