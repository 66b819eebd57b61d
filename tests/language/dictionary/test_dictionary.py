"""Special languages: short messages, unknown ones, entries counted by hand, and a thousand integers."""

import itertools
import resource
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import hypergeom

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.language import Reader, count, letter_entries, letters_and_words, word_entries
from spatial_game.language.dictionary.build import bits_of
from spatial_game.language.dictionary.distinct import log2_distinct
from spatial_game.language.dictionary.entries import combined_p_value
from spatial_game.recording import Recording

CONFIG = GameConfig(12, window_radius=1, vocab_size=12, message_length=2)


def dictionary_of(config, window, message):
    return letters_and_words(count(Recording(config, window=window, message=message.astype(np.int16))))


def left(window):
    """Return the integer one left (B,), where there is one, or else 0."""
    mask = (window == MASK).argmax(axis=1)
    return np.where(mask > 0, window[np.arange(len(window)), mask - 1], 0)


def test_the_letters_of_messages_of_one_symbol_say_everything():
    config = GameConfig(12, window_radius=1, vocab_size=12, message_length=1)
    window = draw_episodes(config, 5_000, np.random.default_rng(0)).window
    lexicon = dictionary_of(config, window, left(window)[:, None])
    assert word_entries(lexicon) == []
    said = {entry.form.symbols[0]: entry.values for entry in letter_entries(lexicon) if entry.place == 1}
    assert said == {k: (k,) for k in range(12)}
    assert lexicon.bits.words == pytest.approx(lexicon.bits.letters, abs=0.05)


def test_unknown_messages_are_read_by_their_letters_and_symbols_alone():
    window = draw_episodes(CONFIG, 5_000, np.random.default_rng(0)).window
    integer = left(window)
    lexicon = dictionary_of(CONFIG, window, np.stack([integer, integer], axis=1))
    unknown = np.array([[3, 3], [3, 4]], dtype=np.int16)
    assert lexicon.rows(unknown).tolist()[1] == -1
    p = lexicon.variables[1].by_words(unknown, lexicon.rows(unknown))
    assert p[0].argmax() == 3
    assert set(np.argsort(-p[1])[:2].tolist()) == {3, 4}
    episodes = draw_episodes(CONFIG, 50, np.random.default_rng(1))
    assert np.isfinite(Reader(lexicon).bits(np.tile(unknown[1], (50, 1)), *episodes_of(episodes))).all()


def episodes_of(episodes):
    return episodes.sequence, episodes.candidates


def test_words_are_listed_only_where_they_add_to_their_letters():
    window = draw_episodes(CONFIG, 20_000, np.random.default_rng(0)).window
    integer = left(window)
    by_parts = dictionary_of(CONFIG, window, np.stack([integer // 4, integer % 4], axis=1))
    assert [entry for entry in word_entries(by_parts) if entry.place == 1] == []
    first = np.random.default_rng(1).integers(0, 2, len(window))  # equal symbols: one of the integers below 6
    of_wholes = dictionary_of(CONFIG, window, np.stack([first, (first + integer // 6) % 2], axis=1))
    assert letter_entries(of_wholes) == []
    words = {entry.form.symbols: entry.values for entry in word_entries(of_wholes) if entry.place == 1}
    low, high = tuple(range(6)), tuple(range(6, 12))
    assert words == {(0, 0): low, (1, 1): low, (0, 1): high, (1, 0): high}


def test_a_p_value_is_the_smallest_adjusted_tail_of_a_forms_values():
    counts, totals = np.array([[6, 1, 0], [2, 2, 2]]), np.array([20, 40, 40])
    episodes = counts.sum(axis=1)
    found = combined_p_value(sp.csr_array(counts), episodes, totals)
    for row, n in enumerate(episodes.tolist()):
        tails = sorted(
            hypergeom.sf(count - 1, 100, total, n)
            for count, total in zip(counts[row], totals, strict=True)
            if count
        )
        assert found[row] == pytest.approx(min(1, *(3 * p / i for i, p in enumerate(tails, 1))))


def test_the_share_without_repetition_of_five_cells_is_nearly_exact():
    tables = np.random.default_rng(0).dirichlet([3] * 7, (5, 1))
    values = np.array([*itertools.permutations(range(7), 5)])
    share = np.prod([table[0, value] for table, value in zip(tables, values.T, strict=True)], axis=0).sum()
    even = len(values) / 7**5
    assert log2_distinct([*tables]) == pytest.approx(np.log2(share / even), abs=0.1)
    assert log2_distinct([np.full((1, 7), 1 / 7)] * 5) == pytest.approx(0)


def test_bits_are_those_of_episodes_that_no_table_has_seen():
    rng = np.random.default_rng(0)
    window = draw_episodes(CONFIG, 2_000, rng).window
    message = rng.integers(0, 12, (2_000, 2))
    message[9::10] = left(window[9::10])[:, None]  # only the held-out ones tell something
    lexicon = dictionary_of(CONFIG, window, message)
    assert lexicon.bits.episodes == 200
    assert lexicon.bits.words < 0.05
    other = count(Recording(CONFIG, window=window[:100], message=message[:100].astype(np.int16)))
    assert bits_of(lexicon, other).episodes == 10


@pytest.mark.parametrize("number", [1, 5, 10])
def test_a_few_episodes_say_nothing_and_none_are_refused(number):
    window = draw_episodes(CONFIG, number, np.random.default_rng(0)).window
    lexicon = dictionary_of(CONFIG, window, np.zeros((number, 2)))
    assert letter_entries(lexicon) == word_entries(lexicon) == []
    assert lexicon.bits.words == 0
    with pytest.raises(ValueError, match="a dictionary needs episodes; got none"):
        dictionary_of(CONFIG, window[:0], np.zeros((0, 2)))


LARGE = """
import numpy as np
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import Reader, Speaker, count, letters_and_words
from spatial_game.recording import Recording
config, rng = GameConfig({length}, vocab_size=26, message_length={symbols}), np.random.default_rng(0)
episodes = draw_episodes(config, {number}, rng)
near = episodes.window[:, {cells}] % 26
message = np.where(rng.random(near.shape) < 0.1, rng.integers(0, 26, near.shape), near).astype(np.int16)
lexicon = letters_and_words(count(Recording(config, window=episodes.window, message=message)))
few = episodes[:500]
choice = Reader(lexicon).choose(message[:500], few.sequence, few.candidates)
Speaker(lexicon).send(few.window)
assert (choice == few.target_index).mean() > 0.9, (choice == few.target_index).mean()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("length", "symbols", "cells", "number"),
    [(1000, 3, [0, 1, 3], 60_000), (60, 6, [0, 1, 3, 4, 0, 1], 100_000)],
)
def test_large_games_and_long_messages_with_noise_stay_small_in_memory(length, symbols, cells, number):
    program = LARGE.format(length=length, symbols=symbols, cells=cells, number=number)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    subprocess.run([sys.executable, "-c", program], check=True)
    assert max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) < 2 << 20  # KiB
