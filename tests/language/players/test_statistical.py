"""The statistical reader and speaker against their slow twin, and on languages that are known."""

import itertools
import math

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender
from spatial_game.language.counting.columns import edge_column, integer_column
from spatial_game.language.counting.counts import count
from spatial_game.language.measures.message_profile import likely_in_words, profile, shortest_range
from spatial_game.language.players.message_model import (
    REACHES,
    STRENGTHS,
    MessageModel,
    Smoothing,
    choose_smoothing,
    divergence_bits,
)
from spatial_game.language.players.statistical_players import StatisticalReader, StatisticalSpeaker
from spatial_game.recording import Recording, record

SMALL = GameConfig(7, num_integers=8, window_radius=1, num_distractors=2, vocab_size=3, message_length=2)


def spoken(config, send, num_episodes, seed=0):
    """A recording of the messages of a function of windows."""
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(seed))
    return Recording(
        config, window=episodes.window, message=np.array([send(w) for w in episodes.window.tolist()])
    )


def rough(window):
    """Says something of the mask's column, and of the size of a neighbour."""
    column = window.index(-1)
    return [column, window[column - 1] // 3]


def weight(reach, j, k, num_integers):
    if reach == 0:
        return float(j == k)
    near = [math.exp(-0.5 * ((j - i) / reach) ** 2) for i in range(num_integers)]
    return near[k] / sum(near)


def cells(window):
    column = window.index(-1)
    return [(v, i - column) for i, v in enumerate(window) if i != column]


def share(recording, message, value, offset, smoothing, without=None):
    """P(integer at offset | message), word by word; `without` the number of one episode that is left out."""
    seen, total, n = 0.0, 0, len(recording.config.integers)
    for i, (window, said) in enumerate(
        zip(recording.window.tolist(), recording.message.tolist(), strict=True)
    ):
        there = [v for v, o in cells(window) if o == offset]
        if said == message and there and i != without:
            total += 1
            seen += weight(smoothing.reach, there[0], value, n)
    return (seen + smoothing.strength / n) / (total + smoothing.strength)


def test_the_evidence_is_what_the_twin_counts():
    recording = spoken(SMALL, rough, 60)
    smoothing = Smoothing(strength=2.0, reach=1.0)
    model = MessageModel.from_counts(count(recording), smoothing=smoothing)
    for row, message in enumerate(model.counts.messages.tolist()):
        for value, offset in itertools.product(SMALL.integers, SMALL.offsets):
            wanted = math.log(share(recording, message, value, offset, smoothing) * len(SMALL.integers))
            found = model.evidence[row, 0, integer_column(SMALL, value, offset)]
            assert found == pytest.approx(wanted, abs=1e-5)
        said = [
            w
            for w, m in zip(recording.window.tolist(), recording.message.tolist(), strict=True)
            if m == message
        ]
        for column, name in enumerate(SMALL.edges):
            prior = 5 / 7 if name == "middle" else 1 / 7
            seen = sum(w.index(-1) == column for w in said)
            wanted = math.log((seen + prior) / (len(said) + 1) / prior)
            assert model.evidence[row, 0, edge_column(SMALL, name)] == pytest.approx(wanted, abs=1e-5)


def test_smoothing_is_what_predicts_left_out_episodes_best():
    recording = spoken(SMALL, rough, 40)

    def likelihood(smoothing):
        return sum(
            math.log(share(recording, message, value, offset, smoothing, without=i))
            for i, (window, message) in enumerate(
                zip(recording.window.tolist(), recording.message.tolist(), strict=True)
            )
            for value, offset in cells(window)
        )

    tried = {(s, r): likelihood(Smoothing(s, r)) for s in STRENGTHS for r in REACHES}
    chosen = choose_smoothing(count(recording))
    assert tried[chosen.strength, chosen.reach] == pytest.approx(max(tried.values()))


def test_names_are_told_from_magnitudes():
    config = GameConfig(30, vocab_size=6, message_length=2)
    small = count(spoken(config, lambda w: [max(w[:2]) // 5, max(w[3:]) // 5], 20_000))
    names = count(spoken(config, lambda w: [max(w[:2]) % 6, (max(w[:2]) * 7 % 30) // 5], 20_000))
    assert choose_smoothing(small).reach > 0
    assert choose_smoothing(names).reach == 0


def test_scores_add_the_evidence_of_the_cells():
    recording = spoken(SMALL, rough, 200)
    model = MessageModel.from_counts(count(recording), smoothing=Smoothing())
    episodes = draw_episodes(SMALL, 20, np.random.default_rng(1))
    messages = np.array([rough(w) for w in episodes.window.tolist()])
    scores = StatisticalReader(model).scores(messages, episodes.sequence, episodes.candidates)
    known = model.counts.messages.tolist()
    for row in range(20):
        window, target = episodes.window[row].tolist(), episodes.target_index[row]
        evidence = model.evidence[known.index(messages[row].tolist()), 0]
        columns = [integer_column(SMALL, v, o) for v, o in cells(window)]
        columns.append(edge_column(SMALL, SMALL.edges[window.index(-1)]))
        assert scores[row, target] == pytest.approx(float(evidence[columns].sum()), abs=1e-4)


def test_the_speaker_says_the_most_probable_message():
    recording = spoken(SMALL, rough, 300)
    for senses in (1, 2):
        model = MessageModel.from_counts(count(recording), senses=senses, rng=np.random.default_rng(0))
        window = draw_episodes(SMALL, 30, np.random.default_rng(1)).window
        sent = StatisticalSpeaker(model).send(window)
        share_of = model.counts.message_totals / model.counts.total
        for row, cells_ in enumerate(window.tolist()):
            columns = [integer_column(SMALL, v, o) for v, o in cells(cells_)]
            columns.append(edge_column(SMALL, SMALL.edges[cells_.index(-1)]))
            odds = np.exp(model.evidence[:, :, columns].sum(axis=2, dtype=float)) * model.sense_share
            probability = share_of * odds.sum(axis=1)
            said = model.counts.messages.tolist().index(sent[row].tolist())
            assert probability[said] == pytest.approx(probability.max(), rel=1e-4)


def test_the_oracle_is_read_and_spoken_to():
    config = GameConfig(20)
    rng = np.random.default_rng(0)
    oracle = OracleSender(config)
    model = MessageModel.from_counts(count(record(oracle, None, draw_episodes(config, 50_000, rng), config)))
    fresh = draw_episodes(config, 5_000, rng)
    read = StatisticalReader(model).choose(oracle.send(fresh.window), fresh.sequence, fresh.candidates)
    assert np.array_equal(read, fresh.target_index)
    said = StatisticalSpeaker(model).send(fresh.window)
    chosen = OracleReceiver(config).choose(said, fresh.sequence, fresh.candidates)
    assert np.array_equal(chosen, fresh.target_index)


def test_senses_find_what_single_offsets_hide():
    """One symbol: whether the neighbours are alike in size; each by itself says nothing."""
    config = GameConfig(10, window_radius=1, num_distractors=1, vocab_size=2, message_length=1)
    rng = np.random.default_rng(0)

    def alike(window):
        left, right = (window[i] if window[i] >= 0 else 0 for i in (0, 2))
        return [int((left < 5) == (right < 5))]

    recording = spoken(config, alike, 20_000)
    fresh = draw_episodes(config, 5_000, rng)
    messages = np.array([alike(w) for w in fresh.window.tolist()])
    accuracy = {}
    for senses in (1, 2):
        model = MessageModel.from_counts(count(recording), senses=senses, rng=np.random.default_rng(1))
        assert model.sense_share.sum(axis=1) == pytest.approx(1)
        choices = StatisticalReader(model).choose(messages, fresh.sequence, fresh.candidates)
        accuracy[senses] = np.mean(choices == fresh.target_index)
    assert accuracy[2] > accuracy[1] + 0.05
    for sense in profile(model, np.array([1])).senses:
        left, right = ({k for k, _ in place.likely} for place in sense.places)
        assert max(left | right) < 5 or min(left | right) >= 5
        assert "left" in sense.says
        assert "right" in sense.says


@pytest.mark.parametrize(
    ("likely", "says"),
    [
        ([7], "7"),
        ([7, 8], "7 or 8"),
        ([3, 30, 58], "3, 30 or 58"),
        (range(10, 16), "10-15"),
        ([10, 11, 12, 14, 15], "10-15"),
        ([1, 8, 16, 23, 40, 55], "1, 8, 16, 23, 40 or 55"),
        (range(0, 50, 4), "one of 12 integers"),
        (range(0, 60, 3), "one of 18 integers"),
        (range(40), ""),
    ],
)
def test_integers_that_share_a_message_in_words(likely, says):
    share = np.full(60, 0.15 / 60)
    share[list(likely)] += 0.85 / len(likely)
    assert likely_in_words(share) == says


def test_profiles_in_words():
    config = GameConfig(60)
    episodes = draw_episodes(config, 100_000, np.random.default_rng(0))
    oracle = OracleSender(config)
    model = MessageModel.from_counts(count(record(oracle, None, episodes, config)))
    found = profile(model, np.array(oracle.code.edges["begin+1"]))
    assert [sense.says for sense in found.senses] == ["the target is the second"]
    assert [place.offset for place in found.senses[0].places] == [-1, 1, 2, 3]  # what this window shows
    message = (oracle.code.offsets[-2], *oracle.code.integers[7])
    found = profile(model, np.array(message))
    assert found.senses[0].says.startswith("7 two left")
    assert found.senses[0].places[0].likely[0][0] == 7
    assert found.episodes == model.counts.message_totals[model.counts.messages.tolist().index(list(message))]
    assert "bits" in str(found)
    assert profile(model, np.array([25, 25, 25])) is None


def test_bits_are_counted_without_bias():
    """20 episodes of uniform integers would seem to tell 0.4 bits; 20 of one integer tell all 3 bits."""
    rng = np.random.default_rng(0)
    uniform = rng.multinomial(20, np.full(8, 1 / 8), size=2_000).astype(float)
    assert divergence_bits(uniform).mean() == pytest.approx(0, abs=0.12)
    assert divergence_bits(np.eye(8)[:1] * 20) == pytest.approx(3)
    assert divergence_bits(np.zeros((1, 8))) == 0


def test_the_shortest_range():
    rng = np.random.default_rng(0)
    for _ in range(100):
        shares = rng.dirichlet(np.full(8, 0.4))
        spans = [
            (b - a, a, b) for a in range(8) for b in range(a, 8) if shares[a : b + 1].sum() >= 0.8 - 1e-12
        ]
        first, last = shortest_range(shares, 0.8)
        assert (last - first, first, last) == min(spans)


def test_unknown_messages_are_left_alone():
    model = MessageModel.from_counts(count(spoken(SMALL, lambda w: [0, w.index(-1)], 50)))
    episodes = draw_episodes(SMALL, 5, np.random.default_rng(1))
    scores = StatisticalReader(model).scores(np.full((5, 2), 2), episodes.sequence, episodes.candidates)
    assert not scores.any()
    empty = count(Recording(SMALL, np.zeros((0, 3), np.int16), np.zeros((0, 2), np.int16)))
    with pytest.raises(ValueError, match="a model needs counts of at least one message"):
        MessageModel.from_counts(empty)
    with pytest.raises(ValueError, match="senses must be at least 1; got 0"):
        MessageModel.from_counts(model.counts, senses=0)
    with pytest.raises(ValueError, match="senses above 1 need a generator"):
        MessageModel.from_counts(model.counts, senses=2)
