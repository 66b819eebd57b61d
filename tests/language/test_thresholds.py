"""Thresholds chosen on some episodes and reported on others."""

import json

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.episodes import draw_episodes
from spatial_game.language.counts import count
from spatial_game.language.grid import grid
from spatial_game.language.thresholds import choose_thresholds
from spatial_game.policies import OracleReceiver, OracleSender, RandomReceiver
from spatial_game.recording import record

CONFIG = GameConfig(20, vocab_size=8)
TRIED = (0.2, 0.4, 0.9)


@pytest.fixture(scope="module")
def counts():
    episodes = draw_episodes(CONFIG, 20_000, np.random.default_rng(0))
    return count(record(OracleSender(CONFIG), None, episodes, CONFIG))


def chosen(counts, receiver, seed=0):
    rng = np.random.default_rng(seed)
    choosing, reporting = (draw_episodes(CONFIG, n, rng) for n in (500, 2_000))
    return choose_thresholds(receiver, counts, choosing, reporting, rng, thresholds=TRIED, tops=(1, 2))


def test_each_cell_has_what_the_grid_lists(counts):
    report = chosen(counts, OracleReceiver(CONFIG))
    by_cell = {(cell.threshold, cell.top_n): cell.entries for cell in grid(counts, None, TRIED, (1, 2))}
    for cell in report.cells:
        listed = by_cell[cell.threshold, cell.top_n]
        if cell.kind != "compositional":
            assert cell.phrases == listed[cell.kind]
        else:
            assert cell.phrases <= listed["integer"] * listed["offset"]
    assert len(report.cells) == 3 * 6
    assert report.distinct < sum(cell.phrases > 0 for cell in report.cells)
    json.dumps(report.to_dict())


def test_the_best_cell_is_chosen_and_judged_on_other_episodes(counts):
    report = chosen(counts, OracleReceiver(CONFIG))
    for kind, choice in report.chosen.items():
        best = max(c.accuracy.accuracy for c in report.cells if c.kind == kind and c.phrases)
        assert choice.cell.accuracy.accuracy == best == 1
        assert choice.report.accuracy.accuracy == 1
        assert (choice.cell.accuracy.trials, choice.report.accuracy.trials) == (500, 2_000)
        assert choice.optimism == 0


def test_the_best_of_many_chances_is_too_good(counts):
    optimism = []
    for seed in range(6):
        report = chosen(counts, RandomReceiver(CONFIG, np.random.default_rng(seed)), seed)
        optimism += [choice.optimism for choice in report.chosen.values()]
    assert np.mean(optimism) > 0.005
