"""Forms, where they stand, and keys of rows: against the slow twin, and one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import beside
from reference import ngrams as slow_ngrams
from reference import occurrences as slow_occurrences

from spatial_game.language.counting.forms import OPEN, Form, ngrams, occurrences, table_of
from spatial_game.language.counting.rows import distinct_rows, join


@st.composite
def messages(draw):
    shape = (draw(st.integers(0, 12)), draw(st.integers(1, 5)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.integers(0, draw(st.integers(1, 4)), shape).astype(np.int16)


@given(messages(), st.data())
@settings(max_examples=100, deadline=None)
def test_occurrences_are_those_of_the_twin(message, data):
    length = message.shape[1]
    symbols = st.lists(st.integers(0, 3), min_size=1, max_size=length).map(tuple)
    slots = st.sampled_from([None, *range(length)])
    forms = data.draw(st.lists(st.builds(Form, symbols, slots), max_size=8))
    found = occurrences(table_of(forms, length), message)
    rows = list(zip(found.form.tolist(), found.message.tolist(), found.slot.tolist(), strict=True))
    wanted = {
        (number, row, slot)
        for number, form in enumerate(forms)
        for row, said in enumerate(map(tuple, message.tolist()))
        for slot in slow_occurrences(form, said)
    }
    assert set(rows) == wanted
    assert len(rows) == len(wanted)
    assert [len(forms[number].symbols) for number, *_ in rows] == found.length.tolist()


@given(messages(), st.booleans(), st.data())
@settings(max_examples=100, deadline=None)
def test_ngrams_outside_a_hole_are_those_of_the_twin(message, has_hole, data):
    length = message.shape[1]
    start = np.array([data.draw(st.integers(0, length - 1)) for _ in message], dtype=np.int64)
    size = np.array([data.draw(st.integers(1, length - int(s))) for s in start], dtype=np.int64)
    table = ngrams(message, start, size) if has_hole else ngrams(message)
    carried = [set() for _ in message]
    for form, carrier in zip(*table.incidence.nonzero(), strict=True):
        carried[carrier].add(table.form(form))
    assert (table.incidence.data == 1).all()  # also where an n-gram stands twice in a message
    for found, said, slot, n in zip(carried, map(tuple, message.tolist()), start, size, strict=True):
        assert found == (beside(said, slot, n) if has_hole else slow_ngrams(said))


@given(st.integers(1, 5), st.data())
def test_forms_stand_where_they_are_written(length, data):
    symbols = st.lists(st.integers(0, 3), min_size=1, max_size=length).map(tuple)
    forms = data.draw(st.lists(st.builds(Form, symbols, st.sampled_from([None, *range(length)])), max_size=5))
    table, found = table_of(forms, length), []
    assert [table.form(row) for row in range(len(forms))] == forms
    row, slot = table.placed()
    for number, first, written in zip(row.tolist(), slot.tolist(), table.written(row, slot), strict=True):
        found.append((number, first))
        own = list(forms[number].symbols)
        assert written.tolist() == [OPEN] * first + own + [OPEN] * (length - first - len(own))
    assert found == [
        (number, first)
        for number, form in enumerate(forms)
        for first in range(length)
        if form.slot in (None, first) and first + len(form.symbols) <= length
    ]


@given(st.lists(st.integers(0, 5), max_size=20), st.lists(st.integers(0, 5), max_size=20))
def test_a_join_has_every_equal_pair(one, other):
    i, j = join(np.array(one, dtype=np.int64), np.array(other, dtype=np.int64))
    pairs = list(zip(i.tolist(), j.tolist(), strict=True))
    assert sorted(pairs) == [(a, b) for a, x in enumerate(one) for b, y in enumerate(other) if x == y]
    assert i.tolist() == sorted(i.tolist())


@given(st.integers(0, 30), st.integers(1, 5), st.sampled_from([3, 300, 70_000]), st.integers(0, 9))
def test_distinct_rows_are_those_of_numpy(size, width, largest, seed):
    rows = np.random.default_rng(seed).integers(0, largest, (size, width))
    rows = np.concatenate([rows, rows[::2]])
    distinct, number = distinct_rows(rows)
    np.testing.assert_array_equal(distinct, np.unique(rows, axis=0))
    np.testing.assert_array_equal(distinct[number], rows)
