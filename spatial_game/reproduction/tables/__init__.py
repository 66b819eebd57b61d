"""The tables of the report: what stands in which row. Their text is in report.md."""

from spatial_game.reproduction.tables.claims import CLAIMS
from spatial_game.reproduction.tables.grid import COMMON_CELLS, GRID
from spatial_game.reproduction.tables.hypotheses import HYPOTHESES
from spatial_game.reproduction.tables.minimal_pairs import EFFECTS, MINIMAL_PAIRS
from spatial_game.reproduction.tables.play import DICTIONARY, LENGTHS, PLAY
from spatial_game.reproduction.tables.report_table import ReportTable
from spatial_game.reproduction.tables.table_1 import EDGES, EMERGENCE
from spatial_game.reproduction.tables.table_2 import TRANSLATION, TRANSLATION_BRIEF

TABLES: dict[str, ReportTable] = {
    "comparison": CLAIMS,
    "play": PLAY,
    "emergence": EMERGENCE,
    "edges": EDGES,
    "translation_brief": TRANSLATION_BRIEF,
    "common_cell": COMMON_CELLS,
    "effects": EFFECTS,
    "hypotheses": HYPOTHESES,
    "dictionary": DICTIONARY,
    "lengths": LENGTHS,
    "grid": GRID,
    "minimal_pairs": MINIMAL_PAIRS,
    "translation": TRANSLATION,
}
"""By the name of their CSV file, which is also their name in the text; in the order of the text."""
