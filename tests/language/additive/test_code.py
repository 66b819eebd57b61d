"""The code of additive models: the length of its numbers by hand, and that rounding pays."""

import dataclasses
import math

import numpy as np
import pytest
from private_orders import private_order, random_model, recorded

from spatial_game.game.episodes import draw_episodes
from spatial_game.language.additive.code import (
    GROUP_BITS,
    number_bits,
    rounded,
    slot_means,
    total_bits,
    written_bits,
)
from spatial_game.language.additive.fit import fit_values, sample
from spatial_game.language.additive.model import cells_of
from spatial_game.language.counting.counts import count


def test_numbers_take_the_bits_of_a_geometric_distribution():
    multiples = np.array([0, 1, -2, 0, 5])
    mean = 8 / 5
    best = min(
        sum(-math.log2((1 - t) / (1 + t) * t ** abs(int(q))) for q in multiples)
        for t in np.linspace(0.001, 0.999, 2000)
    )
    assert number_bits(multiples) == pytest.approx(GROUP_BITS + best, abs=1e-3)
    t = (math.sqrt(1 + mean**2) - 1) / mean
    assert sum((1 - t) / (1 + t) * t ** abs(q) for q in range(-400, 401)) == pytest.approx(1)
    assert number_bits(np.zeros(7)) == GROUP_BITS


def test_a_model_takes_the_bits_of_its_numbers_and_of_its_messages():
    model = random_model(2)
    numbers = sum(number_bits(np.rint(group * 8)) for group in model.groups.values())
    assert written_bits(model) == pytest.approx(numbers + 12 + math.log2(math.comb(64, 12)))
    rng = np.random.default_rng(0)
    window, ids = draw_episodes(model.config, 50, rng).window, rng.integers(0, 12, 50)
    cells = cells_of(model.config, window)
    said = -sum(model.slot_bits(model.scores(window), ids).sum(axis=1))
    assert total_bits(model, cells, ids) == pytest.approx(written_bits(model) + said)
    assert slot_means(model, cells, ids).sum() * 50 == pytest.approx(-said)


def test_rounding_makes_multiples_of_the_steps_and_shortens_the_code():
    sender = private_order(7, 2, 0.02)
    known = sample(count(recorded(sender, sender.config, 10_000)))
    model = fit_values(known, 1, np.random.default_rng(0), 800)
    for name, group in model.groups.items():
        assert np.array_equal(np.rint(group / model.steps[name]) * model.steps[name], group)
    fine = dataclasses.replace(model, steps=dict.fromkeys(model.groups, 2.0**-12))
    episodes = known.cells, known.ids
    assert total_bits(rounded(fine, *episodes), *episodes) < 0.8 * total_bits(fine, *episodes)
