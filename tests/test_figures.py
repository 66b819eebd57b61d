"""The plots of additive models."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from private_orders import random_model

from spatial_game import figures
from spatial_game.config import GameConfig
from spatial_game.language.additive.regions import order

GRID = GameConfig(shape=(4, 4), window_radius=1, num_distractors=2, vocab_size=4, message_length=2)


def texts(draw):
    _, axis = plt.subplots()
    assert draw(axis) is axis
    found = [text.get_text() for text in axis.texts]
    plt.close()
    return found


@pytest.mark.parametrize("config", [None, GRID])
def test_the_strip_has_the_integers_in_order_and_the_map_a_weight_for_each_place(config):
    model = random_model(1, config, messages=12)
    assert texts(lambda axis: figures.order_strip(axis, model, 1)) == [str(k) for k in order(model, 1)]
    found = texts(lambda axis: figures.weight_map(axis, model, 1, 2))
    expected = [f"{weight:+.2f}" for weight in model.weights[1, :, 2]]
    expected[model.config.window_size // 2] = "target"
    assert found == expected


def test_a_region_has_the_symbol_that_is_most_probable_there():
    model = random_model(3)
    _, axis = plt.subplots()
    figures.symbol_regions(axis, model)
    for text in axis.texts:
        x, y = text.get_position()
        logits = model.slopes[0] @ np.array([x, y, 0, 0]) + model.heights[0]
        assert text.get_text() == str(model.slots[0].symbols[logits.argmax()])
    assert axis.texts
    plt.close()


def test_the_same_drawing_gives_the_same_svg():
    model = random_model(2, GRID)
    svgs = {figures.to_svg(lambda axis: figures.order_strip(axis, model), label="order") for _ in range(2)}
    assert len(svgs) == 1
