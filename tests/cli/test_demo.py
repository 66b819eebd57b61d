"""`demo`: the whole loop."""

import re

from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.recording import read_recording

LINE = "demo --agents oracle --episodes 5000"


def test_the_whole_loop_is_shown_and_returned(text, result):
    shown = text(LINE)
    assert re.search(r"first episode, \[\d+, \d+, \d+\], means: \d+ (one|two) (left|right)\.", shown)
    for words in ("receiver_0 has acted", "all that the sender sees", "Messages have two parts"):
        assert words in shown
    found = result(LINE)
    assert found["accuracy"] == found["coverage"] == 1.0
    assert found["entries"] == len(Lexicon.read(found["lexicon"]))
    assert len(read_recording(found["recording"])) == 5_000
