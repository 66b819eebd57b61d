"""No figure in bits is above the entropy of what is told, or of the symbols and messages that tell it."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import build_dictionary, fitted_bits, slot_entropies
from spatial_game.language.dictionary.doubts import ANOTHER_GAME, TARGETS, doubts
from spatial_game.language.page.answers import answers, table_of_slots, warnings
from spatial_game.language.page.content import LEAST_REPEATED, make_page
from spatial_game.recording import Recording


def of_eight_letters(sequence_length, seed=1, number=400):
    """Return counts of 400 messages about two of 30 integers; the target is never near an end."""
    rng = np.random.default_rng(seed)
    window = np.array([np.insert(rng.permutation(30)[:4], 2, -1) for _ in range(number)])
    left, right = window[:, 1], window[:, 3]
    message = np.column_stack([left % 8, left // 8, right % 8]).astype(np.int16)
    return count(Recording(GameConfig(sequence_length, vocab_size=8), window.astype(np.int16), message))


@pytest.mark.parametrize("sequence_length", [30, 60])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_figure_is_above_the_entropy_of_what_is_told_or_tells(sequence_length, seed):
    counts = of_eight_letters(sequence_length, seed)
    dictionary = build_dictionary(counts)
    bits, page = dictionary.bits, make_page(counts, dictionary)
    possible, of_slots = np.array(bits.possible_by_variable), slot_entropies(counts)
    assert (of_slots <= np.array([3, 2, 3]) + 0.05).all()  # estimates
    assert (possible <= np.log2(30) + 0.05).all()
    assert possible[-1] == 0  # all targets are in the middle
    for told in (bits.messages_by_variable, bits.symbols_by_variable):
        assert (told <= np.minimum(possible, bits.entropy)).all()
    assert (np.array(bits.slots_by_variable) <= np.minimum.outer(of_slots, possible)).all()
    assert max(bits.messages, bits.symbols, fitted_bits(dictionary, counts)) <= bits.entropy
    assert (np.array(page.prefixes.alone) <= of_slots).all()
    assert page.prefixes.bits[-1] == bits.messages
    assert not page.repeats
    assert table_of_slots(page).rows[0][1] == table_of_slots(page).rows[0][2]  # nothing stands before slot 1


def test_integers_that_the_game_would_not_draw_are_of_another_game_and_no_figure_stands():
    counts = of_eight_letters(60)
    assert ANOTHER_GAME in doubts(build_dictionary(counts), counts)
    assert not any("These stand" in text for text in warnings(make_page(counts)))


def test_targets_that_are_never_near_an_end_are_told_apart_from_those_of_the_game():
    counts = of_eight_letters(30)
    found = doubts(build_dictionary(counts), counts)
    assert found.keys() == {TARGETS}
    assert "0.0% are near an end, instead of 13.3%" in found[TARGETS]


def test_independent_symbols_are_not_said_to_tell_some_of_it_twice_though_few_episodes_let_it_seem_so():
    page = make_page(of_eight_letters(30, seed=2, number=150))
    assert sum(page.prefixes.alone) > sum(page.prefixes.added) + LEAST_REPEATED
    assert not page.repeats
    said = next(each for each in answers(page) if each.question == "How is it built?")
    assert "twice" not in said.answer
    assert "This was measured on 15 held-out episodes" in said.sentence
