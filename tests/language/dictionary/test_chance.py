"""How often meanings hold in the game itself, against all windows."""

import numpy as np
from windows import SMALL, all_windows

from spatial_game.language.dictionary.chance import shares
from spatial_game.language.dictionary.referents import Conjunction, Edge, IntegerAt, holds, parts_of


def test_shares_of_meanings_are_those_of_all_windows():
    referents = [
        Edge("begin"),
        IntegerAt((0, 3), -1),
        IntegerAt((1,), 2),
        Conjunction((IntegerAt((0, 1), -1), IntegerAt((1, 2, 4), 1))),
        Conjunction((Edge("end"), IntegerAt((5,), -2))),
        Conjunction((IntegerAt((0,), -2), IntegerAt((1,), 2))),  # never visible together
    ]
    windows = list(all_windows(SMALL))
    table, share = np.array([w for w, _ in windows], dtype=np.int16), np.array([s for _, s in windows])
    expected = [share[holds(referent, SMALL, table)].sum() for referent in referents]
    found = shares([parts_of(referent) for referent in referents], SMALL)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert expected[-1] == 0
