from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import Sender
from spatial_game.language.counting.forms import Form, carrier_mask
from spatial_game.language.counting.places import EDGE
from spatial_game.language.known import (
    FREE,
    LANGUAGES,
    WINDOW_LANGUAGES,
    score,
)
from spatial_game.language.meaning import Meaning, all_hold, kind_of

GAME = GameConfig(sequence_length=12, num_integers=14, window_radius=2, vocab_size=20, message_length=3)


def spoken(language, num_episodes=2000, seed=3):
    episodes = draw_episodes(language.config, num_episodes, np.random.default_rng(seed))
    return episodes.window, language.send(episodes.window)


# ------------------------------------------------------------------------------------- every language


@st.composite
def games(draw):
    radius = draw(st.integers(1, 3))
    length = draw(st.integers(2 * radius + 1, 25))
    return GameConfig(
        sequence_length=length,
        num_integers=length + draw(st.integers(0, 10)),
        window_radius=radius,
        num_distractors=1,
        vocab_size=draw(st.integers(2, 40)),
        message_length=draw(st.integers(1, 5)),
    )


@settings(max_examples=150, deadline=None)
@given(games(), st.sampled_from(sorted(LANGUAGES)), st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 1.0]))
def test_a_language_speaks_in_the_game_or_says_why_not(config, name, seed, noise):
    try:
        language = LANGUAGES[name](config, np.random.default_rng(seed), noise=noise, zipf=noise)
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


def test_a_language_that_has_too_few_messages_does_not_look_for_them_for_ever():
    few = GameConfig(25, num_integers=35, window_radius=1, vocab_size=8, message_length=2)
    with pytest.raises(ValueError, match="context synonyms needs more symbols beside edges; got 6"):
        LANGUAGES["context-synonyms"](few, np.random.default_rng(0))


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_what_the_truth_lists_is_so(name):
    language = LANGUAGES[name](GAME, np.random.default_rng(0))
    window, message = spoken(language)
    for form, referent in language.truth:
        with_form = carrier_mask([form], message)
        assert with_form.any()
        if kind_of(referent) != "offset":
            least = 0.3 if name in ("larger-of-two", "two-senses") else 0.8
            assert all_hold(referent, GAME, window[with_form]).mean() >= least


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_a_language_is_its_seed(name):
    one, same, other = (LANGUAGES[name](GAME, np.random.default_rng(seed), noise=0.2) for seed in (5, 5, 6))
    assert one.truth == same.truth != other.truth
    assert np.array_equal(spoken(one)[1], spoken(same)[1])


@pytest.mark.parametrize(
    "name", sorted(set(LANGUAGES) - set(WINDOW_LANGUAGES) - {"edges-only", "polysemous"})
)
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


@pytest.mark.parametrize(
    ("name", "offset_slot", "word_slot"), [("compositional", 0, 1), ("compositional-last", 2, 0)]
)
def test_compositional_has_an_entry_for_each_edge_integer_and_offset(name, offset_slot, word_slot):
    truth = LANGUAGES[name](GAME, np.random.default_rng(2)).truth
    assert {meaning for _, [meaning] in truth} == {
        *(Meaning(EDGE, (name,)) for name in ("begin", "begin+1", "end-1", "end")),
        *(Meaning(None, (k,)) for k in range(14)),
        *(Meaning(o, ()) for o in (-2, -1, 1, 2)),
    }
    slots = {(kind_of(r), f.slot, len(f.symbols)) for f, r in truth}
    assert slots == {("edge", 0, 3), ("integer", word_slot, 2), ("offset", offset_slot, 1)}
    assert len({f for f, _ in truth}) == len(truth)


def test_parts_share_no_symbols_while_the_vocabulary_lasts():
    truth = LANGUAGES["compositional"](GAME, np.random.default_rng(2)).truth
    words = {s for f, r in truth if kind_of(r) == "integer" for s in f.symbols}
    offsets = {s for f, r in truth if kind_of(r) == "offset" for s in f.symbols}
    first_of_edges = {f.symbols[0] for f, r in truth if kind_of(r) == "edge"}
    assert len(first_of_edges) == 1
    assert not words & offsets
    assert not first_of_edges & (words | offsets)


def test_words_use_all_symbols_where_the_vocabulary_is_small():
    config = GameConfig(12, num_integers=14, vocab_size=6, message_length=3)
    language = LANGUAGES["compositional"](config, np.random.default_rng(2))
    window, message = spoken(language)
    for form, referent in language.truth:
        if kind_of(referent) == "integer":
            assert all_hold(referent, config, window[carrier_mask([form], message)]).all()


