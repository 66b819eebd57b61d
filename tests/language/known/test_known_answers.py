"""The paper's analysis recovers languages whose lexicon is known."""

import numpy as np
import pytest
from lexicons import recovered

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language.association import integer_word_ceiling
from spatial_game.language.counting.counts import count
from spatial_game.language.known import LANGUAGES
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.recording import record

GAMES = {
    "paper": GameConfig(sequence_length=60),
    "short": GameConfig(sequence_length=20, vocab_size=13),
    "wide": GameConfig(sequence_length=40, window_radius=3),
    "near": GameConfig(sequence_length=60, window_radius=1),
    "two symbols": GameConfig(sequence_length=20, vocab_size=30, message_length=2),
    "four symbols": GameConfig(sequence_length=60, message_length=4),
    "more integers": GameConfig(sequence_length=40, num_integers=60),
}
EXACT = ["compositional", "compositional-last", "slot-invariant", "holistic", "edges-only"]


def analysed(name, config, num_episodes, noise=0.0, seed=1):
    """Return recall and precision of what NPMI finds."""
    language = LANGUAGES[name](config, np.random.default_rng([seed, 0]), noise=noise)
    episodes = draw_episodes(config, num_episodes, np.random.default_rng([seed, 1]))
    lexicon = lexicon_by_npmi(
        count(record(language, None, episodes, config)),
        threshold=0.75 * integer_word_ceiling(config),
        top_n=2 if name == "polysemous" else 1,
    )
    return recovered(lexicon, language, episodes[:20_000])


@pytest.mark.parametrize(
    ("name", "game"),
    [(name, "paper") for name in EXACT]
    + [(name, game) for name in ("slot-invariant", "holistic") for game in sorted({*GAMES} - {"paper"})],
)
def test_a_language_without_noise_comes_back_whole_and_alone(name, game):
    assert analysed(name, GAMES[game], 10_000) == (1.0, 1.0)


@pytest.mark.parametrize("name", ["mixed-lengths", "polysemous", "synonymous", "mixture"])
def test_the_other_languages_come_back_in_the_papers_game(name):
    assert analysed(name, GAMES["paper"], 20_000) == (1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("name", EXACT)
def test_a_language_with_noise_comes_back(name, game):
    recall, precision = analysed(name, GAMES[game], 200_000, noise=0.1)
    assert recall >= 0.95
    assert precision >= 0.95


def test_a_random_language_has_no_lexicon():
    config = GAMES["paper"]
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    recording = record(RandomSender(config, np.random.default_rng(1)), None, episodes, config)
    assert not lexicon_by_npmi(count(recording)).entries


def test_the_ceiling_is_what_words_for_integers_reach():
    config = GAMES["paper"]
    language = LANGUAGES["compositional"](config, np.random.default_rng([1, 0]))
    episodes = draw_episodes(config, 50_000, np.random.default_rng([1, 1]))
    words = lexicon_by_npmi(count(record(language, None, episodes, config)), threshold=0.3).of_kind("integer")
    found = [word.npmi for word in words if (word.form, word.meanings[0]) in language.truth]
    assert len(found) == 60
    assert np.mean(found) == pytest.approx(integer_word_ceiling(config), abs=0.01)
