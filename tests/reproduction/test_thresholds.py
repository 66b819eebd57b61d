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
from spatial_game.reproduction.phrases import KINDS
from spatial_game.reproduction.stages import Subject
from spatial_game.reproduction.thresholds import choose_thresholds

CONFIG = GameConfig(20, vocab_size=8)
TRIED = (0.2, 0.4, 0.9)


@pytest.fixture(scope="module")
def counts():
    episodes = draw_episodes(CONFIG, 20_000, np.random.default_rng(0))
    return count(record(OracleSender(CONFIG), None, episodes, CONFIG))


def choose(counts, receiver, seed=0, num_choosing=500, **tried):
    rng, pair = np.random.default_rng(seed), Subject("one", OracleSender(CONFIG), receiver, CONFIG)
    choosing, reporting = (draw_episodes(CONFIG, n, rng) for n in (num_choosing, 2_000))
    tried = {"thresholds": TRIED, "tops": (1, 2)} | tried
    return choose_thresholds(pair, counts, NpmiSettings(), choosing, reporting, rng, **tried)


def test_each_cell_has_what_the_grid_lists(counts):
    cells, _, _ = choose(counts, OracleReceiver(CONFIG))
    by_cell = {(cell.threshold, cell.top_n): cell.entries for cell in grid(counts, None, TRIED, (1, 2))}
    for cell in cells:
        listed = by_cell[cell["threshold"], cell["top_n"]]
        if cell["kind"] != "compositional":
            assert cell["phrases"] == listed[cell["kind"]]
        else:
            assert cell["phrases"] <= listed["integer"] * listed["offset"]
    assert len(cells) == 3 * 6


def test_the_best_cell_is_chosen_and_judged_on_other_episodes(counts):
    cells, chosen, tables = choose(counts, OracleReceiver(CONFIG))
    for kind, choice in chosen.items():
        best = max(c["accuracy"]["accuracy"] for c in cells if c["kind"] == kind and c["phrases"])
        assert choice["chosen_on"]["accuracy"] == best == choice["accuracy"]["accuracy"] == 1
        assert (choice["chosen_on"]["n"], choice["accuracy"]["n"]) == (500, 2_000)
        assert choice["phrases"] == len(tables[kind])


def test_equal_sets_of_entries_are_asked_once(counts):
    asked = []

    class Counting(OracleReceiver):
        def choose(self, messages, sequence, candidates):
            asked.append(len(messages))
            return super().choose(messages, sequence, candidates)

    cells, _, _ = choose(counts, Counting(CONFIG), thresholds=(0.2, 0.2, 0.2), tops=(1,))
    assert asked.count(500) == len({cell["kind"] for cell in cells if cell["phrases"]})
    assert len(cells) == 3 * len(KINDS)


def test_the_best_of_many_chances_is_too_good(counts):
    optimism = []
    for seed in range(12):
        _, chosen, _ = choose(counts, RandomReceiver(CONFIG, np.random.default_rng(seed)), seed, 50)
        optimism += [c["chosen_on"]["accuracy"] - c["accuracy"]["accuracy"] for c in chosen.values()]
    assert np.mean(optimism) > 0.01
