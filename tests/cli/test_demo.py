"""`demo`: the whole loop."""

import re

from spatial_game.language import read_lexicon
from spatial_game.recording import read_recording

LINE = "demo --agents oracle --episodes 5000"


def test_the_whole_loop_is_shown_and_returned(text, result):
    shown = text(LINE)
    assert re.search(r"first episode, \[\d+, \d+, \d+\], means: \d+ (one|two) (left|right)\.", shown)
    for words in ("receiver_0 has acted", "all that the sender sees", "Its symbols by themselves explain"):
        assert words in shown
    found = result(LINE)
    assert found["accuracy"] == 1.0
    assert found["bits"]["words"] == read_lexicon(found["lexicon"]).bits.words > 4
    assert len(read_recording(found["recording"])) == 5_000
