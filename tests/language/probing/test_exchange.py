"""The exchange of a part of a message: which message the receiver gets, and what comes back."""

import numpy as np
import pytest

from spatial_game.language.probing.exchange import exchange

MESSAGE, OTHER = np.arange(6).reshape(2, 3), 10 + np.arange(6).reshape(2, 3)


class Looking:
    """Chooses by the first symbol, and keeps what it is asked with."""

    def choose(self, messages, sequence, candidates):
        self.seen = messages
        return messages[:, 0] % 2


@pytest.mark.parametrize(
    ("slots", "asked"),
    [
        (False, MESSAGE),
        (True, OTHER),
        ([False, True, False], [[0, 11, 2], [3, 14, 5]]),
        ([[True, False, False], [False, False, True]], [[10, 1, 2], [3, 4, 15]]),
    ],
)
def test_the_receiver_gets_the_slots_of_the_other_message(slots, asked):
    receiver, places = Looking(), np.zeros((2, 2), dtype=int)
    choices = exchange(receiver, MESSAGE, OTHER, slots, places, places)
    assert receiver.seen.tolist() == np.asarray(asked).tolist()
    assert choices.tolist() == [row[0] % 2 for row in np.asarray(asked)]


def test_without_messages_nobody_is_asked():
    nothing = np.zeros((0, 3), dtype=int)
    assert exchange(None, nothing, nothing, True, nothing, nothing).tolist() == []
