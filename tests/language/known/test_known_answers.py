"""The paper's analysis recovers languages whose lexicon is known, on one axis and on grids."""

from dataclasses import replace

import numpy as np
import pytest
from lexicons import recovered

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import RandomSender
from spatial_game.language.association import integer_word_ceiling
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.language.players import Composer, Decoder
from spatial_game.recording import record

PAPER = GameConfig(sequence_length=60)
GAMES = {
    "paper": PAPER,
    "short": GameConfig(sequence_length=20, vocab_size=13),
    "wide": GameConfig(sequence_length=40, window_radius=3),
    "near": GameConfig(sequence_length=60, window_radius=1),
    "two symbols": GameConfig(sequence_length=20, vocab_size=30, message_length=2),
    "four symbols": GameConfig(sequence_length=60, message_length=4),
    "more integers": GameConfig(sequence_length=40, num_integers=60),
    "grid": GameConfig(shape=(5, 6), window_radius=1, num_distractors=2, message_length=4),
    "large grid": GameConfig(shape=(8, 8), window_radius=1, message_length=4),
    "one neighbour": GameConfig(shape=(8, 8), window_radius=1, message_length=4, num_visible=1),
    "cube": GameConfig(shape=(4, 4, 4), window_radius=1, vocab_size=50, message_length=5),
}
EXACT = ["compositional", "compositional-last", "slot-invariant", "holistic", "edges-only"]
OTHERS = ["mixed-lengths", "polysemous", "synonymous", "mixture"]
ON_GRIDS = ["by-axis", "holistic", "edges-only"]


def analysed(name, config, num_episodes, noise=0.0, read=lexicon_by_npmi):
    """Return recall and precision of what an analysis finds."""
    language = LANGUAGES[name](config, np.random.default_rng([1, 0]), noise=noise)
    episodes = draw_episodes(config, num_episodes, np.random.default_rng([1, 1]))
    counts = count(record(language, None, episodes, config))
    options = {}
    if read is lexicon_by_npmi:
        options["threshold"] = 0.75 * integer_word_ceiling(config)
        options["top_n"] = 2 if name == "polysemous" else 1
    return recovered(read(counts, **options), language, episodes[:20_000])


@pytest.mark.parametrize(
    ("name", "game"),
    [
        *((name, "paper") for name in [*EXACT, *OTHERS]),
        *((name, game) for name in ("slot-invariant", "holistic") for game in [*GAMES][1:7]),
        *((name, "grid") for name in ON_GRIDS),
        ("by-axis", "one neighbour"),
        ("edges-only", "cube"),
    ],
)
def test_a_language_without_noise_comes_back_whole_and_alone(name, game):
    assert analysed(name, GAMES[game], 20_000) == (1.0, 1.0)


@pytest.mark.parametrize("name", ["by-axis", "bands-in-slots"])
def test_the_shortest_description_reads_grids(name):
    assert analysed(name, GAMES["grid"], 20_000, read=dictionary_of) == (1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "game", "read"),
    [
        *((name, game, lexicon_by_npmi) for name in EXACT for game in [*GAMES][:7]),
        *((name, "large grid", lexicon_by_npmi) for name in ON_GRIDS),
        *((name, "large grid", dictionary_of) for name in ("by-axis", "bands-in-slots")),
        ("by-axis", "cube", lexicon_by_npmi),
    ],
)
def test_a_language_with_noise_comes_back(name, game, read):
    recall, precision = analysed(name, GAMES[game], 200_000, 0.1, read)
    assert recall >= 0.95
    assert precision >= 0.95


def test_a_random_language_has_no_lexicon():
    episodes = draw_episodes(PAPER, 20_000, np.random.default_rng(0))
    recording = record(RandomSender(PAPER, np.random.default_rng(1)), None, episodes, PAPER)
    assert not lexicon_by_npmi(count(recording)).entries


def test_the_ceiling_is_what_words_for_integers_reach():
    language = LANGUAGES["compositional"](PAPER, np.random.default_rng([1, 0]))
    episodes = draw_episodes(PAPER, 50_000, np.random.default_rng([1, 1]))
    words = lexicon_by_npmi(count(record(language, None, episodes, PAPER)), threshold=0.3).of_kind("integer")
    found = [word.npmi for word in words if (word.form, word.meanings[0]) in language.truth]
    assert len(found) == 60
    assert np.mean(found) == pytest.approx(integer_word_ceiling(PAPER), abs=0.01)


@pytest.mark.parametrize("num_visible", [None, 2])
def test_a_lexicon_of_a_grid_speaks_and_reads(num_visible, tmp_path):
    """The oracle's lexicon, written and read again, says something true and reads every message."""
    game = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2)
    game = replace(game, num_visible=num_visible)
    episodes = draw_episodes(game, 20_000, np.random.default_rng(0))
    recording = record(OracleSender(game), None, episodes, game)
    lexicon_by_npmi(count(recording), threshold=0.3).write(tmp_path / "lexicon.json")
    lexicon = Lexicon.read(tmp_path / "lexicon.json")
    some = episodes[:500]
    decoded = Decoder(lexicon).decode(OracleSender(game).send(some.window), some.sequence, some.candidates)
    assert (decoded.choice == some.target_index).mean() > 0.99
    said = Composer(lexicon).compose(some.window)
    assert said.coverage > 0.99
    chosen = OracleReceiver(game).choose(said.message, some.sequence, some.candidates)
    assert (chosen == some.target_index).mean() > 0.99
