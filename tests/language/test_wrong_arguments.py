"""What a function of the analyser takes, and what it says of anything else."""

from pathlib import Path

import numpy as np
import pytest

from spatial_game import GameConfig, OracleSender, draw_episodes, record
from spatial_game.language import (
    Reader,
    Speaker,
    compare,
    count,
    letter_entries,
    letters_and_words,
    npmi_table,
    word_entries,
    write_lexicon,
)
from spatial_game.language.dictionary.interpreter import interpreter

EPISODES = draw_episodes(GameConfig(), 10, np.random.default_rng(0))
RECORDING = record(OracleSender(GameConfig()), None, EPISODES)


@pytest.mark.parametrize("function", [letters_and_words, npmi_table, lambda given: compare(given, given)])
def test_counts_are_not_a_recording(function):
    with pytest.raises(TypeError, match=r"^counts must be Counts, as count\(recording\) .*; got Recording$"):
        function(RECORDING)


@pytest.mark.parametrize(
    "function",
    [
        Reader,
        Speaker,
        letter_entries,
        word_entries,
        interpreter,
        lambda given: write_lexicon(given, "a.json"),
    ],
)
def test_a_lexicon_is_neither_its_name_nor_its_counts(function):
    with pytest.raises(TypeError, match=r"^lexicon must be Lexicon, as .* returns; got 'lexicon\.json'$"):
        function("lexicon.json")
    with pytest.raises(TypeError, match=r"^lexicon must be Lexicon, as .* returns; got Counts$"):
        function(count(RECORDING))


@pytest.mark.parametrize("given", ["play.parquet", Path("play.parquet"), ["play.parquet"], None])
def test_a_recording_is_not_its_name(given):
    with pytest.raises(TypeError, match=r"^recording must be .* \(count_files takes names of files\); got"):
        count(given)
