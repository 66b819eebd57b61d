"""The table of measures: values by chance, intervals, samples, and figures that are undefined."""

import dataclasses

import numpy as np
import pytest
import scipy.stats

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language.entropy import entropy
from spatial_game.language.measures import Sample, all_measures, measuring, own_measure
from spatial_game.language.measures.information import information_estimate
from spatial_game.language.measures.measure import Estimate, Measure
from spatial_game.language.measures.measuring import adjusted, jackknife_half_width, measure_sample
from spatial_game.language.measures.register import MEASURES
from spatial_game.recording import Recording, record, recording_parts

GAME = GameConfig(9, num_integers=11, window_radius=2, num_distractors=2, vocab_size=5, message_length=3)


def rng(seed=0):
    return np.random.default_rng(seed)


def sample_of(message, value):
    """Return a sample in which messages and an integer at the one offset are these numbers (B,)."""
    return Sample(GAME, message[:, None], message, np.zeros_like(message), value[:, None])


OF_VALUE = Measure(
    lambda sample: {"": information_estimate(sample.number, sample.integers[:, 0])},
    "bits",
    "",
    shuffle=Sample.shuffled,
    adjusted=True,
    has_interval=True,
)


@pytest.mark.parametrize(
    ("lost", "width", "messages", "episodes", "within"),
    [
        (1.0, 1, 300, 2_000, 0.15),  # tells nothing
        (0.8, 10, 3_000, 2_000, 0.4),  # tells .12 bits, by more messages than episodes
        (0.3, 10, 300, 20_000, 0.1),
        (0.3, 1, 3_000, 5_000, 1.5),  # the estimate is too high, and the interval holds the truth
        (0.0, 1, 3_000, 2_000, 0.1),  # tells everything
    ],
)
def test_intervals_hold_the_truth_and_estimates_are_near(lost, width, messages, episodes, within):
    """Each message stands for a band of 60 values; the value does not depend on it in a share of episodes."""
    first = rng(1).integers(0, 60, messages)
    table = np.full((messages, 60), lost / 60)
    for step in range(width):
        table[np.arange(messages), (first + step) % 60] += (1 - lost) / width
    table /= messages
    bits = [-np.sum(p[p > 0] * np.log2(p[p > 0])) for p in (table, table.sum(axis=0), table.sum(axis=1))]
    truth, held, values = bits[1] + bits[2] - bits[0], 0, []
    for seed in range(10):
        cell = np.searchsorted(np.cumsum(table), rng(seed).random(episodes) * table.sum(), side="right")
        (figure,) = measure_sample(OF_VALUE, sample_of(*np.divmod(cell, 60)), rng(seed))
        values.append(figure.value)
        held += figure.low - 1e-9 <= truth <= figure.high + 1e-9
    assert held >= 9
    assert np.mean(values) == pytest.approx(truth, abs=within)


def test_of_too_few_episodes_no_information_is_said_and_no_interval_passes_what_is_possible():
    """Of 500 messages, nearly all different, shuffled ones seem to tell whether one of 40 targets is near."""
    message = np.arange(500)
    (figure,) = measure_sample(OF_VALUE, sample_of(message, (message % 40 == 0).astype(int)), rng())
    assert figure.value is None
    assert figure.reason == measuring.TOO_FEW
    for seed in range(5):
        drawn = rng(seed)
        blind = sample_of(drawn.integers(0, 2_000, 2_000), drawn.integers(0, 4, 2_000))
        (figure,) = measure_sample(OF_VALUE, blind, drawn)
        assert figure.value is None or figure.low == 0 < figure.high <= 1.01 * figure.maximum


def test_information_of_which_the_adjustment_takes_much_is_undefined():
    """Messages tell .54 bits of a rare event, but have many synonyms: adjusted, it is .11 and .29 bits."""
    for episodes, is_defined in ((2_000, False), (5_000, False), (20_000, True)):
        drawn = rng(3)
        value = np.where(drawn.random(episodes) < 0.8, 0, drawn.integers(1, 7, episodes))
        told = np.where(value > 0, value % 2, drawn.integers(0, 9, episodes))
        message = told * 300 + drawn.integers(0, 300, episodes)
        (figure,) = measure_sample(OF_VALUE, sample_of(message, value), drawn)
        assert (figure.value is not None) == is_defined
        assert not is_defined or figure.value == pytest.approx(
            information_estimate(told, value).value, abs=0.05
        )


def test_a_value_is_adjusted_to_the_share_of_what_chance_leaves():
    assert adjusted(Estimate(0.6, 1.0), 0.2) == pytest.approx(0.5)
    assert adjusted(Estimate(1.0, 1.0), 0.2) == 1
    assert adjusted(Estimate(0.2, 1.0), 0.2) == adjusted(Estimate(0.3, 0.2), 0.2) == 0


def test_the_interval_of_a_mean_is_students_and_one_episode_has_none():
    """For a mean, leaving out each of n values gives the textbook interval of Student's t."""
    values = rng().normal(size=12)
    low, high = scipy.stats.t.interval(0.95, 11, values.mean(), scipy.stats.sem(values))
    assert jackknife_half_width((values.sum() - values) / 11) == pytest.approx((high - low) / 2)
    assert jackknife_half_width(np.ones(5), 0.1) == pytest.approx(0.1 * scipy.stats.t.ppf(0.975, 4))
    for replicates in ([], [1.0], [1.0, np.nan]):
        assert jackknife_half_width(np.array(replicates)) is None


