"""`spatial-game read`: messages in words."""

from __future__ import annotations

import re

from spatial_game.cli.terminal import WIDEST
from spatial_game.language import count_files


def test_each_long_set_of_integers_has_its_members(text):
    text("record --agents grid-8x8/1 --episodes 20000 --seed 1 --out grid.parquet")
    shown = text("read grid.parquet 12 1 12")
    assert max(map(len, shown.splitlines())) <= WIDEST
    counted = re.findall(r"one of \d+ integers(?! of class)(.{2})", " ".join(shown.split()))
    assert counted
    assert {*counted} == {" ("}


def test_a_message_that_was_never_sent_says_how_such_messages_are_understood(text):
    text("record --agents embed-60/3 --episodes 20000 --seed 5 --out of-pair.parquet")
    shown = " ".join(text("read of-pair.parquet 2 23 24").split())
    assert "sent in 0 of 20,000 episodes" in shown
    assert "not in the dictionary; by its symbols: " in shown
    assert re.search(
        r"Readings by symbols were true in \d+% \(\d+% to \d+%\) of the \d+ held-out episodes whose", shown
    )
    [asked] = re.findall(r"This receiver understood (\d+\.\d%) of messages that were never sent", shown)
    verdict = " ".join(text("describe of-pair.parquet").split())
    assert f"the receiver understands {asked} (" in verdict  # as on the page
    counts = count_files("of-pair.parquet")
    sent = " ".join(map(str, counts.messages[counts.message_totals.argmax()].tolist()))
    shown = text(f"read of-pair.parquet {sent}")
    assert "understood" not in shown


def test_without_a_receiver_nobody_knows_whether_a_message_would_be_understood(files, text):
    shown = " ".join(text("read play.parquet 25 25 25").split())
    assert "sent in 0 of" in shown
    assert "no receiver was asked" in shown
