"""Settings: what cannot be, and what follows from the rest."""

import dataclasses
import math

import pytest

from spatial_game.language.npmi.settings import NpmiSettings


def test_what_is_left_out_of_settings_follows_from_the_rest():
    for estimator in ("text", "code"):
        of_paper = NpmiSettings(estimator=estimator, threshold=0.4)
        assert dataclasses.replace(of_paper, threshold=0.9).least_offset_npmi == 0.3
        assert of_paper.resolved().min_confidence == 0
    assert dataclasses.replace(NpmiSettings(threshold=0.4), threshold=0.9).least_offset_npmi == 0.9
    assert NpmiSettings(min_confidence=0.6, estimator="code").least_confidence == 0.6
    assert NpmiSettings().signature == "exact min10 t0.5 conf0.8 top1"
    assert NpmiSettings(significance=0.5).signature == "exact min10 t0.5 conf0.8 top1 q0.5"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"estimator": "best"}, "estimator must be one of exact, text, code; got 'best'"),
        ({"threshold": math.nan}, "threshold must be in -1..1; got nan"),
        ({"min_confidence": -0.1}, "min_confidence must be in 0..1; got -0.1"),
        ({"significance": 2}, "significance must be in 0..1; got 2"),
        ({"top_n": 0}, "top_n must be at least 1; got 0"),
        ({"min_count": 0}, "min_count must be at least 1; got 0"),
        ({"top_n": 1.5}, "top_n must be a whole number; got 1.5"),
    ],
)
def test_settings_that_cannot_be(changes, words):
    with pytest.raises((TypeError, ValueError), match=words.replace(".", r"\.")):
        NpmiSettings(**changes)
