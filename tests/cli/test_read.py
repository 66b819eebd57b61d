"""`spatial-game read`: messages in words."""

from __future__ import annotations

import re


def test_each_long_set_of_integers_has_its_members(text):
    text("record --agents grid-8x8/1 --episodes 20000 --seed 1 --out grid.parquet")
    shown = " ".join(text("read grid.parquet 12 1 12").split())
    counted = re.findall(r"one of \d+ integers(?! of class)(.{2})", shown)
    assert counted
    assert {*counted} == {" ("}
