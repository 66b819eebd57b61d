"""Probing by kinds of phrases: on pairs whose language is known."""

import json

import numpy as np
import pytest
from lexicons import lexicon_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.probing.probe import probe
from spatial_game.recording import record
from spatial_game.reproduction.phrases.kinds import probe_kinds, table_of_kinds


def oracle_lexicon(config, seed=0):
    rng = np.random.default_rng(seed)
    return Lexicon.by_npmi(
        count(record(OracleSender(config), None, draw_episodes(config, 20_000, rng), config))
    )


COMPOSITIONAL = GameConfig()
HOLISTIC = GameConfig(20, vocab_size=3, message_length=5)


@pytest.mark.parametrize("config", [COMPOSITIONAL, HOLISTIC], ids=["compositional", "holistic"])
def test_the_oracle_understands_everything_that_its_lexicon_says(config):
    lexicon = oracle_lexicon(config)
    receiver, episodes = OracleReceiver(config), draw_episodes(config, 4_000, np.random.default_rng(1))
    report = probe_kinds(receiver, lexicon, episodes, sender=OracleSender(config))
    asked = {name: kind for name, kind in report.items() if kind["phrases"]}
    assert [*asked] == ["edge", "compositional" if config is COMPOSITIONAL else "integer_at"]
    for kind in asked.values():
        assert kind["accuracy"]["accuracy"] == kind["ceiling"]["accuracy"] == 1
        assert kind["p_chance"] < 1e-100
        assert kind["floors"]["random"]["accuracy"] < 0.4
    if config is COMPOSITIONAL:
        pairs = report["compositional"]
        assert pairs["phrases"] == 4 * 60
        assert pairs["floors"]["shuffled"]["high"] < 0.35
        assert pairs["p_control"]["other"] < 1e-10
        # Symbol 0 is the oracle's word for the first of its four offsets.
        assert 0.25 < pairs["controls"]["zero"]["accuracy"] < 0.5
    absent = report["integer_at" if config is COMPOSITIONAL else "compositional"]
    assert (absent["phrases"], absent["accuracy"]["n"], absent["p_chance"]) == (0, 0, 1.0)
    json.dumps(report)
    table = table_of_kinds(report, probe(receiver, lexicon, episodes).ordinary).to_text()
    assert "no such phrases" in table
    assert "any, in ordinary episodes" in table


def test_a_receiver_that_does_not_listen_is_at_chance():
    lexicon = oracle_lexicon(COMPOSITIONAL)
    episodes = draw_episodes(COMPOSITIONAL, 4_000, np.random.default_rng(1))
    report = probe_kinds(RandomReceiver(COMPOSITIONAL, np.random.default_rng(2)), lexicon, episodes)
    for kind in ("edge", "compositional"):
        assert report[kind]["accuracy"]["low"] < 0.2 < report[kind]["accuracy"]["high"]
        assert report[kind]["p_chance"] > 1e-3
        assert report[kind]["ceiling"] is None
    assert report["compositional"]["p_control"]["zero"] > 1e-3


def test_the_same_seed_asks_the_same():
    lexicon, receiver = oracle_lexicon(COMPOSITIONAL), OracleReceiver(COMPOSITIONAL)
    episodes = draw_episodes(COMPOSITIONAL, 500, np.random.default_rng(1))
    reports = [
        probe_kinds(receiver, lexicon, episodes, rng=np.random.default_rng(seed)) for seed in (3, 3, 4)
    ]
    assert reports[0] == reports[1] != reports[2]


GAMES = [
    GameConfig(20, window_radius=1),
    GameConfig(30, window_radius=3, vocab_size=52),
    GameConfig(20, message_length=4),
    GameConfig(25, num_integers=40, window_radius=1, num_distractors=9, vocab_size=52, message_length=4),
    GameConfig(12, vocab_size=4, message_length=4),
    GameConfig(20, window_radius=1, vocab_size=60, message_length=1),
    GameConfig(20, vocab_size=40, message_length=2, num_distractors=1),
]


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_the_oracle_understands_phrases_in_games_of_every_shape(config):
    rng = np.random.default_rng(0)
    recording = record(OracleSender(config), None, draw_episodes(config, 40_000, rng), config)
    lexicon = Lexicon.by_npmi(count(recording), threshold=0.3)
    receiver, episodes = OracleReceiver(config), draw_episodes(config, 1_000, rng)
    report = probe_kinds(receiver, lexicon, episodes, sender=OracleSender(config), rng=rng)
    asked = {name: kind for name, kind in report.items() if kind["phrases"]}
    assert "edge" in asked
    assert len(asked) == 2  # and integers at offsets, whole or composed
    assert [kind["accuracy"]["accuracy"] for kind in asked.values()] == [1, 1]
    assert [kind["draws"]["mean"] for kind in asked.values()] == [1, 1]


def test_an_empty_lexicon_asks_nothing():
    episodes = draw_episodes(COMPOSITIONAL, 100, np.random.default_rng(1))
    report = probe_kinds(OracleReceiver(COMPOSITIONAL), lexicon_of(COMPOSITIONAL, []), episodes)
    assert [kind["phrases"] for kind in report.values()] == [0, 0, 0]
    assert [kind["coverage"]["wins"] for kind in report.values()] == [0, 0, 0]
