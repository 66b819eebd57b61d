"""Playing with a dictionary alone: the oracle's own dictionary plays as the oracle does."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from spatial_game.benchmark import trained
from spatial_game.benchmark.corpus import ANY, Corpus, Entry, meanings_of
from spatial_game.benchmark.playing import Player, bits_of, play
from spatial_game.benchmark.suite import Task, tasks
from spatial_game.config import GameConfig
from spatial_game.envs.pairs import find_pair, find_untrained
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleCode, OracleReceiver, OracleSender
from spatial_game.language.dictionary.places import names_of

GAME = GameConfig()


@dataclass
class Oracle:
    config: GameConfig
    sender: Any
    receiver: Any


@pytest.fixture(scope="module")
def oracle():
    """Return messages of the oracle, with it and episodes to play."""
    window = draw_episodes(GAME, 5_000, np.random.default_rng(1)).window
    asked = draw_episodes(GAME, 1_000, np.random.default_rng(2))
    pair = Oracle(GAME, OracleSender(GAME), OracleReceiver(GAME))
    return Corpus(pair.sender.send(window), meanings_of(GAME, window), pair=pair, asked=asked)


def whole():
    """Yield the oracle's dictionary."""
    code, edges = OracleCode(GAME), names_of(GAME)[1]
    for name, message in code.edges.items():
        yield Entry(message, frozenset({(len(GAME.offsets), edges.index(name))}), slot=0)
    for offset, symbol in code.offsets.items():
        yield Entry((symbol,), frozenset({(GAME.offsets.index(offset), ANY)}), slot=0)
    for integer, symbols in code.integers.items():
        yield Entry(symbols, frozenset({(ANY, integer)}), slot=1)


def test_the_true_dictionary_plays_like_the_pair(oracle):
    found = play([*whole()], oracle, np.random.default_rng(0))
    assert found["own"] == 1
    assert found["read"] > 0.99
    assert found["spoken"] > 0.99
    assert found["exchanged"] > 50
    assert found["moved"] == 1
    assert 4 < found["held_out_bits"] < np.log2(60 * 4)
    assert found["kilobits"] == pytest.approx(sum(bits_of(e, GAME) for e in whole()) / 1000)


def test_a_false_dictionary_moves_nobody(oracle):
    shifted = [
        Entry(e.form, frozenset({(p, (v + 7) % 60 if p == ANY else v) for p, v in e.meaning}), slot=e.slot)
        for e in whole()
    ]
    found = play(shifted, oracle, np.random.default_rng(0))
    assert found["read"] < 0.3
    assert found["spoken"] < 0.4
    assert found["held_out_bits"] < 0
    assert found["moved"] < 0.3


def test_an_empty_dictionary_plays_by_chance(oracle):
    found = play([], oracle, np.random.default_rng(0))
    assert found["read"] == pytest.approx(found["chance"])
    assert found["held_out_bits"] == found["kilobits"] == found["exchanged"] == 0
    assert found["moved"] is None
    assert found["spoken"] < 0.35


def test_evidence_of_entries_by_hand():
    forms = np.array([(1, 2, 3)] * 3 + [(1, 4, 4)], dtype=np.int16)
    place, column = 0, 7  # the integer 7 at the first offset
    about = frozenset({(place, 7)})
    short, long = Entry((1,), about, 0.5, 0), Entry((1, 2), about, 0.9, 0)

    def bits(*entries):
        table = Player(entries, forms, GAME).evidence(forms[[0, 3]])
        prior = Player(entries, forms, GAME).rules.plain[0].expected
        inside, base = table[:, column], table[:, -2]
        return prior, inside + base

    prior, (both, alone) = bits(short, long)
    assert prior == pytest.approx(1 / 60 / 60)  # only one window of 60 has a cell there
    p_short, p_long = (0.5 * 4 + 0.5) / 5, (0.9 * 3 + 0.5) / 4
    assert both == pytest.approx(np.log2(p_long / prior))  # the longer form overrides the shorter one
    assert alone == pytest.approx(np.log2(p_short / prior))
    _, (joined, _) = bits(Entry((1,), about, 0.25, 0), Entry((1,), frozenset({(place, 8)}), 0.25, 0))
    assert joined == pytest.approx(np.log2(2 * (0.25 * 4 + 0.5) / 5 / (2 * prior)))  # alternatives


def test_bits_of_an_entry_by_hand():
    entry = Entry((1, None), frozenset({(0, 3), (0, 4)}))
    form = 2 * np.log2(27) + np.log2(12) + 4
    band, places = 2 * np.log2(61) + 2, len(GAME.offsets) + 1
    a_set = np.log2(61) + np.log2(61 * 60 / 2)
    assert bits_of(entry, GAME) == pytest.approx(form + np.log2(places + 2) + min(band, a_set))


def test_every_bundled_pair_is_a_language():
    assert trained.missing() == []
    names = {task.language for task in tasks("full") if task.track == "trained"}
    assert len(names) == sum(trained.PAIRS.values()) == 68
    assert all(find_pair(name).config for name in trained.QUICK)
    corpus = Task("trained", "paper-20/0", 50).make()
    assert corpus.forms.shape == (50, corpus.pair.config.message_length)
    assert corpus.truth is None


def test_untrained_pairs_come_from_their_seed():
    window = draw_episodes(GAME, 200, np.random.default_rng(0)).window
    one, same, other = (find_untrained("embed-60", seed).sender.send(window) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert Task("nothing", "untrained-embed-60", 50).make().truth == frozenset()
    with pytest.raises(ValueError, match="an untrained pair must have the shapes of a pair of GRUs"):
        find_untrained("landmark-60", 0)
    with pytest.raises(ValueError, match="an untrained pair must be like a bundled one; got embed-61"):
        find_untrained("embed-61", 0)
