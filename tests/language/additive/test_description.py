"""Descriptions by additive models: their bits, and their files."""

import copy
import json

import numpy as np
import pytest
from private_orders import private_order, recorded

from spatial_game.config import GameConfig
from spatial_game.language.additive.description import AdditiveDescription, describe_additive
from spatial_game.language.additive.model import cells_of
from spatial_game.language.counting.counts import count, held_out_rows
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.synthetic import LANGUAGES


@pytest.fixture(scope="module")
def described():
    sender = private_order(3, 2, 0.02)
    recording = recorded(sender, sender.config, 8_000)
    return recording, describe_additive(count(recording), np.random.default_rng(0))


def test_bits_are_those_of_a_loop_over_the_held_out_episodes(described):
    recording, found = described
    model, rows = found.model, held_out_rows(recording)
    ids = model.ids(recording.message[rows])
    shown = np.flatnonzero(ids >= 0)
    evidence = model.evidence(cells_of(model.config, recording.window[rows][shown]), ids[shown])
    expected = found.known * evidence.mean()
    assert found.held_out_bits == pytest.approx(expected)
    assert sum(found.by_slot) == pytest.approx(found.explained_bits)
    assert found.known == model.episodes.sum() / 8_000
    assert 0 < found.held_out_bits < found.message_bits


def test_a_file_has_all_of_a_description(described):
    _, found = described
    content = json.loads(json.dumps(found.to_dict()))
    again = AdditiveDescription.from_dict(content, found.model.config)
    assert again.to_dict() == found.to_dict()
    assert again.kilobits == found.kilobits
    for name, group in found.model.groups.items():
        assert np.array_equal(again.model.groups[name], group)


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        (["numbers", "values", "multiples", 3], float("nan"), "values must be whole numbers up to"),
        (["numbers", "values", "multiples"], [1, 2], "values must have 30 multiples; got 2"),
        (
            ["numbers", "weights", "power"],
            99,
            r"power of weights must be a whole number in -12\.\.12; got 99",
        ),
        (["values"], 0, r"values must be a whole number in 1\.\.8; got 0"),
        (["messages"], [[0], [1]], "messages must be 2 to 16,384; got 1"),
        (["messages", 0, 0], 11, "messages must be distinct, in ascending order"),
        (["messages", 1], [0, 1], r"messages of a slot must be a list of \d+"),
        (["messages", 1, 0], 12, r"a symbol must be a whole number in 0\.\.11; got 12"),
        (["episodes", 0], 0, "episodes must be a whole number of at least 1; got 0"),
        (["noise"], float("nan"), "noise must be a number"),
        (["by_slot"], [1.0], "by_slot must be a list of 2"),
        (["held_out_bits"], "many", "held_out_bits must be a number"),
    ],
)
def test_a_bad_field_is_named(described, path, value, text):
    _, found = described
    content = copy.deepcopy(found.to_dict())
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=text):
        AdditiveDescription.from_dict(content, found.model.config)


class Babble:
    """Says anything at all."""

    def __init__(self, config):
        self.config, self.rng = config, np.random.default_rng(0)

    def send(self, window):
        return self.rng.integers(0, 5, (len(window), 2)).astype(np.int16)


@pytest.mark.parametrize("name", ["random", "compositional", "holistic"])
def test_a_language_without_an_order_is_not_described_so(name):
    config = GameConfig(10, window_radius=1, num_distractors=2, vocab_size=20, message_length=2)
    sender = Babble(config) if name == "random" else LANGUAGES[name](config, np.random.default_rng(0))
    counts = count(recorded(sender, config, 20_000))
    found = describe_additive(counts, np.random.default_rng(0))
    if name == "random":
        assert found.explained_bits * counts.total < 1000 * found.kilobits
        assert abs(found.held_out_bits) < 0.02
    else:
        dictionary = Lexicon.from_counts(counts).account
        assert dictionary is not None
        net = [each.explained_bits * counts.total - 1000 * each.kilobits for each in (dictionary, found)]
        assert net[0] > net[1]
