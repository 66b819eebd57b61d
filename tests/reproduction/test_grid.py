"""The paper's grid of thresholds, against the lexicons at each of them."""

from itertools import product

import numpy as np
import pytest
from oracle_tables import tables_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleCode, OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.npmi.analysis import Analysis, lexicon_by_npmi
from spatial_game.recording import Recording, record
from spatial_game.reproduction.grid import grid


def play(sender, config, num_episodes=20_000):
    return record(sender, None, draw_episodes(config, num_episodes, np.random.default_rng(0)), config)


@pytest.mark.parametrize("estimator", ["exact", "paper"])
def test_a_cell_of_the_grid_is_the_lexicon_at_its_settings(estimator):
    config = GameConfig(sequence_length=20)
    recording = play(OracleSender(config), config, 3000)
    noise = np.random.default_rng(1).random(len(recording)) < 0.1
    message = np.where(noise[:, None], (recording.message + 1) % 26, recording.message)
    counts = count(Recording(config, window=recording.window, message=message))
    cells = grid(counts, NpmiSettings(estimator=estimator), thresholds=(0.1, 0.3, 0.6), tops=(1, 3))
    for cell, (top_n, threshold) in zip(cells, product((1, 3), (0.1, 0.3, 0.6)), strict=True):
        lexicon = lexicon_by_npmi(counts, estimator=estimator, threshold=threshold, top_n=top_n)
        assert cell.lexicon() == lexicon


def test_types_of_messages_on_the_oracles_language():
    config = GameConfig(sequence_length=20)
    counts = count(play(OracleSender(config), config))
    types = Analysis(counts, NpmiSettings(threshold=0.35)).admit().message_types
    code = tables_of(OracleCode(config))
    messages = [tuple(m) for m in counts.messages.tolist()]
    edges = np.array([m in code.edges.values() for m in messages])
    np.testing.assert_array_equal(types["positional"], edges)
    np.testing.assert_array_equal(types["compositional_positional"], ~edges)
    np.testing.assert_array_equal(types["compositional_integer"], ~edges)
    assert not types["reserved"].any()
