"""The measures against slow twins, known answers, and recordings that leave them undefined."""

import json
import math
from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language.known import LANGUAGES
from spatial_game.language.measures import (
    Groups,
    all_measures,
    corrected_entropy,
    disentanglement,
    draw_pairs,
    edit_distances,
    entropies,
    entropy,
    factors,
    information,
    interval,
)
from spatial_game.language.tables import measures as table_of_measures
from spatial_game.recording import Recording, record, recording_parts

GAME = GameConfig(9, num_integers=11, window_radius=2, num_distractors=2, vocab_size=5, message_length=3)


def rng(seed=0):
    return np.random.default_rng(seed)


def measured(config, window, message, seed=0):
    """Return all measures by name."""
    return {m.name: m for m in all_measures([Recording(config, window, message)], rng(seed))}


def spoken(sender, config=GAME, size=3000):
    return record(sender, None, draw_episodes(config, size, rng()), config)


# --- Slow twins -------------------------------------------------------------------------------------------


def slow_entropy(values):
    counts = Counter(values)
    return -sum(n / len(values) * math.log2(n / len(values)) for n in counts.values())


def slow_coverage_entropy(counts):
    """Chao and Shen (2003), of one list of counts."""
    n, once = sum(counts), sum(c == 1 for c in counts)
    most = math.log2(len(counts))
    if n == 0 or once == n:
        return most if n else 0.0
    bits = 0.0
    for c in counts:
        share = (1 - once / n) * c / n
        if 0 < share < 1:
            bits -= share * math.log2(share) / (1 - (1 - share) ** n)
    return min(max(bits, 0.0), most)


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=st.integers(0, 30)))
def test_the_entropy_of_counts_with_coverage(counts):
    assert entropies(counts) == pytest.approx([slow_coverage_entropy(row) for row in counts.tolist()])


def slow_information(one, other):
    return slow_entropy(one) + slow_entropy(other) - slow_entropy(list(zip(one, other, strict=True)))


def slow_gaps(columns, known):
    """The mean over varying columns of the distance of the two factors they tell most of, in entropies."""
    gaps = []
    for column in columns:
        if len(set(column)) > 1:
            best, second = sorted((slow_information(column, f) for f in known), reverse=True)[:2]
            gaps.append((best - second) / slow_entropy(column))
    return sum(gaps) / len(gaps) if gaps else math.nan


def slow_edit(one, other):
    if not one or not other:
        return len(one) + len(other)
    return min(
        slow_edit(one[1:], other[1:]) + (one[0] != other[0]),
        slow_edit(one[1:], other) + 1,
        slow_edit(one, other[1:]) + 1,
    )


def subsets(groups):
    """All episodes, then all but each group."""
    yield np.arange(len(groups.label))
    for group in range(groups.count):
        yield np.flatnonzero(groups.label != group)


# --- Entropy and resampling -------------------------------------------------------------------------------


def test_the_entropy_of_no_or_one_value_is_zero_without_a_sign():
    for counts in ([], [0, 0], [0, 7]):
        assert str(entropy(np.array(counts))) == "0.0"
    assert entropy(np.array([5.0, 5.0, 0.0, 5.0, 5.0])) == 2


def test_the_corrected_entropy_of_small_samples_is_the_true_one_on_average():
    samples = [np.bincount(rng(seed).integers(0, 8, 200)) for seed in range(400)]
    plain, corrected = (np.mean([of(s) for s in samples]) for of in (entropy, corrected_entropy))
    assert abs(corrected - 3) < 0.1 * (3 - plain)


def test_groups_are_of_almost_equal_size_and_one_episode_has_none():
    assert np.ptp(np.bincount(Groups.deal(1009, rng()).label)) <= 1
    assert Groups.deal(1, rng()).count == 0
    assert interval(np.array([1.0])) is None
    assert interval(np.array([1.0, 1.0, np.nan])) is None


