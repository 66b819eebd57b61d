"""The search for rules."""

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import counts_by_place, places_of
from spatial_game.language.dictionary.patterns import patterns
from spatial_game.language.dictionary.search import Search, Stack
from spatial_game.language.known import LANGUAGES
from spatial_game.recording import record

SHORT = GameConfig(sequence_length=10)


def begun(name, noise=0.0):
    """Return the search for the rules of a language, before its first step."""
    language = LANGUAGES[name](SHORT, np.random.default_rng(0), noise=noise)
    counts = count(record(language, None, draw_episodes(SHORT, 20_000, np.random.default_rng(1)), SHORT))
    return Search(places_of(SHORT), counts_by_place(SHORT, counts.table), patterns(counts.messages))


def layers(search, place):
    """Return the bits that patterns alone save net at a place, and their layers."""
    nothing = np.ones(search.observed[place].shape)
    return search.at(place, search.belief.around(place)).layers(search.patterns, nothing)


def test_what_a_layer_saves_net_is_what_it_adds_to_the_whole():
    search = begun("bands")
    place, before = 1, search.net
    gain, layer = max(layers(search, place), key=lambda each: each[0])
    search.stacks[place], search.belief.weights[place] = Stack((layer,)), layer.factors()
    assert gain > 0
    assert search.net - before == pytest.approx(gain)


def test_the_factors_of_a_layer_are_those_of_the_forms_of_each_message():
    found = [layer for _, layer in layers(begun("slot-invariant"), 1)]
    for layer in found:
        expected = np.ones((layer.pattern.incidence.shape[1], layer.rules.inside.shape[1]))
        for form, factor in zip(layer.forms, layer.rules.factors(), strict=True):
            expected[layer.pattern.incidence[[form]].toarray()[0] > 0] *= factor
        np.testing.assert_allclose(layer.factors(), expected)
    assert {layer.pattern.slots is None for layer in found} == {True, False}


def test_a_symbol_at_any_slot_that_explains_a_message_leaves_nothing_to_those_beside_it():
    [layer] = begun("any-order").run().stacks[SHORT.offsets.index(-1)].layers
    symbols = layer.pattern.symbols[layer.forms]
    language = LANGUAGES["any-order"](SHORT, np.random.default_rng(0))
    meant = {form.symbols for form, (meaning, *_) in language.truth if meaning.place == -1}
    assert {tuple(symbol) for symbol in symbols.tolist()} == meant
