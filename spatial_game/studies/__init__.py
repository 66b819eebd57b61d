"""Studies of trained pairs: cross-play, shorter sequences, noise, held-out combinations and composition.

Each study is a function that takes agents and returns a frozen dataclass with `table` and `to_dict`. None
needs torch, and each has its own random streams.
"""

from spatial_game.studies.channel_noise import NoiseStudy, channel_noise
from spatial_game.studies.composition import CompositionStudy, composition
from spatial_game.studies.cross_play import CrossPlay, cross_play
from spatial_game.studies.held_out import HeldOutStudy, held_out_study
from spatial_game.studies.lengths import LengthStudy, other_lengths

__all__ = [
    "CompositionStudy",
    "CrossPlay",
    "HeldOutStudy",
    "LengthStudy",
    "NoiseStudy",
    "channel_noise",
    "composition",
    "cross_play",
    "held_out_study",
    "other_lengths",
]
