"""The best rule of each form, against slow twins."""

import itertools
import math

import numpy as np
import pytest
from slow_code import slow_band, slow_saving

from spatial_game.language.dictionary.code import set_bits
from spatial_game.language.dictionary.fit import _best_bands, fit, fit_classes


def planted(inside, num_values, n, agree, rng):
    """Return counts of one form, agree of them inside, and what was expected of them."""
    share = np.full(num_values + 1, 1e-12)
    for where, part in ((inside, agree), (~inside, 1 - agree)):
        share[:-1][where] = part / max(where.sum(), 1)
    observed = rng.multinomial(n, share / share.sum()).astype(float)
    return observed[None], np.full((1, num_values + 1), n / (num_values + 1))


@pytest.mark.parametrize(("first", "last"), [(0, 3), (5, 5), (7, 10), (18, 19)])
def test_the_best_band_is_the_planted_one(first, last):
    rng = np.random.default_rng(first)
    share = np.where((np.arange(21) >= first) & (np.arange(21) <= last), 1.0, 1e-12)
    observed = rng.multinomial(4000, share / share.sum()).astype(float)[None]
    found = _best_bands(observed, np.full((1, 21), 4000 / 21), np.array([4000.0]), 20)
    assert np.flatnonzero(found.inside[0]).tolist() == list(range(first, last + 1))


def test_a_band_saves_what_its_slow_twin_saves():
    rng = np.random.default_rng(5)
    for _ in range(80):
        center, width = rng.uniform(0, 20), rng.uniform(1, 6)
        share = np.exp(-(np.abs(np.arange(21) - center) ** 3) / width**3) + 1e-3
        believed = rng.uniform(0.5, 1.5, (1, 21))
        observed = rng.multinomial(500, share / share.sum()).astype(float)[None]
        expected = 500 * believed / believed.sum()
        band = _best_bands(observed, expected, np.array([500.0]), 20)
        inside = np.flatnonzero(band.inside[0])
        assert band.saved[0] == pytest.approx(slow_band(observed[0], expected[0], inside[0], inside[-1]))
        after = expected * band.factors()
        assert after[band.inside].sum() / after.sum() == pytest.approx(band.level[0])
        assert after.sum() == pytest.approx(expected.sum())
        assert band.cost[0] == pytest.approx(2 * math.log2(20) + 2 + 4)


def test_no_end_of_a_band_is_better_one_further():
    rng = np.random.default_rng(7)
    for _ in range(40):
        share = np.exp(-(np.abs(np.arange(21) - rng.uniform(2, 17)) ** 3) / rng.uniform(1, 4) ** 3) + 1e-3
        observed = rng.multinomial(300, share / share.sum()).astype(float)[None]
        expected = np.full((1, 21), 300 / 21)
        found = _best_bands(observed, expected, np.array([300.0]), 20)
        first, *_, last = [*np.flatnonzero(found.inside[0]), *np.flatnonzero(found.inside[0])]
        for start, end in ((first - 1, last), (first + 1, last), (first, last - 1), (first, last + 1)):
            if 0 <= start <= end < 20:
                assert slow_band(observed[0], expected[0], start, end) <= found.saved[0] + 1e-6


def test_a_change_must_save_more_than_rounding():
    """Two ends save the same but for rounding: the band stays where the search began."""
    observed = np.array([[0.0, 50.0, 50.0, 0.0, 0.0]])
    expected = np.array([[1e-12, 1e-12, 30.0, 65.0, 5.0]])  # to begin one earlier changes nothing
    found = _best_bands(observed, expected, np.array([100.0]), 4)
    assert np.flatnonzero(found.inside[0]).tolist() == [1]


def test_a_form_has_its_band_wherever_that_says_more_than_its_best_set():
    rng = np.random.default_rng(6)
    share = rng.dirichlet(np.full(21, 0.6), 300)
    first, width = rng.integers(0, 20, 300), rng.integers(1, 12, 300)
    column = np.arange(21) - first[:, None]
    share = np.where((column >= 0) & (column < width[:, None]), 1.0, 0.2 * share)
    observed = np.array([rng.multinomial(150, each / each.sum()) for each in share]).astype(float)
    expected = np.full(observed.shape, 150 / 21)
    found, sets = (fit(observed, expected, 20, bands=bands) for bands in (True, False))
    band = _best_bands(observed, expected, np.full(300, 150.0), 20)
    best = np.maximum(sets.net, band.net)
    worth = best > 0
    assert (worth & (band.net > sets.net)).sum() > 50
    assert (worth & (band.net < sets.net)).sum() > 50
    np.testing.assert_allclose(found.net[worth], best[worth])


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_best_set_is_the_best_of_all_sets(size):
    rng = np.random.default_rng(size)
    inside = np.isin(np.arange(9), rng.choice(9, size, replace=False))
    observed, expected = planted(inside, 9, 300, 0.97, rng)
    found = fit(observed, expected, 9, bands=False)
    sets = [list(s) for k in range(1, 6) for s in itertools.combinations(range(9), k)]
    cost = set_bits(np.full((1, 9), 1 / 9), 9)[0]
    net = [slow_saving(observed[0, s].sum(), 300, expected[0, s].sum()) - cost[len(s) - 1] - 4 for s in sets]
    assert (
        sets[int(np.argmax(net))]
        == np.flatnonzero(found.inside[0]).tolist()
        == np.flatnonzero(inside).tolist()
    )
    assert found.net[0] == pytest.approx(max(net))


def test_a_shared_set_costs_its_number_alone():
    rng = np.random.default_rng(0)
    classes = np.zeros((2, 31), dtype=bool)
    classes[0, rng.choice(30, 15, replace=False)] = True
    classes[1, :30] = ~classes[0, :30]
    observed, expected = planted(classes[1, :30], 30, 60, 1.0, rng)
    alone = fit(observed, expected, 30, bands=True)
    shared = fit_classes(alone, observed, expected, classes)
    assert (shared.inside == classes[1]).all()
    assert shared.cost[0] == 1 + 2 + 4
    assert shared.net[0] > alone.net[0]
