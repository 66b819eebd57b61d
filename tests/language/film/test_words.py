"""Words of known languages: when they appear, drift and die."""

import numpy as np
import pytest
from changing_language import MESSAGES, lexicons

from spatial_game.language.film.words import SAME_USE, Stay, Word, story, words

TIMES = ("0", "500", "1,000", "1,500")


@pytest.fixture(scope="module")
def found():
    return {word.form: word for word in words(lexicons(), MESSAGES)}


def test_a_word_appears_and_drifts(found):
    word = found["[20, 21, 22]"]
    assert [stay.meaning for stay in word.stays] == ["3 one left", "3-5 one left"]
    assert [(stay.first, stay.last) for stay in word.stays] == [(2, 2), (3, 3)]
    assert word.episodes == sum(int((frame == [20, 21, 22]).all(axis=1).sum()) for frame in MESSAGES[2:])
    assert story(word, TIMES, "step") == "3 one left, step 1,000; then 3-5 one left"


def test_backwards_it_shrinks_and_dies():
    found = {word.form: word for word in words(lexicons()[::-1], MESSAGES[::-1])}
    assert (
        story(found["[20, 21, 22]"], TIMES, "step") == "3-5 one left, until step 0; then 3 one left, step 500"
    )


def test_words_of_a_language_that_composes_stay(found):
    assert found["[6, m2, m3]"].stays == (Stay("6 near the target", 1, 3),)
    assert found["[m1, 1, m3]"].stays == (Stay("what is named is one left", 1, 3),)


def test_stays_are_those_of_the_slow_twin(found):
    """A slow twin: sets of windows, form by form."""
    forms = {}
    for frame, (lexicon, message) in enumerate(zip(lexicons(), MESSAGES.tolist(), strict=True)):
        for entry in lexicon.listed:
            used = {row for row, sent in enumerate(message) if stands(entry.form, sent)}
            forms.setdefault(entry.form.pattern(3), []).append((frame, used))
    for form, uses in forms.items():
        begins, last = [uses[0]], [uses[0][0]]
        for frame, used in uses[1:]:
            kept = len(begins[-1][1] & used) > SAME_USE * len(begins[-1][1] | used)
            if not kept:
                begins.append((frame, used))
                last.append(frame)
            last[-1] = frame
        stays = [(first, end) for (first, _), end in zip(begins, last, strict=True)]
        assert [(stay.first, stay.last) for stay in found[form].stays] == stays, form


def stands(form, message):
    """Return whether a form stands in a message, slot by slot."""
    starts = range(4 - len(form.symbols)) if form.slot is None else [form.slot]
    return any(
        all(symbol in (None, message[start + i]) for i, symbol in enumerate(form.symbols)) for start in starts
    )


@pytest.mark.parametrize(
    ("stays", "expected"),
    [
        ([Stay("a", 0, 3)], "a, always"),
        ([Stay("a", 0, 1)], "a, until step 500"),
        ([Stay("a", 1, 3)], "a, from step 500 on"),
        ([Stay("a", 1, 2), Stay("b", 3, 3)], "a, steps 500 to 1,000; then b"),
        ([Stay("a", 1, 1), Stay("b", 2, 2)], "a, step 500; then b, step 1,000"),
    ],
)
def test_stories(stays, expected):
    assert story(Word("[1, 2, 3]", tuple(stays), 9), TIMES, "step") == expected


def test_a_silent_language_has_no_words():
    silent = np.stack([MESSAGES[0], MESSAGES[0]])
    both = lexicons()[:1] * 2
    assert [word for word in words(both, silent) if word.stays[0].meaning.endswith("left")] == []