def test_mixed_lengths_has_words_of_two_lengths_and_free_slots():
    language = LANGUAGES["mixed-lengths"](GAME, np.random.default_rng(4))
    words = [f.symbols for f, r in language.truth if kind_of(r) == "integer"]
    assert {len(word) for word in words} == {1, 2}
    assert not {w[0] for w in words if len(w) == 1} & {s for w in words if len(w) == 2 for s in w}
    assert (language.speech.code.phrases == FREE).any()


def test_slot_invariant_uses_either_order_about_equally():
    language = LANGUAGES["slot-invariant"](GAME, np.random.default_rng(4))
    offsets = [f.symbols[0] for f, r in language.truth if kind_of(r) == "offset"]
    window, message = spoken(language, 4000)
    middle = window[:, 2] == MASK
    first, last = (np.isin(message[middle, slot], offsets) for slot in (0, 2))
    assert np.all(first ^ last)
    assert 0.45 < first.mean() < 0.55


def test_holistic_messages_have_no_part_that_says_anything():
    for seed in range(5):
        truth = LANGUAGES["holistic"](GAME, np.random.default_rng(seed)).truth
        assert len({f for f, _ in truth}) == len(truth) == 4 * 15
        for slot, length in [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2)]:
            parts = {}
            for f, r in truth:
                if kind_of(r) == "integer_at":
                    parts.setdefault(f.symbols[slot : slot + length], []).append(r)
            for those in parts.values():
                assert len(those) == 1 or len({r[0].place for r in those}) > 1
                assert len(those) == 1 or len({r[0].values for r in those}) > 1


def test_edges_only_reserves_a_symbol_for_each_edge():
    language = LANGUAGES["edges-only"](GAME, np.random.default_rng(4))
    window, message = spoken(language)
    middle = window[:, 2] == MASK
    assert all(len(set(f.symbols)) == 1 for f, _ in language.truth)
    reserved = {f.symbols[0] for f, _ in language.truth}
    assert len(reserved) == 4
    assert not reserved & set(message[middle].reshape(-1).tolist())
    assert len(np.unique(message[middle])) == 16


def test_polysemous_words_stand_for_several_integers():
    truth = LANGUAGES["polysemous"](GAME, np.random.default_rng(4), senses=3).truth
    groups = [r[0].values for _, r in truth if kind_of(r) == "integer"]
    assert sorted(len(g) for g in groups) == [2, 3, 3, 3, 3]
    assert sorted(k for g in groups for k in g) == list(range(14))


def test_synonymous_integers_have_several_words():
    truth = LANGUAGES["synonymous"](GAME, np.random.default_rng(4), synonyms=3).truth
    words = [(r[0].values, f) for f, r in truth if kind_of(r) == "integer"]
    assert len(words) == len({f for _, f in words}) == 3 * 14
    assert {sum(r == (k,) for r, _ in words) for k in range(14)} == {3}


def test_mixture_has_all_kinds_of_entries():
    truth = LANGUAGES["mixture"](GAME, np.random.default_rng(4), holistic_share=0.5).truth
    kinds = Counter(kind_of(r) for _, r in truth)
    assert kinds == {"edge": 4, "integer_at": 7 * 4, "integer": 7, "offset": 4}


# --------------------------------------------------------------------------------------- noise and Zipf


def test_noise_replaces_symbols_by_others_uniformly():
    language = LANGUAGES["compositional"](GAME, np.random.default_rng(7), noise=0.3)
    window = np.repeat([[MASK, 1, 2, 3, 4]], 20_000, axis=0)  # an edge, so that one message is meant
    meant = np.array(next(f.symbols for f, r in language.truth if r == (Meaning(EDGE, ("begin",)),)))
    message = language.send(window)
    assert np.abs((message != meant).mean(axis=0) - 0.3).max() < 0.02
    wrong = message[:, 0][message[:, 0] != meant[0]]
    assert np.bincount(wrong, minlength=20).max() / len(wrong) < 1.3 / 19
    assert np.all(language.without_noise().send(window) == meant)


