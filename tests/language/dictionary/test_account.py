"""The count in bits, against sums over all windows."""

import functools
import json
import math

import numpy as np
import pytest
from slow_rules import factor, followed, numbers
from windows import all_windows, categories

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.places import EDGE
from spatial_game.language.dictionary.account import remainders
from spatial_game.language.dictionary.build import describe, dictionary_of
from spatial_game.language.known import LANGUAGES
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.meaning import Meaning
from spatial_game.recording import Recording, record

SHORT = GameConfig(sequence_length=10)


def explained(lexicon, windows, messages):
    """Return the mean of log2 q(window | message) / q0(window), one window at a time."""
    config = lexicon.config
    ratios = functools.cache(lambda message: ratios_of_windows(lexicon.rules, config, message))
    rows = zip(windows.tolist(), messages.tolist(), strict=True)
    return np.mean([math.log2(ratios(tuple(message))[tuple(window)]) for window, message in rows])


def ratios_of_windows(rules, config, message):
    """Return q / q0 of every window of the game for a message."""
    about, _ = followed(rules, config, message)
    ratio, mass = {}, 0.0
    for window, share in all_windows(config):
        found = categories(config, window)
        ratio[tuple(window)] = math.prod(
            factor(rule, found[numbers(rule.meaning, config)[0]], config) for rule in about
        )
        mass += share * ratio[tuple(window)]
    return {window: each / mass for window, each in ratio.items()}


@pytest.mark.parametrize("name", ["bands", "mixture", "slot-invariant"])
def test_the_account_is_that_of_a_reader_who_has_the_file(name):
    config = GameConfig(7, window_radius=1, num_distractors=2)
    language = LANGUAGES[name](config, np.random.default_rng(0), noise=0.05)
    recording = record(language, None, draw_episodes(config, 4_000, np.random.default_rng(1)), config)
    lexicon = dictionary_of(count(recording))
    account, read = lexicon.account, Lexicon.from_dict(json.loads(json.dumps(lexicon.to_dict())))
    window, message = recording.window, recording.message
    assert account.explained_bits > 0.5
    assert account.explained_bits == pytest.approx(explained(read, window, message))
    assert account.held_out_bits == pytest.approx(explained(read, window[9::10], message[9::10]))


@pytest.fixture(scope="module")
def edges():
    """A language of three messages: the two edges, and the middle."""
    config = GameConfig(
        sequence_length=4, num_integers=8, window_radius=1, num_distractors=1, message_length=1
    )
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    message = episodes.mask_column[:, None].astype(np.int16)
    return count(Recording(config, window=episodes.window, message=message))


def test_the_account_of_a_language_of_edges(edges):
    lexicon = dictionary_of(edges)
    account = lexicon.account
    share = edges.message_totals / edges.total
    exact = -float((share * np.log2(share)).sum())
    assert account.message_bits == pytest.approx(exact)
    assert exact == pytest.approx(1.5, abs=0.01)  # a quarter, a half, a quarter
    assert account.half_bits == pytest.approx(exact, abs=1e-3)
    # q0 has exact quarters; a rule of probability 0.99999 loses less than 1e-4 bits an episode.
    assert account.explained_bits == pytest.approx(1.5, abs=0.01)
    assert account.held_out_bits == pytest.approx(1.5, abs=0.05)
    assert account.by_place["edge"] == pytest.approx(account.explained_bits)
    assert sum(account.by_place.values()) == pytest.approx(account.explained_bits)
    found = {(entry.form.symbols, entry.meanings[0][0]) for entry in lexicon.listed}
    assert found == {((0,), Meaning(EDGE, ("begin",))), ((2,), Meaning(EDGE, ("end",)))}
    # A set of one of two edges, by its size and its member, and the share: 2 + 1 + 2 + 4 bits, and the form.
    costs = [sum(rule.cost for rule in entry.rules) for entry in lexicon.listed]
    assert 1000 * account.kilobits == pytest.approx(
        sum(costs) + sum(rule.cost for rule in lexicon.analysis.defaults)
    )
    assert all(9 <= cost <= 13 for cost in costs)
    assert all(entry.bits == pytest.approx(2, abs=0.02) for entry in lexicon.listed)


def test_what_is_left_unsaid_names_only_integers_that_were_seen_more_than_expected():
    sender = LANGUAGES["holistic"](SHORT, np.random.default_rng(0), noise=0.3)
    counts = count(record(sender, None, draw_episodes(SHORT, 3_000, np.random.default_rng(1)), SHORT))
    found = remainders(describe(counts).rules, counts)
    assert found
    assert all(each.seen for each in found)
    assert any(len(each.seen) < 6 for each in found)
    many = GameConfig(300, vocab_size=2, message_length=1)
    window = draw_episodes(many, 20_000, np.random.default_rng(1)).window
    nothing_said = count(Recording(many, window, np.zeros((20_000, 1), dtype=np.int16)))
    assert remainders([], nothing_said) == []  # no integer has a share of half a percent
