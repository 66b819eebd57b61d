"""Probing: on pairs whose language is known, and piece by piece."""

import dataclasses
import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import entry, lexicon_of, lexicons

from spatial_game.config import GameConfig
from spatial_game.game.episodes import check_episodes, draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver
from spatial_game.language.counting.columns import edge_column, integer_column
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import Edge, Integer, IntegerAt, Offset
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.language.probing.asking import KINDS, ask, make_true, shuffled, speakable
from spatial_game.language.probing.hypotheses import mcnemar, over_pairs
from spatial_game.language.probing.origin import stranger, weights_of
from spatial_game.language.probing.probe import probe, without_offset
from spatial_game.recording import record


def oracle_lexicon(config, seed=0):
    rng = np.random.default_rng(seed)
    return Lexicon.from_counts(
        count(record(OracleSender(config), None, draw_episodes(config, 20_000, rng), config)), select="npmi"
    )


COMPOSITIONAL = GameConfig()
HOLISTIC = GameConfig(20, vocab_size=3, message_length=5)


@pytest.mark.parametrize("config", [COMPOSITIONAL, HOLISTIC], ids=["compositional", "holistic"])
def test_the_oracle_understands_everything_that_its_lexicon_says(config):
    lexicon = oracle_lexicon(config)
    receiver, episodes = OracleReceiver(config), draw_episodes(config, 4_000, np.random.default_rng(1))
    report = probe(receiver, lexicon, episodes, sender=OracleSender(config))
    assert (report.ordinary.accuracy, report.coverage.accuracy) == (1, 1)
    asked = [kind for kind in report.kinds if kind.phrases]
    assert [kind.kind for kind in asked] == (
        ["edge", "compositional"] if config is COMPOSITIONAL else ["edge", "integer_at"]
    )
    for kind in asked:
        assert kind.accuracy.accuracy == kind.ceiling.accuracy == 1
        assert kind.beats_chance < 1e-100
        assert kind.floors["random"].accuracy < 0.4
    if config is COMPOSITIONAL:
        pairs = report.of("compositional")
        assert pairs.phrases == 4 * 60
        assert pairs.floors["shuffled"].interval[1] < 0.35
        assert pairs.beats_control["other"] < 1e-10
        # Symbol 0 is the oracle's word for the first of its four offsets.
        assert 0.25 < pairs.controls["zero"].accuracy < 0.5
    absent = report.of("integer_at" if config is COMPOSITIONAL else "compositional")
    assert (absent.phrases, absent.accuracy.trials, absent.beats_chance) == (0, 0, 1.0)
    json.dumps(report.to_dict())
    assert "no such phrases" in str(report)


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
def test_the_oracle_speaks_and_is_read_without_a_fault_in_games_of_every_shape(config):
    rng = np.random.default_rng(0)
    recording = record(OracleSender(config), None, draw_episodes(config, 40_000, rng), config)
    lexicon = Lexicon.from_counts(count(recording), threshold=0.3, select="npmi")
    receiver, episodes = OracleReceiver(config), draw_episodes(config, 1_000, rng)
    report = probe(receiver, lexicon, episodes, sender=OracleSender(config), rng=rng)
    asked = [kind for kind in report.kinds if kind.phrases]
    assert "edge" in {kind.kind for kind in asked}
    assert len(asked) == 2  # and integers at offsets, whole or composed
    assert [kind.accuracy.accuracy for kind in asked] == [1, 1]
    assert [draw.accuracy for kind in asked for draw in kind.draws] == [1] * 20
    assert report.ordinary.accuracy == report.coverage.accuracy == 1
    messages = OracleSender(config).send(episodes.window)
    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    assert decoded.places.all()
    assert decoded.decided.all()
    assert (decoded.choice == episodes.target_index).all()


def test_a_receiver_that_does_not_listen_is_at_chance():
    lexicon = oracle_lexicon(COMPOSITIONAL)
    episodes = draw_episodes(COMPOSITIONAL, 4_000, np.random.default_rng(1))
    report = probe(RandomReceiver(COMPOSITIONAL, np.random.default_rng(2)), lexicon, episodes)
    for kind in ("edge", "compositional"):
        assert report.of(kind).accuracy.interval[0] < 0.2 < report.of(kind).accuracy.interval[1]
        assert report.of(kind).beats_chance > 1e-3
        assert report.of(kind).ceiling is None
    assert report.of("compositional").beats_control["zero"] > 1e-3


def test_the_same_seed_asks_the_same():
    lexicon, receiver = oracle_lexicon(COMPOSITIONAL), OracleReceiver(COMPOSITIONAL)
    episodes = draw_episodes(COMPOSITIONAL, 500, np.random.default_rng(1))
    reports = [
        probe(receiver, lexicon, episodes, rng=np.random.default_rng(seed)).to_dict() for seed in (3, 3, 4)
    ]
    assert reports[0] == reports[1] != reports[2]