def test_every_visible_integer_is_named_alike_without_zipf():
    language = LANGUAGES["holistic"](GAME, np.random.default_rng(7))
    meanings = language.speech.meanings(np.repeat([[5, 9, MASK, 0, 13]], 20_000, axis=0), language.rng)
    named = np.bincount((meanings - 4) // 4)
    assert set(np.flatnonzero(named)) == {0, 5, 9, 13}
    assert named[named > 0].min() > 0.23 * 20_000


def test_zipf_names_an_integer_in_proportion_to_its_weight():
    language = LANGUAGES["holistic"](GAME, np.random.default_rng(7), zipf=1.5)
    assert np.allclose(np.sort(language.speech.weights)[::-1], np.arange(1, 15) ** -1.5)
    visible = [5, 9, 0, 13]
    meanings = language.speech.meanings(np.repeat([[5, 9, MASK, 0, 13]], 40_000, axis=0), language.rng)
    named = np.bincount((meanings - 4) // 4, minlength=14)[visible] / 40_000
    expected = language.speech.weights[visible] / language.speech.weights[visible].sum()
    assert np.abs(named - expected).max() < 0.01


# ------------------------------------------------------------------------------------------------ score


def test_score_of_the_truth_is_perfect():
    for name in set(LANGUAGES) - {"larger-of-two", "two-senses"}:  # no sense holds always
        language = LANGUAGES[name](GAME, np.random.default_rng(0), noise=0.2)
        result = score(language.truth, language, draw_episodes(GAME, 3000, np.random.default_rng(1)))
        assert (result.recall, result.precision, result.strict_precision) == (1.0, 1.0, 1.0), name


def test_score_tells_what_is_missing_wrong_and_unspoken():
    language = LANGUAGES["compositional"](GAME, np.random.default_rng(0))
    episodes = draw_episodes(GAME, 3000, np.random.default_rng(1))
    word = next((f, r) for f, r in language.truth if kind_of(r) == "integer")
    offset = next((f, r) for f, r in language.truth if kind_of(r) == "offset")
    false_integer = (word[0], (Meaning(None, ((word[1][0].values[0] + 1) % 14,)),))
    false_offset = (Form(offset[0].symbols, None), offset[1])
    edge = next(f for f, r in language.truth if kind_of(r) == "edge")
    misspelt = (Form((edge.symbols[0], edge.symbols[2], edge.symbols[1]), 0), (Meaning(EDGE, ("begin",)),))
    result = score([word, false_integer, false_offset, misspelt], language, episodes)
    assert result.found == result.right == {word}
    assert result.wrong == {false_integer, false_offset}
    assert result.unspoken == {misspelt}
    assert result.missing == language.truth - {word}
    assert result.recall == 1 / len(language.truth)
    assert (result.precision, result.strict_precision) == (1 / 3, 1 / 4)


def test_score_takes_the_integers_of_a_union_in_any_order():
    language = LANGUAGES["polysemous"](GAME, np.random.default_rng(0))
    turned = [
        (f, (Meaning(None, r[0].values[::-1]),) if kind_of(r) == "integer" else r) for f, r in language.truth
    ]
    assert score(turned, language, draw_episodes(GAME, 2000, np.random.default_rng(1))).recall == 1.0


def test_score_of_an_empty_lexicon():
    language = LANGUAGES["holistic"](GAME, np.random.default_rng(0))
    result = score([], language, draw_episodes(GAME, 100, np.random.default_rng(1)))
    assert (result.recall, result.precision) == (0.0, 1.0)


# ------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("name", "config", "rule"),
    [
        ("compositional", GameConfig(message_length=1), "compositional needs message_length >= 2; got 1"),
        ("compositional", GameConfig(vocab_size=4), "compositional needs vocab_size >= 13.*; got 4"),
        ("slot-invariant", GameConfig(vocab_size=12), "slot-invariant needs vocab_size >= 13.*; got 12"),
        ("mixed-lengths", GameConfig(message_length=2), "mixed lengths need message_length >= 3; got 2"),
        ("holistic", GameConfig(vocab_size=6), r"holistic needs vocab_size\*\*message_length >= 244.*6\*\*3"),
        ("edges-only", GameConfig(vocab_size=4), "edges only needs vocab_size >= 5.*; got 4"),
        ("synonymous", GameConfig(vocab_size=11), "synonymous needs vocab_size >= 16.*; got 11"),
        ("mixture", GameConfig(vocab_size=15), "mixture needs vocab_size >= 16.*; got 15"),
    ],
)
def test_a_game_that_a_language_does_not_fit_is_refused(name, config, rule):
    with pytest.raises(ValueError, match=rule):
        LANGUAGES[name](config, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("changes", "rule"),
    [({"noise": 1.5}, "noise must be in 0..1; got 1.5"), ({"zipf": -1}, "zipf must be in 0..20; got -1")],
)
def test_noise_and_zipf_out_of_range_are_refused(changes, rule):
    with pytest.raises(ValueError, match=rule):
        LANGUAGES["holistic"](GAME, np.random.default_rng(0), **changes)
