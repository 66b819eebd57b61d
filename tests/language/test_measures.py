"""The measures against slow twins, known answers, and recordings that leave them undefined."""

import json
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language import measures
from spatial_game.language.measures import (
    Groups,
    Measure,
    all_measures,
    chao_shen_entropies,
    disentanglement,
    edit_distances,
    entropy_measure,
    factors,
    information_measure,
    interval,
    miller_madow_entropy,
    plug_in_information,
)
from spatial_game.recording import Recording, record, recording_parts

GAME = GameConfig(9, num_integers=11, window_radius=2, num_distractors=2, vocab_size=5, message_length=3)


def rng(seed=0):
    return np.random.default_rng(seed)


def measured(config, window, message):
    """Return all measures by name."""
    return {m.name: m for m in all_measures([Recording(config, window, message)], rng())}


@pytest.fixture(autouse=True, scope="module")
def fewer_pairs():
    """Make topographic similarity quick: it takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures, "NUM_PAIRS", 2_000)
        yield


# --- Entropy and information ------------------------------------------------------------------------------


def slow_chao_shen(counts):
    n, once = sum(counts), sum(c == 1 for c in counts)
    most = math.log2(len(counts))
    if n == 0 or once == n:
        return most if n else 0.0
    shares = [(1 - once / n) * c / n for c in counts]
    bits = [-p * math.log2(p) / (1 - (1 - p) ** n) for p in shares if 0 < p < 1]
    return min(sum(bits), most)


@settings(max_examples=30, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=st.integers(0, 30)))
def test_the_entropies_of_rows_equal_their_twin(table):
    row, column = np.nonzero(table)
    assert chao_shen_entropies(table[row, column], row, *table.shape) == pytest.approx(
        [slow_chao_shen(row) for row in table.tolist()]
    )


@pytest.mark.parametrize(("lost", "episodes"), [(1.0, 300), (0.4, 300), (0.9, 3_000), (0.0, 3_000)])
def test_intervals_hold_the_truth_and_estimates_are_near(lost, episodes):
    """Of 200 messages, each stands for one of 8 values, which is another one in a share of the episodes."""
    meaning = np.arange(200) % 8
    right = 1 - lost * 7 / 8
    truth = 3 + right * np.log2(right) + (1 - right) * np.log2(max((1 - right) / 7, 1e-9))
    held = {"entropy": 0, "information": 0}
    plug_in, estimates = [], []
    for seed in range(20):
        random = rng(seed)
        message = random.integers(0, 200, episodes)
        other = random.random(episodes) < lost
        value = np.where(other, random.integers(0, 8, episodes), meaning[message])
        groups = Groups.deal(episodes, random)
        information = information_measure("", message, value, groups, [random.permutation(episodes)])
        held["information"] += information.low <= truth + 1e-9 and truth <= information.high
        entropy = entropy_measure("", [*groups.counts(message, 200)], 14.0)
        held["entropy"] += entropy.low <= math.log2(200) <= entropy.high
        estimates += [information.value]
        plug_in += [plug_in_information(message, value)]
    assert min(held.values()) >= 18
    if 0 < right < 1:
        assert abs(np.mean(estimates) - truth) < 0.5 * (np.mean(plug_in) - truth)


def test_the_interval_of_a_mean_is_students_and_one_episode_has_none():
    """For a mean, leaving out each of n values gives the textbook interval of Student's t."""
    values = rng().normal(size=12)
    replicates = np.array([values.mean(), *((values.sum() - values) / 11)])
    expected = scipy.stats.t.interval(0.95, 11, values.mean(), scipy.stats.sem(values))
    assert np.allclose(interval(replicates, replicates), expected)
    assert np.allclose(interval(replicates, replicates + 1), expected + np.array([0, 1]))
    assert Groups.deal(1, rng()).count == 0
    assert np.ptp(np.bincount(Groups.deal(1009, rng()).label)) <= 1
    for values in ([1.0], [1.0, 1.0, np.nan]):
        assert interval(np.array(values), np.array(values)) is None


def test_factors_are_what_the_sender_knows():
    window = np.array([[3, 4, MASK, 6, 7], [MASK, 1, 2, 3, 4], [5, 6, 7, 8, MASK]], dtype=np.int16)
    known = dict(factors(GAME, window))
    assert list(known)[:3] == ["edge", "integer at -4", "integer at -3"]
    assert known["edge"].tolist() == [4, 0, 3]
    assert known["integer at -2"].tolist() == [3, 11, 7]


def test_a_constant_message_tells_nothing_and_the_edge_as_a_symbol_all_of_it():
    window = draw_episodes(GAME, 500, rng()).window
    constant = np.zeros((500, 3), dtype=np.int16)
    found = measured(GAME, window, constant)
    information = [m for name, m in found.items() if name.startswith("information on")]
    assert len(information) == 1 + 8
    assert all(abs(n) < 1e-9 for m in information for n in (m.value, m.low, m.high, m.shuffled))
    edge = (window == MASK).argmax(axis=1)
    found = measured(GAME, window, constant + edge[:, None] * [0, 1, 0])
    bits = scipy.stats.entropy(np.bincount(edge), base=2)
    assert found["information on the edge"].value == pytest.approx(bits, abs=0.01)
    assert found["entropy of slot 1"].value == found["entropy of slot 3"].high == 0
    assert found["entropy of slot 2"].value == found["message entropy"].value > 1.9


# --- Disentanglement and topographic similarity -----------------------------------------------------------


