"""Studies of trained pairs, by name. To add one: a file with a function, and a line here.

The function takes agents, a number of episodes and a seed, and returns a `Study`: a table, and the same as
plain values. Its module is imported when it is used. No study needs torch, and each has random streams of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from spatial_game.studies.study import Study

__all__ = ["STUDIES", "Study", "find_study"]

STUDIES = {
    "lengths": (
        "lengths:other_lengths",
        "sequences shortened by 5, 10, 20 and 40, as in the paper's table 7",
    ),
    "lengths-any": ("lengths:other_lengths_of_any_integers", "the same, and all integers may appear"),
    "noise": ("channel_noise:channel_noise", "symbols replaced at random, with increasing probability"),
    "unseen": (
        "unseen:of_card",
        "combinations that `train --unseen` left out: both of two candidates show only such ones",
    ),
    "combines": (
        "combines:combines",
        "messages that were never sent, composed of known parts: does the receiver understand them?",
    ),
}
"""Where each study is (module and function), and what it shows."""


def find_study(name: str) -> Callable[[Any, int, int], Study]:
    """Return a study by its name in `STUDIES`."""
    module, _, function = STUDIES[name][0].partition(":")
    study: Callable[..., Study] = getattr(import_module(f"spatial_game.studies.{module}"), function)
    return study
