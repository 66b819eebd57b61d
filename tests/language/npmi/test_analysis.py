"""The analyser against its slow twin, and against languages whose dictionary is known."""

import dataclasses
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from oracle_tables import tables_of
from reference import analyse

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleCode, OracleSender
from spatial_game.game.policies import RandomSender
from spatial_game.language.association import integer_word_ceiling
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import EDGE
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.meaning import Meaning
from spatial_game.language.npmi.analysis import analyses, lexicon_by_npmi
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
    estimator=st.sampled_from(["exact", "paper"]),
    threshold=st.sampled_from([-1.0, 0.1, 0.3, 0.5]),
    top_n=st.integers(1, 3),
    min_count=st.integers(1, 5),
    min_confidence=st.sampled_from([0.0, 0.5, 0.8]),
    offset_threshold=st.sampled_from([-1.0, 0.0, 0.3]),
    significance=st.sampled_from([0.0501, 1.0]),  # 0.05 is the q of some small tables, up to rounding
)


@given(languages(), settings_of_analysis)
@hypothesis_settings(max_examples=80, deadline=None)
def test_every_entry_is_that_of_the_slow_twin(recording, settings):
    lexicon = lexicon_by_npmi(count(recording), settings)
    expected = analyse(recording.config, recording.window, recording.message, settings)
    found = {(entry.form, entry.meanings[0][0]): entry for entry in lexicon.entries}
    assert found.keys() == expected.keys()
    for key, entry in found.items():
        other = expected[key]
        assert entry.npmi == pytest.approx(other["npmi"], abs=1e-9)
        assert entry.count == other["count"]
        assert entry.confidence == pytest.approx(other["confidence"])
        assert entry.p_value == pytest.approx(other["p"], rel=1e-6, abs=1e-12)
        assert entry.q_value == pytest.approx(other["q"], rel=1e-6, abs=1e-12)
        assert entry.listed != other["derived"], key
        [rule] = entry.rules
        assert (rule.meaning, rule.strength) == (key[1], entry.npmi)
        assert rule.probability == pytest.approx((entry.count + 0.5) / (entry.episodes + 1))


# --- Known answers ------------------------------------------------------------------------------------------

ORACLES = [
    GameConfig(),
    GameConfig(sequence_length=30, window_radius=3, vocab_size=12, message_length=4),
    GameConfig(sequence_length=10, window_radius=1, num_distractors=2, vocab_size=15, message_length=2),
    GameConfig(sequence_length=8, window_radius=1, num_distractors=2, vocab_size=18, message_length=1),
]


def play(sender, config, num_episodes=20_000, seed=0):
    return record(sender, None, draw_episodes(config, num_episodes, np.random.default_rng(seed)), config)


@pytest.mark.parametrize("config", ORACLES, ids=lambda c: c.signature)
def test_the_oracles_lexicon_is_its_code(config):
    code = tables_of(OracleCode(config))
    truth = {(Form(m, 0), Meaning(EDGE, (name,))) for name, m in code.edges.items()}
    if OracleCode(config).compositional:
        truth |= {(Form((symbol,), 0), Meaning(offset, ())) for offset, symbol in code.offsets.items()}
        truth |= {(Form(symbols, 1), Meaning(None, (n,))) for n, symbols in code.integers.items()}
    else:
        truth |= {(Form(m, 0), Meaning(offset, (n,))) for (n, offset), m in code.holistic.items()}
    threshold = 0.75 * integer_word_ceiling(config)
    lexicon = lexicon_by_npmi(count(play(OracleSender(config), config)), threshold=threshold)
    found = {(entry.form, entry.meanings[0][0]) for entry in lexicon.listed}
    assert truth <= found
    for form, referent in found - truth:  # a digit that one integer alone has says it as well
        assert referent.kind == "integer"
        digits = code.integers[referent.values[0]]
        at = form.slot - 1
        assert digits[at : at + len(form.symbols)] == form.symbols
        assert sum(d[at : at + len(form.symbols)] == form.symbols for d in code.integers.values()) == 1
    assert lexicon.coverage == 1.0


@pytest.mark.parametrize("estimator", ["exact", "paper"])
def test_a_random_senders_lexicon_is_empty(estimator):
    sender = RandomSender(GameConfig(), np.random.default_rng(3))
    lexicon = lexicon_by_npmi(count(play(sender, GameConfig())), estimator=estimator)
    assert (len(lexicon), lexicon.coverage) == (0, 0.0)


def test_the_papers_constants_leave_the_range_and_are_clipped():
    config = GameConfig()
    lexicon = lexicon_by_npmi(count(play(OracleSender(config), config)), estimator="paper")
    settings = lexicon.analysis.settings
    assert lexicon.analysis.clipped > 0
    assert (settings.min_confidence, settings.offset_threshold) == (0, 0.3)
    edges = tables_of(OracleCode(config)).edges
    assert {entry.form for entry in lexicon.of_kind("edge")} == {Form(m, 0) for m in edges.values()}


def test_a_rare_form_one_symbol_away_is_a_misspelling():
    config = GameConfig(sequence_length=20)
    recording = play(OracleSender(config), config, 60_000)
    begin = np.flatnonzero(recording.window[:, 0] == -1)
    message = recording.message.copy()
    message[begin[:40], 2] = 25  # one symbol away from "begin", and rarer by far
    message[begin[40:80]] = [24, 24, 24]  # as rare, but another word
    counts = count(Recording(config, window=recording.window, message=message))
    lexicon = lexicon_by_npmi(counts, threshold=0.2)
    code = tables_of(OracleCode(config)).edges["begin"]
    listed = {e.form.symbols: e.listed for e in lexicon.entries if e.kind == "edge"}
    assert listed[code] is True
    assert listed[(*code[:2], 25)] is False
    assert listed[24, 24, 24] is True
    assert lexicon.coverage == 1.0  # misspelled messages are read all the same


# --- Many settings, and counts alone ------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ["exact", "paper"])
def test_of_many_settings_each_lexicon_is_that_of_its_own_analysis(estimator):
    config = GameConfig(sequence_length=20)
    recording = play(OracleSender(config), config, 3000)
    noise = np.random.default_rng(1).random(len(recording)) < 0.1
    message = np.where(noise[:, None], (recording.message + 1) % 26, recording.message)
    counts = count(Recording(config, window=recording.window, message=message))
    found = analyses(counts, NpmiSettings(estimator=estimator), (0.1, 0.3, 0.6), (1, 3))
    for each, (top_n, threshold) in zip(found, product((1, 3), (0.1, 0.3, 0.6)), strict=True):
        lexicon = lexicon_by_npmi(counts, estimator=estimator, threshold=threshold, top_n=top_n)
        assert each.lexicon() == lexicon


@pytest.mark.parametrize(("top_n", "what"), [(1, "offsets need"), (2, "top_n above 1 needs")])
def test_episodes_are_needed_again(top_n, what):
    config = GameConfig(sequence_length=20)
    recording = play(OracleSender(config), config)
    messages = np.sort(recording.window, axis=1)[:, -3:]
    messages[:100] = messages[100:200]  # noise
    counts = dataclasses.replace(count(dataclasses.replace(recording, message=messages)), sources=())
    with pytest.raises(ValueError, match=f"{what} the episodes"):
        lexicon_by_npmi(counts, threshold=0.1, top_n=top_n)
