"""Episodes: drawn uniformly, derived by the rules, the same bytes for the same seed."""

import dataclasses
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from helpers.strategies import configs, grids, seeds
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from spatial_game import Episodes, GameConfig, OracleReceiver, OracleSender, draw_batches, draw_episodes, play
from spatial_game.game.checking import check_episodes
from spatial_game.game.episodes import (
    KEEP,
    arrange,
    concatenate,
    derive,
    hidden_cells,
    key_layout,
    mask_columns,
)

FIELDS = [field.name for field in dataclasses.fields(Episodes)]

# Section 2.1 of the paper.
PAPER_SEQUENCE = [7, 5, 2, 12, 10, 4, 3, 15, 16, 13, 14, 6, 9, 8, 11, 1]
PAPER_CONFIG = GameConfig(sequence_length=16, num_integers=17, num_distractors=3)


def assert_equal(one, other):
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
        assert getattr(one, name).dtype == getattr(other, name).dtype == np.int16


# The paper's worked examples


@pytest.mark.parametrize(
    ("target", "window", "edge"),
    [
        (7, [-1, 5, 2, 12, 10], "begin"),
        (5, [7, -1, 2, 12, 10], "begin+1"),
        (4, [12, 10, -1, 3, 15], "middle"),
        (11, [6, 9, 8, -1, 1], "end-1"),
        (1, [6, 9, 8, 11, -1], "end"),
    ],
)
def test_the_papers_five_observations(target, window, edge):
    position = PAPER_SEQUENCE.index(target)
    others = [place for place in range(16) if place != position][:3]
    episodes = derive(PAPER_CONFIG, [PAPER_SEQUENCE], [[*others, position]], [3])
    assert episodes.window.tolist() == [window]
    assert PAPER_CONFIG.edges[episodes.mask_column[0]] == edge
    assert episodes.candidates.tolist() == [[*(PAPER_SEQUENCE[place] for place in others), target]]
    assert episodes.target.tolist() == [target]


# Drawing and deriving


@settings(max_examples=15, deadline=None)
@given(configs() | grids(), seeds)
def test_drawn_episodes_follow_from_their_choices(config, seed):
    episodes = draw_episodes(config, 5, np.random.default_rng(seed))
    assert_equal(check_episodes(config, episodes), episodes)
    np.testing.assert_array_equal(mask_columns(episodes.window), episodes.mask_column)
    positions = (episodes.candidates[:, :, None] == episodes.sequence[:, None, :]).argmax(axis=2)
    again = derive(config, episodes.sequence, positions, episodes.target_index, hidden_cells(episodes))
    assert_equal(again, episodes)


@pytest.mark.parametrize(
    ("cells", "values", "target_position", "sequence", "candidates"),
    [
        ([3], [4], None, [2, 0, 5, 4, 1], [2, 5]),  # 4 and 2 are exchanged
        ([3], [8], None, [4, 0, 5, 8, 1], [4, 5]),  # 8 was not in the sequence
        ([3, 0], [KEEP, 1], None, [1, 0, 5, 2, 4], [1, 5]),
        ([3], [4], [1], [2, 0, 5, 4, 1], [2, 0]),
        ([3], [4], [0], [2, 0, 5, 4, 1], [5, 2]),  # the candidate at 0 goes where the target was
    ],
)
def test_integers_are_arranged(cells, values, target_position, sequence, candidates):
    config = GameConfig(shape=(5,), num_integers=9, window_radius=1, num_distractors=1, num_visible=1)
    before = derive(config, [[4, 0, 5, 2, 1]], [[0, 2]], [1], [[1]])
    target = None if target_position is None else np.array(target_position)
    after = check_episodes(config, arrange(config, before, np.array([cells]), np.array([values]), target))
    assert (after.sequence.tolist(), after.candidates.tolist()) == ([sequence], [candidates])
    assert (after.target_index.tolist(), hidden_cells(after).tolist()) == ([1], [[1]])


def test_a_batch_has_batches_in_it_and_no_single_episodes():
    episodes = draw_episodes(GameConfig.small(), 4, np.random.default_rng(0))
    assert episodes[np.array([2])] == episodes[2:3]
    with pytest.raises(TypeError, match=r"need a slice, such as \[2:3\], for a batch; got 2"):
        episodes[2]


# Uniformity: chi-square at fixed seeds


