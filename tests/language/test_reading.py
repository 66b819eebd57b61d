"""Messages in words: each kind of entry, and agreement with what the analysis says it can read."""

import itertools
import re

import numpy as np
import pytest
from lexicons import entry, lexicon_of

from spatial_agents.pairs.names import PRETRAINED, find_pair
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.language import Lexicon
from spatial_game.language.counting.places import EDGE
from spatial_game.language.lexicon.meaning import Meaning
from spatial_game.language.players import Composer
from spatial_game.language.reading import (
    UNREAD,
    entries_in,
    in_words,
    legend,
    read_messages,
    suggestions,
)

CONFIG = GameConfig(60, vocab_size=9)
LONG, BESIDE = tuple(range(0, 40, 2)), Meaning(-1, (26,))
LEXICON = lexicon_of(
    CONFIG,
    [
        entry([1], 0, Meaning(-2, LONG)),
        entry([2], 0, Meaning(2, LONG)),
        entry([1, 2, 3], 0, (Meaning(-1, (1, 2, 3)), Meaning(1, tuple(range(20, 33))))),
        entry([1, 2], 0, Meaning(-1, tuple(range(10)))),
        entry([5, 5, 5], 0, Meaning(EDGE, ("end-1",))),
        entry([5, 5, 5], None, Meaning(EDGE, ("begin",)), listed=False),
        entry([6], None, Meaning(None, (18, 40))),
        entry([6, 8, 0], 0, Meaning(-1, (18,))),
        entry([7], None, Meaning(2, ())),
        entry([8, 8, 8], 0, [(Meaning(EDGE, ("end",)), Meaning(-1, (4,))), Meaning(1, (6,))]),
        entry([3, 3, 3], 0, (Meaning(EDGE, ("end", "end-1")), BESIDE)),
        entry([3, 3, 4], 0, [(Meaning(-2, (9,)), BESIDE),
                                    (Meaning(EDGE, ("begin+1",)), BESIDE)]),
        entry([4], 2, Meaning(1, (7,))),
        entry([3, 4], 0, Meaning(EDGE, ("end", "end-1"))),
        entry([3, 4, 1], 0, Meaning(EDGE, ("end", "begin"))),
        entry([3, 5], 0, [Meaning(-1, (3,)), Meaning(1, (7,)), Meaning(EDGE, ("end",))]),
        entry([3, 5, 5], 0, Meaning(1, (8,))),
        entry([3, 5, 7], 0, Meaning(-1, (3,))),
        entry([3, 5, 8], 0, Meaning(-1, (3, 4))),
    ],
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ([1, 2, 3], "class A two left and 1-3 one left and 20-32 one right"),
        ([1, 2, 0], "class A two left and 0-9 one left"),
        ([2, 0, 0], "class A two right"),
        ([5, 5, 5], "the target is the second last"),
        ([0, 6, 7], "18 or 40 two right"),
        ([6, 8, 0], "18 one left"),
        ([0, 6, 6], "18 or 40 near the target"),
        ([0, 0, 7], UNREAD),
        ([8, 8, 8], "either the target is the last and 4 one left, or 6 one right"),
        ([3, 3, 3], "the target is the second last or the last and 26 one left"),
        ([3, 3, 4], "26 one left and 7 one right and either 9 two left or the target is the second"),
        ([3, 4, 0], "the target is the second last or the last"),
        ([3, 4, 1], "the target is the last"),
        ([3, 4, 4], "the target is the second last and 7 one right"),
        ([3, 5, 0], "either 3 one left, 7 one right or the target is the last"),
        ([3, 5, 5], "8 one right and 3 one left"),
        ([3, 5, 7], "3 one left"),  # which is one of the alternatives of [3, 5, m3]
        ([3, 5, 8], "3 or 4 one left and either 3 one left, 7 one right or the target is the last"),
    ],
)
def test_a_message_in_words(message, words):
    assert in_words(LEXICON, message) == words
    [statements] = read_messages(LEXICON, np.array([message]))
    held = {each for statement in statements for each in statement.entries}
    assert held <= set(entries_in(LEXICON.listed, np.array(message)))


