"""`demo`: the whole loop. What it shows is tested with the README, which shows it, too."""

from spatial_game.language import read_lexicon
from spatial_game.recording import read_recording


def test_the_results_of_the_whole_loop_are_returned(result):
    found = result("demo --agents oracle --episodes 5000")
    assert found["accuracy"] == 1.0
    assert found["bits"]["words"] == read_lexicon(found["lexicon"]).bits.words > 4
    assert len(read_recording(found["recording"])) == 5_000
