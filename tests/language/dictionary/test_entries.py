"""Entries: in words, in files, and the rules that follow from their confidence."""

import numpy as np
import pytest
from lexicons import entry, senses
from windows import SMALL, all_windows

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import EDGE, edge_values
from spatial_game.language.dictionary.entries import Entry, Sense, rules_from_confidence
from spatial_game.language.meaning import Meaning


def test_words_as_in_the_papers_table_3():
    entries = [
        (Form((11, 11, 11), 0), Meaning(EDGE, ("begin",)), "[11, 11, 11]", "begin"),
        (Form((12, 16, 14), 0), Meaning(-1, (15,)), "[12, 16, 14]", "15 is 1 left of target"),
        (Form((7,), 0), Meaning(2, ()), "[7, m2, m3]", "? is 2 right of target"),
        (Form((0, 2), 1), Meaning(None, (18,)), "[m1, 0, 2]", "integer 18"),
        (Form((8,), None), Meaning(None, (1, 5)), "[.. 8 ..]", "integer 1 or 5"),
    ]
    for form, referent, pattern, words in entries:
        assert (form.pattern(3), str(referent)) == (pattern, words)


@pytest.mark.parametrize(
    "referent",
    [
        Meaning(EDGE, ("end-1",)),
        Meaning(None, (1, 5)),
        Meaning(2, ()),
        (Meaning(EDGE, ("end",)), Meaning(-1, (4, 6))),
        [Meaning(EDGE, ("begin",)), Meaning(2, (4,))],
    ],
)
def test_an_entry_is_read_as_it_was_written(referent):
    config = GameConfig(20)
    bare = Entry(Form((1, None, 2), 0), senses(referent), 0.5, 1.0, 10, 0.0, 0.0, interval=(0.4, 0.6))
    [whole] = rules_from_confidence([bare], config)
    assert whole.rules
    assert Entry.from_dict(whole.to_dict(config), config) == whole


def test_the_rules_of_an_entry_follow_from_its_confidence():
    begin, two, word, offset, foreign = (
        entry([1], 0, referent, confidence=0.64, count=64)
        for referent in (
            Meaning(EDGE, ("begin",)),
            (Meaning(-1, (1, 2)), Meaning(1, (4,))),
            Meaning(None, (3, 9)),
            Meaning(2, ()),
            Meaning(1, (9,)),
        )
    )
    found = [e.rules for e in rules_from_confidence([begin, two, word, offset, foreign], SMALL)]
    sure = 64.5 / 101
    windows = [*all_windows(SMALL)]
    [rule] = found[0]
    assert (rule.place, rule.values) == (len(SMALL.offsets), (edge_values(SMALL)[0],))
    assert (rule.probability, rule.expected) == pytest.approx((sure, 1 / 5))
    left, right = found[1]
    assert [(r.place, r.values) for r in (left, right)] == [(1, (1, 2)), (2, (4,))]
    for rule, values, where in ((left, (1, 2), -1), (right, (4,), 1)):
        share = sum(s for w, s in windows if holds_in(Meaning(where, values), w))
        assert (rule.probability, rule.expected) == pytest.approx((sure**0.5, share))
    [rule] = found[2]
    assert (rule.is_word, rule.values, rule.strength) == (True, (3,), 0.9)
    [rule] = found[3]
    assert (rule.is_offset, rule.place, rule.strength) == (True, SMALL.offsets.index(2), 0.9)
    assert found[4] == ()


def test_a_rule_of_several_senses_has_the_share_of_those_that_speak_of_its_place():
    meant = [(Meaning(-1, (1, 2)), Meaning(1, (0,))), (Meaning(-1, (3,)),), (Meaning(EDGE, ("end",)),)]
    bare = Entry(Form((1,), 0), tuple(map(Sense, meant, (0.5, 0.3, 0.2))), 0.5, 0.9, 90, 0.0, 0.0)
    [entry] = rules_from_confidence([bare], SMALL)
    found = {rule.place: (rule.values, rule.probability) for rule in entry.rules}
    left, right, edge = SMALL.offsets.index(-1), SMALL.offsets.index(1), len(SMALL.offsets)
    assert found[left] == ((1, 2, 3), pytest.approx(80.5 / 101))
    assert found[right] == ((0,), pytest.approx(50.5 / 101))
    assert found[edge][1] == pytest.approx(20.5 / 101)


def holds_in(referent, window):
    return referent.holds(SMALL, np.array([window]))[0]
