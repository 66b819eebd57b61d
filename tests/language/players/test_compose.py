"""Composing against its slow twin: every phrase of a lexicon, one by one."""

import dataclasses
import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import entry, lexicon_of, lexicons, meanings, placements

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.language.counting.columns import column_meaning
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import Edge, Integer, IntegerAt, Offset
from spatial_game.language.players.compose import Composer, common_symbols
from spatial_game.language.players.phrases import NOTHING, PHRASE_KINDS, contradictions
from spatial_game.language.synthetic import LANGUAGES
from spatial_game.recording import record


def phrases(lexicon, config):
    """Every phrase: {(kind, entries, slots): (strength, message with None where free, meanings)}."""
    found = {}
    listed = lexicon.listed
    for i, word in enumerate(listed):
        if word.kind in ("edge", "integer_at"):
            for slot in placements(word.form, config):
                found[word.kind, (i, -1), (slot, -1)] = (
                    word.npmi,
                    [(word, slot)],
                    meanings(word.referent, config),
                )
    pairs = itertools.product(enumerate(listed), repeat=2)
    for (i, word), (j, mate) in pairs:
        if (word.kind, mate.kind) != ("integer", "offset"):
            continue
        for slot, other in itertools.product(placements(word.form, config), placements(mate.form, config)):
            cells = Counter([*range(slot, slot + len(word.form.symbols))])
            cells.update(range(other, other + len(mate.form.symbols)))
            if max(cells.values()) == 1:
                said = meanings(word.referent, config, mate.referent)
                strength = min(word.npmi, mate.npmi)
                found["compositional", (i, j), (slot, other)] = strength, [(word, slot), (mate, other)], said
    return {
        key: (strength, spell(parts, config), said) for key, (strength, parts, said) in found.items() if said
    }


def spell(parts, config):
    message = [None] * config.message_length
    for part, slot in parts:
        message[slot : slot + len(part.form.symbols)] = part.form.symbols
    return message


def holds(meaning, window, config):
    column = window.index(-1)
    if isinstance(meaning, str):
        return config.edges[column] == meaning
    value, offset = meaning
    return 0 <= column + offset < len(window) and window[column + offset] == value


def keys(composed, row):
    kind = PHRASE_KINDS[composed.kind[row]]
    return kind, tuple(composed.entry[row].tolist()), tuple(composed.slot[row].tolist())


@settings(max_examples=60, deadline=None)
@given(lexicons(), st.sampled_from(["strongest", "random"]))
def test_what_is_sent_is_what_the_twin_allows(lexicon, choice):
    config = lexicon.config
    before = lexicon.to_dict()
    fillers = np.arange(config.message_length) % config.vocab_size
    composer = Composer(lexicon, fillers=fillers)
    window = draw_episodes(config, 30, np.random.default_rng(0)).window
    composed = composer.compose(window, choice, np.random.default_rng(1))
    possible = phrases(lexicon, config)
    for row, cells in enumerate(window.tolist()):
        true = {k: p for k, p in possible.items() if any(holds(m, cells, config) for m in p[2])}
        assert composed.expressed[row] == bool(true)
        if not true:
            assert set(composed.message[row]) == {NOTHING}
            continue
        strength, spelled, said = true[keys(composed, row)]
        if choice == "strongest":
            assert strength == max(p[0] for p in true.values())
        wanted = [f if s is None else s for s, f in zip(spelled, fillers, strict=True)]
        assert composed.message[row].tolist() == wanted
        assert composed.filled[row].tolist() == [s is None for s in spelled]
        edge, value, offset = column_meaning(config, int(composed.column[row]))
        meaning = edge or (value, offset)
        assert meaning in said
        assert holds(meaning, cells, config)
    assert lexicon.to_dict() == before


def test_a_random_choice_is_uniform_over_the_phrases():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    words = [entry([s], None, Integer((3,)), npmi=0.1 * s) for s in (1, 2)]
    offsets = [entry([0], 0, Offset(-1)), entry([4, 4], 1, Offset(-1))]
    lexicon = lexicon_of(config, [*words, *offsets, entry([1, 2, 3], 0, IntegerAt((3,), -1))])
    window = np.tile([[3, -1, 5]], (14_000, 1))
    composed = Composer(lexicon).compose(window, "random", np.random.default_rng(0))
    seen = Counter(keys(composed, row) for row in range(len(window)))
    assert len(seen) == 2 * 2 + 2 * 1 + 1  # with the first offset two places, with the second one, and whole
    assert min(seen.values()) > 0.9 * 14_000 / 7
    again = Composer(lexicon).compose(window, "random", np.random.default_rng(0))
    assert np.array_equal(again.message, composed.message)


def test_the_oracles_lexicon_expresses_every_episode_as_the_oracle_would_be_read():
    config = GameConfig()
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    lexicon = Lexicon.from_counts(count(record(OracleSender(config), None, episodes, config)), select="npmi")
    composed = Composer(lexicon).compose(episodes.window)
    assert composed.coverage == 1
    assert not composed.filled.any()
    faults = Composer(lexicon).faults
    assert dataclasses.astuple(faults) == (len(lexicon.listed), 0, 0, 0, 0)


