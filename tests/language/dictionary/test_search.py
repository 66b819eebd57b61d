"""The search for rules."""

import itertools

import numpy as np
import pytest

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import counts_by_place, places_of
from spatial_game.language.dictionary.fit import Rules
from spatial_game.language.dictionary.patterns import patterns
from spatial_game.language.dictionary.search import Search, _AtPlace, _shared_sets, _worth_it
from spatial_game.language.known import LANGUAGES
from spatial_game.recording import record

SHORT = GameConfig(sequence_length=10)


def begun(name, noise=0.0):
    """Return the search for the rules of a language, before its first step."""
    language = LANGUAGES[name](SHORT, np.random.default_rng(0), noise=noise)
    counts = count(record(language, None, draw_episodes(SHORT, 20_000, np.random.default_rng(1)), SHORT))
    observed = counts_by_place(SHORT, counts.table)
    return Search(places_of(SHORT), observed, patterns(counts.messages, observed[-1].sum(axis=1)))


def test_patterns_searched_together_have_the_stacks_that_each_has_alone():
    search = begun("context-synonyms", noise=0.05)
    for place in (0, search.places.edge):
        together = _AtPlace(search, place, search.belief.around(place))
        for below in [(), *itertools.permutations(search.patterns[:3], 2)]:
            stacks = together.on_top(below, search.patterns)
            for pattern, stack in zip(search.patterns, stacks, strict=True):
                alone = _AtPlace(search, place, search.belief.around(place)).stack(*below, pattern)
                assert (stack.net, stack.num_values) == (alone.net, alone.num_values)


def test_the_net_of_a_stack_is_what_it_adds_to_the_whole():
    search = begun("bands")
    place, before = 1, search.net
    step = _AtPlace(search, place, search.belief.around(place))
    stack = max(step.on_top((), search.patterns), key=lambda each: each.net)
    search.stacks[place], search.belief.weights[place] = step.with_middle(stack)
    assert stack.net > 0
    assert search.net - before == pytest.approx(stack.net)


def test_the_factors_of_a_layer_are_those_of_the_forms_of_each_message():
    search = begun("slot-invariant")
    stacks = _AtPlace(search, 1, search.belief.around(1)).on_top((), search.patterns)
    layers = [layer for stack in stacks for layer in stack.layers]
    for layer in layers:
        expected = np.ones((layer.pattern.incidence.shape[1], layer.rules.inside.shape[1]))
        for form, factor in zip(layer.forms, layer.rules.factors(), strict=True):
            expected[layer.pattern.incidence[[form]].toarray()[0] > 0] *= factor
        np.testing.assert_allclose(layer.factors(), expected)
    assert {layer.pattern.slots is None for layer in layers} == {True, False}


def test_the_simplest_stack_is_kept_of_those_that_save_nearly_as_much():
    search = begun("holistic")
    step = _AtPlace(search, 1, search.belief.around(1))
    stacks = step.subsets(search.patterns[:2])
    kept = step.simplest(stacks)
    enough = (1 - search.nearly) * max(stack.net for stack in stacks)
    assert kept.num_values == min(stack.num_values for stack in stacks if stack.net >= enough)


def test_rules_must_save_more_than_they_cost_and_enough_an_episode():
    ones = np.ones(4)
    saved = np.array([40.0, 18.0, 40.0, 40.0])
    rules = Rules(np.ones((4, 2), dtype=bool), ones, ones, ones, np.ones((4, 2)), saved, 10 * ones)
    least = np.array([10.0, 10.0, 50.0, 10.0])  # the second and the third save too little
    assert _worth_it(rules, least, 4).tolist() == [True, False, False, True]


def test_sets_that_several_forms_have_are_classes():
    one, two = [True, True, False, False], [False, True, True, True]
    sets = np.array([one, two, one, [True, False, False, False], two, one])
    assert _shared_sets(sets).tolist() == [one, two]
    assert len(_shared_sets(sets[:2])) == 0
