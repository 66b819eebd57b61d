"""The analyser on grids, and on windows seen in part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lexicons import recovered

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.language import count
from spatial_game.language.association import integer_word_ceiling
from spatial_game.language.counting.places import (
    EDGE,
)
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.meaning import Meaning
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.language.players import Composer, Decoder
from spatial_game.recording import record

GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2)


def test_meanings_in_files() -> None:
    for referent in (Meaning((-1, 1), (3, 4)), Meaning((0, 2), ()), Meaning(EDGE, ("top left",))):
        assert Meaning.from_dict(referent.to_dict(), GRID) == referent
    for place in (1, [0, 0], [3, 0], [0, True], [1], "left"):
        with pytest.raises(ValueError, match=r"place must be 'edge', null or in .*; got"):
            Meaning.from_dict({"place": place, "values": [1]}, GRID)


SMALL = GameConfig(shape=(5, 6), window_radius=1, num_distractors=2, message_length=4)
BIG = GameConfig(shape=(8, 8), window_radius=1, message_length=4)
CUBE = GameConfig(shape=(4, 4, 4), window_radius=1, vocab_size=50, message_length=5)


def read(
    name: str, game: GameConfig, size: int, noise: float = 0.0, select: str = "npmi"
) -> tuple[float, float]:
    """Return recall and precision of what is found of a known language."""
    language = LANGUAGES[name](game, np.random.default_rng([1, 0]), noise=noise)
    episodes = draw_episodes(game, size, np.random.default_rng([1, 1]))
    counts = count(record(language, None, episodes, game))
    threshold = 0.75 * integer_word_ceiling(game)
    by_npmi = select == "npmi"
    lexicon = lexicon_by_npmi(counts, threshold=threshold) if by_npmi else dictionary_of(counts)
    return recovered(lexicon, language, episodes[:20_000])


@pytest.mark.parametrize(
    ("name", "game", "select"),
    [
        ("by-axis", SMALL, "npmi"),
        ("by-axis", SMALL, "description"),
        ("by-axis", replace(BIG, num_visible=1), "npmi"),
        ("by-axis", CUBE, "npmi"),
        ("by-axis", GameConfig(20), "npmi"),
        ("holistic", SMALL, "npmi"),
        ("edges-only", SMALL, "npmi"),
        ("edges-only", CUBE, "npmi"),
        ("bands-in-slots", SMALL, "description"),
    ],
)
def test_known_languages_come_back(name: str, game: GameConfig, select: str) -> None:
    size = 40_000 if game is CUBE and name == "by-axis" else 20_000
    assert read(name, game, size, select=select) == (1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "game", "select"),
    [
        ("by-axis", BIG, "npmi"),
        ("by-axis", BIG, "description"),
        ("by-axis", CUBE, "npmi"),
        ("holistic", BIG, "npmi"),
        ("edges-only", BIG, "npmi"),
        ("bands-in-slots", BIG, "description"),
    ],
)
def test_known_languages_come_back_through_noise(name: str, game: GameConfig, select: str) -> None:
    recall, precision = read(name, game, 200_000, 0.1, select)
    assert recall >= 0.95
    assert precision >= 0.95


@pytest.mark.parametrize("game", [GRID, replace(GRID, num_visible=2)], ids=["whole", "in part"])
def test_a_lexicon_of_a_grid_speaks_and_reads(game: GameConfig, tmp_path: Path) -> None:
    """The oracle's lexicon, written and read again, says something true and reads every message."""
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