def test_groups_are_disjoint_and_make_up_the_sample():
    sample = sample_of(np.arange(47), np.zeros(47, int))
    left_out = [{*range(47)} - {*part.number.tolist()} for part in measuring._without_groups(sample)]
    assert sorted(n for group in left_out for n in group) == [*range(47)]
    assert {len(group) for group in left_out} == {2, 3}


@pytest.mark.parametrize(
    "measure", [d for d in MEASURES if d.has_interval], ids=lambda d: d.estimates.__name__
)
def test_an_interval_depends_on_each_group_also_of_more_episodes_than_are_looked_at(measure, monkeypatch):
    measure = dataclasses.replace(measure, max_episodes=measure.max_episodes and 400)
    window = draw_episodes(GAME, 1_000, rng()).window
    message = np.column_stack([window[:, :2].clip(0) % 5, rng().integers(0, 5, 1_000)])
    replicates = []
    monkeypatch.setattr(measuring, "jackknife_half_width", lambda values, error: replicates.append(values))
    assert [*measure_sample(measure, Sample.of(Recording(GAME, window, message), rng()), rng())]
    assert [len({*values}) for values in replicates] == [measuring.NUM_GROUPS] * len(replicates)


def test_a_few_messages_and_their_measures():
    config = GameConfig(9, vocab_size=4, message_length=2)
    message = np.array([[0, 0], [0, 0], [0, 0], [1, 2]], dtype=np.int16)
    window = draw_episodes(config, 4, rng()).window
    found = {m.name: m for m in all_measures([Recording(config, window, message)], rng())}
    for name, value in (
        ("different messages", 2),
        ("messages that make up 90%", 2),
        ("different symbols", 3),
        ("message entropy", entropy(np.array([3, 1]))),
        ("symbol entropy", entropy(np.array([6, 1, 1]))),
        ("entropy of slot 2", entropy(np.array([3, 1]))),
    ):
        assert found[name].value == pytest.approx(value), name
        assert found[name].maximum >= value


def test_measures_have_equally_many_decimals():
    values = {"a": 10.13, "b": 0.5}.items()
    found = [measuring.MeasuredValue(name, value, "bits", "x", 0.5, 12.25) for name, value in values]
    assert [row[:3] for row in measuring.measure_table(found).cells] == [
        ["a", "10.130", "0.500"],
        ["b", "0.500", "0.500"],
    ]


def test_files_are_measured_as_the_whole_and_a_larger_whole_by_a_sample(tmp_path, monkeypatch):
    recording = record((RandomSender(GAME, rng(1)), None), draw_episodes(GAME, 400, rng()), GAME)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, rows in zip(paths, (slice(0, 150), slice(150, 400)), strict=True):
        Recording(GAME, recording.window[rows], recording.message[rows]).write(path)
    assert all_measures(recording_parts(paths), rng(2)) == all_measures([recording], rng(2))
    monkeypatch.setattr(measuring, "MAX_EPISODES", 100)
    part = measuring.draw_recording(recording_parts(paths), rng(2))
    assert len(part) == 100
    assert 10 < sum(row in recording.window[:150].tolist() for row in part.window.tolist()) < 70
    with pytest.raises(ValueError, match="at least one episode; got none"):
        all_measures([Recording(GAME, recording.window[:0], recording.message[:0])], rng())


def test_fewer_episodes_of_a_large_game_are_measured(monkeypatch):
    assert measuring.most_measured(GameConfig(5000)) == measuring.MAX_EPISODES
    for config in (GameConfig(message_length=1000), GameConfig(vocab_size=32767)):
        assert measuring.most_measured(config) < 150_000
    monkeypatch.setattr(measuring, "_MAX_BYTES", 10_000)
    episodes = draw_episodes(GameConfig(), 300, np.random.default_rng(0))
    recording = Recording(GameConfig(), episodes.window, np.zeros((300, 3), dtype=np.int16))
    part = measuring.draw_recording([recording], np.random.default_rng(0))
    assert len(part) == measuring.most_measured(GameConfig()) < 300


def test_a_measure_of_ones_own_has_a_value_by_chance_and_an_interval():
    """Of eleven messages, each for one value: the mean of its sign is 0 by chance, and may be below 0."""
    value = rng().integers(0, 11, 5_000)
    sample = sample_of(value, value)

    def agreement(sample):
        return -np.mean(sample.number == sample.integers[:, 0])

    (own,) = measure_sample(own_measure(agreement, "agreement"), sample, rng())
    assert (own.name, own.value, own.source) == ("agreement", -1, "your own")
    assert own.shuffled == pytest.approx(-1 / 11, abs=0.02)
    assert (own.low, own.high, own.maximum) == (-1, -1, None)
    half = sample_of(np.where(rng(1).random(5_000) < 0.5, value, (value + 1) % 11), value)
    (own,) = measure_sample(own_measure(agreement, "agreement"), half, rng())
    assert own.low < -0.5 < own.high
    assert own.high - own.low == pytest.approx(4 * 0.5 / 5_000**0.5, rel=0.5)


def test_a_measure_of_ones_own_may_be_undefined():
    (own,) = measure_sample(
        own_measure(lambda sample: np.nan, "nothing"), sample_of(*np.ones((2, 50), int)), rng()
    )
    assert (own.value, own.reason) == (None, "it is not a number")
