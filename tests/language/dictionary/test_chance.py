"""How often meanings hold in the game itself, against all windows."""

import numpy as np
from windows import SMALL, all_windows

from spatial_game.language.counting.places import EDGE
from spatial_game.language.dictionary.chance import shares
from spatial_game.language.meaning import Meaning, all_hold


def test_shares_of_meanings_are_those_of_all_windows():
    referents = [
        (Meaning(EDGE, ("begin",)),),
        (Meaning(-1, (0, 3)),),
        (Meaning(2, (1,)),),
        (Meaning(-1, (0, 1)), Meaning(1, (1, 2, 4))),
        (Meaning(EDGE, ("end",)), Meaning(-2, (5,))),
        (Meaning(-2, (0,)), Meaning(2, (1,))),  # never visible together
    ]
    windows = list(all_windows(SMALL))
    table, share = np.array([w for w, _ in windows], dtype=np.int16), np.array([s for _, s in windows])
    expected = [share[all_hold(referent, SMALL, table)].sum() for referent in referents]
    found = shares(referents, SMALL)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert expected[-1] == 0
