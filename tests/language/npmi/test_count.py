"""Which integer n-gram of a message gives the offset, by hand."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.ngrams import NGram, table_of
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.count import count_offsets
from spatial_game.language.npmi.referents import Integers
from spatial_game.recording import Recording

CONFIG = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=4, message_length=3)
EPISODES = 20
FIRST, THIRD, LAST_TWO = NGram((1,), 0), NGram((3,), 2), NGram((2, 3), 1)


def named(*ngrams):
    """N-grams with the integers that they name and their NPMI."""
    number = len(ngrams)
    often = np.full(number, EPISODES)
    return ScoredAssociations(
        table=table_of([ngram for ngram, _, _ in ngrams], CONFIG.message_length),
        total=EPISODES,
        num_tests=number,
        ngram=np.arange(number),
        referents=Integers(np.array([[integer] for _, integer, _ in ngrams])),
        joint=often,
        ngram_total=often,
        referent_total=often,
        raw_npmi=np.array([npmi for _, _, npmi in ngrams]),
        p_value=np.zeros(number),
        q_value=np.zeros(number),
    )


@pytest.mark.parametrize(
    ("ngrams", "offset", "beside"),
    [
        ([(FIRST, 4, 0.8), (THIRD, 6, 0.9)], 1, {1, 2}),  # the highest NPMI
        ([(FIRST, 4, 0.9), (LAST_TWO, 6, 0.9)], 1, {1}),  # then the longest
        ([(THIRD, 6, 0.9), (FIRST, 4, 0.9)], -1, {2, 3}),  # then the leftmost
        ([(FIRST, 5, 0.9), (THIRD, 6, 0.8)], 1, {1, 2}),  # 5 is not visible
    ],
)
def test_the_best_ngram_whose_integer_is_visible_gives_the_offset(ngrams, offset, beside):
    """All messages are 1 2 3, and all windows show 4 one left and 6 one right."""
    window, message = (np.tile(row, (EPISODES, 1)).astype(np.int16) for row in ([4, -1, 6], [1, 2, 3]))
    found = count_offsets(count(Recording(CONFIG, window=window, message=message)), named(*ngrams), 1)
    assert {CONFIG.offsets[number] for number in found.referents.offset.tolist()} == {offset}
    assert {symbol for ngram in found.ngrams.symbols.tolist() for symbol in ngram if symbol >= 0} == beside
    assert {*found.joint.tolist(), *found.ngram_total.tolist(), found.total} == {EPISODES}


def test_an_episode_without_a_named_integer_that_is_visible_does_not_count():
    window, message = (np.tile(row, (EPISODES, 1)).astype(np.int16) for row in ([4, -1, 6], [1, 2, 3]))
    found = count_offsets(count(Recording(CONFIG, window=window, message=message)), named((FIRST, 5, 0.9)), 1)
    assert (len(found), found.total) == (0, 0)
