"""Held-out episodes, read with a lexicon alone."""

import dataclasses

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.held_out import read_held_out
from spatial_game.recording import record

CONFIG = GameConfig(20)


@pytest.fixture(scope="module")
def language():
    episodes = draw_episodes(CONFIG, 5_000, np.random.default_rng(0))
    recording = record(OracleSender(CONFIG), None, episodes, CONFIG)
    return recording, lexicon_by_npmi(count(recording), threshold=0.4)


def test_right_is_a_share_of_what_is_read(language):
    recording, lexicon = language
    half = dataclasses.replace(lexicon, entries=lexicon.entries[::2])
    rows = slice(9, None, 10)
    found = Decoder(half).decode(
        recording.message[rows], recording.sequence[rows], recording.candidates[rows]
    )
    right = found.choice == recording.target_index[rows]
    read = read_held_out(half, [recording])
    assert (read.episodes, read.unique) == (500, found.unique.mean())
    assert 0.1 < read.unique < 0.5
    assert read.right == right[found.unique].mean() > 0.9
    nothing = read_held_out(dataclasses.replace(lexicon, entries=()), [recording])
    assert (nothing.unique, nothing.right) == (0, None)


def test_no_more_episodes_are_read_than_asked(language):
    recording, lexicon = language
    assert read_held_out(lexicon, [recording] * 3, most=600).episodes == 1_000
