"""The paper's analysis against its slow twin, and against the oracle, whose code is known."""

import dataclasses
import tracemalloc
from itertools import product

import numpy as np
import pytest
from helpers.oracle_tables import tables_of
from helpers.reference import analyse
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleCode, OracleSender
from spatial_game.game.policies import RandomSender
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.ngrams import NGram
from spatial_game.language.npmi.analysis import npmi_table, npmi_tables
from spatial_game.language.npmi.message_types import messages_of_type
from spatial_game.language.npmi.referents import Referent
from spatial_game.language.npmi.score import npmi_of_integer_ngram
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.recording import Recording, record


@st.composite
def languages(draw):
    """A recording of a small game: messages that go with the window in part, so that all rules have work."""
    radius = draw(st.integers(1, 2))
    length = draw(st.integers(2 * radius + 1, 8))
    config = GameConfig(
        sequence_length=length,
        num_integers=draw(st.integers(length, 9)),
        window_radius=radius,
        num_visible=draw(st.sampled_from([None, 1])),
        num_distractors=1,
        vocab_size=draw(st.integers(2, 4)),
        message_length=draw(st.integers(1, 4)),
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    episodes = draw_episodes(config, draw(st.integers(1, 120)), rng)
    messages = rng.integers(0, config.vocab_size, (len(episodes), config.message_length))
    rows = np.arange(len(episodes))
    for slot in range(config.message_length):
        says = draw(st.sampled_from(["noise", "integer", "mask", "edge and integer", "offset"]))
        cell = rng.integers(0, config.window_size, len(episodes))
        value = episodes.window[rows, cell].astype(int)
        said = {
            "noise": messages[:, slot],
            "integer": episodes.window.max(axis=1),
            "mask": episodes.mask_column,
            "edge and integer": episodes.mask_column + episodes.window.max(axis=1),
            "offset": np.where(value < 0, 0, cell),
        }[says]
        messages[:, slot] = said % config.vocab_size
    return Recording(config, window=episodes.window, message=messages)


settings_of_analysis = st.builds(
    NpmiSettings,
    estimator=st.sampled_from(["exact", "text", "code"]),
    threshold=st.sampled_from([-1.0, 0.1, 0.3, 0.5]),
    top_n=st.integers(1, 3),
    min_count=st.integers(1, 5),
    min_confidence=st.sampled_from([0.0, 0.5, 0.8]),
    significance=st.sampled_from([0.0501, 1.0]),  # 0.05 is the q of some small tables, up to rounding
)


@given(languages(), settings_of_analysis)
@hypothesis_settings(max_examples=20, deadline=None)
def test_every_association_is_that_of_the_slow_twin(recording, settings):
    table = npmi_table(count(recording), settings)
    expected = analyse(recording.config, recording.window, recording.message, settings)
    found = {(each.ngram, each.referent): each for each in table.associations}
    assert found.keys() == expected.keys()
    integers = [each.referent.integers for each in table.of_kind("integer")]
    assert integers == sorted(integers)
    for key, each in found.items():
        other = expected[key]
        assert each.npmi == pytest.approx(other["npmi"], abs=1e-9)
        for name in ("joint", "ngram_total", "referent_total"):
            assert getattr(each, name) == other[name]
        assert each.p_value == pytest.approx(other["p"], rel=1e-6, abs=1e-12)
        assert each.q_value == pytest.approx(other["q"], rel=1e-6, abs=1e-12)


# --- Known answers ------------------------------------------------------------------------------------------

ORACLES = [
    GameConfig(),
    GameConfig(sequence_length=30, window_radius=3, vocab_size=12, message_length=4),
    GameConfig(sequence_length=10, window_radius=1, num_distractors=2, vocab_size=15, message_length=2),
    GameConfig(sequence_length=8, window_radius=1, num_distractors=2, vocab_size=18, message_length=1),
    GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2),
    GameConfig(shape=(5, 6), window_radius=1, num_distractors=2, message_length=4, num_visible=2),
]


def play(sender, config, num_episodes=20_000, seed=0):
    return record((sender, None), draw_episodes(config, num_episodes, np.random.default_rng(seed)), config)


@pytest.mark.parametrize("config", ORACLES, ids=lambda c: c.signature)
def test_the_oracles_code_is_found_and_nothing_false(config):
    code = tables_of(OracleCode(config))
    truth = {(NGram(m, 0), Referent(name)) for name, m in code.edges.items()}
    if OracleCode(config).compositional:
        truth |= {(NGram((symbol,), 0), Referent(offset=offset)) for offset, symbol in code.offsets.items()}
        truth |= {(NGram(symbols, 1), Referent(None, (n,))) for n, symbols in code.integers.items()}
    else:
        truth |= {(NGram(m, 0), Referent(None, (n,), offset)) for (n, offset), m in code.holistic.items()}
    recording = play(OracleSender(config), config)
    table = npmi_table(count(recording), threshold=0.75 * npmi_of_integer_ngram(config))
    assert truth <= {(each.ngram, each.referent) for each in table.associations}
    assert min(each.confidence for each in table.associations) > 0.8
    assert table.coverage == 1.0


