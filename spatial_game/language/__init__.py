"""Reading the language of a recording, and speaking it: counts, NPMI, significance, lexicon, probe.

The names that most programs need are here; each module has the rest of its stage.
"""

from spatial_game.language.counting.counts import Counts, count, count_files
from spatial_game.language.counting.forms import Form
from spatial_game.language.lexicon.analysis import Analysis
from spatial_game.language.lexicon.lexicon import Entry, Lexicon, LexiconError
from spatial_game.language.lexicon.referents import Edge, Integer, IntegerAt, Offset, Referent
from spatial_game.language.lexicon.settings import Settings
from spatial_game.language.probing.probe import ProbeReport, probe
from spatial_game.language.speaking.compose import Composed, Composer
from spatial_game.language.speaking.decode import Decoder

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