@pytest.mark.parametrize(
    "name", ["compositional", "compositional-last", "slot-invariant", "holistic", "mixed-lengths"]
)
def test_a_known_languages_lexicon_expresses_what_the_language_does(name):
    config = GameConfig()
    language = LANGUAGES[name](config, np.random.default_rng([1, 0]))
    episodes = draw_episodes(config, 20_000, np.random.default_rng([1, 1]))
    lexicon = Lexicon.from_counts(
        count(record(language, None, episodes, config)), threshold=0.4, select="npmi"
    )
    composed = Composer(lexicon).compose(episodes.window)
    assert composed.coverage == 1


def test_kinds_restrict_what_is_said():
    config = GameConfig()
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    lexicon = Lexicon.from_counts(count(record(OracleSender(config), None, episodes, config)), select="npmi")
    composed = Composer(lexicon, kinds=["edge"]).compose(episodes.window)
    assert np.array_equal(composed.expressed, episodes.mask_column != config.window_radius)
    assert set(composed.kind) == {NOTHING, 0}


def test_given_pairs_are_written_where_they_fit_and_nowhere_else():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    lexicon = lexicon_of(
        config, [entry([1, 2], None, Integer((3,))), entry([4], None, Offset(1)), entry([3], 1, Offset(-1))]
    )
    composer = Composer(lexicon)
    word, mate = np.array([0] * 100 + [0]), np.array([1] * 100 + [2])
    said = composer.phrase(word, mate, np.random.default_rng(0))
    assert {tuple(m) for m in said.message[:100].tolist()} == {(1, 2, 4), (4, 1, 2)}
    assert not said.expressed[100]


def test_faults_are_counted():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    lexicon = lexicon_of(
        config,
        [
            entry([1, 2, 3], 1, Edge("begin")),  # too long for its slot
            entry([1, 9], None, Integer((3,))),  # no such symbol
            entry([1, 1], None, Integer((8,))),  # no such integer
            entry([1, 4], None, Integer((5,))),
            entry([2, 2], 0, Offset(1)),  # fits beside no integer
            entry([0, 0, 0], 0, Edge("begin")),
            entry([0, 0, 0], 0, Edge("end")),  # contradicts it
            entry([3, 3, 3], 0, Edge("end"), derived=True),
        ],
    )
    faults = Composer(lexicon).faults
    assert dataclasses.asdict(faults) == {
        "listed": 7, "misfits": 2, "outside": 1, "alone": 2, "contradictory": 2,
    }  # fmt: skip
    assert contradictions(lexicon.listed[:4]) == 0


def test_an_ngram_whose_shape_only_the_other_kind_can_place_is_alone():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    start = [entry([1, 2], 0, Integer((3,))), entry([0, 2], 0, Offset(1)), entry([4], 2, Integer((5,)))]
    assert Composer(lexicon_of(config, start)).faults.alone == 1  # [1, 2] and both offsets need slot 0


def test_an_empty_lexicon_says_nothing():
    config = GameConfig()
    window = draw_episodes(config, 100, np.random.default_rng(0)).window
    for choice in ("strongest", "random"):
        composed = Composer(lexicon_of(config, [])).compose(window, choice, np.random.default_rng(0))
        assert composed.coverage == 0
    assert len(Composer(lexicon_of(config, [])).compose(window[:0])) == 0


def test_integers_beyond_a_shorter_game_are_left_out():
    config = GameConfig(60)
    episodes = draw_episodes(config, 20_000, np.random.default_rng(0))
    lexicon = Lexicon.from_counts(count(record(OracleSender(config), None, episodes, config)), select="npmi")
    short = GameConfig(20)
    composer = Composer(lexicon, short)
    assert composer.faults.outside == 40
    assert composer.compose(draw_episodes(short, 500, np.random.default_rng(0)).window).coverage == 1


def test_what_cannot_be_is_refused():
    lexicon = lexicon_of(GameConfig(), [])
    with pytest.raises(ValueError, match="config must suit the lexicon: vocab_size must be 26"):
        Composer(lexicon, GameConfig(vocab_size=5))
    with pytest.raises(ValueError, match="kinds must be among edge, integer_at, compositional; got edges"):
        Composer(lexicon, kinds=["edges"])
    with pytest.raises(ValueError, match="choice must be strongest or random; got 'best'"):
        Composer(lexicon).compose(np.zeros((1, 5), int), "best")
    with pytest.raises(ValueError, match="choice random needs a generator"):
        Composer(lexicon).compose(np.zeros((1, 5), int), "random")
    with pytest.raises(ValueError, match=r"fillers must be in 0..25; got \[26, 0, 0\]"):
        Composer(lexicon, fillers=np.array([26, 0, 0]))


def test_common_symbols():
    config = GameConfig(20)
    episodes = draw_episodes(config, 500, np.random.default_rng(0))
    recording = record(OracleSender(config), None, episodes, config)
    wanted = [Counter(slot).most_common(1)[0][1] for slot in recording.message.T.tolist()]
    chosen = common_symbols(count(recording))
    assert [slot.tolist().count(s) for slot, s in zip(recording.message.T, chosen, strict=True)] == wanted
