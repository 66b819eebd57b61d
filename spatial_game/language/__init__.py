"""Reading the language of a recording, and speaking it: counts, NPMI, significance, lexicon, probe.

The names that most programs need are here; each module has the rest of its stage.
"""

from spatial_game.language.analysis import Analysis
from spatial_game.language.compose import Composed, Composer
from spatial_game.language.counts import Counts, count, count_files
from spatial_game.language.decode import Decoder
from spatial_game.language.forms import Form
from spatial_game.language.lexicon import Entry, Lexicon, LexiconError
from spatial_game.language.probe import ProbeReport, probe
from spatial_game.language.referents import Edge, Integer, IntegerAt, Offset, Referent
from spatial_game.language.settings import Settings

__all__ = [
    "Analysis",
    "Composed",
    "Composer",
    "Counts",
    "Decoder",
    "Edge",
    "Entry",
    "Form",
    "Integer",
    "IntegerAt",
    "Lexicon",
    "LexiconError",
    "Offset",
    "ProbeReport",
    "Referent",
    "Settings",
    "count",
    "count_files",
    "probe",
]
