"""Thresholds chosen on some episodes and reported on others."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver
from spatial_game.language.counting.counts import count
from spatial_game.language.npmi.grid import grid
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.recording import record
from spatial_game.reproduction.asking import measure_phrases
from spatial_game.reproduction.phrases import KINDS
from spatial_game.reproduction.stages import Subject
from spatial_game.reproduction.thresholds import choose_thresholds

CONFIG = GameConfig(20, vocab_size=8)
TRIED = {"thresholds": (0.2, 0.4, 0.9), "tops": (1, 2)}


@pytest.fixture(scope="module")
def counts():
    episodes = draw_episodes(CONFIG, 20_000, np.random.default_rng(0))
    return count(record(OracleSender(CONFIG), None, episodes, CONFIG))


def choose(counts, receiver, rng, number=500, **tried):
    pair, episodes = (
        Subject("one", OracleSender(CONFIG), receiver, CONFIG),
        draw_episodes(CONFIG, number, rng),
    )
    return choose_thresholds(pair, counts, NpmiSettings(), episodes, rng, **TRIED | tried)


def test_of_equally_good_cells_the_one_with_most_phrases_is_chosen(counts):
    """The oracle's receiver understands the phrases of every cell."""
    chosen = choose(counts, OracleReceiver(CONFIG), np.random.default_rng(0))
    listed = {(cell.threshold, cell.top_n): cell.entries for cell in grid(counts, **TRIED)}
    assert chosen.keys() >= {"edge", "compositional"}
    for kind, best in chosen.items():
        assert (best.accuracy.accuracy, best.accuracy.trials) == (1, 500)
        if kind != "compositional":
            assert len(best.phrases) == max(entries[kind] for entries in listed.values())
            assert len(best.phrases) == listed[best.threshold, best.top_n][kind]


def test_equal_sets_of_entries_are_asked_once(counts):
    asked = []

    class Counting(OracleReceiver):
        def choose(self, messages, sequence, candidates):
            asked.append(len(messages))
            return super().choose(messages, sequence, candidates)

    chosen = choose(counts, Counting(CONFIG), np.random.default_rng(0), thresholds=(0.2, 0.2, 0.2), tops=(1,))
    assert asked == [500] * len(chosen)
    assert 0 < len(chosen) <= len(KINDS)


def test_the_best_of_many_chances_is_too_good(counts):
    optimism = []
    for seed in range(12):
        rng, receiver = np.random.default_rng(seed), RandomReceiver(CONFIG, np.random.default_rng(seed))
        others = draw_episodes(CONFIG, 2_000, rng)
        pair = Subject("one", OracleSender(CONFIG), receiver, CONFIG)
        for best in choose(counts, receiver, rng, 50).values():
            found = measure_phrases(pair, best.phrases, others, rng)
            optimism.append(best.accuracy.accuracy - found["accuracy"]["accuracy"])
    assert np.mean(optimism) > 0.01
