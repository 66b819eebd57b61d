"""Run command lines of `spatial-game` several at a time: in processes of this machine, or on a cluster.

A *unit* is a command that can be repeated: it continues from its own files, and ends at once if nothing is
missing. A *driver* starts the units (`run_units`). Both share a folder, `OUT/units`, in plain text:

    units.json     names and command lines of all units, a token, and the numbers of jobs
    NAME.jsonl     the unit's reports: its progress, and finally how it ended
    NAME.log       what the unit prints
"""

from spatial_game.units.driver import UnitsFailed, run_units
from spatial_game.units.unit import HERE, Hear, Place, Unit, as_unit, say, usable_cores, words_of

__all__ = [
    "HERE",
    "Hear",
    "Place",
    "Unit",
    "UnitsFailed",
    "as_unit",
    "run_units",
    "say",
    "usable_cores",
    "words_of",
]
