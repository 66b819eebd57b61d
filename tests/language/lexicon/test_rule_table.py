"""The tables of rules, against slow twins that go through rules and windows one by one."""

import itertools
import math

import numpy as np
import pytest
from slow_rules import bits_of, factor, followed, numbers
from windows import all_windows

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import places_of, window_columns
from spatial_game.language.lexicon.entries import Rule, fits_in
from spatial_game.language.lexicon.meaning import ANYWHERE, Meaning
from spatial_game.language.lexicon.rule_table import RuleTable

GAME = GameConfig(
    sequence_length=5, num_integers=6, window_radius=1, num_distractors=1, vocab_size=3, message_length=3
)
PLACES = places_of(GAME)
MESSAGES = np.array(list(itertools.product(range(3), repeat=3)))


def rule_of(form, place, values, *figures, **others):
    """Return a rule about a place and values by their numbers."""
    return Rule(form, Meaning.of(GAME, place, values), *figures, **others)


def random_rules(seed):
    """Return rules about places, words and offsets, and one for messages without any about the edge."""
    rng = np.random.default_rng(seed)
    rules = []
    for _ in range(8):
        place = int(rng.integers(len(PLACES)))
        size = PLACES.nameable(place)
        values = tuple(sorted(rng.choice(size, int(rng.integers(1, size)), replace=False).tolist()))
        band = place != PLACES.edge and rng.random() < 0.4
        if band:
            values = tuple(range(1, 1 + len(values)))
        symbols = rng.integers(0, 3, int(rng.integers(1, 4))).tolist()
        slot = None if rng.random() < 0.3 else int(rng.integers(0, 4 - len(symbols)))
        e = float(rng.uniform(0.1, 0.5))
        rest = float(rng.uniform(0.5, 2)) if band else None
        form, p = Form(tuple(symbols), slot), float(rng.uniform(0.5, 0.99))
        rules.append(rule_of(form, place, values, p, e, rest))
    for symbol in range(2):
        values = tuple(sorted(rng.choice(6, 2, replace=False).tolist()))
        p, strength = rng.uniform(0.5, 1, 2).tolist()
        rules.append(rule_of(Form((symbol,), None), ANYWHERE, values, p, 0.0, strength=strength))
        rules.append(rule_of(Form((symbol + 1,), 2 * symbol), 1 + symbol, (), p, 0.0, strength=strength / 2))
    rules.append(rule_of(None, PLACES.edge, (2,), 0.9, 0.6))
    return rules


@pytest.mark.parametrize("seed", range(6))
def test_evidence_and_belief_are_products_of_the_factors_of_rules(seed):
    rules = random_rules(seed)
    table = RuleTable(rules, GAME)
    said = table.of_messages(MESSAGES)
    evidence, belief = table.evidence(said), table.belief(MESSAGES)
    windows = [window for window, _ in all_windows(GAME)]
    columns = window_columns(GAME, np.array(windows, dtype=np.int16))
    for row, message in enumerate(MESSAGES.tolist()):
        about, alone = followed(rules, GAME, message)
        for place in range(len(PLACES)):
            here = [rule for rule in about if numbers(rule.meaning, GAME)[0] == place]
            expected = [
                math.prod(factor(rule, category, GAME) for rule in here)
                for category in range(PLACES.categories(place))
            ]
            weights = belief.weights[place]
            np.testing.assert_allclose(np.ones(len(expected)) if weights is None else weights[row], expected)
        for window, cells in zip(windows[::37], columns[::37], strict=True):
            bits = sum(bits_of(rule, GAME, window) for rule in (*about, *alone))
            assert evidence[row, cells].sum() == pytest.approx(bits)


def test_what_is_allowed_is_what_all_rules_name():
    rules = [
        rule_of(Form((0,), 0), 1, (0, 1, 2), 0.9, 0.3),
        rule_of(Form((1,), 1), 1, (2, 3), 0.9, 0.3),
    ]
    table = RuleTable(rules, GAME)
    allowed = table.allowed(table.of_messages(np.array([[0, 1, 0], [0, 0, 0], [2, 2, 2]])), 1)
    assert [np.flatnonzero(row).tolist() for row in allowed] == [[2], [0, 1, 2], list(range(7))]


def test_a_smaller_game_has_fewer_values_and_expects_more_of_them():
    small = GameConfig(
        sequence_length=4, num_integers=4, window_radius=1, num_distractors=1, vocab_size=3, message_length=3
    )
    rules = [rule_of(Form((0,), 0), 1, (0, 1, 5), 0.9, 0.3), rule_of(Form((1,), 0), 1, (4, 5), 0.9, 0.2)]
    [rule] = RuleTable(rules, small, GAME).rules
    assert rule.meaning.values == (0, 1)
    assert rule.expected == pytest.approx(0.3 * (2 / 4) / (3 / 6))


def test_forms_that_do_not_fit_are_left_out():
    assert fits_in(Form((0, None, 2), 0), GAME)
    assert not fits_in(Form((0, 1), 2), GAME)
    assert not fits_in(Form((3,), None), GAME)
    assert RuleTable([rule_of(Form((3,), None), 1, (0,), 0.9, 0.1)], GAME).rules == []
