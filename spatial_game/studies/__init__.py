"""Studies of trained pairs: cross-play, shorter sequences, noise, held-out combinations and composition.

Each study is a function that takes agents and returns a `Study`: a table, and the same as plain values. None
needs torch, and each has its own random streams.
"""

from spatial_game.studies.channel_noise import channel_noise
from spatial_game.studies.composition import composition, composition_of
from spatial_game.studies.cross_play import cross_play
from spatial_game.studies.held_out import held_out_study
from spatial_game.studies.lengths import other_lengths
from spatial_game.studies.study import Study

__all__ = [
    "Study",
    "channel_noise",
    "composition",
    "composition_of",
    "cross_play",
    "held_out_study",
    "other_lengths",
]
