from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, seeds

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import Sender
from spatial_game.language.counting.forms import carrier_mask
from spatial_game.language.counting.places import EDGE
from spatial_game.language.known import LANGUAGES, agreement
from spatial_game.language.lexicon.meaning import Meaning, all_hold, kind_of

GAME = GameConfig(sequence_length=12, num_integers=14, window_radius=2, vocab_size=20, message_length=3)


def spoken(language, num_episodes=2000, seed=3):
    episodes = draw_episodes(language.config, num_episodes, np.random.default_rng(seed))
    return episodes.window, language.send(episodes.window)


# ------------------------------------------------------------------------------------- every language


@settings(max_examples=150, deadline=None)
@given(configs(), st.sampled_from(sorted(LANGUAGES)), seeds, st.sampled_from([0.0, 0.3, 1.0]))
def test_a_language_speaks_in_the_game_or_says_why_not(config, name, seed, noise):
    try:
        language = LANGUAGES[name](config, np.random.default_rng(seed), noise=noise)
    except ValueError as error:
        assert "; got " in str(error)  # noqa: PT017
        return
    window, message = spoken(language, 200)
    assert isinstance(language, Sender)
    assert message.shape == (200, config.message_length)
    assert message.dtype == np.int16
    assert message.min() >= 0
    assert message.max() < config.vocab_size
    assert np.array_equal(window, spoken(language, 200)[0])  # sending changes no window


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_what_the_truth_lists_is_so(name):
    language = LANGUAGES[name](GAME, np.random.default_rng(0))
    window, message = spoken(language)
    for form, meanings in language.truth:
        with_form = carrier_mask([form], message)
        assert with_form.any()
        if kind_of(meanings) != "offset":
            least = 0.3 if name in ("larger-of-two", "two-senses") else 0.8
            assert all_hold(meanings, GAME, window[with_form]).mean() >= least


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_a_language_is_its_seed(name):
    one, same, other = (LANGUAGES[name](GAME, np.random.default_rng(seed), noise=0.2) for seed in (5, 5, 6))
    assert one.truth == same.truth != other.truth
    assert np.array_equal(spoken(one)[1], spoken(same)[1])


NAMING = [
    "compositional",
    "compositional-last",
    "tens-offset-units",
    "by-axis",
    "mixed-lengths",
    "slot-invariant",
    "holistic",
    "synonymous",
    "mixture",
]
"""The languages that name one integer and its offset."""


@pytest.mark.parametrize("name", NAMING)
def test_the_truth_tells_where_the_target_is(name):
    """A slow reader with the true lexicon alone finds, in every episode, the edge or integer and offset."""
    language = LANGUAGES[name](GAME, np.random.default_rng(1))
    window, message = spoken(language, 300)
    for cells, symbols in zip(window.tolist(), message.tolist(), strict=True):
        column = cells.index(MASK)
        readings = set(slow_readings(language.truth, symbols))
        if column == GAME.window_radius:
            assert any(0 <= column + o < len(cells) and cells[column + o] == k for k, o in readings)
            assert not any(isinstance(reading, str) for reading in readings)
        else:
            assert readings == {GAME.edges[column]}


def slow_readings(truth, symbols):
    """What a message can mean: an edge's name, or (integer, offset) said whole or by two parts apart."""
    places = [(slot, f, r) for f, r in truth for slot in range(len(symbols)) if slow_stands(f, symbols, slot)]
    whole = [r for _, f, r in places if kind_of(r) in ("edge", "integer_at")]
    yield from (r[0].values[0] if kind_of(r) == "edge" else (r[0].values[0], r[0].place) for r in whole)
    if any(kind_of(r) == "edge" for r in whole):
        return
    for start, word, integer in places:
        for slot, _, offset in places:
            apart = slot - start not in [i for i, symbol in enumerate(word.symbols) if symbol is not None]
            if kind_of(integer) == "integer" and kind_of(offset) == "offset" and apart:
                yield integer[0].values[0], offset[0].place


def slow_stands(form, symbols, slot):
    stands = symbols[slot : slot + len(form.symbols)]
    return (
        form.slot in (None, slot)
        and len(stands) == len(form.symbols)
        and all(wanted in (None, symbol) for wanted, symbol in zip(form.symbols, stands, strict=True))
    )


# ------------------------------------------------------------------------------------------ each of them


def of_kind(name, kind, seed=4):
    """Return the true entries of a kind, as symbols, slot and meaning."""
    truth = LANGUAGES[name](GAME, np.random.default_rng(seed)).truth
    return [(form.symbols, form.slot, r[0]) for form, r in truth if kind_of(r) == kind]


