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
    "dictionary.build": ("letters_and_words",),
    "dictionary.entries": ("Entry", "letter_entries", "word_entries"),
    "dictionary.file": ("LexiconError", "read_lexicon", "write_lexicon"),
    "dictionary.lexicon": ("Bits", "Lexicon"),
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
    from spatial_game.language.dictionary.build import letters_and_words as letters_and_words
    from spatial_game.language.dictionary.entries import Entry as Entry
    from spatial_game.language.dictionary.entries import letter_entries as letter_entries
    from spatial_game.language.dictionary.entries import word_entries as word_entries
    from spatial_game.language.dictionary.file import LexiconError as LexiconError
    from spatial_game.language.dictionary.file import read_lexicon as read_lexicon
    from spatial_game.language.dictionary.file import write_lexicon as write_lexicon
    from spatial_game.language.dictionary.lexicon import Bits as Bits
    from spatial_game.language.dictionary.lexicon import Lexicon as Lexicon
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
