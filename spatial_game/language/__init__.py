"""Reading the language of a recording: counts, NPMI, significance, lexicon.

The names that most programs need are here; each module has the rest of its stage.
"""

from spatial_game.language.analysis import Analysis
from spatial_game.language.counts import Counts, count, count_files
from spatial_game.language.forms import Form
from spatial_game.language.lexicon import Entry, Lexicon, LexiconError
from spatial_game.language.referents import Edge, Integer, IntegerAt, Offset, Referent
from spatial_game.language.settings import Settings

__all__ = [
    "Analysis",
    "Counts",
    "Edge",
    "Entry",
    "Form",
    "Integer",
    "IntegerAt",
    "Lexicon",
    "LexiconError",
    "Offset",
    "Referent",
    "Settings",
    "count",
    "count_files",
]