def test_in_a_grid_an_edge_leaves_out_the_cells_that_it_does_not_have():
    config = GameConfig(shape=(6, 6), window_radius=1, num_distractors=2, vocab_size=9, message_length=2)
    corner = Meaning(EDGE, ("top left",))
    lexicon = lexicon_of(
        config,
        [
            entry([1, 2], 0, corner),
            entry([1], 0, [Meaning((-1, -1), (4,)), Meaning((1, 1), (5,))]),
            entry([3, 4], 0, Meaning((-1, -1), (4,))),
            entry([3], 0, Meaning(EDGE, ("top left", "bottom right"))),
        ],
    )
    said = in_words(lexicon, [1, 2])
    assert said == "the target is at the top and at the left and 5 one right and one down"
    said = in_words(lexicon, [3, 4])
    assert said == "the target is at the bottom and at the right and 4 one left and one up"


def test_what_is_not_true_says_so_for_each_part():
    window = np.array([4, 2, MASK, 50, 59])
    words = in_words(LEXICON, [1, 2, 3], window)
    assert words == "class A two left and 1-3 one left and 20-32 one right (untrue here)"
    assert in_words(LEXICON, [0, 6, 6], window) == "18 or 40 near the target (untrue here)"
    assert in_words(LEXICON, [3, 5, 0], np.array([4, 3, MASK, 50, 59])).endswith("the target is the last")
    assert in_words(LEXICON, [0, 6, 6], window.tolist()).endswith("(untrue here)")
    for message, other, fault in (
        ([1, 2], window, "messages must have shape (1, 3); got (1, 2)"),
        ([1, 2, 9], window, "messages must be in 0..8; got 9"),
        ([1, 2, -1], window, "messages must be in 0..8; got -1"),
        ([1, 2, 3], window[:3], "window must have 5 cells, as the lexicon's; got 3"),
    ):
        with pytest.raises(ValueError, match=re.escape(fault)):
            in_words(LEXICON, message, other)


def test_statements_know_their_entries_and_the_legend_the_classes_that_are_named():
    [[statement]] = read_messages(LEXICON, np.array([[0, 6, 7]]))
    assert statement.senses == ((Meaning(2, (18, 40)),),)
    assert [entry.meanings[0][0] for entry in statement.entries] == [Meaning(None, (18, 40)), Meaning(2, ())]
    assert legend(LEXICON, str(statement)) == []
    written = f"class A: {', '.join(map(str, LONG[:-1]))} or 38"
    assert legend(LEXICON, in_words(LEXICON, [1, 2, 3])) == [written]


def exclude_each_other(one, other):
    """Whether no sense of some can be true beside one of the others."""
    allowed = ([{m.place: {*m.values} for m in meanings} for meanings in senses] for senses in (one, other))
    return all(any(p in b and not a[p] & b[p] for p in a) for a, b in itertools.product(*allowed))


@pytest.mark.parametrize(
    "path",
    sorted(PRETRAINED.glob("*/*.lexicon.json.gz")),
    ids=lambda path: f"{path.parent.name}/{path.name[:2]}",
)
def test_the_reading_of_a_message_never_contradicts_a_sure_entry_about_it(path):
    lexicon = Lexicon.read(path)
    wholes = [
        entry
        for entry in lexicon.listed
        if len(entry.form.symbols) == lexicon.config.message_length
        and None not in entry.form.symbols
        and entry.confidence >= 0.95
    ]
    messages = np.array([entry.form.symbols for entry in wholes])
    for whole, statements in zip(wholes, read_messages(lexicon, messages), strict=True):
        for statement in statements:
            assert not exclude_each_other(whole.meanings, statement.senses), whole.form


# --- Suggestions --------------------------------------------------------------------------------------------


def test_suggestions_are_true_and_in_words_and_never_of_unlisted_entries_alone():
    config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)
    entries = [
        entry([k], slot, Meaning(offset, (k,)), confidence=0.95, count=500)
        for slot, offset in ((0, -1), (1, 1))
        for k in config.integers
    ]
    window, unlisted = np.array([[3, MASK, 5]]), entry([3, 5], 0, Meaning(-1, (3,)), listed=False)
    found = suggestions(Composer(lexicon_of(config, entries)), window)
    assert found[0] == ([3, 5], "3 one left and 5 one right")
    assert 1 <= len(found) <= 2
    for silent in ([unlisted], []):
        assert suggestions(Composer(lexicon_of(config, silent)), window) == []


@pytest.mark.parametrize("name", ["embed-60", "paper-60"])
def test_no_suggestion_of_a_trained_pair_is_untrue(name):
    lexicon = Lexicon.read(find_pair(name).lexicon)
    composer, said = Composer(lexicon), 0
    for window in draw_episodes(lexicon.config, 4, np.random.default_rng(1)).window:
        for message, _ in suggestions(composer, window[None]):
            assert "untrue here" not in in_words(lexicon, message, window)
            said += 1
    assert said >= 4
