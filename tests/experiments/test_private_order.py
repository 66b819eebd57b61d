"""A sender that adds up values of its own: the model finds its order, and other orders explain little."""

import numpy as np
import private_order
import pytest
import torch

from spatial_game import MASK, GameConfig, draw_episodes

CONFIG = GameConfig(12, window_radius=1, vocab_size=6, message_length=2)
ORDER = np.random.default_rng(3).permutation(12) / 11
"""The values of the integers."""


def messages_of(window):
    """Cut the difference of the two neighbours' values into 36 parts."""
    value = np.where(window == MASK, 0.0, ORDER[window])
    part = np.clip(18 + 18 * (value[:, 0] - value[:, 2]), 0, 35).astype(np.int16)
    return np.stack([part // 6, part % 6], axis=1)


def test_the_model_finds_the_order_of_a_sender(monkeypatch):
    for name, value in {"STEPS": 100, "SHORT": 20, "STARTS": 2, "BATCH": 128}.items():
        monkeypatch.setattr(private_order, name, value)
    window = draw_episodes(CONFIG, 8_000, np.random.default_rng(0)).window
    sample = private_order.Sample(CONFIG, window, messages_of(window))
    found = private_order.fit(sample, 1, 0)
    assert private_order.alike(found.values.detach().numpy(), ORDER[None])[0] > 0.95
    by_size = private_order.fit(sample, 1, 0, np.arange(12.0))
    assert sample.held_out_bits(found) > 1.5 * sample.held_out_bits(by_size)


def test_probabilities_of_all_messages_add_up_to_one():
    window = torch.tensor([[3, MASK, 5]]).expand(36, 3)
    messages = torch.cartesian_prod(torch.arange(6), torch.arange(6))
    model = private_order.Model(CONFIG, torch.randn(2, 12), messages[:20])
    torch.testing.assert_close(model.bits(window, messages).exp2().sum(), torch.tensor(1.0))


def test_values_are_alike_however_they_are_mixed():
    values = np.random.default_rng(0).normal(size=(2, 30))
    mixed = np.array([[2.0, 1.0], [-1.0, 3.0]]) @ values + 5
    assert private_order.alike(values, mixed) == pytest.approx([1, 1])