@settings(max_examples=60, deadline=None)
@given(lexicons(), st.integers(0, 2**32 - 1))
def test_what_is_asked_is_true_in_its_episode_and_is_what_was_drawn(lexicon, seed):
    config, rng = lexicon.config, np.random.default_rng(seed)
    episodes = draw_episodes(config, 40, rng)
    for kind in KINDS:
        composer = Composer(lexicon, kinds=[kind])
        phrases = speakable(composer, kind)
        if len(phrases) == 0:
            continue
        asked = ask(composer, phrases, episodes, rng)
        check_episodes(config, asked.episodes)
        assert asked.said.expressed.all()
        for row, (number, mate) in enumerate(asked.said.entry.tolist()):
            window = asked.episodes.window[row].tolist()
            column, word = window.index(-1), lexicon.listed[number].referent
            if isinstance(word, Edge):
                assert config.edges[column] == word.name
                continue
            offset = word.offset if isinstance(word, IntegerAt) else lexicon.listed[mate].referent.value
            assert 0 <= column + offset < len(window)
            assert window[column + offset] in word.values
            assert [number, mate] in phrases.tolist()


def test_speakable_pairs_are_those_that_fit():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    entries = [
        entry([1, 2], None, Integer((3,))),
        entry([1, 2], 1, Integer((4,))),
        entry([1], 9, Integer((4,))),
        entry([0], 0, Offset(1)),
        entry([0], 1, Offset(-1)),
        entry([0, 0, 0], 0, Offset(-1)),
        entry([0, 0, 0], 0, IntegerAt((9, 3), 1)),
    ]
    composer = Composer(lexicon_of(config, entries))
    assert speakable(composer, "compositional").tolist() == [[0, 3], [1, 3]]
    assert speakable(composer, "integer_at").tolist() == [[6, -1]]
    assert speakable(composer, "edge").tolist() == []


def test_arranging_changes_nothing_else_of_the_distribution():
    """Where nothing is named, the targets and the neighbours are as random as before."""
    config = GameConfig(9, num_integers=12, window_radius=1, num_distractors=2)
    episodes = draw_episodes(config, 30_000, np.random.default_rng(0))
    column = np.full(len(episodes), integer_column(config, 7, 1))
    arranged = make_true(config, episodes, column, np.random.default_rng(1))
    places = np.bincount(arranged.target_position, minlength=9)
    assert (np.abs(places[:8] / len(episodes) - 1 / 8) < 0.01).all()
    assert places[8] == 0
    others = np.bincount(arranged.target, minlength=12)
    assert others[7] == 0
    assert (np.abs(np.delete(others, 7) / len(episodes) - 1 / 11) < 0.01).all()
    assert (np.abs(np.bincount(arranged.target_index) / len(episodes) - 1 / 3) < 0.01).all()
    column = np.full(len(episodes), edge_column(config, "begin"))
    at_begin = make_true(config, episodes, column, np.random.default_rng(1))
    assert (at_begin.target_position == 0).all()
    assert np.array_equal(np.sort(at_begin.sequence), np.sort(episodes.sequence))


def test_shuffled_messages_say_something_else():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    names = [entry([0, 0, i], 0, Edge("begin")) for i in range(3)] + [entry([1, 1, 1], 0, Edge("end"))]
    composer = Composer(lexicon_of(config, names))
    episodes = draw_episodes(config, 300, np.random.default_rng(0))
    asked = ask(composer, speakable(composer, "edge"), episodes, np.random.default_rng(1))
    wrong = shuffled(composer, asked, np.random.default_rng(2))
    said_begin = asked.said.message[:, 0] == 0
    assert (wrong[said_begin] == 1).all()
    assert (wrong[~said_begin, 0] == 0).all()
    one = Composer(lexicon_of(config, names[:3]))
    asked = ask(one, speakable(one, "edge"), episodes, np.random.default_rng(1))
    assert (shuffled(one, asked, np.random.default_rng(2)) == -1).all()


