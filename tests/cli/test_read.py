"""`spatial-game read`: messages in words."""

import re

from spatial_game.cli.terminal import WIDEST
from spatial_game.language import count_files
from spatial_game.recording import read_recording


def test_a_message_is_shown(result, text):
    text("record oracle --episodes 3000 --sequence-length 20 --out short.parquet")
    sent = read_recording("short.parquet").message
    line = f"read short.parquet {' '.join(map(str, sent[0]))}"
    found = result(line)
    [said] = found["messages"]
    expected = (sent[0].tolist(), (sent == sent[0]).all(axis=1).sum(), 3_000)
    assert (said["message"], said["sent"], found["episodes"]) == expected
    assert f"means  {said['means']}" in text(line)
    never = text("read short.parquet 25 24 25")
    assert "sent   in 0 of 3,000 episodes\n" in never
    assert "means  the dictionary does not say" in never


def test_each_long_set_of_integers_has_its_members(text):
    text("record grid-8x8/1 --episodes 20000 --seed 1 --out grid.parquet")
    shown = text("read grid.parquet 12 1 12")
    assert max(map(len, shown.splitlines())) <= WIDEST
    counted = re.findall(r"one of \d+ integers(?! of class)(.{2})", " ".join(shown.split()))
    assert counted
    assert {*counted} == {" ("}


def test_a_message_that_was_never_sent_says_how_such_messages_are_understood(text, prose):
    text("record embed-60/3 --episodes 5000 --seed 5 --out of-pair.parquet")
    shown = prose("read of-pair.parquet 2 23 20")
    assert "sent in 0 of 5,000 episodes" in shown
    assert "not in the dictionary; by its symbols: " in shown
    true = r"The sender: what symbols say is true in \d+% \(\d+% to \d+%\) of the \d+ episodes whose message"
    assert re.search(true, shown)
    after = r"The receiver: it finds the target after (\d+\.\d%) of messages that were never sent"
    [asked] = re.findall(after, shown)
    verdict = prose("describe of-pair.parquet")
    assert f"The receiver understands {asked} of these (" in verdict  # as on the page
    counts = count_files("of-pair.parquet")
    sent = " ".join(map(str, counts.messages[counts.message_totals.argmax()].tolist()))
    shown = text(f"read of-pair.parquet {sent}")
    assert "The receiver:" not in shown


def test_without_a_receiver_nobody_knows_whether_a_message_would_be_understood(files, prose):
    shown = prose("read play.parquet 25 25 25")
    assert "sent in 0 of" in shown
    assert "no receiver was asked" in shown


def test_symbols_that_contradict_each_other_are_named(text, prose):
    text("record embed-60/5 --episodes 20000 --seed 5 --out of-pair.parquet")
    shown = prose("read of-pair.parquet 6 16 23")
    [said] = re.findall(r"contradict each other about one left: (.*?)\.", shown)
    assert re.search(r'\[m1, 16, m3\] says "[^"]+ one left" and \[m1, m2, 23\] says "[^"]+ one left"$', said)
    assert "contradict" not in prose("read of-pair.parquet 6 16 16")
