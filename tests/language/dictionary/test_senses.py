"""What forms mean, against a slow twin that goes through all episodes."""

import numpy as np
import pytest
from windows import SMALL, WIDE, all_windows

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.association import npmi
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import Form, carrier_mask
from spatial_game.language.counting.places import (
    EDGE,
    places_of,
    values_at_places,
)
from spatial_game.language.dictionary.build import describe, dictionary_of
from spatial_game.language.dictionary.senses import (
    LEAST_LISTED,
    LEAST_TOLD,
    entries_of,
    shares_of_windows,
)
from spatial_game.language.known import LANGUAGES
from spatial_game.language.lexicon.entries import Rule, Sense
from spatial_game.language.lexicon.meaning import Meaning, all_hold
from spatial_game.recording import Recording, record

SHORT = GameConfig(sequence_length=10)
EPISODES = 3_000


def holding(entry, config, window):
    """Return in which of windows one of the senses of an entry holds."""
    return np.any([all_hold(meanings, config, window) for meanings in entry.meanings], axis=0)


@pytest.mark.parametrize("name", ["larger-of-two", "two-bands", "mixture", "class-bit"])
def test_shares_are_counted_over_the_episodes(name):
    language = LANGUAGES[name](SHORT, np.random.default_rng(0), noise=0.05)
    recording = record(language, None, draw_episodes(SHORT, 5_000, np.random.default_rng(1)), SHORT)
    counts = count(recording)
    found = entries_of(describe(counts).rules, counts)
    assert found
    for of_form in found:
        here = carrier_mask([of_form.form], recording.message)
        window = recording.window[here]
        assert of_form.episodes == here.sum()
        for sense in of_form.senses:
            assert sense.share == pytest.approx(all_hold(sense.meanings, SHORT, window).mean())
        assert of_form.count == holding(of_form, SHORT, window).sum()


def of_alternatives(parts, rng):
    """Return windows, and the entry of a message that is sent where one of these parts holds.

    `parts`: places with their values. A rule of the message says each of them.
    """
    window = draw_episodes(WIDE, EPISODES, rng).window
    categories = values_at_places(WIDE, window).T
    one = np.any([np.isin(categories[place], values) for place, values in parts.items()], axis=0)
    here = one & (rng.random(len(one)) < 0.9)
    message = np.where(here, 1, 0).astype(np.int16)[:, None].repeat(WIDE.message_length, axis=1)
    form = Form((1,) * WIDE.message_length, 0)
    rules = [Rule(form, Meaning.of(WIDE, place, values), 0.9, 0.1) for place, values in parts.items()]
    [found] = entries_of(rules, count(Recording(WIDE, window=window, message=message)))
    return window[here], found


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_an_episode_in_which_several_senses_hold_counts_once(number):
    rng = np.random.default_rng(number)
    places, overlaps = places_of(WIDE), 0
    windows, share = (np.array(column) for column in zip(*all_windows(WIDE), strict=True))
    for _ in range(10):
        parts = {
            place: tuple(sorted(rng.permutation(places.nameable(place))[: rng.integers(1, 3)].tolist()))
            for place in rng.permutation(len(places))[:number].tolist()
        }
        window, entry = of_alternatives(parts, rng)
        true = holding(entry, WIDE, window)
        assert entry.count == true.sum()
        chance = share[holding(entry, WIDE, windows)].sum()
        assert entry.npmi == pytest.approx(npmi(true.sum(), len(window), chance * EPISODES, EPISODES))
        overlaps += sum(sense.share for sense in entry.senses) > 1.001 * true.mean()
    assert overlaps


def of_edges(shares):
    """Return the entry of a message that is sent at edges in these shares of its episodes."""
    rng = np.random.default_rng(0)
    episodes = draw_episodes(SHORT, 20_000, rng)
    edge = np.array(SHORT.edges)[episodes.mask_column]
    likely = np.array([shares.get(name, 0.0) for name in edge])
    here = rng.random(len(edge)) < likely
    message = np.where(here[:, None], 1, 0).repeat(3, axis=1).astype(np.int16)
    counts = count(Recording(SHORT, window=episodes.window, message=message))
    values = tuple(name for name in shares if name != "middle")
    rule = Rule(Form((1, 1, 1), 0), Meaning(EDGE, values), 0.9, 0.2)
    [found] = entries_of([rule], counts)
    return found