def test_the_table_of_a_random_sender_is_empty():
    sender = RandomSender(GameConfig(), np.random.default_rng(3))
    counts = count(play(sender, GameConfig(), 5_000))
    for estimator in ("exact", "text", "code"):
        table = npmi_table(counts, estimator=estimator)
        assert (len(table), table.coverage) == (0, 0.0)


def test_the_papers_constants_leave_the_range_and_are_clipped():
    config = GameConfig()
    counts, edges = count(play(OracleSender(config), config)), tables_of(OracleCode(config)).edges
    for estimator in ("text", "code"):
        table = npmi_table(counts, estimator=estimator)
        assert table.clipped > 0
        assert {each.ngram for each in table.of_kind("edge")} == {NGram(m, 0) for m in edges.values()}


def test_types_of_messages_follow_from_the_associations():
    """One message of each type, by hand, among messages that say nothing."""
    config = GameConfig(9, window_radius=1, num_distractors=1, vocab_size=9, message_length=2)
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    left, mask = episodes.window[:, 0], episodes.mask_column
    message = np.random.default_rng(1).integers(6, 9, (len(episodes), 2))
    message[mask == 0] = 5  # the first: one symbol, which no other message has
    message[mask == 2] = [4, 4]  # the last
    middle = mask == 1
    for value, whole in enumerate(([3, 3], [3, 4], [4, 3]), 2):  # one left, by no symbol alone
        message[middle & (left == value)] = whole
    message[middle & (left == 1)] = [0, 1]  # two symbols, for 1 and for its offset
    message[middle & (episodes.window[:, 2] == 1)] = [0, 2]
    counts = count(Recording(config, window=episodes.window, message=message))
    found = npmi_table(counts, threshold=0.3)
    of_type = messages_of_type(counts, found.admitted)
    types = {name: {tuple(row) for row in counts.messages[rows].tolist()} for name, rows in of_type.items()}
    assert types["positional"] == {(5, 5), (4, 4)}
    assert types["reserved"] == {(5, 5)}
    assert types["integer"] == {(3, 3), (3, 4), (4, 3), (0, 1), (0, 2)}
    assert types["compositional_integer"] == {(0, 1), (0, 2)}
    assert types["compositional_positional"] == {(0, 1), (0, 2)}
    assert types["readable"] == types["positional"] | types["integer"]
    assert found.types["positional"].messages == 2


def test_types_of_messages_of_a_large_vocabulary_take_little_memory():
    config, rng = GameConfig(9, vocab_size=30_000, message_length=2), np.random.default_rng(0)
    message = rng.integers(0, 30_000, (3_000, 2))
    counts = count(Recording(config, window=draw_episodes(config, 3_000, rng).window, message=message))
    found = npmi_table(counts)
    tracemalloc.start()
    messages_of_type(counts, found.admitted)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20


# --- Many settings, and counts alone ------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ["exact", "code"])
def test_of_many_settings_each_table_is_that_of_its_own_analysis(estimator):
    config = GameConfig(sequence_length=20)
    recording = play(OracleSender(config), config, 1_500)
    noise = np.random.default_rng(1).random(len(recording)) < 0.1
    message = np.where(noise[:, None], (recording.message + 1) % 26, recording.message)
    counts = count(Recording(config, window=recording.window, message=message))
    found = npmi_tables(counts, NpmiSettings(estimator=estimator), (0.1, 0.4), (1, 3))
    for each, (top_n, threshold) in zip(found, product((1, 3), (0.1, 0.4)), strict=True):
        table = npmi_table(counts, estimator=estimator, threshold=threshold, top_n=top_n)
        assert each.to_dict() == table.to_dict()


@pytest.mark.parametrize(("top_n", "what"), [(1, "offsets need"), (2, "top_n above 1 needs")])
def test_episodes_are_needed_again(top_n, what):
    config = GameConfig(sequence_length=20)
    recording = play(OracleSender(config), config, 4_000)
    messages = np.sort(recording.window, axis=1)[:, -3:]
    messages[:100] = messages[100:200]  # noise
    counts = dataclasses.replace(count(dataclasses.replace(recording, message=messages)), sources=())
    with pytest.raises(ValueError, match=f"{what} the episodes"):
        npmi_table(counts, threshold=0.1, top_n=top_n)
