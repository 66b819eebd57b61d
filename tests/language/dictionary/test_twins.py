"""The dictionary in arrays says what the slow twin says, on small random languages of all kinds of games."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_dictionary import SlowDictionary, shown_in
from strategies import seeds

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.windows import window_cells, window_tables
from spatial_game.language import Reader, Speaker, count, letters_and_words
from spatial_game.language.counting.places import candidate_windows
from spatial_game.recording import Recording

GAMES = [
    GameConfig(5, num_integers=6, window_radius=1, num_distractors=2, vocab_size=3, message_length=2),
    GameConfig(7, window_radius=2, num_distractors=2, vocab_size=4, message_length=1),
    GameConfig(7, window_radius=2, num_distractors=3, vocab_size=2, message_length=3, num_visible=2),
    GameConfig(shape=(3, 3), window_radius=1, num_distractors=2, vocab_size=3, message_length=2),
    GameConfig(
        shape=(3, 3), window_radius=1, num_distractors=2, vocab_size=2, message_length=2, num_visible=1
    ),
]


def messages_for(config, window, rng):
    """Return messages that tell something: each symbol is a random function of one cell, or is drawn."""
    symbols = rng.integers(0, config.vocab_size, (config.window_size, config.num_integers + 2))
    cells = rng.integers(0, config.window_size, config.message_length)
    message = np.stack([symbols[cell, window[:, cell]] for cell in cells], axis=1)
    drawn = rng.random(message.shape) < rng.random()
    return np.where(drawn, rng.integers(0, config.vocab_size, message.shape), message).astype(np.int16)


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
@settings(max_examples=4, deadline=None)
@given(seed=seeds, number=st.integers(20, 150))
def test_tables_bits_reading_and_speaking_are_those_of_the_slow_twin(config, seed, number):
    rng = np.random.default_rng(seed)
    episodes = draw_episodes(config, number, rng)
    message = messages_for(config, episodes.window, rng)
    lexicon = letters_and_words(count(Recording(config, window=episodes.window, message=message)))
    slow = SlowDictionary(config, episodes.window.tolist(), message.tolist(), lexicon)
    assert [tuple(each) for each in lexicon.messages.tolist()] == sorted(slow.often)

    fresh = draw_episodes(config, 12, rng)
    said = rng.integers(0, config.vocab_size, (12, config.message_length)).astype(np.int16)  # not only words
    rows = lexicon.rows(said)
    for fast, variable in zip(lexicon.variables[:-1], list(slow.variables.values())[:-1], strict=True):
        p = [list(variable.by_words(tuple(each)).values()) for each in said.tolist()]
        np.testing.assert_allclose(fast.by_words(said, rows), p, rtol=1e-6, atol=1e-12)

    held = list(zip(message.tolist(), episodes.window.tolist(), strict=True))[9::10]
    bits = [slow.bits(tuple(each), window) for each, window in held]
    assert lexicon.bits.words == pytest.approx(np.mean(bits), abs=1e-4)

    found = Reader(lexicon).bits(said, fresh.sequence, fresh.candidates)
    for number, candidate in enumerate(fresh.candidates.T):
        whole = candidate_windows(config, fresh.sequence, candidate).tolist()
        expected = [slow.bits_of_candidate(tuple(m), w) for m, w in zip(said.tolist(), whole, strict=True)]
        np.testing.assert_allclose(found[:, number], expected, atol=1e-3)

    for spoken, window in zip(
        Speaker(lexicon).send(fresh.window).tolist(), fresh.window.tolist(), strict=True
    ):
        scores = {word: slow.score(word, window) for word in slow.often}
        assert scores[tuple(spoken)] >= max(scores.values()) - 1e-3


def test_the_twin_sees_the_windows_of_the_game():
    config = GAMES[-1]
    whole = draw_episodes(GAMES[3], 200, np.random.default_rng(0))
    for window, sequence, target in zip(whole.window, whole.sequence, whole.target_position, strict=True):
        cells, _ = shown_in(GAMES[3], window.tolist())
        around = window_cells(config)[target]
        mask = window_tables(config).mask_column[target]
        assert sorted(cells.values()) == sorted(np.delete(sequence[around], mask).tolist())
