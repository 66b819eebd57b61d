"""Two languages side by side, of senders whose messages are known."""

import re

import numpy as np
import pytest
from helpers.scripted import counts_of, integers_at, left_of

from spatial_game.config import GameConfig
from spatial_game.language import compare
from spatial_game.language.comparison import changes, changes_text

CONFIG = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=16, message_length=2)


def left(window):
    """The integer one left, from 8 on in the second slot; 0 stands for none."""
    said = left_of(CONFIG, window).clip(0)
    return np.column_stack([said, said + 8])


def pads(window):
    """A random symbol, and one for it and the integer one left, so that only whole messages tell."""
    pad = np.random.default_rng(0).integers(0, 16, len(window))
    return np.column_stack([pad, (pad + left(window)[:, 0]) % 16])


def renamed(window):
    """The same with other symbols: the messages of the next integer."""
    return (left(window) + 1) % 16


def counted(say, config=CONFIG, seed=0, number=4_000):
    return counts_of(config, say, number, seed)


def test_bits_of_both_stand_side_by_side():
    found = compare(counted(left), counted(renamed))
    bits = {name: numbers for name, *numbers in found.table.rows}
    assert bits["one left"][0] > 2 > bits["one right"][0]
    assert bits["the whole window"] == [each.bits.messages for each in found.dictionaries]
    assert bits["the whole window"][0] == pytest.approx(bits["the whole window"][1], abs=0.1)


def test_it_is_said_of_which_offsets_both_tell_and_of_which_only_one_does():
    config = GameConfig(30, vocab_size=30, message_length=2)
    near = counted(lambda window: integers_at(config, window, -1, 1).T.clip(0), config)
    far = counted(lambda window: integers_at(config, window, -1, 2).T.clip(0), config)
    said = compare(near, far).text
    assert re.fullmatch(
        r"Both tell of one left( and the edge)?\. A alone .* one right\. B .* two right\.", said
    )
    silent = counted(lambda window: np.zeros((len(window), 2), dtype=int))
    assert compare(silent, silent).text == "Neither tells 0.1 bits of an offset or of the edge."


def with_a_new_message(window):
    """The same language; but of the integer 3, it says half of the time 15 15, and never 0 8."""
    said, half = left(window), np.random.default_rng(1).random(len(window)) < 0.5
    said[(said[:, 0] == 3) & half] = 15
    said[said[:, 0] == 0] = 1, 9
    return said


def test_what_is_kept_lost_and_added_is_told_apart():
    found = compare(counted(left), counted(with_a_new_message))
    table = changes(found, None)
    status = {row[0]: row[1] for row in table.rows}
    assert (status.pop("15 15"), status.pop("0 8")) == ("added", "lost")
    assert {*status.values()} == {"kept"}
    for _, now, in_a, in_b, a_says, b_says in table.rows:
        assert (in_a > 0, in_b > 0) == (now != "added", now != "lost")
        assert (in_a > 0, in_b > 0) == (a_says is not None, b_says is not None)
    differences = [abs(row[2] - row[3]) for row in table.rows]
    assert differences == sorted(differences, reverse=True)
    assert {row[0] for row in changes(found).rows} == {"15 15", "0 8", "1 9", "3 11"}
    text = changes_text(found)
    assert "Of A's 8 messages, B keeps 7; 1 are lost" in text
    assert "1 are added" in text
    assert "beyond chance" not in text


@pytest.mark.parametrize("seed", [0, 1])
def test_no_message_is_said_to_differ_by_chance_and_all_are_counted(seed):
    one, other = counted(left), counted(left, seed=seed)
    found = compare(one, other)
    assert not changes(found).rows
    assert len(changes(found, None).rows) == len(one.messages)
    assert f"Of A's {len(one.messages)} messages" in changes_text(found)
    assert changes_text(found).endswith("No share of a message differs beyond chance.")


def test_messages_that_were_held_out_alone_are_counted():
    config = CONFIG.changed(message_length=3)

    def seldom(window):
        """Every tenth episode has a message of its own."""
        said = np.zeros((len(window), 3), dtype=np.int16)
        said[9::10] = np.stack(np.unravel_index(np.arange(len(said[9::10])) + 1, (16,) * 3), axis=1)
        return said

    counts = counted(seldom, config, number=200)
    assert "Of A's 21 messages, B keeps 21; 0 are lost" in changes_text(compare(counts, counts))


def test_without_held_out_episodes_a_language_has_no_bits():
    rows = {name: numbers for name, *numbers in compare(counted(left, number=5), counted(left)).table.rows}
    for name in ("one left", "the whole window"):
        assert rows[name][0] is None
        assert rows[name][1] is not None
    assert rows["the entropy of messages"][0] > 0


def test_samples_that_are_small_or_of_different_size_are_compared_with_a_warning():
    assert not compare(counted(left, number=2_000), counted(left, number=2_000)).warnings
    (sizes,) = compare(counted(left, number=2_000), counted(left, number=4_000)).warnings
    assert "A has 2,000 episodes and B 4,000" in sizes
    _, small = compare(counted(pads, number=500), counted(left, number=2_000)).warnings
    assert small.startswith("In A, there are too few episodes: the dictionary explains ")


def test_languages_of_two_games_are_refused():
    other = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=16, message_length=2)
    with pytest.raises(ValueError, match=r"languages must be of one game; got L8 w1 c3 .* and L8 w1 c2"):
        compare(counted(left), counted(left, other))
