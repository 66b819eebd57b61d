"""The belief, against the sum over all windows."""

import math

import numpy as np
import pytest
from windows import SMALL, WIDE, all_windows, categories

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, draw_episodes
from spatial_game.language.counting.places import near_offsets, places_of, values_at_places
from spatial_game.language.lexicon.belief import Belief


def random_belief(config, spoken, num_messages=2, seed=0):
    rng = np.random.default_rng(seed)
    belief = Belief(places_of(config), num_messages)
    for place in spoken:
        belief.weights[place] = rng.gamma(0.5, size=(num_messages, belief.places.categories(place))) + 1e-3
    return belief


def weight(belief, message, found, but=()):
    weights = enumerate(belief.weights)
    return math.prod(w[message, found[p]] for p, w in weights if w is not None and p not in but)


BELIEFS = [
    (SMALL, ()),
    (SMALL, (1,)),
    (SMALL, (0, 1, 2, 3, 4)),
    (WIDE, (3, 4, 8)),
    (WIDE, (0, 2, 3, 4, 5)),
]


@pytest.mark.parametrize(("config", "spoken"), BELIEFS)
def test_masses_are_sums_over_all_windows(config, spoken):
    belief = random_belief(config, spoken)
    windows = [(categories(config, w), share) for w, share in all_windows(config)]
    expected = np.zeros((2, config.window_size))
    for found, share in windows:
        for m in range(2):
            expected[m, found[-1]] += share * weight(belief, m, found)
    np.testing.assert_allclose(belief.masses(), expected, rtol=1e-9)
    together = belief.arounds(range(len(belief.weights)))
    for place in range(len(belief.weights)):
        around = np.zeros((2, belief.places.categories(place)))
        for found, share in windows:
            for m in range(2):
                around[m, found[place]] += share * weight(belief, m, found, but=(place,))
        np.testing.assert_allclose(belief.around(place), around, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(together[place], around, rtol=1e-9, atol=1e-12)


def test_explained_bits_are_those_of_each_window():
    belief = random_belief(SMALL, (1, 2, 4))
    windows = list(all_windows(SMALL))
    found = [categories(SMALL, w) for w, _ in windows]
    rng = np.random.default_rng(1)
    message, drawn = rng.integers(0, 2, 500), rng.integers(0, len(windows), 500)
    observed = [np.zeros((2, belief.places.categories(place))) for place in range(len(belief.weights))]
    for m, i in zip(message, drawn, strict=True):
        for place, table in enumerate(observed):
            table[m, found[i][place]] += 1
    total = [
        sum(s * weight(belief, m, f) for f, (_, s) in zip(found, windows, strict=True)) for m in range(2)
    ]
    bits = sum(math.log2(weight(belief, m, found[i]) / total[m]) for m, i in zip(message, drawn, strict=True))
    assert belief.explained(observed) == pytest.approx(bits)


GRID = {"shape": (3, 4), "window_radius": 1, "num_distractors": 2}


@pytest.mark.parametrize(
    "game", [GameConfig(6, num_distractors=2), GameConfig(**GRID), GameConfig(**GRID, num_visible=2)]
)
def test_the_belief_without_words_is_the_game(game):
    """With random weights, masses are the mean products of weights over drawn windows."""
    rng = np.random.default_rng(0)
    belief = Belief(places_of(game), 2)
    chosen = near_offsets(game)[:3]
    for place in chosen:
        belief.weights[place] = rng.random((2, belief.places.categories(place)))
    window = draw_episodes(game, 200_000, rng).window
    shown, num_integers = values_at_places(game, window)[:, :-1], game.num_integers
    product = np.ones((2, len(window)))
    for place in chosen:
        category = np.where(shown[:, place] == HIDDEN, num_integers + 1, shown[:, place])
        weights = belief.weights[place]
        assert weights is not None
        product *= weights[:, np.where(category == -1, num_integers, category)]
    assert belief.masses().sum(axis=1) == pytest.approx(product.mean(axis=1), rel=0.01)
    for place in (chosen[0], chosen[-1], len(game.offsets) - 1):
        around, weights = belief.around(place), belief.weights[place]
        total = (around if weights is None else around * weights).sum(axis=1)
        assert total == pytest.approx(belief.masses().sum(axis=1))


def test_many_weighted_offsets_are_summed_by_what_each_message_speaks_of():
    """Eight offsets are too many for one sum; messages that speak of one each are no matter."""
    game, rng = GameConfig(shape=(5, 6), window_radius=1, num_distractors=2), np.random.default_rng(0)
    belief = Belief(places_of(game), 8)
    for row, place in enumerate(near_offsets(game)):
        belief.weights[place] = np.ones((8, belief.places.categories(place)))
        belief.weights[place][row] = rng.random(belief.places.categories(place))
    alone = Belief(places_of(game), 8)
    for row, place in enumerate(near_offsets(game)):
        alone.weights = [None] * len(belief.weights)
        alone.weights[place] = belief.weights[place]
        assert belief.masses()[row] == pytest.approx(alone.masses()[row])
    assert belief.can_weight(belief.places.edge)
