"""The grid of thresholds, which of its cells is chosen, and how well its phrases are understood."""

import numpy as np
import pytest
from helpers.reproductions import oracle_counts, oracle_phrases

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import Agents, RandomReceiver
from spatial_game.language.npmi.analysis import npmi_tables
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.proportions import Proportion
from spatial_game.reproduction import paper, understanding
from spatial_game.reproduction.phrases import PHRASE_KINDS, common_symbols, phrases_of
from spatial_game.reproduction.results import GridCell, PhraseSet
from spatial_game.reproduction.understanding import (
    best_cells,
    measure_cells,
    measure_phrases,
    most_frequent_messages,
    papers_cells,
)

CONFIG = GameConfig(20, vocab_size=8)
TRIED = {"thresholds": (0.9, 0.4, 0.2), "tops": (1, 2)}


@pytest.fixture(scope="module")
def counts():
    return oracle_counts(CONFIG)


def understood(counts, receiver, **tried):
    """The cells of a small grid, and how well a receiver understands the phrases of each."""
    rng = np.random.default_rng(0)
    episodes, tables = draw_episodes(CONFIG, 200, rng), npmi_tables(counts, NpmiSettings(), **TRIED | tried)
    return measure_cells(receiver, tables, episodes, rng)


def test_every_cell_has_its_phrases_with_their_accuracy(counts):
    cells = understood(counts, OracleReceiver(CONFIG))
    tables = npmi_tables(counts, NpmiSettings(), **TRIED)
    for kind in PHRASE_KINDS:
        numbers = [len(phrases_of(table, kind)) for table in tables]
        assert [cell.phrases[kind].num_phrases if kind in cell.phrases else 0 for cell in cells] == numbers
    found = [phrases for cell in cells for phrases in cell.phrases.values()]
    assert {phrases.accuracy.trials for phrases in found} == {200}
    assert all(cell.phrases["edge"].accuracy.accuracy == 1 for cell in cells)


def in_cells(*accuracies, kind="integer_at"):
    """Cells in which phrases of a kind have these numbers and accuracies in 100 episodes."""
    return [
        GridCell(
            0.1 * (i + 1), 1, {}, {kind: PhraseSet(number, Proportion(num_correct, 100))} if number else {}
        )
        for i, (number, num_correct) in enumerate(accuracies)
    ]


def test_the_best_cell_is_that_with_the_highest_accuracy_then_with_most_phrases():
    assert best_cells(in_cells((5, 30), (1, 40), (9, 20))) == {"integer_at": 1}
    assert best_cells(in_cells((1, 40), (0, 0), (9, 40), (9, 40))) == {"integer_at": 2}
    assert best_cells(in_cells((0, 0))) == {}


def test_the_papers_cell_is_that_of_its_table_2(counts):
    cells = understood(counts, OracleReceiver(CONFIG), thresholds=(0.5, 0.7, 0.9))
    found = papers_cells(cells)
    chosen = {kind: (cells[index].threshold, cells[index].top_n) for kind, index in found.items()}
    assert chosen == {kind: cell for kind, cell in paper.TABLE_2_CELLS.items() if kind in found}
    assert "edge" in found
    assert papers_cells(cells[1:2]) == {}


class CountsCalls(OracleReceiver):
    """Counts how often it is asked."""

    calls = 0

    def choose(self, messages, sequence, candidates):
        self.calls += 1
        return super().choose(messages, sequence, candidates)


def test_equal_sets_of_entries_are_asked_once(counts):
    receiver = CountsCalls(CONFIG)
    one, *others = understood(counts, receiver, thresholds=(0.2, 0.2, 0.2), tops=(1,))
    assert receiver.calls == len(one.phrases) > 0
    assert all(other.phrases == one.phrases for other in others)


def measured(config, receiver, monkeypatch, num_episodes=1_000):
    """How well phrases of each kind in the oracle's language are understood."""
    pair, rng = Agents(OracleSender(config), receiver, config), np.random.default_rng(1)
    episodes, counts = draw_episodes(config, num_episodes, rng), oracle_counts(config)
    (table,) = npmi_tables(counts, NpmiSettings(), (0.5,), (1,))
    monkeypatch.setattr(understanding, "phrases_of", lambda table, kind: oracle_phrases(config, kind))
    frequent = most_frequent_messages(counts)
    kinds = [kind for kind in PHRASE_KINDS if len(oracle_phrases(config, kind))]
    return [measure_phrases(pair, table, kind, frequent, episodes, rng) for kind in kinds]


GAMES = [
    GameConfig(),
    GameConfig(20, vocab_size=3, message_length=5),  # its oracle speaks in whole messages
    GameConfig(25, num_integers=40, window_radius=1, num_distractors=9, vocab_size=52, message_length=4),
]


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_the_oracle_understands_everything_that_its_dictionary_says(config, monkeypatch):
    found = measured(config, OracleReceiver(config), monkeypatch)
    assert len(found) == 2  # edges, and integers at offsets, whole or composed
    for kind in found:
        assert kind.accuracy.accuracy == kind.own.accuracy == kind.counted.accuracy == 1
        assert all(control.accuracy < 0.75 for control in kind.controls.values())
        assert kind.random.accuracy < 0.6
        assert kind.num_beyond == 0


def test_a_receiver_that_does_not_listen_is_at_chance(monkeypatch):
    config = GameConfig()
    receiver = RandomReceiver(config, np.random.default_rng(2))
    for kind in measured(config, receiver, monkeypatch, 4_000):
        low, high = kind.accuracy.interval
        assert low < 0.2 < high


def test_common_symbols_are_the_most_frequent_of_each_slot(counts):
    totals = counts.message_totals
    for slot, chosen in enumerate(common_symbols(counts).tolist()):
        sent = [totals[counts.messages[:, slot] == symbol].sum() for symbol in range(CONFIG.vocab_size)]
        assert sent[chosen] == max(sent)
