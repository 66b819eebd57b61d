"""Read the language of a recording, and speak it: counts, dictionary, reader, speaker, probe, NPMI.

The names that most programs need are here; the modules have the others.
"""

from spatial_game.language.comparison import Comparison as Comparison
from spatial_game.language.comparison import compare as compare
from spatial_game.language.counting.counts import Counts as Counts
from spatial_game.language.counting.counts import count as count
from spatial_game.language.counting.counts import count_files as count_files
from spatial_game.language.counting.ngrams import NGram as NGram
from spatial_game.language.dictionary.bits import Bits as Bits
from spatial_game.language.dictionary.build import build_dictionary as build_dictionary
from spatial_game.language.dictionary.dictionary import Dictionary as Dictionary
from spatial_game.language.dictionary.entries import Entry as Entry
from spatial_game.language.dictionary.entries import message_entries as message_entries
from spatial_game.language.dictionary.entries import symbol_entries as symbol_entries
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
from spatial_game.language.translating import translate as translate
