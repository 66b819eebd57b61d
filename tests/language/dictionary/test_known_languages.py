"""Languages whose dictionary is known come back; senders that say nothing have none."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES, agreement
from spatial_game.recording import Recording, record

SHORT = GameConfig(sequence_length=10)

# --- Known languages -------------------------------------------------------------------------------------

EXACT = sorted(set(LANGUAGES) - {"larger-of-two", "prefix-code"})
"""All languages but two. A word of `larger-of-two` means the same integer at one of two offsets, and smaller
ones at the other: a product of rules about places says the second alone. In `prefix-code`, rules about two
symbols save most at once, also where the first symbol alone is the word."""


def agreed(name, config, num_episodes, noise=0.0, seed=1):
    language = LANGUAGES[name](config, np.random.default_rng([seed, 0]), noise=noise)
    episodes = draw_episodes(config, num_episodes, np.random.default_rng([seed, 1]))
    lexicon = dictionary_of(count(record(language, None, episodes, config)))
    entries = [(entry.form, m) for entry in lexicon.listed for m in entry.meanings]
    return agreement(entries, language, episodes[:20_000], overlap=0.9 if noise else 1.0)


@pytest.mark.parametrize("name", EXACT)
def test_a_language_without_noise_comes_back_whole_and_alone(name):
    result = agreed(name, SHORT, 10_000)
    assert not result.missing
    assert not result.false


@pytest.mark.parametrize("num_episodes", [200, 2_000, 20_000])
@pytest.mark.parametrize("name", ["any-order", "any-order-with-fillers"])
def test_words_at_any_slot_are_read_better_with_more_episodes(name, num_episodes):
    result = agreed(name, SHORT, num_episodes)
    assert not result.false
    assert result.recall >= (0.85 if num_episodes == 200 else 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("length", [20, 60])
@pytest.mark.parametrize("name", EXACT)
def test_a_language_of_more_integers_comes_back_whole_and_alone(name, length):
    result = agreed(name, GameConfig(sequence_length=length), 200_000)
    assert not result.missing
    assert not result.false


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.05, 0.1])
@pytest.mark.parametrize("length", [10, 20, 60])
@pytest.mark.parametrize("name", EXACT)
def test_a_language_with_noise_comes_back(name, length, noise):
    result = agreed(name, GameConfig(sequence_length=length), 200_000, noise)
    assert result.recall >= 0.95
    assert result.precision >= 0.95


@pytest.mark.parametrize("name", ["bands-in-slots", "class-bit", "compositional-last", "any-order"])
def test_some_languages_with_noise_come_back(name):
    result = agreed(name, SHORT, 50_000, 0.1)
    assert result.recall >= 0.95
    assert result.precision >= 0.95


# --- Senders that say nothing ----------------------------------------------------------------------------


def blind(kind, config, num_episodes, rng):
    """Return messages that have nothing to do with the windows."""
    shape, rows = (num_episodes, config.message_length), np.arange(num_episodes)
    if kind == "random":
        return rng.integers(0, config.vocab_size, shape)
    lexemes = rng.integers(0, config.vocab_size, (100, config.message_length))
    if kind == "zipf":
        weight = 1 / np.arange(1, 101)
        return lexemes[rng.choice(100, num_episodes, p=weight / weight.sum())]
    if kind == "periodic":
        return lexemes[rows % 7]
    return np.full(shape, 3)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", ["random", "zipf", "periodic", "constant"])
def test_a_sender_that_does_not_look_has_an_empty_dictionary(kind, seed):
    config = GameConfig(sequence_length=12, vocab_size=8, message_length=2)
    rng = np.random.default_rng(seed)
    episodes = draw_episodes(config, 20_000, rng)
    message = blind(kind, config, len(episodes), rng).astype(np.int16)
    lexicon = dictionary_of(count(Recording(config, window=episodes.window, message=message)))
    assert lexicon.entries == ()
    assert lexicon.coverage == 0
    assert lexicon.account.kilobits == 0
    assert abs(lexicon.account.held_out_bits) < 0.01
