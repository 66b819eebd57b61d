"""What a function of the analyser takes, and what it says of anything else."""

import numpy as np
import pytest

from spatial_game import GameConfig, OracleSender, draw_episodes, record
from spatial_game.language import (
    Reader,
    Speaker,
    build_dictionary,
    compare,
    count,
    message_entries,
    npmi_table,
    symbol_entries,
)
from spatial_game.language.dictionary.interpreter import interpreter

EPISODES = draw_episodes(GameConfig(), 10, np.random.default_rng(0))
RECORDING = record((OracleSender(GameConfig()), None), EPISODES)
OF_A_DICTIONARY = (Reader, Speaker, symbol_entries, message_entries, interpreter)


def give_twice(given):
    return compare(given, given)


@pytest.mark.parametrize(
    ("functions", "given", "error"),
    [
        ((build_dictionary, npmi_table, give_twice), RECORDING, r"counts must be Counts, as count\("),
        (OF_A_DICTIONARY, "a.json", "dictionary must be Dictionary, as"),
        (OF_A_DICTIONARY, count(RECORDING), "dictionary must be Dictionary"),
        ((count,), "play.parquet", r"recording must be .* \(count_files takes names of files\); got"),
        ((count,), ["play.parquet"], r"recording must be .* \(count_files takes names of files\); got"),
    ],
)
def test_what_a_function_takes_is_named(functions, given, error):
    for function in functions:
        with pytest.raises(TypeError, match=f"^{error}"):
            function(given)