def test_a_message_that_says_two_things_is_no_floor_for_either():
    config = GameConfig(12, num_distractors=1, vocab_size=12)
    both = [entry([1, 2, 3], 0, IntegerAt((5,), -1)), entry([1, 2, 3], 0, IntegerAt((9,), 1))]
    episodes = draw_episodes(config, 300, np.random.default_rng(0))
    composer = Composer(lexicon_of(config, both))
    asked = ask(composer, speakable(composer, "integer_at"), episodes, np.random.default_rng(1))
    assert (shuffled(composer, asked, np.random.default_rng(2)) == -1).all()
    several = [
        entry([1, 1, 1], 0, IntegerAt((5, 6, 7), -1)),
        entry([2, 2, 2], 0, IntegerAt((6, 7, 8), -1)),
        entry([3, 3, 3], 0, IntegerAt((0,), -1)),
    ]
    composer = Composer(lexicon_of(config, several))
    asked = ask(composer, speakable(composer, "integer_at"), episodes, np.random.default_rng(1))
    wrong = shuffled(composer, asked, np.random.default_rng(2))
    says = {e.form.symbols: e.referent for e in several}
    at = asked.episodes.target_position - 1
    left = asked.episodes.sequence[np.arange(300), at]
    assert (wrong >= 0).all()
    for message, integer in zip(wrong.tolist(), left.tolist(), strict=True):
        assert integer not in says[tuple(message)].values


def test_controls_replace_the_offset_alone():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    lexicon = lexicon_of(config, [entry([1, 2], None, Integer((3,))), entry([4], None, Offset(1))])
    composer = Composer(lexicon)
    said = composer.phrase(np.zeros(200, int), np.ones(200, int), np.random.default_rng(0))
    controls = without_offset(composer, said, np.random.default_rng(1))
    for message, zero, other in zip(said.message, controls["zero"], controls["other"], strict=True):
        assert zero.tolist() == [0 if s == 4 else s for s in message]
        assert [s for s, m in zip(other, message, strict=True) if m != 4] == [1, 2]
    assert set(controls["other"].ravel()) == {0, 1, 2, 3, 4}


def test_mcnemar_counts_the_episodes_that_differ():
    won = np.array([True] * 8 + [False] * 4)
    control = np.array([True] * 3 + [False] * 8 + [True])
    twin = sum(sum(coins) >= 5 for coins in itertools.product([0, 1], repeat=6)) / 2**6  # 5 better, 1 worse
    assert mcnemar(won, control) == pytest.approx(twin)
    assert mcnemar(won, won) == 1


def test_over_pairs_needs_five():
    assert over_pairs([0.1, 0.2, 0.3, 0.4]) is None
    assert over_pairs([0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(1 / 2**5)
    assert over_pairs([-0.1, 0.02, 0.03, -0.4, 0.05]) > 0.3
    assert over_pairs([0.0] * 5) == 1


def test_an_empty_lexicon_asks_nothing():
    episodes = draw_episodes(COMPOSITIONAL, 100, np.random.default_rng(1))
    report = probe(OracleReceiver(COMPOSITIONAL), lexicon_of(COMPOSITIONAL, []), episodes)
    assert [kind.phrases for kind in report.kinds] == [0, 0, 0]
    assert (report.coverage.successes, report.ordinary.trials) == (0, 0)
    json.dumps(report.to_dict())


def test_a_lexicon_of_other_agents_is_told_by_their_names():
    lexicon = lexicon_of(COMPOSITIONAL, [])
    mine = {"policy": "pair", "name": "embed-60", "index": 1, "weights_hash": "abc"}
    assert stranger(lexicon, mine, COMPOSITIONAL) is None
    for origin, found in {
        "abc": None,
        "xyz": "made for embed-60/1 with other weights",
    }.items():
        made_for = {"sender": mine | {"weights_hash": origin}}
        assert stranger(dataclasses.replace(lexicon, provenance=(made_for,)), mine, COMPOSITIONAL) == found
    others = {"sender": mine}, {"sender": mine | {"index": 0, "weights_hash": "xyz"}}
    both = dataclasses.replace(lexicon, provenance=others)
    assert weights_of(both) == ["abc", "xyz"]
    assert stranger(both, mine, COMPOSITIONAL) == "made for embed-60/0, not embed-60/1"
    oracle = dataclasses.replace(lexicon, provenance=({"sender": {"policy": "oracle"}},))
    assert stranger(oracle, {"policy": "oracle"}, COMPOSITIONAL) is None
    other = GameConfig(sequence_length=COMPOSITIONAL.sequence_length + 1)
    assert str(stranger(oracle, {"policy": "oracle"}, other)).startswith("made for the oracle's code of ")
    assert stranger(oracle, mine, COMPOSITIONAL) == "made for oracle, not embed-60/1"
    assert weights_of(oracle) == []


def test_a_lexicon_of_another_game_is_refused():
    lexicon = lexicon_of(COMPOSITIONAL, [])
    with pytest.raises(ValueError, match="config must suit the lexicon: vocab_size"):
        probe(
            OracleReceiver(HOLISTIC), lexicon, draw_episodes(HOLISTIC, 5, np.random.default_rng(0)), HOLISTIC
        )
