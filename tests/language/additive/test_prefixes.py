"""The tree of messages, against its definition."""

import numpy as np
from private_orders import random_model

from spatial_game.language.additive.prefixes import slots_of


def test_branches_are_the_beginnings_of_messages():
    messages = random_model(3, messages=20).messages
    for number, slot in enumerate(slots_of(messages)):
        prefixes = sorted({tuple(m[: number + 1]) for m in messages.tolist()})
        starts = sorted({tuple(m[:number]) for m in messages.tolist()})
        assert slot.symbols.tolist() == [p[-1] for p in prefixes]
        assert slot.beginning.tolist() == [starts.index(p[:-1]) for p in prefixes]
        alike = [[p for p in prefixes if p[:-1] == start] for start in starts]
        assert slot.rank.tolist() == [i for group in alike for i in range(len(group))]
        assert slot.branch.tolist() == [prefixes.index(tuple(m[: number + 1])) for m in messages.tolist()]
        assert slot.shape == (len(starts), max(map(len, alike)))


def test_padding_puts_each_row_at_its_beginning_and_rank():
    [_, slot] = slots_of(np.array([[0, 1], [0, 3], [2, 0]]))
    assert slot.padded(np.array([1.0, 2.0, 3.0]), -1.0).tolist() == [[1, 2], [3, -1]]
