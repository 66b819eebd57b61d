"""`spatial-game read`: messages in words."""

from __future__ import annotations

import re

from spatial_game.cli.terminal import WIDEST


def test_each_long_set_of_integers_has_its_members(text):
    text("record --agents grid-8x8/1 --episodes 20000 --seed 1 --out grid.parquet")
    shown = text("read grid.parquet 12 1 12")
    assert max(map(len, shown.splitlines())) <= WIDEST
    counted = re.findall(r"one of \d+ integers(?! of class)(.{2})", " ".join(shown.split()))
    assert counted
    assert {*counted} == {" ("}
