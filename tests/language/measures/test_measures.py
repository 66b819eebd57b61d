"""The measures against slow twins, known answers, and recordings that leave them undefined."""

import json
import math
from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language.counting.columns import ABSENT, integers_at_offsets
from spatial_game.language.measures import Factor, all_measures, factors
from spatial_game.language.measures.corpus import PAD, Corpus, CorpusError
from spatial_game.language.measures.distribution import covering
from spatial_game.language.measures.factor_information import FactorCounts, bag_of_symbols, positional
from spatial_game.language.measures.information import entropy_bias
from spatial_game.language.measures.resampling import Groups, interval
from spatial_game.language.measures.spoken import SpokenMessages, message_space
from spatial_game.language.measures.topographic import (
    draw_pairs,
    edit,
    hamming,
    spearman,
    without_each_group,
)
from spatial_game.language.synthetic import LANGUAGES
from spatial_game.language.tables import measures as table_of_measures
from spatial_game.recording import Recording, record, recording_parts

GAME = GameConfig(9, num_integers=11, window_radius=2, num_distractors=2, vocab_size=5, message_length=3)


def rng(seed=0):
    return np.random.default_rng(seed)


def corpus_of(*messages, **fields):
    return Corpus.from_lists(messages, **fields)


def named(measures):
    return {m.name: m for m in measures}


# --------------------------------------------------------------------------------------------- slow twins


def slow_entropy(values):
    counts = Counter(values)
    return -sum(n / len(values) * math.log2(n / len(values)) for n in counts.values()) + 0.0


def slow_information(one, other):
    return slow_entropy(one) + slow_entropy(other) - slow_entropy(list(zip(one, other, strict=True)))


def slow_gaps(columns, known):
    """The mean over varying columns of the distance of the two factors they tell most of, in entropies."""
    gaps = []
    for column in columns:
        if len(set(column)) > 1:
            best, second = sorted((slow_information(column, f) for f in known), reverse=True)[:2]
            gaps.append((best - second) / slow_entropy(column))
    return sum(gaps) / len(gaps) if gaps else None


def told_by(corpus, known, groups):
    factor_counts = FactorCounts(SpokenMessages.of(corpus), groups)
    return [factor_counts.information_on(factor) for factor in known]


def slow_edit(one, other):
    if not one or not other:
        return len(one) + len(other)
    return min(
        slow_edit(one[1:], other[1:]) + (one[0] != other[0]),
        slow_edit(one[1:], other) + 1,
        slow_edit(one, other[1:]) + 1,
    )


message_lists = st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=25)
code_lists = st.lists(st.integers(0, 4), min_size=1, max_size=40)


# -------------------------------------------------------------------------------------------- resampling


@given(code_lists, st.integers(0, 6), st.integers(0, 100))
def test_entropies_are_those_of_all_episodes_and_of_all_but_a_group(codes, num_groups, seed):
    codes = np.array(codes)
    groups = Groups.deal(len(codes), rng(seed), num_groups)
    expected = [slow_entropy(codes.tolist())]
    for group in range(groups.count):
        kept = codes[groups.group != group]
        expected.append(slow_entropy(kept.tolist()) if len(kept) else math.nan)
    assert np.allclose(groups.entropies(codes, 5), expected, equal_nan=True, atol=1e-9)


def test_files_are_measured_as_the_whole(tmp_path):
    episodes = draw_episodes(GAME, 400, rng())
    recording = record(RandomSender(GAME, rng(1)), None, episodes, GAME)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, rows in zip(paths, (slice(0, 150), slice(150, 400)), strict=True):
        Recording(GAME, recording.window[rows], recording.message[rows]).write(path)
    assert all_measures(recording_parts(paths), rng(2)) == all_measures(recording, rng(2))


@given(code_lists, st.integers(0, 100))
def test_totals_count_all_episodes_and_all_but_a_group(codes, seed):
    codes = np.array(codes)
    groups = Groups.deal(len(codes), rng(seed), 3)
    expected = [np.bincount(codes, minlength=5)]
    expected += [np.bincount(codes[groups.group != g], minlength=5) for g in range(groups.count)]
    assert np.array_equal(groups.totals(codes, 5), expected)


