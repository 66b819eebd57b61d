"""Two languages side by side, of senders whose messages are known."""

import numpy as np
import pytest
from helpers.scripted import counts_of

from spatial_game.config import GameConfig
from spatial_game.language import Comparison, compare
from spatial_game.language.comparison import in_one_table
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.dictionary.build import bits_of

CONFIG = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=16, message_length=2)


def left(window):
    """The integer one left, from 8 on in the second slot; 0 stands for none."""
    said = np.maximum(columns_of(CONFIG).at_offsets(window)[:, CONFIG.offsets.index(-1)], 0)
    return np.column_stack([said, said + 8])


def renamed(window):
    """The same with other symbols: the messages of the next integer."""
    return (left(window) + 1) % 16


def counted(say, config=CONFIG, seed=0, number=4_000):
    return counts_of(config, say, number, seed)


def test_a_dictionary_reads_other_episodes_of_its_language_as_well_as_its_own() -> None:
    found = compare(counted(left), counted(left, seed=1))
    (own, read), (read_back, other_own) = found.read
    assert own == pytest.approx(found.dictionaries[0].bits.messages, abs=0.02)
    assert own > 2
    assert [read, read_back, other_own] == pytest.approx([own] * 3, abs=0.15)


@pytest.fixture(scope="module")
def of_other_messages() -> Comparison:
    return compare(counted(left), counted(renamed))


def test_a_language_with_other_messages_is_misread_though_it_tells_as_much(of_other_messages) -> None:
    one, other = of_other_messages.dictionaries
    assert other.bits.messages == pytest.approx(one.bits.messages, abs=0.1)
    (_, read), (read_back, _) = of_other_messages.read
    assert 0 <= min(read, read_back) <= max(read, read_back) < 0.05


def test_a_reading_that_is_right_in_half_of_the_episodes_is_worth_something() -> None:
    """Half of the messages of B are those of A, and the others are those of the next integer.

    Whoever bets on a reading that multiplies a probability by 8, and is right in half of the cases, gains
    most, 0.6 bits, with 3/7 of the stake (Kelly 1956). By the mean of the logarithm alone, it is misleading.
    """

    def mixed(window: np.ndarray) -> np.ndarray:
        return np.where(np.arange(len(window))[:, None] % 4 < 2, left(window), renamed(window))

    a, b = counted(left), counted(mixed)
    found = compare(a, b)
    (own, read), _ = found.read
    assert own == pytest.approx(3, abs=0.1)
    assert read == pytest.approx(0.6, abs=0.06)
    assert bits_of(found.dictionaries[0], b).messages < 0


def test_symbols_and_messages_are_counted_and_bits_stand_by_variable(of_other_messages) -> None:
    tables = of_other_messages.tables
    words, bits = (
        {name: numbers for name, *numbers in tables[title].rows}
        for title in ("Symbols and messages", "What messages tell, in bits an episode")
    )
    assert words["symbols in slot 1"] == words["symbols in slot 2"] == [8, 8, 7]
    assert words["distinct messages"] == [8, 8, 7]
    assert bits["one left"][0] > 2 > bits["one right"][0]
    rows = in_one_table(tables).rows
    assert len(rows) == sum(len(table.rows) for table in tables.values())
    assert {len(row) for row in rows} == {5}


def test_without_held_out_episodes_a_language_has_no_bits() -> None:
    tables = compare(counted(left, number=5), counted(left)).tables
    rows = {name: numbers for table in tables.values() for name, *numbers in table.rows}
    for name in ("one left", "the whole window", "of A", "of B"):
        assert rows[name][0] is None
        assert rows[name][1] is not None
    assert rows["the entropy of messages"][0] > 0


def test_samples_of_different_size_are_compared_with_a_warning() -> None:
    assert compare(counted(left, number=500), counted(left, number=500)).warning is None
    warning = compare(counted(left, number=500), counted(left, number=1_000)).warning
    assert "A has 500 episodes and B 1,000" in (warning or "")


def test_languages_of_two_games_are_refused() -> None:
    other = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=16, message_length=2)
    with pytest.raises(ValueError, match=r"languages must be of one game; got L8 w1 c3 .* and L8 w1 c2"):
        compare(counted(left), counted(left, other))
