"""Languages with known answers: what the tests, and anybody's reader, are measured with.

`LANGUAGES` makes each by its name, as a `KnownLanguage`: a sender that speaks it, and its true lexicon as
data. Symbols are assigned at random, so no language depends on their numbers.
"""

from spatial_game.language.known.language import KnownEntry, KnownLanguage
from spatial_game.language.known.languages import LANGUAGES
from spatial_game.language.known.score import Agreement, agreement

__all__ = ["LANGUAGES", "Agreement", "KnownEntry", "KnownLanguage", "agreement"]
