"""Forms, where they stand, and keys of rows: against the slow twin, and one by one."""

import numpy as np
import pytest
from reference import beside
from reference import ngrams as slow_ngrams
from reference import occurrences as slow_occurrences

from spatial_game.language.counting.forms import Form, ngrams, occurrences, table_of
from spatial_game.language.counting.rows import distinct_rows, join

SEEDS = pytest.mark.parametrize("seed", range(15))


def random_messages(rng):
    """Return 0 to 12 messages of 1 to 5 symbols, of which there are up to four."""
    shape = rng.integers(0, 13), rng.integers(1, 6)
    return rng.integers(0, rng.integers(1, 5), shape).astype(np.int16)


def random_forms(rng, length):
    """Return up to 8 forms of 1 to this number of symbols, at a slot, which may be too late, or at any."""
    slots, forms = [None, *range(length)], []
    for _ in range(rng.integers(0, 9)):
        symbols = tuple(rng.integers(0, 4, rng.integers(1, length + 1)).tolist())
        forms.append(Form(symbols, slots[rng.integers(length + 1)]))
    return forms


def test_forms_are_written_as_in_table_3():
    assert Form((7,), 0).pattern(3) == "[7, m2, m3]"
    assert Form((7, 8), 1).pattern(3) == "[m1, 7, 8]"
    assert Form((7, 8), None).pattern(3) == "[.. 7, 8 ..]"


@SEEDS
def test_occurrences_are_those_of_the_twin(seed):
    rng = np.random.default_rng(seed)
    message = random_messages(rng)
    forms = random_forms(rng, message.shape[1])
    found = occurrences(table_of(forms, message.shape[1]), message)
    rows = list(zip(found.form.tolist(), found.message.tolist(), found.slot.tolist(), strict=True))
    assert sorted(rows) == [
        (number, row, slot)
        for number, form in enumerate(forms)
        for row, said in enumerate(map(tuple, message.tolist()))
        for slot in slow_occurrences(form, said)
    ]
    assert [len(forms[number].symbols) for number, *_ in rows] == found.length.tolist()


@SEEDS
@pytest.mark.parametrize("has_hole", [False, True])
def test_ngrams_outside_a_hole_are_those_of_the_twin(seed, has_hole):
    rng = np.random.default_rng(seed)
    message = random_messages(rng)
    length = message.shape[1]
    start = rng.integers(0, length, len(message))
    size = rng.integers(1, length - start + 1)
    table = ngrams(message, start, size) if has_hole else ngrams(message)
    carried = [set() for _ in message]
    for form, carrier in zip(*table.incidence.nonzero(), strict=True):
        carried[carrier].add(table.form(form))
    assert (table.incidence.data == 1).all()  # also where an n-gram stands twice in a message
    for found, said, slot, n in zip(carried, map(tuple, message.tolist()), start, size, strict=True):
        assert found == (beside(said, slot, n) if has_hole else slow_ngrams(said))


def test_a_join_has_every_equal_pair_in_the_order_of_the_first():
    i, j = join(np.array([3, 1, 3, 0]), np.array([1, 3, 2, 3]))
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 0), (2, 1), (2, 3)]
    assert [len(each) for each in join(np.array([], dtype=int), np.array([1, 3]))] == [0, 0]


@pytest.mark.parametrize(("width", "largest"), [(1, 3), (5, 300), (5, 70_000)])
def test_distinct_rows_are_those_of_numpy(width, largest):
    rows = np.random.default_rng(0).integers(0, largest, (30, width))
    rows = np.concatenate([rows, rows[::2]])
    distinct, number = distinct_rows(rows)
    np.testing.assert_array_equal(distinct, np.unique(rows, axis=0))
    np.testing.assert_array_equal(distinct[number], rows)
