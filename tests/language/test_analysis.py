"""The analyser against its slow twin, and against languages whose dictionary is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.episodes import draw_episodes
from spatial_game.language.counts import count
from spatial_game.language.lexicon import Lexicon
from spatial_game.language.settings import Settings
from spatial_game.policies import OracleSender, RandomSender
from spatial_game.recording import Recording, record

from reference import analyse


@st.composite
def languages(draw):
    """A recording of a small game: messages that go with the window in part, so that all rules have work."""
    radius = draw(st.integers(1, 2))
    length = draw(st.integers(2 * radius + 1, 8))
    config = GameConfig(
        sequence_length=length,
        num_integers=draw(st.integers(length, 9)),
        window_radius=radius,
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
    Settings,
    estimator=st.sampled_from(["exact", "paper"]),
    threshold=st.sampled_from([-1.0, 0.1, 0.3, 0.5]),
    top_n=st.integers(1, 3),
    min_count=st.integers(1, 5),
    min_confidence=st.sampled_from([0.0, 0.5, 0.8]),
    offset_threshold=st.sampled_from([-1.0, 0.0, 0.3]),
    significance=st.sampled_from([0.05, 1.0]),
)


@given(languages(), settings_of_analysis)
@hypothesis_settings(max_examples=500, deadline=None)
def test_every_entry_is_that_of_the_slow_twin(recording, settings):
    lexicon = Lexicon.from_counts(count(recording), settings)
    expected = analyse(recording.config, recording.window, recording.message, settings)
    found = {(entry.form, entry.referent): entry for entry in lexicon.entries}
    assert found.keys() == expected.keys()
    for key, entry in found.items():
        other = expected[key]
        assert entry.npmi == pytest.approx(other["npmi"], abs=1e-9)
        assert entry.count == other["count"]
        assert entry.confidence == pytest.approx(other["confidence"])
        assert entry.p_value == pytest.approx(other["p"], rel=1e-6, abs=1e-12)
        assert entry.q_value == pytest.approx(other["q"], rel=1e-6, abs=1e-12)
        assert entry.derived == other["derived"], key
