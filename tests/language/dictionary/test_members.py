"""Each member of a set is true: known languages, at three sizes."""

from functools import cache

import numpy as np
import pytest
from plain_languages import NEAR, plain_language

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import build_dictionary, count, symbol_entries
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.readings import UNREAD
from spatial_game.recording import Recording

CONFIG = GameConfig()
NUMBER = np.arange(60)
NAMES = ["digits", "digits by offset", "digits with noise", "classes", "homonyms", "sums"]


def language_of(name):
    return plain_language(name, CONFIG, np.random.default_rng(2))


@cache
def dictionary_of(name, number):
    language = language_of(name)
    window = draw_episodes(CONFIG, number, np.random.default_rng(number)).window
    return language, build_dictionary(count(Recording(CONFIG, window=window, message=language.send(window))))


@cache
def lifts(name):
    """Return how many times likelier each integer (T, S, O, K) is with each symbol in each slot."""
    language, window = language_of(name), draw_episodes(CONFIG, 150_000, np.random.default_rng(9)).window
    message, middle = language.send(window), (window == -1).argmax(axis=1) == 2
    found = np.zeros((3, 26, len(NEAR), 60))
    for slot, place in np.ndindex(3, len(NEAR)):
        cell = window[middle, (0, 1, 3, 4)[place]]
        np.add.at(found[slot, :, place], (message[middle, slot], cell), 60.0)
    return found / np.maximum(found.sum(axis=3, keepdims=True) / 60, 1)


@pytest.mark.parametrize("number", [5_000, 60_000])
@pytest.mark.parametrize("name", NAMES)
def test_at_most_one_in_twenty_members_is_false_and_few_are_lost_of_many_episodes(name, number):
    _, dictionary = dictionary_of(name, number)
    true, named = lifts(name), np.zeros((3, 26, len(NEAR), 60), dtype=bool)
    for entry in symbol_entries(dictionary):
        [symbol] = entry.ngram.symbols
        if symbol >= 4 and entry.index < len(CONFIG.offsets):  # the first four say edges
            named[entry.ngram.slot, symbol, NEAR.index(CONFIG.offsets[entry.index]), list(entry.values)] = (
                True
            )
    assert (named & (true < 1.1)).sum() <= 0.05 * named.sum()
    lost = named.any(axis=3, keepdims=True) & ~named & (true > 1.5)
    assert number < 60_000 or lost.sum() <= 0.03 * named.sum()


@pytest.mark.parametrize("number", [5_000, 20_000, 60_000])
def test_a_misspelt_message_names_only_what_is_so(number):
    language, dictionary = dictionary_of("digits with noise", number)
    known = language.sayings[1].messages  # of one left
    wrong = known.copy()
    wrong[:, 2] = 8  # no unit
    for reading, whole in zip(interpreter(dictionary).read(wrong), NUMBER, strict=True):
        for statement in (each for sense in reading.senses for each in sense.statements):
            assert CONFIG.offsets[statement.index] != -1 or {*statement.values} <= {
                *range(whole // 10 * 10, whole // 10 * 10 + 10)
            }


@pytest.mark.parametrize("number", [5_000, 20_000, 60_000])
def test_a_message_for_a_sum_says_nothing_of_its_parts(number):
    language, dictionary = dictionary_of("sums", number)
    said = [each.senses for each in interpreter(dictionary).read(language.sayings[0].messages[0])]
    assert not any(said)


@pytest.mark.parametrize("number", [20_000, 60_000])
def test_a_message_for_one_of_two_things_is_read_as_one_or_the_other(number):
    language, dictionary = dictionary_of("homonyms", number)
    left, right = (saying.messages for saying in language.sayings)
    means = interpreter(dictionary)
    for integer in (7, 30):
        [other] = np.flatnonzero((right == left[integer]).all(axis=1))
        text = means.text(left[integer])
        assert " and " not in text
        assert f"{integer} one left" in text
        assert f" or {other} one right" in text or text.startswith(f"{other} one right")


def test_a_message_that_was_sent_twice_says_so():
    _, dictionary = dictionary_of("digits with noise", 20_000)
    rare = dictionary.messages[dictionary.episodes == 2]
    means = interpreter(dictionary)
    texts = [reading.text(means.classes) for reading in means.read(rare)]
    said = [text for text in texts if text != UNREAD]
    assert said
    assert all(text.endswith("2 episodes)") or text.startswith("the target is") for text in said)
