"""Whose lexicon it is, by what its recordings name."""

import dataclasses

from scripted import silent

from spatial_game.cli.origin import stranger, weights_of
from spatial_game.config import GameConfig

CONFIG = GameConfig()


def test_a_lexicon_of_other_agents_is_told_by_their_names():
    lexicon = silent(CONFIG)
    mine = {"policy": "pair", "name": "embed-60", "index": 1, "weights_hash": "abc"}
    assert stranger(lexicon, mine, CONFIG) is None
    for origin, found in {"abc": None, "xyz": "made for embed-60/1 with other weights"}.items():
        made_for = {"sender": mine | {"weights_hash": origin}}
        assert stranger(dataclasses.replace(lexicon, provenance=(made_for,)), mine, CONFIG) == found
    others = {"sender": mine}, {"sender": mine | {"index": 0, "weights_hash": "xyz"}}
    both = dataclasses.replace(lexicon, provenance=others)
    assert weights_of(both) == ["abc", "xyz"]
    assert stranger(both, mine, CONFIG) == "made for embed-60/0, not embed-60/1"
    oracle = dataclasses.replace(lexicon, provenance=({"sender": {"policy": "oracle"}},))
    assert stranger(oracle, {"policy": "oracle"}, CONFIG) is None
    other = GameConfig(sequence_length=CONFIG.sequence_length + 1)
    assert str(stranger(oracle, {"policy": "oracle"}, other)).startswith("made for the oracle's code of ")
    assert stranger(oracle, mine, CONFIG) == "made for oracle, not embed-60/1"
    assert weights_of(oracle) == []
