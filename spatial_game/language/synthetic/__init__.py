"""Languages whose lexicon is known, to test an analysis with.

`LANGUAGES` makes each by its name, as a `Language`: a sender that speaks it, and its true lexicon as data. A
language says one thing of a window: its edge where the mask is off centre, otherwise one visible integer and
the offset (from -r to r) at which that integer stands. Which integer is drawn anew in each episode. The
`WINDOW_LANGUAGES` say the same of every window: in which band, set or class the integers at some offsets are.

Symbols are dealt out at random, so that no language depends on their numbers. Offsets, edges and integers
get symbols of their own as long as the vocabulary lasts; where it does not, the integers' words use all
symbols, and only the slot tells them apart: the truth, which is at slots then, still holds.
"""

from spatial_game.language.synthetic.language import FREE, Code, KnownEntry, Language, MakeLanguage
from spatial_game.language.synthetic.languages import LANGUAGES
from spatial_game.language.synthetic.score import Agreement, Score, agreement, ceiling, score
from spatial_game.language.synthetic.windows import WINDOW_LANGUAGES

__all__ = [
    "FREE",
    "LANGUAGES",
    "WINDOW_LANGUAGES",
    "Agreement",
    "Code",
    "KnownEntry",
    "Language",
    "MakeLanguage",
    "Score",
    "agreement",
    "ceiling",
    "score",
]
