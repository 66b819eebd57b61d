"""Each member of a set is true: known languages, at three sizes."""

import numpy as np
import pytest
from known_languages import KnownLanguage, Saying, joined

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language import count, letter_entries, build_dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.recording import Recording

CONFIG = GameConfig()
NUMBER, NEAR, EDGES = np.arange(60), (-2, -1, 1, 2), np.repeat(np.arange(4)[:, None], 3, axis=1)


def digits(order, noise=0.0):
    """A symbol for the offset, one for the tens and one for the units of the integer there."""

    def say(offset):
        parts = np.stack([np.full(60, 4 + offset), 8 + NUMBER // 10, 14 + NUMBER % 10], axis=1)
        return parts[:, order].astype(np.int16)

    return spoken([Saying(0.25, (offset,), say(i)) for i, offset in enumerate(NEAR)], noise)


def classes():
    """In each slot the class of one neighbour, one of six."""
    first, second, third = (4 + 6 * slot + NUMBER * 7 % 60 // 10 for slot in range(3))
    return spoken([Saying(1.0, (-1, 1, -2), joined(*crossed(first, second, third)))])


def homonyms():
    """A message for one integer one left or for another one right."""
    words = table(60)
    return spoken([Saying(0.5, (-1,), words), Saying(0.5, (1,), np.roll(words, 1, axis=0))])


def sums():
    """A message for the sum of two neighbours: it says nothing of one of them."""
    return spoken([Saying(1.0, (-1, 1), table(60)[(NUMBER[:, None] + NUMBER) % 60])])


def crossed(*parts):
    for axis, part in enumerate(parts):
        yield part.reshape(*(-1 if axis == other else 1 for other in range(len(parts))), 1)


def table(number):
    codes = np.random.default_rng(1).choice(22**3, number, replace=False)
    return (4 + codes[:, None] // 22 ** np.arange(3) % 22).astype(np.int16)


def spoken(sayings, noise=0.0):
    fillers = np.arange(4, 26, dtype=np.int16)
    return KnownLanguage(CONFIG, EDGES, tuple(sayings), fillers, noise, np.random.default_rng(2))


LANGUAGES = {
    "digits": lambda: digits([0, 1, 2]),
    "digits in another order": lambda: digits([2, 0, 1]),
    "digits with noise": lambda: digits([0, 1, 2], 0.1),
    "classes": classes,
    "homonyms": homonyms,
    "sums": sums,
}


def dictionary_of(name, number):
    language = LANGUAGES[name]()
    window = draw_episodes(CONFIG, number, np.random.default_rng(number)).window
    return language, build_dictionary(count(Recording(CONFIG, window=window, message=language.send(window))))


def lifts(language, forms):
    """Return how many times likelier each integer (F, O, K) is with messages that `forms` select."""
    window = draw_episodes(CONFIG, 300_000, np.random.default_rng(9)).window
    message, middle = language.send(window), (window == -1).argmax(axis=1) == 2
    found = np.zeros((len(forms), len(NEAR), 60))
    for row, form in enumerate(forms):
        chosen = window[form(message) & middle]
        for place, cell in enumerate((0, 1, 3, 4)):
            found[row, place] = np.bincount(chosen[:, cell], minlength=60) * 60 / max(len(chosen), 1)
    return found


@pytest.mark.parametrize("number", [5_000, 20_000, 60_000])
@pytest.mark.parametrize("name", LANGUAGES)
def test_at_most_one_in_twenty_members_is_false_and_none_is_lost_of_many_episodes(name, number):
    language, dictionary = dictionary_of(name, number)
    entries = [
        entry for entry in letter_entries(dictionary) if dictionary.config.offsets[entry.place : entry.place + 1]
    ]
    places = [NEAR.index(CONFIG.offsets[entry.place]) for entry in entries if entry.form.symbols[0] >= 4]
    entries = [entry for entry in entries if entry.form.symbols[0] >= 4]
    symbols = {(entry.form.slot, entry.form.symbols[0]) for entry in entries}
    order = sorted(symbols)
    true = lifts(language, [lambda message, f=form: message[:, f[0]] == f[1] for form in order])
    named = np.zeros(true.shape, dtype=bool)
    for entry, place in zip(entries, places, strict=True):
        named[order.index((entry.form.slot, entry.form.symbols[0])), place, list(entry.values)] = True
    assert (named & (true < 1.1)).sum() <= 0.05 * named.sum()
    if number >= 60_000:
        listed = named.any(axis=2, keepdims=True)
        assert (listed & ~named & (true > 1.5)).sum() <= 0.03 * named.sum()


@pytest.mark.parametrize("number", [5_000, 20_000, 60_000])
def test_a_misspelt_message_names_only_what_is_so(number):
    language, dictionary = dictionary_of("digits with noise", number)
    known = language.sayings[1].messages  # of one left
    wrong = known.copy()
    wrong[:, 2] = 8  # no unit
    for reading, whole in zip(interpreter(dictionary).read(wrong), NUMBER, strict=True):
        for statement in (each for sense in reading.senses for each in sense.statements):
            assert CONFIG.offsets[statement.place] != -1 or {*statement.values} <= {
                *range(whole // 10 * 10, whole // 10 * 10 + 10)
            }


@pytest.mark.parametrize("number", [5_000, 20_000, 60_000])
def test_a_message_for_a_sum_says_nothing_of_its_parts(number):
    language, dictionary = dictionary_of("sums", number)
    said = [each.senses for each in interpreter(dictionary).read(language.sayings[0].messages[0])]
    assert not any(said)
