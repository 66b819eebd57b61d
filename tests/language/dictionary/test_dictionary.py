"""Special languages: short messages, unknown ones, entries counted by hand, and a thousand integers."""

import itertools
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers.scripted import both_sides, dictionary_of, integers_at, left_of, silent
from scipy.stats import hypergeom

from spatial_game.config import GameConfig
from spatial_game.language import message_entries, symbol_entries
from spatial_game.language.counting.rows import UNKNOWN
from spatial_game.language.dictionary.distinct import log2_distinct
from spatial_game.language.dictionary.entries import sets_of
from spatial_game.language.dictionary.members import Tails

CONFIG = GameConfig(12, window_radius=1, vocab_size=12, message_length=2)


def left(window):
    """Return the integer one left (B,), where there is one, or else 0."""
    return left_of(CONFIG, window).clip(0)


def test_the_symbols_of_messages_of_one_symbol_say_everything():
    dictionary = dictionary_of(CONFIG.changed(message_length=1), lambda window: left(window)[:, None], 5_000)
    assert message_entries(dictionary) == []
    said = {entry.ngram.symbols[0]: entry.values for entry in symbol_entries(dictionary) if entry.index == 1}
    assert said == {k: (k,) for k in range(12)}
    assert dictionary.bits.messages == pytest.approx(dictionary.bits.symbols, abs=0.05)


def test_unknown_messages_are_read_by_their_symbols():
    dictionary = dictionary_of(CONFIG, lambda window: left(window)[:, None].repeat(2, axis=1), 5_000)
    messages = np.array([[3, 3], [3, 4]], dtype=np.int16)
    assert dictionary.rows(messages).tolist()[1] == UNKNOWN
    p = dictionary.variables[1].by_messages(messages, dictionary.rows(messages))
    assert p[0].argmax() == 3
    assert {*np.argsort(-p[1])[:2].tolist()} == {3, 4}


def test_messages_are_listed_only_where_they_add_to_their_symbols():
    def by_parts(window):
        return np.stack([left(window) // 4, left(window) % 4], axis=1)

    def by_wholes(window):
        """Say with equal symbols that the integer is one of those below 6."""
        first = np.random.default_rng(1).integers(0, 2, len(window))
        return np.stack([first, (first + left(window) // 6) % 2], axis=1)

    entries = message_entries(dictionary_of(CONFIG, by_parts, 20_000))
    assert [entry for entry in entries if entry.index == 1] == []
    of_wholes = dictionary_of(CONFIG, by_wholes, 20_000)
    assert symbol_entries(of_wholes) == []
    words = {entry.ngram.symbols: entry.values for entry in message_entries(of_wholes) if entry.index == 1}
    low, high = tuple(range(6)), tuple(range(6, 12))
    assert words == {(0, 0): low, (1, 1): low, (0, 1): high, (1, 0): high}


def test_messages_do_not_add_their_noise_to_their_symbols():
    """Each slot has one of seven symbols for a neighbour of its own, and a tenth of them are random."""
    config, random = GameConfig(vocab_size=21), np.random.default_rng(7)
    groups = np.stack([random.permutation(60) % 7 + 7 * slot for slot in range(3)])

    def three_groups(window):
        said = groups[np.arange(3), integers_at(config, window, -1, 1, -2).T]
        return np.where(random.random(said.shape) < 0.1, random.integers(0, 21, said.shape), said)

    dictionary = dictionary_of(config, three_groups, 20_000)
    assert sets_of(dictionary).adding[0] < 0.005
    assert len(symbol_entries(dictionary)) > 20


def test_a_p_value_is_the_smallest_adjusted_tail_of_a_forms_values():
    counts, totals = np.array([[6, 1, 0], [2, 2, 2]]), np.array([20, 40, 40])
    episodes = counts.sum(axis=1)
    found = Tails.of(sp.csr_array(counts), SimpleNamespace(totals=totals, prior=totals / 100)).combined
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
    [found] = log2_distinct(dict(enumerate(tables)), [range(5)])
    assert found == pytest.approx(np.log2(share / even), abs=0.1)
    [found] = log2_distinct(dict.fromkeys(range(5), np.full((1, 7), 1 / 7)), [range(5)])
    assert found == pytest.approx(0)


def test_bits_are_those_of_episodes_that_no_table_has_seen():
    def only_held_out(window):
        message = np.random.default_rng(0).integers(0, 12, (len(window), 2))
        message[9::10] = left(window[9::10])[:, None]
        return message

    dictionary = dictionary_of(CONFIG, only_held_out, 2_000)
    assert dictionary.bits.episodes == 200
    assert dictionary.bits.messages < 0.05


def test_a_few_episodes_say_nothing():
    for dictionary in (dictionary_of(CONFIG, both_sides(CONFIG), 1), silent(CONFIG)):
        assert symbol_entries(dictionary) == message_entries(dictionary) == []
        assert dictionary.bits.messages == 0


LARGE = """
import numpy as np
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import Reader, Speaker, count, build_dictionary
from spatial_game.recording import Recording
config, rng = GameConfig({length}, vocab_size=26, message_length={symbols}), np.random.default_rng(0)
episodes = draw_episodes(config, {number}, rng)
near = episodes.window[:, {cells}] % 26
message = np.where(rng.random(near.shape) < 0.1, rng.integers(0, 26, near.shape), near).astype(np.int16)
dictionary = build_dictionary(count(Recording(config, window=episodes.window, message=message)))
few = episodes[:500]
choice = Reader(dictionary).choose(message[:500], few.sequence, few.candidates)
Speaker(dictionary).send(few.window)
assert (choice == few.target_index).mean() > 0.9, (choice == few.target_index).mean()
print(open("/proc/self/status").read())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("length", "symbols", "cells", "number"),
    [(1000, 3, [0, 1, 3], 60_000), (60, 6, [0, 1, 3, 4, 0, 1], 100_000)],
)
def test_large_games_and_long_messages_with_noise_stay_small_in_memory(length, symbols, cells, number):
    program = LARGE.format(length=length, symbols=symbols, cells=cells, number=number)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert int(re.search(r"VmHWM:\s*(\d+) kB", done.stdout)[1]) < 2 << 20  # of this program alone
