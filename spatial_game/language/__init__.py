"""Read the language of a recording, and speak it: counts, dictionary, reader, speaker, probe, NPMI.

The names that most programs need are here; the modules have the others. A name loads its module
when it is first used, so that options and help come at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_NAMES = {
    "comparison": ("Comparison", "compare"),
    "counting.counts": ("Counts", "count", "count_files"),
    "counting.ngrams": ("NGram",),
    "dictionary.build": ("build_dictionary",),
    "dictionary.entries": ("Entry", "letter_entries", "word_entries"),
    "dictionary.file": ("DictionaryError", "read_dictionary", "write_dictionary"),
    "dictionary.dictionary": ("Bits", "Dictionary"),
    "npmi.analysis": ("npmi_table",),
    "npmi.associations": ("Association",),
    "npmi.referents": ("Referent",),
    "npmi.settings": ("NpmiSettings",),
    "npmi.table": ("NpmiTable",),
    "probing": ("ProbeReport", "probe"),
    "reading": ("Reader",),
    "speaking": ("Speaker",),
}
__all__ = sorted(name for names in _NAMES.values() for name in names)

if TYPE_CHECKING:  # type checkers and editors read the names here
    from spatial_game.language.comparison import Comparison as Comparison
    from spatial_game.language.comparison import compare as compare
    from spatial_game.language.counting.counts import Counts as Counts
    from spatial_game.language.counting.counts import count as count
    from spatial_game.language.counting.counts import count_files as count_files
    from spatial_game.language.counting.ngrams import NGram as NGram
    from spatial_game.language.dictionary.build import build_dictionary as build_dictionary
    from spatial_game.language.dictionary.dictionary import Bits as Bits
    from spatial_game.language.dictionary.dictionary import Dictionary as Dictionary
    from spatial_game.language.dictionary.entries import Entry as Entry
    from spatial_game.language.dictionary.entries import letter_entries as letter_entries
    from spatial_game.language.dictionary.entries import word_entries as word_entries
    from spatial_game.language.dictionary.file import DictionaryError as DictionaryError
    from spatial_game.language.dictionary.file import read_dictionary as read_dictionary
    from spatial_game.language.dictionary.file import write_dictionary as write_dictionary
    from spatial_game.language.npmi.analysis import npmi_table as npmi_table
    from spatial_game.language.npmi.associations import Association as Association
    from spatial_game.language.npmi.referents import Referent as Referent
    from spatial_game.language.npmi.settings import NpmiSettings as NpmiSettings
    from spatial_game.language.npmi.table import NpmiTable as NpmiTable
    from spatial_game.language.probing import ProbeReport as ProbeReport
    from spatial_game.language.probing import probe as probe
    from spatial_game.language.reading import Reader as Reader
    from spatial_game.language.speaking import Speaker as Speaker


def __getattr__(name: str) -> Any:
    for module, names in _NAMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