def test_groups_are_of_almost_equal_size():
    sizes = np.bincount(Groups.deal(1009, rng(), 20).group)
    assert len(sizes) == 20
    assert np.ptp(sizes) <= 1


def test_one_episode_has_no_interval():
    assert Groups.deal(1, rng()).count == 0
    assert interval(np.array([1.0])) is None
    assert interval(np.array([1.0, 1.0, np.nan])) is None


def test_the_interval_of_a_mean_is_students():
    """For a mean, leaving out each of n values gives the textbook interval of Student's t."""
    values = rng().normal(size=12)
    without = (values.sum() - values) / 11
    low, high = interval(np.concatenate([[values.mean()], without]))
    expected = scipy.stats.t.interval(0.95, 11, values.mean(), scipy.stats.sem(values))
    assert np.allclose((low, high), expected)


def test_intervals_cover_the_truth():
    probabilities = rng(5).dirichlet(np.ones(12))
    truth = scipy.stats.entropy(probabilities, base=2)
    covered = 0
    for seed in range(300):
        codes = rng(seed).choice(12, 1000, p=probabilities)
        replicates = Groups.deal(1000, rng(seed)).entropies(codes, 12) + entropy_bias(12, 1000)
        low, high = interval(replicates)
        covered += low <= truth <= high
    assert 0.90 <= covered / 300 <= 0.99


# ------------------------------------------------------------------------------------------- information


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40))
def test_mutual_information_equals_its_twin(pairs):
    one, other = (np.array(column) for column in zip(*pairs, strict=True))
    spoken = SpokenMessages.of_rows(one[:, None], 4)
    value = FactorCounts(spoken, Groups.none(len(pairs))).information_on(Factor("b", other, 3)).information
    assert value[0] == pytest.approx(max(slow_information(one.tolist(), other.tolist()), 0), abs=1e-9)


def test_the_entropy_bias_is_that_of_small_samples():
    samples = [rng(seed).integers(0, 8, 200) for seed in range(400)]
    mean = np.mean([Groups.none(200).entropies(codes, 8)[0] for codes in samples])
    assert 3 - mean == pytest.approx(entropy_bias(8, 200), rel=0.1)


def test_a_constant_message_tells_nothing_and_a_name_for_each_window_all():
    episodes = draw_episodes(GAME, 500, rng())
    constant = np.zeros((500, 3), dtype=np.int16)
    measures = named(all_measures(Recording(GAME, episodes.window, constant), rng()))
    assert measures["message entropy"].value == 0
    told = [m for name, m in measures.items() if name.startswith("information on")]
    assert len(told) == 1 + 8
    assert all(m.value == m.low == m.high == m.shuffled == 0 for m in told)
    edges = np.zeros((500, 3), dtype=np.int16)
    edges[:, 1] = episodes.mask_column
    measures = named(all_measures(Recording(GAME, episodes.window, edges), rng()))
    assert measures["information on the edge"].value == pytest.approx(
        slow_entropy(episodes.mask_column.tolist())
    )


def test_the_shuffled_information_is_the_bias_of_a_random_language():
    episodes = draw_episodes(GAME, 2000, rng())
    recording = record(RandomSender(GAME, rng(1)), None, episodes, GAME)
    for name, m in named(all_measures(recording, rng(), num_shuffles=20)).items():
        if name.startswith("information on"):
            assert m.value == pytest.approx(m.shuffled, rel=0.1)


# --------------------------------------------------------------------------------------- disentanglement