def test_holistic_messages_have_no_part_that_says_anything():
    for seed in range(5):
        truth = of_kind("holistic", "integer_at", seed)
        assert len({symbols for symbols, *_ in truth}) == len(truth) == 4 * 14
        for slot, length in [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2)]:
            parts = {}
            for symbols, _, meaning in truth:
                parts.setdefault(symbols[slot : slot + length], []).append(meaning)
            for meanings in parts.values():
                assert len(meanings) == 1 or len({meaning.place for meaning in meanings}) > 1
                assert len(meanings) == 1 or len({meaning.values for meaning in meanings}) > 1


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("compositional", {"edge": 4, "integer": 14, "offset": 4}),
        ("polysemous", {"edge": 4, "integer": 7, "offset": 4}),
        ("synonymous", {"edge": 4, "integer": 2 * 14, "offset": 4}),
        ("mixture", {"edge": 4, "integer_at": 4 * 4, "integer": 10, "offset": 4}),
    ],
)
def test_words_of_several_integers_several_words_of_one_and_whole_messages_beside_words(name, kinds):
    truth = LANGUAGES[name](GAME, np.random.default_rng(4)).truth
    assert Counter(kind_of(r) for _, r in truth) == kinds
    assert len({form for form, _ in truth}) == len(truth)


def test_noise_replaces_symbols_by_others_uniformly():
    language = LANGUAGES["compositional"](GAME, np.random.default_rng(7), noise=0.3)
    window = np.repeat([[MASK, 1, 2, 3, 4]], 20_000, axis=0)  # an edge, so that one message is meant
    meant = np.array(next(f.symbols for f, r in language.truth if r == (Meaning(EDGE, ("begin",)),)))
    message = language.send(window)
    assert np.abs((message != meant).mean(axis=0) - 0.3).max() < 0.012
    wrong = message[:, 0][message[:, 0] != meant[0]]
    assert np.bincount(wrong, minlength=20).max() / len(wrong) < 1.3 / 19
    assert np.all(language.without_noise().send(window) == meant)


def test_every_visible_integer_is_named_alike():
    language = LANGUAGES["holistic"](GAME, np.random.default_rng(7))
    message = language.send(np.repeat([[5, 9, MASK, 0, 13]], 20_000, axis=0))
    said = {f.symbols: r[0] for f, r in language.truth}
    named = Counter((said[m].place, *said[m].values) for m in map(tuple, message.tolist()))
    assert set(named) == {(-2, 5), (-1, 9), (1, 0), (2, 13)}
    assert min(named.values()) > 0.23 * 20_000


# ------------------------------------------------------------------------------------------- agreement


def test_agreement_lists_what_is_missing_and_false():
    language = LANGUAGES["polysemous"](GAME, np.random.default_rng(0))
    episodes = draw_episodes(GAME, 3000, np.random.default_rng(1))
    form, [word] = next(entry for entry in language.truth if kind_of(entry[1]) == "integer")
    turned = (form, (Meaning(None, word.values[::-1]),))
    false = (form, (Meaning(None, ((word.values[0] + 1) % 14,)),))
    result = agreement([turned, false], language, episodes)
    assert result.false == {false}
    assert result.missing == language.truth - {(form, (word,))}
    assert (result.recall, result.precision) == (pytest.approx(1 / len(language.truth)), 0.5)
    nothing = agreement([], language, episodes)
    assert (nothing.recall, nothing.precision) == (0.0, 1.0)


def test_an_integer_that_another_part_names_alone_may_be_missing_in_a_set():
    language = LANGUAGES["context-synonyms"](GAME, np.random.default_rng(0))
    episodes = draw_episodes(GAME, 3000, np.random.default_rng(1))
    pairs = ((form, meanings) for form, meanings in language.truth if len(meanings) == 2)
    form, (one, others) = next(each for each in pairs if each[1][0].values[0] in each[1][1].values)
    for left_out, wrong in ((one.values[0], 0), (next(k for k in others.values if k != one.values[0]), 1)):
        values = tuple(k for k in others.values if k != left_out)
        told = (form, (one, Meaning(others.place, values)))
        assert len(agreement([told], language, episodes).false) == wrong


# ------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("name", "config", "rule"),
    [
        ("compositional", GameConfig(message_length=1), "compositional needs message_length >= 2; got 1"),
        ("slot-invariant", GameConfig(vocab_size=12), "slot-invariant needs vocab_size >= 16; got 12"),
        ("holistic", GameConfig(vocab_size=9), "holistic needs 240 words of length 3 of 5 symbols; got 125"),
        ("bands", GameConfig(num_visible=1), "bands needs windows seen in full; got 1"),
        ("any-order", GameConfig(message_length=9), "any-order needs message_length <= 8; got 9"),
        (
            "any-order",
            GameConfig(vocab_size=8, message_length=5),
            "needs a symbol beside edges for each slot",
        ),
        (
            "context-synonyms",  # it does not look for words for ever
            GameConfig(25, num_integers=35, window_radius=1, vocab_size=8, message_length=2),
            "context-synonyms needs more symbols beside edges; got 6",
        ),
    ],
)
def test_a_game_that_a_language_does_not_fit_is_refused(name, config, rule):
    with pytest.raises(ValueError, match=rule):
        LANGUAGES[name](config, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"noise must be in 0\.\.1; got 1\.5"):
        LANGUAGES[name](GAME, np.random.default_rng(0), noise=1.5)
