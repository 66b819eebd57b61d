"""Languages with known answers: what the tests, and anybody's reader, are measured with.

`LANGUAGES` makes each by its name, as a `KnownLanguage`: a sender that speaks it, and its true lexicon as
data. A language says one thing about a window: its edge if the mask is off centre, otherwise one visible
integer and its offset (from -r to r). The integer is drawn at random in each episode. The `WINDOW_LANGUAGES`
always say the same about a window: the bands, sets or classes of the integers at some offsets.

Symbols are assigned at random, so no language depends on their numbers. Offsets, edges and integers get
separate symbols if the vocabulary is large enough. If not, the integers' words use all symbols, and only the
slot tells them apart; the entries of the true lexicon are then at slots.
"""

from spatial_game.language.known.language import FREE, Code, KnownEntry, KnownLanguage, MakeLanguage
from spatial_game.language.known.languages import LANGUAGES
from spatial_game.language.known.score import Agreement, Score, agreement, ceiling, score
from spatial_game.language.known.windows import WINDOW_LANGUAGES

__all__ = [
    "FREE",
    "LANGUAGES",
    "WINDOW_LANGUAGES",
    "Agreement",
    "Code",
    "KnownEntry",
    "KnownLanguage",
    "MakeLanguage",
    "Score",
    "agreement",
    "ceiling",
    "score",
]
