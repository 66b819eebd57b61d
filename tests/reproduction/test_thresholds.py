"""Which cell of the grid is chosen."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.npmi.grid import grid
from spatial_game.recording import record
from spatial_game.reproduction.stages import Subject
from spatial_game.reproduction.thresholds import choose_thresholds

CONFIG = GameConfig(20, vocab_size=8)
TRIED = {"thresholds": (0.2, 0.4, 0.9), "tops": (1, 2)}


@pytest.fixture(scope="module")
def counts():
    episodes = draw_episodes(CONFIG, 20_000, np.random.default_rng(0))
    return count(record(OracleSender(CONFIG), None, episodes, CONFIG))


def choose(counts, receiver, **tried):
    rng, pair = np.random.default_rng(0), Subject("one", OracleSender(CONFIG), receiver, CONFIG)
    episodes = draw_episodes(CONFIG, 500, rng)
    return choose_thresholds(pair, counts, NpmiSettings(), episodes, rng, **TRIED | tried)


def test_of_equally_good_cells_the_one_with_most_phrases_is_chosen(counts):
    """The oracle's receiver understands the phrases of every cell."""
    chosen = choose(counts, OracleReceiver(CONFIG))
    listed = {(cell.threshold, cell.top_n): cell.entries for cell in grid(counts, **TRIED)}
    assert chosen.keys() >= {"edge", "compositional"}
    for kind, best in chosen.items():
        assert (best.accuracy.accuracy, best.accuracy.trials) == (1, 500)
        if kind != "compositional":
            assert len(best.phrases) == max(entries[kind] for entries in listed.values())
            assert len(best.phrases) == listed[best.threshold, best.top_n][kind]


class UnderstandsOneSet(OracleReceiver):
    """Understands the messages of one call, and no others."""

    def __init__(self, config, call):
        super().__init__(config)
        self.call, self.calls = call, 0

    def choose(self, messages, sequence, candidates):
        choice, self.calls = super().choose(messages, sequence, candidates), self.calls + 1
        return choice if self.calls == self.call else (choice + 1) % candidates.shape[1]


def test_a_cell_that_is_better_understood_is_chosen_whatever_its_number_of_phrases(counts):
    receiver = UnderstandsOneSet(CONFIG, 0)
    choose(counts, receiver)
    for call in range(1, receiver.calls + 1):
        chosen = choose(counts, UnderstandsOneSet(CONFIG, call))
        *_, second, first = sorted(best.accuracy.accuracy for best in chosen.values())
        assert second < 0.1 < 0.9 < first


def test_equal_sets_of_entries_are_asked_once(counts):
    receiver = UnderstandsOneSet(CONFIG, 0)
    chosen = choose(counts, receiver, thresholds=(0.2, 0.2, 0.2), tops=(1,))
    assert receiver.calls == len(chosen) > 0
