"""Decoding against its slow twin, and with lexicons that are known."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import entry, lexicon_of, lexicons, meanings, placements

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes, window_around
from spatial_game.game.policies import OracleSender
from spatial_game.language.counting.columns import candidate_columns, column_meaning
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import Edge, Integer, Offset
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.language.synthetic import LANGUAGES
from spatial_game.recording import record


def stands(word, slot, message):
    symbols = word.form.symbols
    return tuple(message[slot : slot + len(symbols)]) == symbols


def readings(lexicon, config, message):
    """Everything a message says: [(says a place, npmi, meanings)]."""
    found = []
    there = [
        (word, slot)
        for word in lexicon.listed
        for slot in placements(word.form, config)
        if stands(word, slot, message)
    ]
    for word, _ in there:
        if word.kind in ("edge", "integer_at"):
            found.append((True, word.npmi, meanings(word.referent, config)))
        if word.kind == "integer":
            anywhere = {(v, o) for v in word.referent.values for o in config.offsets}
            found.append((False, word.npmi, anywhere))
    for (word, slot), (mate, other) in itertools.product(there, repeat=2):
        if (word.kind, mate.kind) == ("integer", "offset") and (
            slot + len(word.form.symbols) <= other or other + len(mate.form.symbols) <= slot
        ):
            said = meanings(word.referent, config, mate.referent)
            found.append((True, min(word.npmi, mate.npmi), said))
    return found


def true_of(candidate, sequence, config):
    """Edge, and (integer, offset), that hold for a candidate."""
    position = sequence.index(candidate)
    window, column = window_around(config, np.array([sequence]), np.array([position]))
    cells = {(int(v), i - int(column[0])) for i, v in enumerate(window[0]) if v >= 0}
    return cells | {config.edges[int(column[0])]}


@settings(max_examples=40, deadline=None)
@given(lexicons(), st.integers(0, 2**32 - 1))
def test_each_candidate_is_weighed_as_the_twin_does(lexicon, seed):
    config = lexicon.config
    rng = np.random.default_rng(seed)
    episodes = draw_episodes(config, 20, rng)
    messages = rng.integers(0, config.vocab_size, (20, config.message_length))
    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    for row in range(20):
        sequence, said = episodes.sequence[row].tolist(), readings(lexicon, config, messages[row].tolist())
        for i, candidate in enumerate(episodes.candidates[row].tolist()):
            true = true_of(candidate, sequence, config)
            fitting = [(whole, npmi) for whole, npmi, what in said if what & true]
            wanted = max((5 * w + 2 * (not w) + npmi for w, npmi in fitting), default=0)
            assert decoded.score[row, i] == pytest.approx(wanted)
        assert decoded.places[row] == any(whole and what for whole, _, what in said)
    best = decoded.score.max(axis=1)
    assert np.array_equal(decoded.decided, best > 0)
    assert (np.take_along_axis(decoded.score, decoded.choice[:, None], axis=1)[:, 0] == best)[best > 0].all()


def test_the_oracles_messages_are_read_without_a_mistake():
    config = GameConfig()
    rng = np.random.default_rng(0)
    oracle = OracleSender(config)
    lexicon = Lexicon.from_counts(
        count(record(oracle, None, draw_episodes(config, 20_000, rng), config)), select="npmi"
    )
    fresh = draw_episodes(config, 20_000, rng)
    decoded = Decoder(lexicon).decode(oracle.send(fresh.window), fresh.sequence, fresh.candidates)
    assert decoded.places.all()
    assert decoded.decided.all()
    assert not decoded.ambiguous.any()
    assert np.array_equal(decoded.choice, fresh.target_index)


@pytest.mark.parametrize("name", ["compositional-last", "holistic", "mixed-lengths", "polysemous"])
def test_what_is_composed_is_read_back(name):
    config = GameConfig()
    language = LANGUAGES[name](config, np.random.default_rng([1, 0]))
    rng = np.random.default_rng([1, 1])
    recording = record(language, None, draw_episodes(config, 20_000, rng), config)
    top_n = 2 if name == "polysemous" else 1
    lexicon = Lexicon.from_counts(count(recording), threshold=0.35, top_n=top_n, select="npmi")
    fresh = draw_episodes(config, 5_000, rng)
    composed = Composer(lexicon).compose(fresh.window, "random", rng)
    assert composed.coverage == 1
    decoded = Decoder(lexicon).decode(composed.message, fresh.sequence, fresh.candidates)
    target = decoded.score[np.arange(len(fresh)), fresh.target_index]
    assert (target > 3.5).all()
    sure = ~decoded.ambiguous
    assert np.array_equal(decoded.choice[sure], fresh.target_index[sure])


def test_a_name_alone_narrows_the_candidates_and_a_place_outranks_it():
    config = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=5)
    lexicon = lexicon_of(
        config, [entry([1, 2], 0, Integer((3,)), npmi=0.9), entry([4], 2, Offset(1), npmi=0.1)]
    )
    sequence = np.array([[5, 3, 1, 0, 2, 4, 6, 7]])
    candidates = np.array([[1, 5, 7]])
    decoder = Decoder(lexicon)
    name = decoder.decode(np.array([[1, 2, 0]]), sequence, candidates)
    assert name.fits.tolist() == [[True, True, False]]  # 3 is beside both, and in the window of neither end
    assert name.ambiguous[0]
    assert not name.places[0]
    place = decoder.decode(np.array([[1, 2, 4]]), sequence, candidates)
    assert place.choice[0] == 1  # 3 is right of 5
    assert not place.ambiguous[0]
    nothing = decoder.decode(np.array([[0, 0, 0]]), sequence, candidates)
    assert (nothing.choice[0], nothing.decided[0]) == (-1, False)
    assert decoder.choose(np.array([[0, 0, 0]]), sequence, candidates).tolist() == [0]


def test_readings_in_words():
    config = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=5)
    lexicon = lexicon_of(
        config,
        [
            entry([1, 2], 0, Integer((3,)), npmi=0.6),
            entry([4], 2, Offset(1)),
            entry([1, 2, 4], 0, Edge("begin"), npmi=0.5),
        ],
    )
    said = [(r.kind, r.meaning, r.entries, r.strength) for r in Decoder(lexicon).read(np.array([1, 2, 4]))]
    assert said == [
        ("compositional", "3 is 1 right of target", (0, 1), 0.6),
        ("edge", "begin", (2,), 0.5),
        ("integer", "integer 3", (0,), 0.6),
    ]
    assert Decoder(lexicon).read(np.array([0, 0, 0])) == []


def test_an_incompatible_game_is_refused():
    with pytest.raises(ValueError, match="config must suit the lexicon: message_length must be 3"):
        Decoder(lexicon_of(GameConfig(), []), GameConfig(message_length=4))


def test_the_columns_of_candidates_are_what_their_windows_show():
    config = GameConfig(12, num_integers=20, window_radius=2)
    episodes = draw_episodes(config, 50, np.random.default_rng(0))
    columns = candidate_columns(config, episodes.sequence, episodes.candidates)
    for row in range(50):
        for i, candidate in enumerate(episodes.candidates[row].tolist()):
            said = [column_meaning(config, int(c)) for c in columns[row, i]]
            found = {edge or (value, offset) for edge, value, offset in said}
            assert found == true_of(candidate, episodes.sequence[row].tolist(), config)