def test_edges_that_a_rule_names_are_one_meaning():
    entry = of_edges({"begin": 1.0, "begin+1": 0.5})
    assert entry.senses == (Sense((Meaning(EDGE, ("begin", "begin+1")),), 1.0),)
    assert entry.listed


def test_what_holds_less_often_than_by_chance_is_no_sense():
    rng, right, values = np.random.default_rng(0), SHORT.offsets.index(1), tuple(range(8))
    episodes = draw_episodes(SHORT, 50_000, rng)
    beside = values_at_places(SHORT, episodes.window)[:, right]
    begin, middle = episodes.mask_column == 0, episodes.mask_column == 2
    here = (begin & (beside >= 8)) | (middle & (beside < 8) & (rng.random(50_000) < 0.02))
    message = np.where(here[:, None], 1, 0).repeat(3, axis=1).astype(np.int16)
    counts, form = count(Recording(SHORT, window=episodes.window, message=message)), Form((1, 1, 1), 0)
    rules = [Rule(form, Meaning(*said), 0.6, 0.1) for said in ((EDGE, ("begin",)), (1, values))]
    [entry] = entries_of(rules, counts)
    [sense] = entry.senses
    assert sense.meanings == (Meaning(EDGE, ("begin",)),)
    assert 0.5 < sense.share < 0.8


def test_what_holds_in_too_few_episodes_is_not_listed():
    entry = of_edges({"begin": 1.0, "middle": 0.4})  # a tenth of the targets against six tenths
    assert entry.confidence < LEAST_LISTED
    assert not entry.listed
    entry = of_edges({"begin": 1.0, "end": 0.8, "middle": 0.15})
    assert entry.confidence > LEAST_LISTED
    assert entry.listed


def test_no_listed_entry_is_against_chance_or_says_nothing():
    config = GameConfig(sequence_length=20)
    language = LANGUAGES["bands-in-slots"](config, np.random.default_rng(0), noise=0.1)
    episodes = draw_episodes(config, 50_000, np.random.default_rng(1))
    lexicon = dictionary_of(count(record(language, None, episodes, config)))
    assert lexicon.listed
    for entry in lexicon.listed:
        assert entry.npmi > 0
        assert entry.bits >= LEAST_TOLD
        assert entry.confidence >= LEAST_LISTED


def test_a_form_has_one_row_with_all_of_its_senses():
    language = LANGUAGES["larger-of-two"](SHORT, np.random.default_rng(0))
    counts = count(record(language, None, draw_episodes(SHORT, 20_000, np.random.default_rng(1)), SHORT))
    lexicon = dictionary_of(counts)
    forms = [entry.form for entry in lexicon.entries]
    assert len(forms) == len(set(forms))
    several = [entry for entry in lexicon.listed if len(entry.senses) > 1]
    assert several
    for entry in several:
        shares = [sense.share for sense in entry.senses]
        assert shares == sorted(shares, reverse=True)
        assert all(meanings[0].kind in ("edge", "integer_at") for meanings in entry.meanings)


def test_shares_of_meanings_are_those_of_all_windows():
    senses = [
        (Meaning(EDGE, ("begin",)),),
        (Meaning(-1, (0, 3)),),
        (Meaning(2, (1,)),),
        (Meaning(-1, (0, 1)), Meaning(1, (1, 2, 4))),
        (Meaning(EDGE, ("end",)), Meaning(-2, (5,))),
        (Meaning(-2, (0,)), Meaning(2, (1,))),  # never visible together
    ]
    windows = list(all_windows(SMALL))
    table, share = np.array([w for w, _ in windows], dtype=np.int16), np.array([s for _, s in windows])
    expected = [share[all_hold(meanings, SMALL, table)].sum() for meanings in senses]
    found = shares_of_windows(senses, SMALL)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert expected[-1] == 0
