"""Meanings in words."""

import pytest
from lexicons import entry

from spatial_game.language.dictionary.referents import Conjunction, Edge, Either, Integer, IntegerAt, Offset
from spatial_game.language.dictionary.words import Words, edge_in_words, set_in_short, set_kind

LONG = tuple(range(0, 40, 2))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("begin", "the target is the first"),
        ("begin+2", "the target is the third"),
        ("begin+8", "the target is number 9"),
        ("end", "the target is the last"),
        ("end-1", "the target is the second last"),
        ("end-8", "the target is number 9 from the end"),
        ("middle", "the target is not near an end"),
    ],
)
def test_edges_in_words(name, words):
    assert edge_in_words(name) == words


def test_classes_are_sets_that_several_entries_share():
    once = tuple(range(1, 60, 3))
    words = Words([entry([k], 0, IntegerAt(LONG, k)) for k in (-2, 2)] + [entry([3], 0, IntegerAt(once, 1))])
    assert words.legend == [f"class A: {', '.join(map(str, LONG[:-1]))} or 38"]
    assert words.of(IntegerAt(LONG, 1)) == "class A one right"
    assert words.of(IntegerAt(once, 1)) == "one of 20 integers one right"


@pytest.mark.parametrize(
    ("referent", "words"),
    [
        (IntegerAt((18, 40, 47), -1), "18, 40 or 47 one left"),
        (IntegerAt((5, 6), 3), "5 or 6 three right"),
        (Integer((7,)), "7 near the target"),
        (Offset(-2), "what is named is two left"),
        (Conjunction((Edge("end"), IntegerAt((4,), -1))), "the target is the last and 4 one left"),
        (Either((Edge("end"), Edge("begin"))), "the target is the last (60%) or the first (30%)"),
        (Either((IntegerAt((3,), -1), Edge("end"))), "3 one left (60%) or the target is the last (30%)"),
        (
            Either((Conjunction((Edge("end"), IntegerAt((4,), -1))), IntegerAt((6,), 1))),
            "the target is the last and 4 one left (60%), or 6 one right (30%)",
        ),
    ],
)
def test_meanings_in_words(referent, words):
    shares = (0.6, 0.3) if isinstance(referent, Either) else (0.9,)
    assert Words([]).of(referent, shares) == words


def test_sets_in_short():
    assert [set_in_short(values) for values in ((18,), (18, 40), tuple(range(20, 33)), LONG)] == [
        "18", "18/40", "20-32", "20 integers",
    ]  # fmt: skip
    assert [set_kind(values) for values in ((), (3,), (3, 4), (3, 5), LONG)] == [
        "nothing", "integer", "band", "set", "class",
    ]  # fmt: skip