def test_the_interval_of_a_mean_is_students():
    """For a mean, leaving out each of n values gives the textbook interval of Student's t."""
    values = rng().normal(size=12)
    without = (values.sum() - values) / 11
    expected = scipy.stats.t.interval(0.95, 11, values.mean(), scipy.stats.sem(values))
    assert np.allclose(interval(np.concatenate([[values.mean()], without])), expected)


def test_files_are_measured_as_the_whole_and_a_seed_gives_one_table(tmp_path):
    recording = spoken(RandomSender(GAME, rng(1)), size=400)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, rows in zip(paths, (slice(0, 150), slice(150, 400)), strict=True):
        Recording(GAME, recording.window[rows], recording.message[rows]).write(path)
    assert all_measures(recording_parts(paths), rng(2)) == all_measures([recording], rng(2))


# --- Information and disentanglement ----------------------------------------------------------------------


@settings(deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 4, st.integers(0, 1)), min_size=2, max_size=25),
    st.integers(0, 50),
)
def test_information_and_disentanglement_equal_their_twins_with_and_without_each_group(rows, seed):
    codes, groups = np.array(rows), Groups.deal(len(rows), rng(seed))
    bits = information(codes.T[:3], codes.T[3:], groups)
    own = np.array([groups.entropies(part) for part in codes.T[:3]])
    for i, kept in enumerate(subsets(groups)):
        columns = [column[kept].tolist() for column in codes.T]
        for j, factor in enumerate(columns[3:]):
            twin = [slow_information(column, factor) for column in columns[:3]]
            assert np.allclose(bits[j, :, i], twin, atol=1e-9)
        twin = slow_gaps(columns[:3], columns[3:])
        assert disentanglement(bits, own)[i] == pytest.approx(twin, abs=1e-7, nan_ok=True)


def test_factors_are_what_the_sender_knows():
    window = np.array([[3, 4, MASK, 6, 7], [MASK, 1, 2, 3, 4], [5, 6, 7, 8, MASK]], dtype=np.int16)
    known = dict(factors(GAME, window))
    assert list(known)[:3] == ["edge", "integer at -4", "integer at -3"]
    assert known["edge"].tolist() == [4, 0, 3]
    assert known["integer at -2"].tolist() == [3, 11, 7]


def test_a_constant_message_tells_nothing_and_the_edge_as_a_symbol_all_of_it():
    window = draw_episodes(GAME, 500, rng()).window
    constant = np.zeros((500, 3), dtype=np.int16)
    measures = measured(GAME, window, constant)
    assert measures["message entropy"].value == 0
    told = [m for name, m in measures.items() if name.startswith("information on")]
    assert len(told) == 1 + 8
    assert all(m.value == m.low == m.high == m.shuffled == 0 for m in told)
    edge = (window == MASK).argmax(axis=1)
    told = measured(GAME, window, constant + edge[:, None] * [0, 1, 0])["information on the edge"]
    assert told.value == pytest.approx(slow_entropy(edge.tolist()))


def test_a_slot_for_each_neighbour_is_positional_and_any_order_is_a_bag():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=16, message_length=2)
    window = draw_episodes(config, 5_000, rng()).window
    window = window[window[:, 1] == MASK]
    slots = window[:, [0, 2]] + np.array([0, 8])
    bag = rng().permuted(slots, axis=1)
    of_slots, of_bag = (measured(config, window, message) for message in (slots, bag))
    assert of_slots["positional disentanglement"].value > 0.9
    assert of_bag["bag-of-symbols disentanglement"].value > 0.9
    assert of_bag["positional disentanglement"].value < 0.3


# --- Topographic similarity -------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.data(), st.integers(1, 5))
def test_edit_distance_equals_its_twin(data, length):
    message = st.lists(st.integers(0, 3), min_size=length, max_size=length)
    messages = data.draw(st.lists(message, min_size=2, max_size=12))
    one, other = np.triu_indices(len(messages), 1)
    expected = [slow_edit(messages[i], messages[j]) for i, j in zip(one, other, strict=True)]
    assert edit_distances(np.array(messages)[one], np.array(messages)[other]).tolist() == expected


