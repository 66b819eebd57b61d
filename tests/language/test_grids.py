"""The analyser on grids, and on windows seen in part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from columns import column_meaning
from lexicons import recovered

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.windows import cells_at_offsets
from spatial_game.language import count
from spatial_game.language.association import integer_word_ceiling
from spatial_game.language.counting.places import (
    EDGE,
)
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.wording import edge_in_words, place_in_words
from spatial_game.language.meaning import Meaning
from spatial_game.language.measures import all_measures
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.recording import Recording, record

GAMES = {
    "grid": GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2),
    "seen in part": GameConfig(8, num_distractors=2, vocab_size=20, message_length=2, num_visible=1),
    "grid seen in part": GameConfig(
        shape=(3, 4), window_radius=1, num_distractors=2, vocab_size=20, message_length=2, num_visible=2
    ),
    "cube": GameConfig(shape=(3, 3, 3), window_radius=1, num_distractors=2, vocab_size=20, message_length=3),
}


def oracle_recording(game: GameConfig, size: int) -> Recording:
    episodes = draw_episodes(game, size, np.random.default_rng(0))
    return record(OracleSender(game), None, episodes, game)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_counts_are_those_of_a_loop(game: GameConfig) -> None:
    """The table counts each cell that is seen, by what the episode itself says of its place."""
    episodes = draw_episodes(game, 200, np.random.default_rng(0))
    counts = count(record(OracleSender(game), None, episodes, game))
    totals = np.asarray(counts.table.sum(axis=0)).reshape(-1)
    neighbours = np.column_stack([episodes.sequence, np.full(200, -9)])[
        np.arange(200)[:, None], cells_at_offsets(game)[episodes.target_position]
    ]
    for column, found in enumerate(totals.tolist()):
        edge, value, offset = column_meaning(game, column)
        if offset is None:
            assert found == sum(game.edges[mask] == edge for mask in episodes.mask_column)
            continue
        there = neighbours[:, game.offsets.index(offset)] == value
        assert found == sum(value in window for window in episodes.window[there])


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_measures_of_grids(game: GameConfig) -> None:
    few = {"num_shuffles": 1, "max_pairs": 2_000}
    measures = all_measures(oracle_recording(game, 400), np.random.default_rng(0), **few)
    found = {m.name: m.value for m in measures}
    assert found["different messages"] is not None
    assert found["different messages"] > 1


def test_words_for_two_axes() -> None:
    assert place_in_words((-2, 1)) == "one right and two up"
    assert place_in_words((1, 0)) == "one down"
    assert place_in_words((-1, 0, 1)) == "at (-1, 0, 1)"
    assert place_in_words(-2) == "two left"
    assert str(Meaning((-2, 1), (18,))) == "18 is 1 right and 2 up"
    assert str(Meaning((0, -1), ())) == "? is 1 left"
    assert edge_in_words("top left") == "the target is at the top and at the left"
    assert edge_in_words("top+1 left") == "the target is second from the top and at the left"
    assert edge_in_words("bottom-1") == "the target is second from the bottom"
    assert edge_in_words("(begin, middle, end)") == "the target is at (begin, middle, end)"


def test_meanings_in_files() -> None:
    grid = GAMES["grid"]
    for referent in (Meaning((-1, 1), (3, 4)), Meaning((0, 2), ()), Meaning(EDGE, ("top left",))):
        assert Meaning.from_dict(referent.to_dict(), grid) == referent
    for place in (1, [0, 0], [3, 0], [0, True], [1], "left"):
        with pytest.raises(ValueError, match=r"place must be 'edge', null or in .*; got"):
            Meaning.from_dict({"place": place, "values": [1]}, grid)


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


@pytest.mark.parametrize("name", ["grid", "grid seen in part"])
def test_a_lexicon_of_a_grid_speaks_and_reads(name: str, tmp_path: Path) -> None:
    """The oracle's lexicon, written and read again, says something true and reads every message."""
    game = GAMES[name]
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


def test_a_lexicon_of_another_shape_is_refused() -> None:
    game = GAMES["grid"]
    lexicon = lexicon_by_npmi(count(oracle_recording(game, 500)))
    with pytest.raises(ValueError, match=r"shape must be \(3, 4\), as it was made for; got \(4, 3\)"):
        Composer(lexicon, replace(game, shape=(4, 3)))
