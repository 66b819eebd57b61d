"""Tables of a dictionary."""

import numpy as np
from helpers.scripted import dictionary_of, left_of

from spatial_game import GameConfig, OracleSender
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.tables import bits_by_variable, dictionary_table


def test_the_dictionary_has_symbols_by_slot_then_what_messages_add():
    config = GameConfig(20, window_radius=1, vocab_size=8, message_length=2)

    def say(window):
        left = left_of(config, window)
        return np.where(left[:, None] < 0, 7, np.column_stack([left % 2, left // 2 % 5]))

    means = interpreter(dictionary_of(config, say, 20_000))
    rows = dictionary_table(means).rows
    odd = "1, 3, 5, 7, 9, 11, 13, 15, 17 or 19 one left"
    assert [row[:3] for row in rows if row[1] == "[7, m2]"] == [
        ("What a symbol says in slot 1", "[7, m2]", "the target is the first")
    ]
    assert "one of 10 integers one left" in {row[2] for row in rows if row[1] == "[1, m2]"}
    assert odd in {row[2] for row in dictionary_table(means, complete=True).rows if row[1] == "[1, m2]"}
    assert {row[2] for row in rows if row[1] == "[m1, 2]"} == {"4, 5, 14 or 15 one left"}
    best = dictionary_table(means, best=1)
    assert [row[0] for row in best.rows] == sorted(row[0] for row in best.rows)
    assert len({row[1] for row in best.rows}) == 2  # whole messages add nothing
    places = [row[0] for row in bits_by_variable(means.dictionary).rows]
    assert (places[0], places[-1]) == ("one left", "the edge")
    for _, by_symbols, by_messages, possible in bits_by_variable(means.dictionary).rows:
        assert 0 < by_symbols <= by_messages + 0.01 <= possible


def test_what_is_seen_has_words():
    config = GameConfig(20, num_visible=1)
    means = interpreter(dictionary_of(config, OracleSender(config).send, 20_000))
    said = {row[2] for row in dictionary_table(means).rows}
    assert "seen: two left" in said or "seen: one left or two left" in said
