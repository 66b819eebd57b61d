"""Languages whose words are known come back, and where nothing is said nothing is found."""

import numpy as np
import pytest
from known_answers import best_share, overlaps
from known_languages import LANGUAGES, known_language, with_gaps
from nulls import SENDERS, shuffled_within_views

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import won_by
from spatial_game.game.oracle import OracleSender
from spatial_game.language import Reader, build_dictionary, count, message_entries, symbol_entries
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.recording import Recording

CONFIG = GameConfig(20)


def learned(sender, config, number, seed=0):
    """Return the dictionary of a sender's messages, and other episodes with messages."""
    rng = np.random.default_rng(seed)
    window, fresh = draw_episodes(config, number, rng).window, draw_episodes(config, 2_000, rng)
    dictionary = build_dictionary(count(Recording(config, window=window, message=sender.send(window))))
    return dictionary, fresh, sender.send(fresh.window)


@pytest.mark.parametrize(
    ("name", "noise", "below", "exact"),
    [
        ("compositional", 0.1, 0.03, 0.9),
        ("bands", 0.0, 0.01, 1.0),
        ("rarer-synonyms", 0.1, 0.01, 1.0),
    ],
)
def test_a_known_language_is_read_nearly_as_well_as_can_be(name, noise, below, exact):
    language = known_language(name, CONFIG, np.random.default_rng(3), noise)
    dictionary, fresh, message = learned(language, CONFIG, 20_000)
    assert won_by(Reader(dictionary), message, fresh).mean() >= best_share(language, message, fresh) - below
    assert (overlaps(language, dictionary) == 1).mean() >= exact


def test_readings_are_true_as_often_as_they_say():
    # The symbols for an integer do not say where it stands: by them, a message names it at all offsets.
    language = known_language("compositional", GameConfig(), np.random.default_rng(0))
    dictionary, fresh, message = learned(language, GameConfig(), 2_000)
    readings = interpreter(dictionary).read(message)
    true = [each.true_of(window[None])[0] for each, window in zip(readings, fresh.window, strict=True)]
    assert np.mean([each.truth for each in readings]) == pytest.approx(np.mean(true), abs=0.05)
    assert np.mean(true) > 0.9


@pytest.mark.parametrize("name", SENDERS)
def test_nothing_is_listed_of_senders_that_do_not_look(name):
    config, rng = GameConfig(), np.random.default_rng(5)
    window, words = draw_episodes(config, 2_000, rng).window, rng.integers(0, 26, (1000, 3))
    message = SENDERS[name](rng, words)[:2_000].astype(np.int16)
    dictionary = build_dictionary(count(Recording(config, window=window, message=message)))
    assert symbol_entries(dictionary) == message_entries(dictionary) == []
    assert -0.1 <= dictionary.bits.messages <= 0.01


def test_messages_shuffled_within_views_say_nothing_of_integers():
    config, rng = GameConfig(20, num_visible=2), np.random.default_rng(1)
    window = draw_episodes(config, 10_000, rng).window
    message = shuffled_within_views(config, window, OracleSender(config).send(window), rng)
    dictionary = build_dictionary(count(Recording(config, window=window, message=message)))
    entries = [*symbol_entries(dictionary), *message_entries(dictionary)]
    assert {entry.index for entry in entries} == {len(config.offsets)}
    assert dictionary.bits.messages == pytest.approx(dictionary.bits.messages_by_variable[-1], abs=0.01)


# --- The languages themselves -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_likelihood_of_a_language_is_how_often_it_sends_a_message(name):
    config = GameConfig(10)
    language = with_gaps(known_language(name, config, np.random.default_rng(2), 0.2), 0.1)
    episodes = draw_episodes(config, 2, np.random.default_rng(4))
    for window in episodes.window:
        messages, times = np.unique(language.send(np.tile(window, (5_000, 1))), axis=0, return_counts=True)
        expected = 5_000 * language.likelihood(messages, np.tile(window, (len(messages), 1)))
        assert (np.abs(times - expected) < 6 * np.sqrt(np.maximum(expected, 1)) + 1).all()
