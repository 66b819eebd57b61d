"""Thresholds chosen on some episodes and reported on others."""

import json

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver
from spatial_game.language.counting.counts import count
from spatial_game.language.npmi.grid import grid
from spatial_game.recording import record
from spatial_game.reproduction.phrases.phrase_table import KINDS
from spatial_game.reproduction.phrases.thresholds import choose_thresholds

CONFIG = GameConfig(20, vocab_size=8)
TRIED = (0.2, 0.4, 0.9)


@pytest.fixture(scope="module")
def counts():
    episodes = draw_episodes(CONFIG, 20_000, np.random.default_rng(0))
    return count(record(OracleSender(CONFIG), None, episodes, CONFIG))


def chosen(counts, receiver, seed=0, num_choosing=500):
    rng = np.random.default_rng(seed)
    choosing, reporting = (draw_episodes(CONFIG, n, rng) for n in (num_choosing, 2_000))
    return choose_thresholds(receiver, counts, choosing, reporting, rng, thresholds=TRIED, tops=(1, 2))[0]


def test_each_cell_has_what_the_grid_lists(counts):
    report = chosen(counts, OracleReceiver(CONFIG))
    by_cell = {(cell.threshold, cell.top_n): cell.entries for cell in grid(counts, None, TRIED, (1, 2))}
    for cell in report["cells"]:
        listed = by_cell[cell["threshold"], cell["top_n"]]
        if cell["kind"] != "compositional":
            assert cell["phrases"] == listed[cell["kind"]]
        else:
            assert cell["phrases"] <= listed["integer"] * listed["offset"]
    assert len(report["cells"]) == 3 * 6
    assert report["distinct"] < sum(cell["phrases"] > 0 for cell in report["cells"])
    json.dumps(report)


def test_the_best_cell_is_chosen_and_judged_on_other_episodes(counts):
    report = chosen(counts, OracleReceiver(CONFIG))
    for kind, choice in report["chosen"].items():
        of_kind = [c for c in report["cells"] if c["kind"] == kind and c["phrases"]]
        best = max(cell["accuracy"]["accuracy"] for cell in of_kind)
        assert choice["chosen_on"]["accuracy"] == best == choice["reported"]["accuracy"] == 1
        assert (choice["chosen_on"]["n"], choice["reported"]["n"]) == (500, 2_000)
        assert choice["optimism"] == 0


def test_each_cell_is_asked_in_ten_draws_and_pairs_beside_their_control(counts):
    report = chosen(counts, RandomReceiver(CONFIG, np.random.default_rng(0)))
    for cell in report["cells"]:
        assert cell["draws"]["number"] == (10 if cell["phrases"] else 0)
        assert (cell["control"] is not None) == (cell["kind"] == "compositional" and cell["phrases"] > 0)
    for choice in report["chosen"].values():
        draws = choice["report"]["draws"]
        assert draws["mean"] == pytest.approx(choice["reported"]["accuracy"])
        assert 0 < draws["deviation"] < 0.1


def test_equal_sets_of_entries_are_asked_once(counts):
    """Cells beyond every NPMI, and cells apart by nothing, are not asked again."""

    class Counting(OracleReceiver):
        asked = 0

        def choose(self, messages, sequence, candidates):
            Counting.asked += len(messages) == 500  # the choosing episodes
            return super().choose(messages, sequence, candidates)

    report = chosen(counts, Counting(CONFIG))
    cells = [cell for cell in report["cells"] if cell["kind"] == "compositional"]
    compositional = {cell["phrases"] for cell in cells if cell["phrases"]}
    controls = Counting.asked - report["distinct"]
    assert 0 < controls <= report["distinct"]
    assert len(compositional) <= controls
    twice, _ = choose_thresholds(
        OracleReceiver(CONFIG),
        counts,
        *(draw_episodes(CONFIG, n, np.random.default_rng(n)) for n in (50, 60)),
        np.random.default_rng(0),
        thresholds=(0.2, 0.2, 0.2),
        tops=(1,),
    )
    assert twice["distinct"] <= len(KINDS)
    assert len(twice["cells"]) == 3 * len(KINDS)


def test_the_best_of_many_chances_is_too_good(counts):
    optimism = []
    for seed in range(12):
        report = chosen(counts, RandomReceiver(CONFIG, np.random.default_rng(seed)), seed, num_choosing=50)
        optimism += [choice["optimism"] for choice in report["chosen"].values()]
    assert np.mean(optimism) > 0.01
