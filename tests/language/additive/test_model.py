"""Scores and probabilities of additive models, against loops over places and symbols."""

import itertools
import math

import numpy as np
import pytest
from private_orders import random_model

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, draw_episodes
from spatial_game.language.additive.model import cells_of, cells_of_columns
from spatial_game.language.counting.columns import window_columns

HIDING = GameConfig(9, window_radius=2, num_distractors=2, vocab_size=4, message_length=3, num_visible=2)


def slow_scores(model, window):
    z = [0.0] * model.weights.shape[2]
    for place, integer in enumerate(window):
        for s in range(len(z)):
            if integer == MASK:
                z[s] += model.edges[place, s]
                continue
            for r in range(len(model.values)):
                if integer == HIDDEN:
                    value = model.values[r, len(model.config.integers)]
                else:
                    value = model.values[r, integer] if integer in model.config.integers else 0.0
                z[s] += value * model.weights[r, place, s]
    return z


def slow_bits(model, z, message):
    """log2 P of each symbol, by a softmax over the symbols that follow the same beginning."""
    bits, known = [], model.messages.tolist()
    for number in range(len(message)):
        prefixes = sorted({tuple(m[: number + 1]) for m in known})
        weight = {
            p: math.exp(
                model.heights[number][i] + sum(a * b for a, b in zip(model.slopes[number][i], z, strict=True))
            )
            for i, p in enumerate(prefixes)
        }
        alike = {p for p in prefixes if p[:-1] == tuple(message[:number])}
        sent = dict.fromkeys(alike, 0)
        for m, n in zip(known, model.episodes.tolist(), strict=True):
            if tuple(m[: number + 1]) in alike:
                sent[tuple(m[: number + 1])] += n
        this = tuple(message[: number + 1])
        meant = weight[this] / sum(weight[p] for p in alike)
        bits.append(math.log2((1 - model.noise) * meant + model.noise * sent[this] / sum(sent.values())))
    return bits


@pytest.mark.parametrize("config", [None, HIDING])
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_those_of_a_loop(config, seed):
    model = random_model(seed, config)
    rng = np.random.default_rng(seed)
    window = draw_episodes(model.config, 20, rng).window
    window[0, window[0] >= 0] = 99  # an integer that the game lacks
    ids = rng.integers(0, len(model.messages), len(window))
    scores = model.scores(window)
    bits, every = model.slot_bits(scores, ids), model.message_bits(scores)
    for row, cells in enumerate(window.tolist()):
        z = slow_scores(model, cells)
        assert scores[row] == pytest.approx(z)
        assert bits[row] == pytest.approx(slow_bits(model, z, model.messages[ids[row]].tolist()))
        known = [sum(slow_bits(model, z, message)) for message in model.messages.tolist()]
        assert every[row] == pytest.approx(known)
    assert np.exp2(every).sum(axis=1) == pytest.approx(1)
    expected = bits.sum(axis=1) - np.log2(model.episodes / model.episodes.sum())[ids]
    cells = cells_of(model.config, window)
    assert model.evidence(cells, ids) == pytest.approx(expected)
    columns = window_columns(model.config, window)
    assert cells_of_columns(model.config, model.config, columns)[1:] == pytest.approx(cells[1:])


def test_where_a_game_hides_cells_evidence_is_the_mean_over_the_ways_to_hide_them():
    model = random_model(0, HIDING)
    window, ids = np.array([[3, 0, MASK, 5, 7], [MASK, 1, 2, 4, 6]]), np.array([2, 5])
    found = model.evidence(cells_of(HIDING, window), ids)
    for row, cells in enumerate(window.tolist()):
        seen = [place for place, integer in enumerate(cells) if integer != MASK]
        chances = []
        for hidden in itertools.combinations(seen, 2):
            shown = [HIDDEN if place in hidden else integer for place, integer in enumerate(cells)]
            bits = slow_bits(model, slow_scores(model, shown), model.messages[ids[row]].tolist())
            chances.append(2 ** sum(bits))
        share = model.episodes[ids[row]] / model.episodes.sum()
        assert found[row] == pytest.approx(math.log2(np.mean(chances) / share))


def test_messages_that_the_model_cannot_say_have_no_number():
    model = random_model(0)
    known = {tuple(message): row for row, message in enumerate(model.messages.tolist())}
    asked = np.array([*np.ndindex(4, 4, 4), (-1, 0, 0), (5, 0, 0)])
    assert model.ids(asked).tolist() == [known.get(tuple(message), -1) for message in asked.tolist()]
