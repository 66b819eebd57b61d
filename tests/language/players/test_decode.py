"""Decoding, against a slow twin that adds up the rules one by one, and with lexicons that are known."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import descriptions, entry, lexicon_of, lexicons
from slow_rules import evidence

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes, window_around
from spatial_game.game.oracle import OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.known import LANGUAGES
from spatial_game.language.meaning import Meaning
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoded, Decoder, read_held_out
from spatial_game.recording import record


@settings(max_examples=40, deadline=None)
@given(st.one_of(lexicons(), descriptions()), st.integers(0, 2**32 - 1))
def test_scores_add_up_what_all_rules_say(lexicon, seed):
    config, rng = lexicon.config, np.random.default_rng(seed)
    episodes = draw_episodes(config, 8, rng)
    messages = rng.integers(0, config.vocab_size, (8, config.message_length))
    decoder = Decoder(lexicon)
    decoded = decoder.decode(messages, episodes.sequence, episodes.candidates)
    for row, message in enumerate(messages.tolist()):
        for i, candidate in enumerate(episodes.candidates[row].tolist()):
            sequence = episodes.sequence[row : row + 1]
            position = np.flatnonzero(sequence[0] == candidate)
            [window], _ = window_around(config, sequence, position)
            bits = evidence(lexicon.rules, config, message, window.tolist())
            assert decoded.score[row, i] == pytest.approx(bits, abs=1e-6)
    assert np.array_equal(decoded.fits, decoded.score > 0)
    best = decoded.score.max(axis=1)
    assert np.array_equal(decoded.decided, best > 0)
    assert (np.take_along_axis(decoded.score, decoded.choice[:, None], axis=1)[:, 0] == best)[best > 0].all()


SEQUENCE = np.array([[3, 0, 7, 1, 5, 2, 4, 6, 8, 9]])


def read(referent, message, candidates):
    """Return what a message means among candidates, if symbol 0 means this."""
    config = GameConfig(10, window_radius=1, num_distractors=2, vocab_size=4, message_length=1)
    lexicon = lexicon_of(config, [entry([0], 0, referent, confidence=0.99, count=1000)])
    return Decoder(lexicon).decode(np.array([message]), SEQUENCE, np.array([candidates]))


@pytest.mark.parametrize(
    ("message", "candidates", "choice", "unique", "ambiguous"),
    [
        ([0], [0, 1, 8], 0, True, False),
        ([0], [0, 2, 8], 0, False, True),
        ([0], [1, 7, 8], -1, False, False),
        ([1], [0, 1, 8], -1, False, False),
    ],
)
def test_reading_is_unique_ambiguous_or_none(message, candidates, choice, unique, ambiguous):
    found = read(Meaning(-1, (3, 4, 5)), message, candidates)
    assert (found.choice[0], found.unique[0], found.ambiguous[0]) == (choice, unique, ambiguous)
    assert found.decided[0] == (choice >= 0)


def test_candidates_fit_equally_well_within_four_bits():
    score = np.array([[6.0, 2.0, -1.0], [6.0, 1.9, 1.0], [-1.0, -1.0, -2.0]])
    found = Decoded(score)
    assert found.ambiguous.tolist() == [True, False, False]
    assert found.unique.tolist() == [False, True, False]


def test_a_smaller_game_is_read_without_what_it_lacks():
    config = GameConfig(10, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    small = GameConfig(8, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    lexicon = lexicon_of(
        config, [entry([0, 1], 0, Meaning(-1, (3, 9))), entry([1, 1], 0, Meaning(None, (9,)))]
    )
    sequence, candidates = np.array([[3, 0, 7, 1, 5, 2, 4, 6]]), np.array([[0, 1, 4]])
    decoder = Decoder(lexicon, small)
    assert decoder.decode(np.array([[0, 1]]), sequence, candidates).choice[0] == 0
    assert not decoder.decode(np.array([[1, 1]]), sequence, candidates).decided[0]


@pytest.mark.parametrize(
    "name",
    ["compositional", "compositional-last", "slot-invariant", "holistic", "mixed-lengths", "polysemous"],
)
def test_what_is_composed_is_read_back(name):
    config = GameConfig()
    language = LANGUAGES[name](config, np.random.default_rng([1, 0]))
    rng = np.random.default_rng([1, 1])
    recording = record(language, None, draw_episodes(config, 20_000, rng), config)
    top_n = 2 if name == "polysemous" else 1
    lexicon = lexicon_by_npmi(count(recording), threshold=0.35, top_n=top_n)
    fresh = draw_episodes(config, 5_000, rng)
    composed = Composer(lexicon).compose(fresh.window, "random", rng)
    assert composed.coverage == 1
    decoded = Decoder(lexicon).decode(composed.message, fresh.sequence, fresh.candidates)
    target = decoded.score[np.arange(len(fresh)), fresh.target_index]
    assert (target > 0).all()
    assert (decoded.choice == fresh.target_index)[decoded.unique].mean() > 0.99


def test_a_name_alone_narrows_the_candidates_and_a_place_outranks_it():
    config = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=5)
    lexicon = lexicon_of(
        config, [entry([1, 2], 0, Meaning(None, (3,)), npmi=0.9), entry([4], 2, Meaning(1, ()), npmi=0.1)]
    )
    sequence = np.array([[5, 3, 1, 0, 2, 4, 6, 7]])
    candidates = np.array([[1, 5, 7]])
    decoder = Decoder(lexicon)
    name = decoder.decode(np.array([[1, 2, 0]]), sequence, candidates)
    assert name.fits.tolist() == [[True, True, False]]  # 3 is beside both, and in the window of neither end
    assert name.ambiguous[0]
    place = decoder.decode(np.array([[1, 2, 4]]), sequence, candidates)
    assert place.choice[0] == 1  # 3 is right of 5
    assert not place.ambiguous[0]
    nothing = decoder.decode(np.array([[0, 0, 0]]), sequence, candidates)
    assert (nothing.choice[0], nothing.decided[0]) == (-1, False)
    assert decoder.choose(np.array([[0, 0, 0]]), sequence, candidates).tolist() == [0]


# --- Held-out episodes --------------------------------------------------------------------------------------

CONFIG = GameConfig(20)


@pytest.fixture(scope="module")
def language():
    episodes = draw_episodes(CONFIG, 5_000, np.random.default_rng(0))
    recording = record(OracleSender(CONFIG), None, episodes, CONFIG)
    return recording, lexicon_by_npmi(count(recording), threshold=0.4)


def test_right_is_a_share_of_what_is_read(language):
    recording, lexicon = language
    half = dataclasses.replace(lexicon, entries=lexicon.entries[::2])
    rows = slice(9, None, 10)
    found = Decoder(half).decode(
        recording.message[rows], recording.sequence[rows], recording.candidates[rows]
    )
    right = found.choice == recording.target_index[rows]
    read = read_held_out(half, [recording])
    assert (read.episodes, read.unique) == (500, found.unique.mean())
    assert 0.1 < read.unique < 0.5
    assert read.right == right[found.unique].mean() > 0.9
    nothing = read_held_out(dataclasses.replace(lexicon, entries=()), [recording])
    assert (nothing.unique, nothing.right) == (0, None)


def test_no_more_episodes_are_read_than_asked(language):
    recording, lexicon = language
    assert read_held_out(lexicon, [recording] * 3, most=600).episodes == 1_000
