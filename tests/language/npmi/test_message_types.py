"""Which messages are of which type, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.ngrams import NGram, table_of
from spatial_game.language.npmi.analysis import npmi_table
from spatial_game.language.npmi.message_types import messages_of_type
from spatial_game.recording import Recording

EDGE, MIDDLE = [-1, 3, 4], [3, -1, 4]


def types_of(rows, message_length):
    """The types of a recording: rows of window, message and number of episodes."""
    config = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=4, message_length=message_length)
    window, message = (
        np.repeat([row[part] for row in rows], [row[2] for row in rows], axis=0).astype(np.int16)
        for part in (0, 1)
    )
    return npmi_table(count(Recording(config, window=window, message=message)), threshold=0).types


@pytest.mark.parametrize(
    ("message", "elsewhere", "reserved"),
    [
        ([1, 1], [2, 2], 1),
        ([1, 2], [2, 2], 0),  # two symbols
        ([1, 1], [1, 2], 0),  # its symbol is sent elsewhere, too
        ([1], [2], 0),  # nothing is repeated
    ],
)
def test_a_reserved_message_repeats_a_symbol_that_is_sent_only_at_edges(message, elsewhere, reserved):
    types = types_of([(EDGE, message, 50), (MIDDLE, elsewhere, 50)], len(message))
    assert (types["positional"].messages, types["reserved"].messages) == (1, reserved)
    assert types["positional"].episodes == 0.5


def test_a_symbol_that_is_sent_elsewhere_now_and_then_is_not_reserved():
    types = types_of([(EDGE, [1, 1], 45), (MIDDLE, [1, 1], 5), (MIDDLE, [2, 2], 50)], 2)
    assert (types["positional"].messages, types["reserved"].messages) == (1, 0)


def test_without_episodes_no_message_is_of_any_type():
    types = types_of([(EDGE, [1, 1], 1)], 2)
    assert {share.messages for share in types.values()} == {0}
    config = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=4, message_length=2)
    nothing = Recording(config, window=np.zeros((0, 3), np.int16), message=np.zeros((0, 2), np.int16))
    assert {share.episodes for share in npmi_table(count(nothing)).types.values()} == {0.0}


def test_a_composed_message_has_an_integer_and_an_offset_side_by_side_in_either_order():
    """Symbol 2 names an integer and symbol 1 an offset, in any slot; no whole message refers to anything."""
    config = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=4, message_length=2)
    message = np.array([[1, 1], [1, 2], [2, 1], [2, 2], [3, 3]], np.int16)
    window = np.tile(np.array(MIDDLE, np.int16), (len(message), 1))

    def named(*ngrams):
        return SimpleNamespace(ngrams=table_of([*ngrams], 2), ngram=np.zeros(0, int))

    parts = {"integer": named(NGram((2,), None)), "offset": named(NGram((1,), None))}
    parts |= {"edge": named(), "integer_at": named()}
    found = messages_of_type(count(Recording(config, window=window, message=message)), parts)
    assert found["compositional_integer"].tolist() == [False, True, True, True, False]
    assert found["compositional_positional"].tolist() == [False, True, True, False, False]
    assert found["readable"].tolist() == [False, True, True, False, False]