def test_factors_are_what_the_sender_knows():
    window = np.array([[3, 4, MASK, 6, 7], [MASK, 1, 2, 3, 4], [5, 6, 7, 8, MASK]], dtype=np.int16)
    aligned = integers_at_offsets(GAME, window)
    a = ABSENT
    assert aligned.tolist() == [[a, a, 3, 4, 6, 7, a, a], [a, a, a, a, 1, 2, 3, 4], [5, 6, 7, 8, a, a, a, a]]
    known = list(factors(GAME, window))
    assert [f.name for f in known[:3]] == ["edge", "integer at -4", "integer at -3"]
    assert known[0].codes.tolist() == [2, 0, 4]
    assert known[3].codes.tolist() == [4, 0, 8]
    assert all(f.codes.min() >= 0 and f.codes.max() < f.size for f in known)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 2), max_size=3), st.integers(0, 2), st.integers(0, 1)),
        min_size=2,
        max_size=25,
    ),
    st.integers(0, 50),
)
def test_disentanglement_equals_its_twin_with_and_without_each_group(rows, seed):
    messages = [m for m, _, _ in rows]
    corpus = corpus_of(*messages)
    known = [
        Factor("a", np.array([a for _, a, _ in rows]), 3),
        Factor("b", np.array([b for _, _, b in rows]), 2),
    ]
    groups = Groups.deal(len(rows), rng(seed), 3)
    subsets = [np.arange(len(rows)), *(np.flatnonzero(groups.group != g) for g in range(groups.count))]
    slots = [[(m[i] if i < len(m) else PAD) for m in messages] for i in range(corpus.message.shape[1])]
    counts = [[m.count(s) for m in messages] for s in range(3)]
    told = told_by(corpus, known, groups)
    for measure, columns in ((positional, slots), (bag_of_symbols, counts)):
        values = measure(told)
        for value, kept in zip(values, subsets, strict=True):
            twin = slow_gaps([[c[i] for i in kept] for c in columns], [f.codes[kept].tolist() for f in known])
            assert np.isnan(value) if twin is None else value == pytest.approx(twin, abs=1e-7)


def test_slots_about_one_factor_each_are_positionally_disentangled():
    codes = rng().integers(0, 4, (4000, 3))
    known = [Factor(str(i), codes[:, i], 4) for i in range(3)]
    told = told_by(Corpus(codes[:, [2, 0, 1]], np.full(4000, 3)), known, Groups.none(4000))
    assert positional(told)[0] == pytest.approx(1, abs=0.01)
    # As a bag, symbols of different slots are the same, and about no factor in particular.
    assert bag_of_symbols(told)[0] < 0.2


def test_symbols_about_one_factor_each_are_disentangled_as_a_bag():
    codes = rng().integers(0, 3, (4000, 2))
    known = [Factor(str(i), codes[:, i], 3) for i in range(2)]
    parts = [np.where(codes[:, [0]] > np.arange(2), 0, 1), np.where(codes[:, [1]] > np.arange(2), 2, 3)]
    message = rng().permuted(np.concatenate(parts, axis=1), axis=1)
    told = told_by(Corpus(message, np.full(4000, 4)), known, Groups.none(4000))
    assert bag_of_symbols(told)[0] == pytest.approx(1, abs=0.01)
    assert positional(told)[0] < 0.2


# -------------------------------------------------------------------------------- topographic similarity


@settings(deadline=None)
@given(st.data(), st.integers(1, 5))
def test_edit_distance_equals_its_twin(data, length):
    message = st.lists(st.integers(0, 3), min_size=length, max_size=length)
    messages = data.draw(st.lists(message, min_size=2, max_size=12))
    one, other = np.triu_indices(len(messages), 1)
    expected = [slow_edit(messages[i], messages[j]) for i, j in zip(one, other, strict=True)]
    assert edit(np.array(messages)[one], np.array(messages)[other]).tolist() == expected


def test_hamming_distance():
    one, other = np.array([[1, 2, 3], [0, 0, 0]]), np.array([[1, 3, 1], [0, 0, 0]])
    assert hamming(one, other).tolist() == [2, 0]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=2, max_size=40))
def test_spearman_of_a_table_equals_scipys(pairs):
    table = np.zeros((1, 4, 6), dtype=np.int64)
    for a, b in pairs:
        table[0, a, b] += 1
    one, other = zip(*pairs, strict=True)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert np.isnan(spearman(table)[0])
    else:
        assert spearman(table)[0] == pytest.approx(scipy.stats.spearmanr(one, other).statistic, abs=1e-9)


