"""The paper's analysis recovers languages whose lexicon is known."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomSender
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.known import LANGUAGES, ceiling, score
from spatial_game.recording import record

GAMES = {
    "paper": GameConfig(sequence_length=60),
    "short": GameConfig(sequence_length=20, vocab_size=13),
    "wide": GameConfig(sequence_length=40, window_radius=3),
    "near": GameConfig(sequence_length=60, window_radius=1),
    "two symbols": GameConfig(sequence_length=20, message_length=2),
    "four symbols": GameConfig(sequence_length=60, message_length=4),
    "more integers": GameConfig(sequence_length=40, num_integers=60),
}
EXACT = ["compositional", "compositional-last", "slot-invariant", "holistic", "edges-only"]


def analysed(name, config, num_episodes, noise=0.0, seed=1):
    language = LANGUAGES[name](config, np.random.default_rng([seed, 0]), noise=noise)
    episodes = draw_episodes(config, num_episodes, np.random.default_rng([seed, 1]))
    top_n = 2 if name == "polysemous" else 1
    lexicon = Lexicon.by_npmi(
        count(record(language, None, episodes, config)),
        threshold=0.75 * ceiling(language),
        top_n=top_n,
    )
    return score([(e.form, m) for e in lexicon.listed for m in e.meanings], language, episodes[:20_000])


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("name", EXACT)
def test_a_language_without_noise_comes_back_whole_and_alone(name, game):
    result = analysed(name, GAMES[game], 10_000)
    assert not result.missing
    assert not result.wrong
    assert not result.unspoken


@pytest.mark.parametrize("name", ["mixed-lengths", "polysemous", "synonymous", "mixture"])
def test_the_other_languages_come_back_in_the_papers_game(name):
    result = analysed(name, GAMES["paper"], 20_000)
    assert (result.recall, result.precision) == (1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("name", EXACT)
def test_a_language_with_noise_comes_back(name, game):
    result = analysed(name, GAMES[game], 200_000, noise=0.1)
    assert result.recall >= 0.95
    assert result.precision >= 0.95


def test_a_random_language_has_no_lexicon():
    config = GAMES["paper"]
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    recording = record(RandomSender(config, np.random.default_rng(1)), None, episodes, config)
    assert not Lexicon.by_npmi(count(recording)).entries


def test_the_ceiling_is_what_a_language_reaches():
    """The NPMI of the words that the analyser finds lies around the ceiling that the language is given."""
    for name in ("compositional", "polysemous", "synonymous", "mixture"):
        config = GAMES["paper"]
        language = LANGUAGES[name](config, np.random.default_rng([1, 0]))
        episodes = draw_episodes(config, 50_000, np.random.default_rng([1, 1]))
        top_n = 2 if name == "polysemous" else 1
        lexicon = Lexicon.by_npmi(count(record(language, None, episodes, config)), threshold=0.3, top_n=top_n)
        true = {(f, frozenset(r[0].values)) for f, r in language.truth if r[0].kind == "integer"}
        words = [(e.form, frozenset(e.meanings[0][0].values), e.npmi) for e in lexicon.of_kind("integer")]
        found = [npmi for form, values, npmi in words if (form, values) in true]
        assert len(found) == len(true)
        assert np.mean(found) == pytest.approx(ceiling(language), abs=0.01)
