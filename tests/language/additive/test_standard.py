"""The standard form: it says the same, follows its rules, and does not depend on how a model was mixed."""

import dataclasses

import numpy as np
import pytest
from private_orders import random_model

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.language.additive.model import cells_of
from spatial_game.language.additive.standard import standardised

HIDING = GameConfig(9, window_radius=2, num_distractors=2, vocab_size=4, message_length=3, num_visible=2)


def drawn(config, seed=0, size=400):
    model, rng = random_model(seed, config), np.random.default_rng(seed)
    window = draw_episodes(model.config, size, rng).window
    return model, window, cells_of(model.config, window), rng.integers(0, len(model.messages), size)


def mixed(model, rng):
    """Return a model that says the same in other numbers."""
    turn, values, shift = rng.normal(size=(4, 4)), rng.normal(size=(2, 2)), rng.normal(size=4)
    back = np.linalg.inv(turn)
    return dataclasses.replace(
        model,
        values=values @ model.values,
        weights=np.tensordot(np.linalg.inv(values).T, model.weights @ turn, axes=1),
        edges=model.edges @ turn + shift,
        slopes=tuple(slope @ back.T for slope in model.slopes),
        heights=tuple(h - s @ back.T @ shift for h, s in zip(model.heights, model.slopes, strict=True)),
    )


@pytest.mark.parametrize("config", [None, HIDING])
def test_the_standard_form_says_the_same(config):
    model, window, cells, ids = drawn(config)
    new = standardised(model, cells, ids)
    assert new.message_bits(new.scores(window)) == pytest.approx(model.message_bits(model.scores(window)))


@pytest.mark.parametrize("config", [None, HIDING])
def test_the_standard_form_follows_its_rules(config):
    model, window, cells, ids = drawn(config)
    new = standardised(model, cells, ids)
    middle = window[:, model.config.window_size // 2] == MASK
    values, scores = new.values[:, : len(model.config.integers)], new.scores(window[middle])
    assert values.mean(axis=1) == pytest.approx(0, abs=1e-9)
    assert np.cov(values, bias=True) == pytest.approx(np.eye(2))
    assert (values @ np.arange(values.shape[1]) >= 0).all()
    assert scores.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert np.cov(scores.T) == pytest.approx(np.eye(4))
    flat = new.weights.reshape(-1, 4)
    assert (flat[np.abs(flat).argmax(axis=0), range(4)] > 0).all()
    strength = (new.weights**2).sum(axis=(1, 2))
    assert (np.diff(strength) <= 0).all()


def test_the_standard_form_does_not_depend_on_the_mixture():
    model, _, cells, ids = drawn(None)
    one, other = (
        standardised(model, cells, ids),
        standardised(mixed(model, np.random.default_rng(4)), cells, ids),
    )
    for name, group in one.groups.items():
        assert other.groups[name] == pytest.approx(group, abs=1e-6)