@pytest.mark.parametrize("max_pairs", [10**6, 300])
def test_topographic_replicates_leave_out_a_groups_pairs(max_pairs):
    said, seen = rng().integers(0, 4, (60, 2)), rng(1).integers(0, 4, (60, 3))
    groups = Groups.deal(60, rng(2), 5)
    one, other = pairs = draw_pairs(groups, max_pairs, rng(3))
    assert np.all(one != other)
    of_messages, of_windows = hamming(said[one], said[other]), hamming(seen[one], seen[other])
    values = without_each_group(of_messages, of_windows, pairs, groups)
    for i, value in enumerate(values):
        kept = np.full(len(one), True)
        if i:
            kept = (groups.group[one] != i - 1) & (groups.group[other] != i - 1)
        twin = scipy.stats.spearmanr(of_messages[kept], of_windows[kept]).statistic
        assert value == pytest.approx(twin, abs=1e-9)


def test_drawn_pairs_stay_within_groups_and_use_all_episodes_alike():
    groups = Groups.deal(2003, rng(), 20)
    one, other = draw_pairs(groups, 50_000, rng(1))
    assert len(one) == 50_000
    assert np.array_equal(groups.group[one], groups.group[other])
    uses = np.bincount(np.concatenate([one, other]), minlength=2003)
    assert uses.min() > 15
    assert scipy.stats.chisquare(uses).pvalue > 1e-6


def test_all_pairs_of_few_episodes_are_used_once():
    one, other = draw_pairs(Groups.deal(5, rng()), 10, rng())
    assert sorted(zip(one.tolist(), other.tolist(), strict=True)) == [
        (i, j) for i in range(5) for j in range(i + 1, 5)
    ]


def test_messages_that_copy_the_window_are_topographic_and_random_ones_are_not():
    config = GameConfig(30, window_radius=1, vocab_size=30, message_length=2)
    episodes = draw_episodes(config, 3000, rng())
    middle = episodes[episodes.mask_column == 1]
    copied = Recording(config, middle.window, middle.window[:, [0, 2]])
    random = record(RandomSender(config, rng(1)), None, middle, config)
    for recording, expected, tolerance in ((copied, 1.0, 1e-9), (random, 0.0, 0.05)):
        measures = named(all_measures(recording, rng()))
        m = measures["topographic similarity"]
        assert m.value == pytest.approx(expected, abs=tolerance)
        assert m.shuffled == pytest.approx(0, abs=0.05)
        assert m.low <= m.value <= m.high


# ------------------------------------------------------------------------------------------ distribution


def test_covering_counts_the_most_frequent():
    assert covering(np.array([[1, 90, 9, 0], [25, 25, 25, 25]]), 0.9).tolist() == [1, 4]
    assert covering(np.array([[1, 89, 10, 0]]), 0.9).tolist() == [2]


def test_the_message_space():
    def space(*messages, **fields):
        spoken = SpokenMessages.of(corpus_of(*messages, **fields))
        return message_space(spoken.counts(Groups.none(len(spoken))))

    assert space([1, 2], [0, 0], vocab_size=10) == 100
    assert space([1, 2], [0], vocab_size=10) == 111
    assert space([0] * 2000, vocab_size=10) == math.inf
    assert space() == 1


def test_usage_and_lengths_of_a_small_corpus():
    measures = named(all_measures(corpus_of([0], [0], [0], [1, 2], vocab_size=4), rng()))
    assert measures["different messages"].value == 2
    assert measures["share of the message space"].value == 2 / (1 + 4 + 16)
    assert measures["messages that make up 90%"].value == 2
    assert measures["share of the vocabulary"].value == 3 / 4
    assert measures["message length"].value == 5 / 4
    assert measures["message entropy"].value == pytest.approx(slow_entropy([0, 0, 0, 1]))
    assert measures["symbol entropy"].value == pytest.approx(slow_entropy([0, 0, 0, 1, 2]))


# --------------------------------------------------------------------------------------------- the table


