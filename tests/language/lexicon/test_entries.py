"""Entries: in words, in files, and what their rules lead to expect."""

import numpy as np
import pytest
from lexicons import entry
from windows import SMALL, all_windows

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import EDGE
from spatial_game.language.lexicon.entries import Entry, Rule, Sense, expected_of
from spatial_game.language.lexicon.meaning import Meaning


def test_words_as_in_the_papers_table_3():
    entries = [
        (Form((11, 11, 11), 0), Meaning(EDGE, ("begin",)), "[11, 11, 11]", "begin"),
        (Form((12, 16, 14), 0), Meaning(-1, (15,)), "[12, 16, 14]", "15 is 1 left of target"),
        (Form((7,), 0), Meaning(2, ()), "[7, m2, m3]", "? is 2 right of target"),
        (Form((0, 2), 1), Meaning(None, (18,)), "[m1, 0, 2]", "integer 18"),
        (Form((7,), 0), Meaning((0, -1), ()), "[7, m2, m3]", "? is 1 left"),
        (Form((7,), 2), Meaning((-2, 1), (18,)), "[m1, m2, 7]", "18 is 1 right and 2 up"),
        (Form((8,), None), Meaning(None, (1, 5)), "[.. 8 ..]", "integer 1 or 5"),
    ]
    for form, referent, pattern, words in entries:
        assert (form.pattern(3), str(referent)) == (pattern, words)


@pytest.mark.parametrize(
    "meant",
    [
        Meaning(EDGE, ("end-1", "end")),
        Meaning(None, (1, 5)),
        Meaning(2, ()),
        (Meaning(EDGE, ("end",)), Meaning(-1, (4, 6))),
        [Meaning(EDGE, ("begin",)), Meaning(2, (4,))],
    ],
)
def test_an_entry_is_read_as_it_was_written(meant):
    whole = entry([1, None, 2], 0, meant)
    assert Entry.from_dict(whole.to_dict(), GameConfig(20)) == whole


def test_what_a_game_leads_to_expect_is_how_often_a_meaning_holds_in_it():
    left = Meaning(-1, (1, 2))
    share_of_left = sum(share for w, share in all_windows(SMALL) if left.holds(SMALL, np.array([w]))[0])
    for meaning, expected in (
        (Meaning(EDGE, ("begin",)), 1 / 5),
        (left, share_of_left),
        (Meaning(None, (3, 9)), 0.0),
        (Meaning(2, ()), 0.0),
        (Meaning(1, (9,)), 0.0),
    ):
        assert expected_of(meaning, SMALL) == pytest.approx(expected)


def test_alternatives_are_meanings_that_do_not_hold_together():
    sure, left, right = Meaning(EDGE, ("end",)), Meaning(-1, (1, 2)), Meaning(1, (0,))
    one = entry([1], 0, [(sure, left), (sure, right)], confidence=0.9)
    assert one.senses == (Sense((sure, left), 0.45), Sense((sure, right), 0.45))
    together = entry([1], 0, (sure, left, right), confidence=0.9)
    assert together.senses == (Sense((sure, left, right), 0.9),)
    assert one.kind == together.kind == "conjunction"
    assert one.meaning == "end and 1 or 2 is 1 left of target or end and 0 is 1 right of target"


def test_rules_about_one_place_say_what_they_have_in_common():
    rules = [Rule(Form((1,), 0), Meaning(-1, values), 0.9, 0.1) for values in ((1, 2, 3), (2, 3, 4))]
    assert Entry(Form((1,), 0), tuple(rules), 0.5, 1.0, 10, 0.0, 0.0).meanings == ((Meaning(-1, (2, 3)),),)
