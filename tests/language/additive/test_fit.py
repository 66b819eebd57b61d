"""Fitting: the gradient against finite differences, and languages with a known order."""

import numpy as np
import pytest
from private_orders import private_order, random_model, recorded
from scipy.stats import spearmanr

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.additive.code import slot_means
from spatial_game.language.additive.fit import LEAST, Sample, fit, fit_values, loss, sample, start
from spatial_game.language.additive.model import cells_of
from spatial_game.language.counting.counts import count

HIDING = GameConfig(9, window_radius=2, num_distractors=2, vocab_size=4, message_length=3, num_visible=2)


@pytest.mark.parametrize("config", [None, HIDING])
def test_the_gradient_is_that_of_finite_differences(config):
    model, rng = random_model(1, config), np.random.default_rng(1)
    cells = cells_of(model.config, draw_episodes(model.config, 30, rng).window)
    ids = rng.integers(0, len(model.messages), 30)
    known = Sample(model.config, model.messages, model.episodes, cells, ids, cells, ids, 1.0)
    parameters = {name: p.astype(float) for name, p in start(known, model.slots, 2, rng).items()}
    for parameter in parameters.values():
        parameter[:] += rng.normal(size=parameter.shape)
    given = 0.1, model.config, model.slots, model.usual, cells, ids
    _, gradient, _ = loss(parameters, *given)
    for name, parameter in parameters.items():
        flat = parameter.reshape(-1)
        for i in rng.permutation(np.flatnonzero(np.isfinite(flat)))[:12]:
            kept, around = flat[i], []
            for change in (1e-5, -1e-5):
                flat[i] = kept + change
                around.append(loss(parameters, *given)[0])
            flat[i] = kept
            assert gradient[name].reshape(-1)[i] == pytest.approx((around[0] - around[1]) / 2e-5, abs=1e-7)


@pytest.mark.parametrize(("scores", "noise"), [(1, 0.0), (1, 0.1), (2, 0.0), (2, 0.1)])
def test_a_private_order_comes_back(scores, noise):
    sender = private_order(scores, scores, noise)
    model = fit(sample(count(recorded(sender, sender.config, 40_000))), np.random.default_rng(0))
    assert len(model.values) == 1
    assert abs(spearmanr(model.values[0], sender.values).statistic) >= 0.99


def test_the_same_seed_gives_the_same_numbers_and_other_seeds_the_same_bits():
    sender = private_order(5, 2, 0.02)
    known = sample(count(recorded(sender, sender.config, 40_000)))
    models = [fit_values(known, 1, np.random.default_rng(seed), 1000) for seed in (0, 0, 1, 2)]
    assert all(np.array_equal(models[0].groups[name], g) for name, g in models[1].groups.items())
    bits = [
        -slot_means(m, known.held_cells, known.held_ids).sum() - np.log2(m.share[known.held_ids]).mean()
        for m in models
    ]
    explained = [-np.log2(models[0].share[known.held_ids]).mean() * 2 - b for b in bits]
    assert min(explained) >= 0.97 * max(explained)


def test_a_sample_has_the_frequent_messages_and_keeps_every_tenth_row_apart():
    sender = private_order(0, 2, 0.3)
    counts = count(recorded(sender, sender.config, 4_000))
    known = sample(counts)
    building = counts.building().message_totals
    assert known.messages.tolist() == counts.messages[building >= LEAST].tolist()
    assert len(known.ids) == building[building >= LEAST].sum()
    assert len(known.held_ids) == (counts.message_totals - building)[building >= LEAST].sum()
    assert known.known == known.episodes.sum() / counts.total


def test_a_language_of_one_message_has_no_model():
    class Same:
        def send(self, window):
            return np.zeros((len(window), 2), dtype=np.int16)

    config = GameConfig(10, window_radius=1, num_distractors=2, vocab_size=4, message_length=2)
    with pytest.raises(ValueError, match="two messages with at least 4 episodes each; got 1"):
        sample(count(recorded(Same(), config, 500)))
