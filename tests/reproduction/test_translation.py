"""The grid of thresholds, which of its cells is chosen, and how well its phrases are understood."""

import numpy as np
import pytest
from reproductions import oracle_counts, oracle_phrases

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import Proportion
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import Agents, RandomReceiver
from spatial_game.language.npmi.analysis import npmi_tables
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.reproduction import paper
from spatial_game.reproduction.phrases import PHRASE_KINDS, common_symbols, phrases_of
from spatial_game.reproduction.translation import (
    Chosen,
    choose_thresholds,
    measure_phrases,
    most_frequent_messages,
    papers_cells,
)

CONFIG = GameConfig(20, vocab_size=8)
TRIED = {"thresholds": (0.9, 0.4, 0.2), "tops": (1, 2)}


@pytest.fixture(scope="module")
def counts():
    return oracle_counts(CONFIG)


def choose(counts, receiver, **tried):
    rng, pair = np.random.default_rng(0), Agents(OracleSender(CONFIG), receiver, CONFIG)
    episodes = draw_episodes(CONFIG, 200, rng)
    return choose_thresholds(pair, npmi_tables(counts, NpmiSettings(), **TRIED | tried), episodes, rng)


def test_of_equally_good_cells_the_one_with_most_phrases_is_chosen(counts, monkeypatch):
    never = lambda receiver, messages, episodes: np.zeros(len(messages), bool)  # noqa: E731
    monkeypatch.setattr("spatial_game.reproduction.translation.won_by", never)
    cells = npmi_tables(counts, NpmiSettings(), **TRIED)
    for kind, best in choose(counts, OracleReceiver(CONFIG)).items():
        sizes = [len(phrases_of(cell, kind)) for cell in cells]
        assert (best.accuracy.accuracy, best.accuracy.trials) == (0, 200)
        assert len(best.phrases) == max(sizes)
        chosen = cells[sizes.index(max(sizes))].settings
        assert (best.threshold, best.top_n) == (chosen.threshold, chosen.top_n)
    assert len({*sizes}) > 2  # of composed phrases


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


def test_the_papers_cell_is_that_of_its_table_2(counts):
    cells = npmi_tables(counts, NpmiSettings(), (0.5, 0.7, 0.9), (1, 2))
    found = papers_cells(cells)
    assert {kind: (each.threshold, each.top_n) for kind, each in found.items()} == {
        kind: cell for kind, cell in paper.CELLS.items() if kind in found
    }
    assert "edge" in found
    assert papers_cells(cells[1:2]) == {}


def test_equal_sets_of_entries_are_asked_once(counts):
    receiver = UnderstandsOneSet(CONFIG, 0)
    chosen = choose(counts, receiver, thresholds=(0.2, 0.2, 0.2), tops=(1,))
    assert receiver.calls == len(chosen) > 0


def measured(config, receiver, num_episodes=1_000):
    """How well phrases of each kind in the oracle's language are understood."""
    pair, rng = Agents(OracleSender(config), receiver, config), np.random.default_rng(1)
    episodes = draw_episodes(config, num_episodes, rng)
    tables = [table for kind in PHRASE_KINDS if len(table := oracle_phrases(config, kind))]
    chosen = [Chosen(0.5, 1, table, Proportion(0, 0)) for table in tables]
    frequent = most_frequent_messages(oracle_counts(config))
    return [measure_phrases(pair, each, frequent, episodes, rng) for each in chosen]


GAMES = [
    GameConfig(),
    GameConfig(20, vocab_size=3, message_length=5),  # its oracle speaks in whole messages
    GameConfig(25, num_integers=40, window_radius=1, num_distractors=9, vocab_size=52, message_length=4),
]


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_the_oracle_understands_everything_that_its_dictionary_says(config):
    found = measured(config, OracleReceiver(config))
    assert len(found) == 2  # edges, and integers at offsets, whole or composed
    for kind in found:
        assert kind.accuracy.accuracy == kind.own.accuracy == kind.counted.accuracy == 1
        assert kind.deviation == 0
        assert all(control.accuracy < 0.75 for control in kind.controls.values())


def test_a_receiver_that_does_not_listen_is_at_chance():
    config = GameConfig()
    receiver = RandomReceiver(config, np.random.default_rng(2))
    for kind in measured(config, receiver, 4_000):
        low, high = kind.accuracy.interval
        assert low < 0.2 < high
        assert 0 < kind.deviation < 0.1


def test_common_symbols_are_the_most_frequent_of_each_slot(counts):
    totals = counts.message_totals
    for slot, chosen in enumerate(common_symbols(counts).tolist()):
        sent = [totals[counts.messages[:, slot] == symbol].sum() for symbol in range(CONFIG.vocab_size)]
        assert sent[chosen] == max(sent)
