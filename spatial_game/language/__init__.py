"""Read the language of a recording, and speak it: counts, dictionary, the paper's analysis, probe.

The names that most programs need are here; the modules have the others. A name loads its module
when it is first used, so that options and help come at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts, count, count_files
    from spatial_game.language.counting.forms import Form
    from spatial_game.language.dictionary.build import dictionary_of
    from spatial_game.language.lexicon.entries import Entry
    from spatial_game.language.lexicon.lexicon import Lexicon, LexiconError
    from spatial_game.language.lexicon.meaning import Meaning
    from spatial_game.language.npmi.analysis import npmi_table
    from spatial_game.language.npmi.settings import NpmiSettings
    from spatial_game.language.npmi.table import NpmiEntry, NpmiTable, Referent
    from spatial_game.language.players import Composed, Composer, Decoder
    from spatial_game.language.probing import ProbeReport, probe

_MODULE_OF = {
    "Composed": "players",
    "Composer": "players",
    "Counts": "counting.counts",
    "Decoder": "players",
    "Entry": "lexicon.entries",
    "Form": "counting.forms",
    "Lexicon": "lexicon.lexicon",
    "LexiconError": "lexicon.lexicon",
    "Meaning": "lexicon.meaning",
    "NpmiEntry": "npmi.table",
    "NpmiSettings": "npmi.settings",
    "NpmiTable": "npmi.table",
    "ProbeReport": "probing",
    "Referent": "npmi.table",
    "count": "counting.counts",
    "count_files": "counting.counts",
    "dictionary_of": "dictionary.build",
    "npmi_table": "npmi.analysis",
    "probe": "probing",
}
__all__ = [
    "Composed",
    "Composer",
    "Counts",
    "Decoder",
    "Entry",
    "Form",
    "Lexicon",
    "LexiconError",
    "Meaning",
    "NpmiEntry",
    "NpmiSettings",
    "NpmiTable",
    "ProbeReport",
    "Referent",
    "count",
    "count_files",
    "dictionary_of",
    "npmi_table",
    "probe",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