def test_drawn_pairs_stay_within_groups_and_use_all_episodes_alike():
    groups = Groups.deal(2003, rng())
    one, other = draw_pairs(groups, 50_000, rng(1))
    assert len(one) == 50_000
    assert np.array_equal(groups.label[one], groups.label[other])
    assert np.all(one != other)
    uses = np.bincount(np.concatenate([one, other]), minlength=2003)
    assert scipy.stats.chisquare(uses).pvalue > 1e-6
    pairs = draw_pairs(Groups.deal(5, rng()), 10, rng())
    assert sorted(zip(*map(np.ndarray.tolist, pairs), strict=True)) == [
        (i, j) for i in range(5) for j in range(i + 1, 5)
    ]


def test_messages_that_copy_the_window_are_topographic_and_random_ones_are_not():
    config = GameConfig(30, window_radius=1, vocab_size=30, message_length=2)
    episodes = draw_episodes(config, 3000, rng())
    middle = episodes[episodes.mask_column == 1]
    random = RandomSender(config, rng(1)).send(middle.window)
    for message, expected, tolerance in ((middle.window[:, [0, 2]], 1.0, 1e-9), (random, 0.0, 0.05)):
        m = measured(config, middle.window, message)["topographic similarity"]
        assert m.value == pytest.approx(expected, abs=tolerance)
        assert m.shuffled == pytest.approx(0, abs=0.05)
        assert m.low <= m.value <= m.high


# --- The table --------------------------------------------------------------------------------------------


def test_usage_of_a_few_messages():
    config = GameConfig(9, vocab_size=4, message_length=2)
    message = np.array([[0, 0], [0, 0], [0, 0], [1, 2]], dtype=np.int16)
    measures = measured(config, draw_episodes(config, 4, rng()).window, message)
    assert measures["different messages"].value == 2
    assert measures["share of the message space"].value == 2 / 16
    assert measures["messages that make up 90%"].value == 2
    assert measures["share of the vocabulary"].value == 3 / 4
    assert measures["message entropy"].value == pytest.approx(slow_entropy([0, 0, 0, 1]))
    assert measures["symbol entropy"].value == pytest.approx(slow_entropy([0] * 6 + [1, 2]))


def test_every_measure_has_value_interval_chance_and_source():
    config = GameConfig(9, num_integers=11, num_distractors=2, vocab_size=12, message_length=3)
    window = draw_episodes(config, 3_000, rng()).window
    message = LANGUAGES["compositional"](config, rng(1), noise=0.1).send(window)
    measures = [*measured(config, window, message).values()]
    assert len(measures) == len(table_of_measures(measures).rows) == 20
    for m in measures:
        assert m.source
        assert m.unit
        assert m.reason is None
        assert m.low <= m.value <= m.high
        assert m.shuffled is not None


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_recording_makes_nan_or_crashes(data):
    radius = data.draw(st.integers(1, 2))
    config = GameConfig(
        sequence_length=2 * radius + 1 + data.draw(st.integers(0, 4)),
        num_distractors=1,
        window_radius=radius,
        vocab_size=data.draw(st.integers(2, 6)),
        message_length=data.draw(st.integers(1, 4)),
    )
    size, top = data.draw(st.integers(1, 30)), data.draw(st.integers(0, config.vocab_size - 1))
    window = draw_episodes(config, size, rng(data.draw(st.integers(0, 1000)))).window
    message = rng(data.draw(st.integers(0, 1000))).integers(0, top + 1, (size, config.message_length))
    measures = all_measures([Recording(config, window, message)], rng())
    for m in measures:
        assert (m.value is None) == (m.reason is not None)
        assert all(n is None or math.isfinite(n) for n in (m.value, m.low, m.high, m.shuffled))
    json.dumps([m.to_dict() for m in measures], allow_nan=False)


def test_a_recording_without_episodes_is_refused():
    recording = spoken(RandomSender(GAME, rng(1)), size=10)
    with pytest.raises(ValueError, match="at least one episode; got none"):
        all_measures([Recording(GAME, recording.window[:0], recording.message[:0])], rng())
