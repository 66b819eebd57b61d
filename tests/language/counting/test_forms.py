"""Forms, where they stand, and keys of rows: against the slow twin, and one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import beside
from reference import ngrams as slow_ngrams
from reference import occurrences as slow_occurrences

from spatial_game.language.counting.forms import ANY, Form, apart, ngrams, occurrences, table_of
from spatial_game.language.counting.rows import distinct_rows, expand, join


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


@given(messages())
@settings(max_examples=60, deadline=None)
def test_ngrams_are_those_of_the_twin(message):
    distinct, _ = distinct_rows(message)
    table = ngrams(distinct)
    carried = [set() for _ in distinct]
    for form, carrier in zip(*table.incidence.nonzero(), strict=True):
        carried[carrier].add(table.form(form))
    assert carried == [slow_ngrams(tuple(said)) for said in distinct.tolist()]


@given(messages(), st.data())
@settings(max_examples=60, deadline=None)
def test_ngrams_beside_a_hole_are_those_of_the_twin(message, data):
    length = message.shape[1]
    start = np.array([data.draw(st.integers(0, length - 1)) for _ in message], dtype=np.int64)
    size = np.array([data.draw(st.integers(1, length - int(s))) for s in start], dtype=np.int64)
    table = ngrams(message, start, size)
    carried = [set() for _ in message]
    for form, carrier in zip(*table.incidence.nonzero(), strict=True):
        carried[carrier].add(table.form(form))
    holes = zip(message.tolist(), start.tolist(), size.tolist(), strict=True)
    assert carried == [beside(tuple(said), slot, n) for said, slot, n in holes]


def test_a_table_gives_its_forms_back():
    forms = [Form((1, 2), None), Form((0,), 2), Form((3, 3, 3), 0)]
    table = table_of(forms, 3)
    assert [table.form(row) for row in range(3)] == forms
    assert table.slot.tolist() == [ANY, 2, 0]
    assert table.take(np.array([2])).form(0) == forms[2]


def test_ngrams_are_apart_if_they_share_no_slot():
    spans = [(slot, n) for slot in range(4) for n in range(1, 5 - slot)]
    for slot, n in spans:
        for other, m in spans:
            shared = {*range(slot, slot + n)} & {*range(other, other + m)}
            assert bool(apart(slot, n, other, m)) == (not shared)


@given(st.lists(st.integers(0, 5), max_size=20), st.lists(st.integers(0, 5), max_size=20))
def test_a_join_has_every_equal_pair(one, other):
    i, j = join(np.array(one, dtype=np.int64), np.array(other, dtype=np.int64))
    pairs = list(zip(i.tolist(), j.tolist(), strict=True))
    assert sorted(pairs) == [(a, b) for a, x in enumerate(one) for b, y in enumerate(other) if x == y]
    assert i.tolist() == sorted(i.tolist())


def test_expand_lists_every_place():
    owner, place = expand(np.array([3, 5, 5]), np.array([5, 5, 8]))
    assert owner.tolist() == [0, 0, 2, 2, 2]
    assert place.tolist() == [3, 4, 5, 6, 7]


def test_an_ngram_that_stands_twice_in_a_message_has_it_once():
    table = ngrams(np.array([[1, 1, 2], [3, 1, 1]]))
    rows = {table.form(row): table.incidence[[row]].toarray()[0].tolist() for row in range(len(table))}
    assert rows[Form((1,), None)] == [1, 1]
    assert rows[Form((1,), 0)] == [1, 0]