def test_every_measure_has_value_interval_baseline_and_source():
    episodes = draw_episodes(GAME, 3000, rng())
    config = GameConfig(9, num_integers=11, num_distractors=2, vocab_size=12, message_length=3)
    language = LANGUAGES["compositional"](config, rng(1), noise=0.1)
    measures = all_measures(record(language, None, episodes, config), rng(2))
    assert len({m.name for m in measures}) == len(measures) == 21
    for m in measures:
        assert m.source
        assert m.unit
        assert m.reason is None
        assert m.low <= m.value <= m.high
        assert m.shuffled is not None
    assert len(table_of_measures(measures).rows) == 21


def test_a_language_scores_above_its_shuffled_copies():
    config = GameConfig(20)
    episodes = draw_episodes(config, 5000, rng())
    measures = named(
        all_measures(record(LANGUAGES["holistic"](config, rng(1)), None, episodes, config), rng(2))
    )
    for name in ("information on the edge", "information on the integer at +1"):
        assert measures[name].low > 2 * measures[name].shuffled
    assert measures["message entropy"].high < measures["message entropy"].shuffled


def test_the_same_seed_gives_the_same_table():
    episodes = draw_episodes(GAME, 300, rng())
    recording = record(RandomSender(GAME, rng(1)), None, episodes, GAME)
    assert all_measures(recording, rng(4)) == all_measures(recording, rng(4))


def test_messages_alone_have_the_measures_that_need_no_more():
    episodes = draw_episodes(GAME, 300, rng())
    recording = record(RandomSender(GAME, rng(1)), None, episodes, GAME)
    corpus = Corpus(recording.message, np.full(300, GAME.message_length), GAME.vocab_size)
    whole, alone = named(all_measures(recording, rng(2))), named(all_measures(corpus, rng(2)))
    assert alone.items() <= whole.items()
    assert not any(name.startswith(("information", "topographic", "positional", "bag")) for name in alone)


def assert_sound(measures):
    for m in measures:
        assert (m.value is None) == (m.reason is not None)
        for number in (m.value, m.low, m.high, m.shuffled):
            assert number is None or math.isfinite(number)
    json.dumps([m.to_dict() for m in measures], allow_nan=False)
    assert "nan" not in table_of_measures(measures).to_markdown()


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
    size = data.draw(st.integers(0, 30))
    episodes = draw_episodes(config, size, rng(data.draw(st.integers(0, 1000))))
    top = data.draw(st.integers(0, config.vocab_size - 1))
    message = rng(data.draw(st.integers(0, 1000))).integers(0, top + 1, (size, config.message_length))
    pairs = data.draw(st.sampled_from([1, 20, 100_000]))
    shuffles = data.draw(st.integers(0, 2))
    recording = Recording(config, episodes.window, message)
    assert_sound(all_measures(recording, rng(), max_pairs=pairs, num_shuffles=shuffles))


@settings(max_examples=50, deadline=None)
@given(message_lists)
def test_no_corpus_makes_nan_or_crashes(messages):
    assert_sound(all_measures(corpus_of(*messages), rng()))


@pytest.mark.parametrize(
    "messages", [[], [[]], [[], []], [[0]], [[5, 5, 5]] * 3, [[2**31 - 1, 0]], [[7]] * 50 + [[8]]]
)
def test_odd_corpora(messages):
    assert_sound(all_measures(corpus_of(*messages), rng()))


def test_a_corpus_checks_its_shapes():
    with pytest.raises(CorpusError, match=r"row 1: symbols must be in 0..2147483647.*got \[-2\]"):
        corpus_of([1], [-2])
    with pytest.raises(CorpusError, match=r"symbols must be in 0..2147483647; got 2147483648"):
        corpus_of([2**31])
    with pytest.raises(CorpusError, match="one length a row"):
        Corpus(np.zeros((2, 3), dtype=int), np.zeros(3, dtype=int))
    with pytest.raises(CorpusError, match="with length 1"):
        Corpus(np.array([[1, 2]]), np.array([1]))
    assert corpus_of([3, 1], [], [2]).lists() == [[3, 1], [], [2]]


def test_numbers_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="max_pairs at least 1; got 5 and 0"):
        all_measures(corpus_of([0]), rng(), max_pairs=0)