def p_value(counts):
    return float(stats.chisquare(np.ravel(counts)).pvalue)


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(sequence_length=6, num_integers=9, num_distractors=3),
        GameConfig(sequence_length=5, num_integers=280, window_radius=1),  # whose keys have 64 bits
    ],
)
def test_drawing_is_uniform(config):
    n, length, choices = config.num_integers, config.sequence_length, config.num_candidates
    episodes = draw_episodes(config, 30_000, np.random.default_rng(11))
    sequence, position = episodes.sequence.astype(int), episodes.target_position.astype(int)
    cells = (episodes.candidates[:, :, None] == episodes.sequence[:, None, :]).argmax(axis=2)
    first_pairs = np.bincount(sequence[:, 0] * n + sequence[:, 1], minlength=n * n)
    tables = {
        "target": np.bincount(episodes.target, minlength=n),
        "target_position and index": np.bincount(position * choices + episodes.target_index),
        "integer in cell": np.bincount((sequence * length + np.arange(length)).ravel()),
        "distractors": np.bincount(np.delete(cells.ravel(), np.arange(30_000) * choices)),
        "pair at the start": first_pairs[~np.eye(n, dtype=bool).ravel()],
    }
    for name, counts in tables.items():
        assert p_value(counts) > 1e-3, name


@pytest.mark.parametrize(("num_integers", "bits"), [(5, 3), (8, 3), (9, 4), (64, 6), (65, 7)])
def test_keys_give_up_only_the_bits_that_their_numbers_need(num_integers, bits):
    layout = key_layout(GameConfig(sequence_length=5, num_integers=num_integers))
    assert layout.low_bits[:num_integers].tolist() == [2**bits - 1] * num_integers


def test_every_cell_of_a_window_is_equally_often_visible():
    config = GameConfig(shape=(4, 4), window_radius=1, num_visible=3)
    episodes = draw_episodes(config, 56_000, np.random.default_rng(9))
    corner = episodes[episodes.mask_column == 0].window[:, 1:]
    assert p_value((episodes[episodes.mask_column == 4].window >= 0).sum(axis=0)[np.arange(9) != 4]) > 1e-3
    assert p_value(np.unique((corner >= 0) @ (1 << np.arange(8)), return_counts=True)[1]) > 1e-3
    assert len(np.unique(corner >= 0, axis=0)) == 56  # each choice of 3 out of 8


# The same seed, the same episodes


@settings(max_examples=15, deadline=None)
@given(configs() | grids(), seeds, st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_how_drawing_is_divided_does_not_matter(config, seed, parts):
    whole = draw_episodes(config, sum(parts), np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    assert_equal(concatenate([draw_episodes(config, part, rng) for part in parts]), whole)


def test_batches_make_up_the_whole_across_internal_blocks():
    config = GameConfig(sequence_length=20)
    whole = draw_episodes(config, 10_001, np.random.default_rng(2))
    batches = list(draw_batches(config, 10_001, np.random.default_rng(2), batch_size=3_333))
    assert [len(batch) for batch in batches] == [3_333, 3_333, 3_333, 2]
    assert_equal(concatenate(batches), whole)


def sha256(episodes):
    digest = hashlib.sha256()
    for name in FIELDS:
        digest.update(getattr(episodes, name).astype("<i2").tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize(
    "pinned", json.loads((Path(__file__).parents[1] / "golden/episodes.json").read_text())
)
def test_the_bytes_are_pinned(pinned):
    """Changing these changes every recording, seed and result: on purpose only, with the version."""
    config = GameConfig.from_dict(pinned["config"])
    episodes = draw_episodes(config, pinned["num_episodes"], np.random.default_rng(pinned["seed"]))
    assert episodes.sequence[0].tolist() == pinned["first_sequence"]
    assert sha256(episodes) == pinned["sha256"]


# Batches


def test_no_episodes_is_a_batch():
    config = GameConfig()
    empty = draw_episodes(config, 0, np.random.default_rng(0))
    assert (len(empty), empty.sequence.shape, empty.target.shape) == (0, (0, 60), (0,))
    assert_equal(check_episodes(config, empty), empty)
    messages, choices = play(OracleSender(config), OracleReceiver(config), empty, config)
    assert (messages.shape, choices.shape) == ((0, 3), (0,))


@pytest.mark.parametrize(("number", "size", "name"), [(-1, 1, "num_episodes"), (5, 0, "batch_size")])
def test_impossible_numbers_are_refused(number, size, name):
    with pytest.raises(ValueError, match=f"^{name} must be at least 1; got {min(number, size)}$"):
        next(draw_batches(GameConfig(), number, np.random.default_rng(0), batch_size=size))
    with pytest.raises(ValueError, match=r"^num_episodes must be at least 0; got -1$"):
        draw_episodes(GameConfig(), -1, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"^num_episodes must be a whole number; got 1\.5$"):
        draw_episodes(GameConfig(), 1.5, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"^num_episodes must be a whole number; got 10000\.0$"):
        next(draw_batches(GameConfig(), 1e4, np.random.default_rng(0)))


def test_a_seed_is_no_generator():
    with pytest.raises(TypeError, match=r"rng must be a generator, such as .*; got 7"):
        draw_episodes(GameConfig(), 10, 7)
