"""What models say for people, against averages over recorded windows."""

import numpy as np
import pytest
from private_orders import private_order, recorded
from scipy.stats import spearmanr

from spatial_game.game.episodes import mask_columns
from spatial_game.language.additive.fit import fit_values, sample
from spatial_game.language.additive.regions import (
    first_symbols,
    message_regions,
    order,
    rank_correlation,
    said,
    strength,
    weights_in_window,
)
from spatial_game.language.counting.counts import count


@pytest.fixture(scope="module")
def fitted():
    sender = private_order(2, 2, 0.0)
    recording = recorded(sender, sender.config, 20_000)
    return sender, recording, fit_values(sample(count(recording)), 1, np.random.default_rng(0))


def test_the_order_is_that_of_the_sender(fitted):
    sender, _, model = fitted
    assert abs(rank_correlation(model.values[0], sender.values)) >= 0.99
    assert np.array_equal(np.argsort(model.values[0], kind="stable"), order(model))
    assert weights_in_window(model).shape == (5, 4)
    assert strength(model).tolist() == [1.0]


def test_rank_correlations_are_those_of_scipy():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 6, 30), rng.normal(size=30)
    assert rank_correlation(one, other) == pytest.approx(spearmanr(one, other).statistic)
    assert rank_correlation(one, np.ones(30)) == 0


def test_regions_are_where_the_messages_are_said(fitted):
    """The most frequent mask column, and which half of the order stands where, as in the recording."""
    _, recording, model = fitted
    ids, mask = model.ids(recording.message), mask_columns(recording.window)
    value = np.where(recording.window >= 0, model.values[0][np.maximum(recording.window, 0)], 0.0)
    found = message_regions(model)
    clear = agreeing = 0
    for number in np.flatnonzero(model.episodes >= 200):
        rows = np.flatnonzero((ids == number) & (mask == found[number].mask))
        assert len(rows) > 0.4 * (ids == number).sum()
        mean = value[rows].mean(axis=0)
        assert found[number].expected == pytest.approx(mean, abs=0.45)
        for place in np.flatnonzero(np.abs(mean) > 0.5):
            clear, agreeing = clear + 1, agreeing + (mean[place] * found[number].expected[place] > 0)
    assert clear > 10
    assert agreeing == clear


def test_a_first_symbol_says_high_or_low_of_the_places_that_it_is_clear_about(fitted):
    _, _, model = fitted
    symbols = first_symbols(model)
    assert sum(share for share, _ in symbols.values()) == pytest.approx(1)
    ranked = order(model)
    for share, region in symbols.values():
        assert 0 < share < 1
        for offset, integers, word in said(model, region):
            place = [p for p, o in enumerate(range(-region.mask, 5 - region.mask)) if o == offset]
            assert abs(region.expected[place[0]]) >= 0.5
            half = ranked[15:] if word == "high" else ranked[:15]
            assert sorted(integers.tolist()) == sorted(half.tolist())
            assert (region.expected[place[0]] > 0) == (word == "high")
