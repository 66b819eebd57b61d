"""Read the language of a recording, and speak it: counts, dictionary, reader, speaker, probe, NPMI.

The names that most programs need are here; the modules have the others. A name loads its module
when it is first used, so that options and help come at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatial_game.language.comparison import Comparison, compare
    from spatial_game.language.counting.counts import Counts, count, count_files
    from spatial_game.language.counting.forms import Form
    from spatial_game.language.dictionary.build import letters_and_words
    from spatial_game.language.dictionary.entries import Entry, letter_entries, word_entries
    from spatial_game.language.dictionary.file import LexiconError, read_lexicon, write_lexicon
    from spatial_game.language.dictionary.lexicon import Bits, Lexicon
    from spatial_game.language.npmi.analysis import npmi_table
    from spatial_game.language.npmi.settings import NpmiSettings
    from spatial_game.language.npmi.table import NpmiEntry, NpmiTable, Referent
    from spatial_game.language.probing import ProbeReport, probe
    from spatial_game.language.reading import Reader
    from spatial_game.language.speaking import Speaker

_MODULE_OF = {
    "Bits": "dictionary.lexicon",
    "Comparison": "comparison",
    "Counts": "counting.counts",
    "Entry": "dictionary.entries",
    "Form": "counting.forms",
    "Lexicon": "dictionary.lexicon",
    "LexiconError": "dictionary.file",
    "NpmiEntry": "npmi.table",
    "NpmiSettings": "npmi.settings",
    "NpmiTable": "npmi.table",
    "ProbeReport": "probing",
    "Reader": "reading",
    "Referent": "npmi.table",
    "Speaker": "speaking",
    "npmi_table": "npmi.analysis",
    "compare": "comparison",
    "count": "counting.counts",
    "count_files": "counting.counts",
    "letter_entries": "dictionary.entries",
    "letters_and_words": "dictionary.build",
    "probe": "probing",
    "read_lexicon": "dictionary.file",
    "word_entries": "dictionary.entries",
    "write_lexicon": "dictionary.file",
}
__all__ = [
    "Bits",
    "Comparison",
    "Counts",
    "Entry",
    "Form",
    "Lexicon",
    "LexiconError",
    "NpmiEntry",
    "NpmiSettings",
    "NpmiTable",
    "ProbeReport",
    "Reader",
    "Referent",
    "Speaker",
    "compare",
    "count",
    "count_files",
    "letter_entries",
    "letters_and_words",
    "npmi_table",
    "probe",
    "read_lexicon",
    "word_entries",
    "write_lexicon",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