def test_a_slot_for_each_neighbour_is_positional_and_any_order_is_a_bag():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=16, message_length=2)
    window = draw_episodes(config, 5_000, rng()).window
    window = window[window[:, 1] == MASK]
    slots = window[:, [0, 2]] + np.array([0, 8])
    known = [code for _, code in factors(config, window)]
    assert disentanglement([*slots.T], known) > 0.9
    assert math.isnan(disentanglement([np.zeros(len(window), int)], known))
    with pytest.raises(ValueError, match="factors must be at least two; got 1"):
        disentanglement([*slots.T], known[:1])
    bag = measured(config, window, rng().permuted(slots, axis=1))
    assert bag["bag-of-symbols disentanglement"].value > 0.9
    assert bag["positional disentanglement"].value < 0.3


def test_edit_distances():
    one = np.array([[1, 2, 3]] * 5)
    other = np.array([[1, 2, 3], [1, 2, 4], [3, 2, 1], [2, 3, 1], [4, 5, 6]])
    assert edit_distances(one, other).tolist() == [0, 1, 2, 2, 3]


def test_messages_that_copy_the_window_are_topographic_and_random_ones_are_not():
    config = GameConfig(30, window_radius=1, vocab_size=30, message_length=2)
    episodes = draw_episodes(config, 3000, rng())
    middle = episodes[episodes.mask_column == 1]
    random = RandomSender(config, rng(1)).send(middle.window)
    for message, expected, tolerance in ((middle.window[:, [0, 2]], 1.0, 1e-9), (random, 0.0, 0.07)):
        m = measured(config, middle.window, message)["topographic similarity"]
        assert m.value == pytest.approx(expected, abs=tolerance)
        assert m.shuffled == pytest.approx(0, abs=0.07)
        assert m.low <= m.value <= m.high


# --- The table --------------------------------------------------------------------------------------------


def test_a_few_messages_and_their_measures():
    config = GameConfig(9, vocab_size=4, message_length=2)
    message = np.array([[0, 0], [0, 0], [0, 0], [1, 2]], dtype=np.int16)
    found = measured(config, draw_episodes(config, 4, rng()).window, message)
    for name, value in (
        ("different messages", 2),
        ("messages that make up 90%", 2),
        ("different symbols", 3),
        ("message entropy, plug-in", scipy.stats.entropy([3, 1], base=2)),
        ("message entropy", miller_madow_entropy(np.array([3, 1]))),
        ("symbol entropy", miller_madow_entropy(np.array([6, 1, 1]))),
        ("entropy of slot 2", miller_madow_entropy(np.array([3, 1]))),
    ):
        assert found[name].value == pytest.approx(value), name
        assert found[name].maximum >= value


def test_files_are_measured_as_the_whole_and_a_larger_whole_by_a_sample(tmp_path, monkeypatch):
    recording = record(RandomSender(GAME, rng(1)), None, draw_episodes(GAME, 400, rng()), GAME)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, rows in zip(paths, (slice(0, 150), slice(150, 400)), strict=True):
        Recording(GAME, recording.window[rows], recording.message[rows]).write(path)
    assert all_measures(recording_parts(paths), rng(2)) == all_measures([recording], rng(2))
    monkeypatch.setattr(measures, "MAX_EPISODES", 100)
    part = measures.sample(recording_parts(paths), rng(2))
    assert len(part) == 100
    assert 10 < sum(row in recording.window[:150].tolist() for row in part.window.tolist()) < 70
    with pytest.raises(ValueError, match="at least one episode; got none"):
        all_measures([Recording(GAME, recording.window[:0], recording.message[:0])], rng())


@pytest.mark.parametrize("episodes", [1, 2, 3, 25])
@pytest.mark.parametrize(("used", "length"), [(1, 1), (2, 1), (4, 3)])
def test_no_recording_makes_nan_or_crashes(episodes, used, length):
    config = GameConfig(4, window_radius=1, num_distractors=1, vocab_size=4, message_length=length)
    window = draw_episodes(config, episodes, rng()).window
    found = all_measures([Recording(config, window, rng().integers(0, used, (episodes, length)))], rng())
    for m in found:
        assert (m.value is None) == (m.reason is not None)
        assert all(n is None or math.isfinite(n) for n in (m.value, m.low, m.high, m.shuffled))
        assert m.low is None or m.low <= m.value <= m.high
    json.dumps([m.to_dict() for m in found], allow_nan=False)


def test_an_interval_contains_its_value_and_ends_at_the_bounds():
    measure = Measure("", 0.5, "share", "").within((-0.2, 0.4), most=1.0)
    assert (measure.low, measure.high) == (0.0, 0.5)
    assert Measure("", None, "share", "").within((0.0, 1.0)).low is None


def test_fewer_episodes_of_a_large_game_are_measured(monkeypatch):
    assert measures.most_measured(GameConfig(5000)) == measures.MAX_EPISODES
    for config in (GameConfig(message_length=1000), GameConfig(vocab_size=32767)):
        assert measures.most_measured(config) < 150_000
    monkeypatch.setattr(measures, "_MAX_BYTES", 10_000)
    episodes = draw_episodes(GameConfig(), 300, np.random.default_rng(0))
    recording = Recording(GameConfig(), episodes.window, np.zeros((300, 3), dtype=np.int16))
    sampled = measures.sample([recording], np.random.default_rng(0))
    assert len(sampled) == measures.most_measured(GameConfig()) < 300


def test_edit_distances_do_not_depend_on_how_many_are_made_at_a_time(monkeypatch):
    one, other = np.random.default_rng(0).integers(0, 3, (2, 50, 6))
    whole = edit_distances(one, other)
    monkeypatch.setattr(measures, "_EDITED", 40)
    assert (edit_distances(one, other) == whole).all()
