"""Messages in words: each kind of entry, and agreement with what the analysis says it can read."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.language import Lexicon, count
from spatial_game.language.dictionary.referents import Edge, Integer, IntegerAt
from spatial_game.language.players.reading import UNREAD, Told, in_words, read_message
from spatial_game.language.synthetic import LANGUAGES, ceiling
from spatial_game.recording import record

CONFIG = GameConfig()
SECOND = np.array([9, MASK, 15, 3, 8])


def entry(symbols, slot, referent, npmi=0.9, derived=False):
    measures = {"npmi": npmi, "confidence": 1.0, "count": 50, "p_value": 0.0, "q_value": 0.0}
    return {"form": symbols, "slot": slot, "referent": referent, "derived": derived, **measures}


def lexicon(*entries, config=CONFIG):
    content = {"format_version": 1, "signature": "hand-made", "config": config.to_dict(), "settings": {}}
    return Lexicon.from_dict({**content, "entries": list(entries)})


EDGE = entry([1, 1, 2], 0, {"kind": "edge", "value": "begin+1"}, npmi=0.95)
NINE = entry([1, 1, 2], 0, {"kind": "integer_at", "value": 9, "offset": -1})
WORD = entry([5, 6], 0, {"kind": "integer", "value": 15})
WEAKER = entry([6, 7], 1, {"kind": "integer", "value": [3, 4]}, npmi=0.6)
RIGHT = entry([7], 2, {"kind": "offset", "value": 1}, npmi=0.99)
DERIVED = entry([8, 8, 8], 0, {"kind": "edge", "value": "end"}, derived=True)
LEXICON = lexicon(EDGE, NINE, WORD, WEAKER, RIGHT, DERIVED)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ([1, 1, 2], "the target is the second, and 9 is 1 left of target"),
        ([5, 6, 7], "15 is 1 right of target"),
        ([5, 6, 0], "15 is near the target"),
        ([0, 6, 7], "3 or 4 is near the target"),
        ([8, 8, 8], UNREAD),
        ([0, 0, 7], UNREAD),
    ],
)
def test_a_message_in_words(message, words):
    assert in_words(LEXICON, np.array(message), SECOND) == words


def test_what_is_not_true_says_so():
    middle = np.array([9, 7, MASK, 3, 8])
    assert in_words(LEXICON, np.array([1, 1, 2]), middle) == (
        "the target is the second (not so here), and 9 is 1 left of target (not so here)"
    )
    assert in_words(LEXICON, np.array([5, 6, 0]), middle) == "15 is near the target (not so here)"


def test_statements_know_their_entries():
    (statement,) = read_message(LEXICON, np.array([5, 6, 7]))
    assert statement.referent == IntegerAt((15,), 1)
    assert [entry.referent for entry in statement.entries] == [Integer((15,)), LEXICON.listed[-1].referent]


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
    assert str(Told(Edge(name), ())) == words


def test_an_integer_beyond_the_window_is_not_there():
    last = np.array([1, 2, 3, 4, MASK])
    assert not Told(IntegerAt((1,), 1), ()).holds(last, CONFIG)
    assert Told(IntegerAt((1,), -4), ()).holds(last, CONFIG)


@pytest.mark.parametrize("name", ["compositional", "slot-invariant", "holistic", "edges-only", "mixture"])
def test_it_reads_what_the_analysis_calls_readable_and_truly(name):
    config = GameConfig(sequence_length=20)
    language = LANGUAGES[name](config, np.random.default_rng(1))
    episodes = draw_episodes(config, 20_000, np.random.default_rng(2))
    recording = record(language, None, episodes, config)
    found = Lexicon.from_counts(count(recording), threshold=0.75 * ceiling(language), select="npmi")
    sample = range(400)
    read = [read_message(found, recording.message[row]) for row in sample]
    places = [[s for s in each if not isinstance(s.referent, Integer)] for each in read]
    assert abs(np.mean([bool(each) for each in places]) - found.coverage) < 0.1
    true = [s.holds(recording.window[row], config) for row in sample for s in places[row]]
    assert true
    assert np.mean(true) == 1.0


@pytest.mark.parametrize(
    ("message", "window", "fault"),
    [
        ([1, 2], SECOND, "message must have 3 symbols, as the lexicon's; got 2"),
        ([1, 2, 3], SECOND[:3], "window must have 5 cells, as the lexicon's; got 3"),
    ],
)
def test_another_shape_is_refused(message, window, fault):
    with pytest.raises(ValueError, match=fault):
        in_words(LEXICON, np.array(message), window)
