"""The best referent of each n-gram, and several integers united, from associations by hand."""

import numpy as np

from spatial_game.language.counting.ngrams import NGram, table_of
from spatial_game.language.npmi.admit import best_of_each
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.referents import IntegersAtOffsets
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.unions import choose

TABLE = table_of([NGram((0,), 0), NGram((1,), 0)], 1)


def associations(*rows):
    """Associations from rows of n-gram, offset, integer, joint, NPMI and q-value."""
    ngram, offset, integer, joint, npmi, q_value = map(np.array, zip(*rows, strict=True))
    return ScoredAssociations(
        table=TABLE,
        total=1_000,
        num_tests=10,
        ngram=ngram,
        referents=IntegersAtOffsets(offset, integer[:, None]),
        joint=joint,
        ngram_total=np.full(len(ngram), 100),
        referent_total=2 * joint,
        raw_npmi=npmi,
        p_value=q_value / 10,
        q_value=q_value,
    )


def shown(found):
    return [
        (n, o, [k for k in row if k >= 0])
        for n, o, row in zip(
            found.ngram.tolist(),
            found.referents.offset.tolist(),
            found.referents.integers.tolist(),
            strict=True,
        )
    ]


def test_a_tie_goes_to_the_larger_joint_then_to_the_first_referent():
    found = associations(
        (0, 0, 3, 10, 0.5, 0.0),
        (0, 0, 5, 20, 0.5, 0.0),
        (0, 1, 9, 90, 0.1, 0.0),
        (1, 0, 7, 10, 0.5, 0.0),
        (1, 0, 4, 10, 0.5, 0.0),
        (1, 0, 2, 90, 0.4, 0.0),
    )
    assert shown(best_of_each(found)) == [(0, 0, [5]), (0, 1, [9]), (1, 0, [4])]


def test_a_union_has_the_most_frequent_significant_integers_and_the_largest_p_and_q():
    found = associations(
        (0, 0, 3, 10, 0.9, 0.01),
        (0, 0, 5, 30, 0.2, 0.04),
        (0, 0, 6, 20, 0.1, 0.002),
        (0, 0, 8, 40, 0.9, 0.06),
        (1, 0, 1, 40, 0.9, 0.06),
    )
    union = choose(found, None, NpmiSettings(top_n=2))  # shares of the counted episodes need no more counts
    assert shown(union) == [(0, 0, [5, 6])]
    assert (union.joint.tolist(), union.referent_total.tolist()) == ([50], [100])
    assert (union.p_value.tolist(), union.q_value.tolist()) == ([0.004], [0.04])
    assert shown(choose(found, None, NpmiSettings(top_n=1))) == [(0, 0, [8]), (1, 0, [1])]


def test_only_the_same_ngrams_with_the_same_integers_have_one_key():
    """So offsets beside them are counted once for all cells of a grid that agree."""
    one, other, third = (0, 0, 3, 10, 0.9, 0.01), (0, 0, 5, 8, 0.9, 0.01), (1, 0, 3, 10, 0.9, 0.01)

    def key(top_n, *rows):
        return choose(associations(*rows), None, NpmiSettings(top_n=top_n)).key

    assert key(1, one) == key(2, one) == key(3, one)
    assert len({key(2, one), key(2, other), key(2, third), key(2, one, other), key(2, one, third)}) == 5
