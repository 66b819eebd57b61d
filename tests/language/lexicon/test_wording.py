"""Meanings in words."""

import pytest
from lexicons import entry

from spatial_game.language.counting.places import EDGE
from spatial_game.language.lexicon.meaning import Meaning
from spatial_game.language.lexicon.wording import Words, edge_in_words, set_kind

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
        ("top left", "the target is at the top and at the left"),
        ("top+1 left", "the target is second from the top and at the left"),
        ("bottom-1", "the target is second from the bottom"),
        ("(begin, middle, end)", "the target is at (begin, middle, end)"),
    ],
)
def test_edges_in_words(name, words):
    assert edge_in_words(name) == words


def test_classes_are_sets_that_several_entries_share():
    once = tuple(range(1, 60, 3))
    words = Words([entry([k], 0, Meaning(k, LONG)) for k in (-2, 2)] + [entry([3], 0, Meaning(1, once))])
    assert words.legend == [f"class A: {', '.join(map(str, LONG[:-1]))} or 38"]
    assert words.of((Meaning(1, LONG),)) == "class A one right"
    assert words.of((Meaning(1, once),)) == "one of 20 integers one right"


@pytest.mark.parametrize(
    ("referent", "words"),
    [
        (Meaning(-1, (18, 40, 47)), "18, 40 or 47 one left"),
        (Meaning(3, (5, 6)), "5 or 6 three right"),
        (Meaning((-2, 1), (18,)), "18 one right and two up"),
        (Meaning((1, 0), (18,)), "18 one down"),
        (Meaning((-1, 0, 1), (18,)), "18 at (-1, 0, 1)"),
        (Meaning(None, (7,)), "7 near the target"),
        (Meaning(-2, ()), "what is named is two left"),
        ((Meaning(EDGE, ("end",)), Meaning(-1, (4,))), "the target is the last and 4 one left"),
        (
            Meaning(EDGE, ("end", "begin")),
            "the target is the last or the first",
        ),
        (
            [Meaning(-1, (3,)), Meaning(EDGE, ("end",))],
            "3 one left (60%) or the target is the last (30%)",
        ),
        (
            [(Meaning(EDGE, ("end",)), Meaning(-1, (4,))), Meaning(1, (6,))],
            "the target is the last and 4 one left (60%), or 6 one right (30%)",
        ),
    ],
)
def test_meanings_in_words(referent, words):
    meant = entry([1], 0, referent).meanings
    shares = (0.6, 0.3) if len(meant) > 1 else (0.9,)
    assert Words([]).of(*meant, shares=shares) == words


def test_the_kinds_of_sets():
    assert [set_kind(values) for values in ((), (3,), (3, 4), (3, 5), LONG)] == [
        "nothing", "integer", "band", "set", "class",
    ]  # fmt: skip
