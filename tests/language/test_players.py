"""Speaking and reading, against slow twins that add up the rules, and with lexicons that are known."""

import dataclasses
import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import descriptions, entry, lexicon_of, lexicons
from slow_rules import evidence

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes, window_around
from spatial_game.game.oracle import OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.forms import OPEN
from spatial_game.language.counting.places import EDGE
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.language.lexicon.meaning import Meaning
from spatial_game.language.players import Composer, Decoded, Decoder, Pieces, read_held_out
from spatial_game.recording import record


@settings(max_examples=40, deadline=None)
@given(descriptions(), st.booleans())
def test_what_is_said_speaks_for_the_window(lexicon, random):
    config = lexicon.config
    window = draw_episodes(config, 20, np.random.default_rng(0)).window
    said = Composer(lexicon).compose(window, np.random.default_rng(1) if random else None)
    assert (said.message[~said.expressed] == -1).all()
    for row in np.flatnonzero(said.expressed):
        sure = [rule for rule in lexicon.rules if rule.probability > 0.5]
        bits = evidence(sure, config, said.message[row].tolist(), window[row].tolist())
        assert bits > -1e-4


def test_a_message_is_not_said_for_what_it_hardly_ever_means():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=3, message_length=2)
    edge = entry((0, 0), 0, Meaning("edge", ("begin",)), confidence=0.6, count=50)
    exception = dataclasses.replace(
        edge.rules[0], meaning=Meaning(1, (5,)), probability=0.5, expected=1e-6, strength=0.0
    )
    window = np.array([[3, -1, 5]])
    for rule, silent in ((exception, True), (dataclasses.replace(exception, probability=0.6), False)):
        lexicon = lexicon_of(config, [dataclasses.replace(edge, rules=(*edge.rules, rule))])
        assert (Composer(lexicon).compose(window).message == -1).all() == silent


def test_of_whole_messages_the_most_probable_is_said():
    rng = np.random.default_rng(0)
    messages = list(itertools.product(range(3), repeat=2))
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=3, message_length=2)
    lexicon = lexicon_of(
        config,
        [
            entry(message, 0, Meaning(int(offset), tuple(rng.permutation(8)[:3].tolist())),
                  confidence=0.9, count=int(rng.integers(20, 500)))
            for message in messages
            for offset in (-1, 1)
        ],
    )  # fmt: skip
    window = draw_episodes(config, 100, rng).window
    said = Composer(lexicon).compose(window)
    sent = {m: max(e.count for e in lexicon.listed if e.form.symbols == m) for m in messages}
    assert 0.3 < said.expressed.mean() < 0.9
    for row in range(100):
        bits = {m: evidence(lexicon.rules, config, m, window[row].tolist()) for m in messages}
        score = {m: bits[m] + math.log2(sent[m]) for m in messages if bits[m] > 0}
        assert said.expressed[row] == bool(score)
        if score:
            spoken = tuple(said.message[row].tolist())
            assert score[spoken] == pytest.approx(max(score.values()), abs=1e-4)


def slot_language(config):
    """The symbol at slot 0 names the left neighbour, the one at slot 1 the right one."""
    return lexicon_of(
        config,
        [
            entry([k], slot, Meaning(offset, (k,)), count=500)
            for slot, offset in ((0, -1), (1, 1))
            for k in config.integers
        ],
    )


def test_pieces_are_put_together_and_free_slots_filled():
    config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12)
    episodes = draw_episodes(config, 200, np.random.default_rng(0))
    lexicon, inside = slot_language(config), episodes.mask_column == 1
    said = Composer(lexicon).compose(episodes.window)
    assert np.array_equal(said.message[inside, :2], episodes.window[inside][:, [0, 2]])
    assert (said.message[said.expressed, 2] == 0).all()
    found = Decoder(lexicon).decode(
        said.message[inside], *(x[inside] for x in (episodes.sequence, episodes.candidates))
    )
    assert np.array_equal(found.choice, episodes.target_index[inside])


def test_pieces_that_share_slots_are_put_together_as_well_as_any():
    rng = np.random.default_rng(0)
    patterns = [used for n in (1, 2, 3) for used in itertools.combinations(range(3), n)]
    slots = [frozenset(used) for used in patterns[:-1] for _ in range(3 ** len(used))]
    symbols = np.array([[1 if slot in used else OPEN for slot in range(3)] for used in slots])
    pieces, score = Pieces(symbols, -4.0), rng.normal(size=(40, len(slots))) * 4
    total, closed = np.zeros(40), np.zeros((40, 3), dtype=int)
    for rows, chosen in pieces.put_together(score):
        total[rows] += score[rows, chosen]
        closed[rows] += symbols[chosen] != OPEN
    assert closed.max() <= 1
    total += (closed == 0).sum(axis=1) * pieces.free
    for row in range(40):
        best = {s: max(score[row, i] for i in range(len(slots)) if slots[i] == s) for s in set(slots)}
        wanted = max(
            sum(best[s] for s in chosen) + pieces.free * (3 - sum(map(len, chosen)))
            for n in range(4)
            for chosen in itertools.combinations(best, n)
            if sum(map(len, chosen)) == len(frozenset().union(*chosen))
        )
        assert total[row] == pytest.approx(wanted)


def test_in_long_messages_only_neighbouring_slots_make_a_piece():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=3, message_length=11)
    entries = [
        entry([1, None, 2], 0, Meaning(EDGE, ("begin",))),
        entry([1, 2], None, Meaning(EDGE, ("end",))),
    ]
    pieces = Composer(lexicon_of(config, entries)).symbols
    assert len(pieces) == 10
    assert all(np.diff(np.flatnonzero(piece >= 0)).tolist() == [1] for piece in pieces)


def test_a_word_alone_is_not_said_where_fillers_make_it_false():
    """Symbol 0 fills free slots, and here it names an offset."""
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=9, message_length=2)
    words = [entry([k], 1, Meaning(None, (k,)), count=100 if k else 9_000) for k in config.integers]
    lexicon = lexicon_of(config, [*words, entry([0], 0, Meaning(-1, ())), entry([8], 0, Meaning(1, ()))])
    said = Composer(lexicon).compose(np.array([[1, -1, 2], [2, -1, 1], [-1, 0, 5], [0, 3, -1]]))
    assert said.expressed.all()
    for (left, right), (offset, word) in zip([(1, 2), (2, 1), (-1, 0), (3, -1)], said.message, strict=True):
        assert word == {0: left, 8: right}[int(offset)]


def test_windows_of_another_game_are_refused():
    with pytest.raises(ValueError, match=r"window must have shape \(1, 5\); got \(1, 4\)"):
        Composer(lexicon_of(GameConfig(8), [])).compose(np.array([[1, 2, -1, 3]]))


def test_a_random_choice_says_every_true_message_as_often_as_it_was_sent():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    whole = [entry([1, k, 3], 0, Meaning(-1, (3,)), count=100 * (k + 1)) for k in range(3)]
    window = np.tile([[3, -1, 5]], (12_000, 1))
    composer = Composer(lexicon_of(config, [*whole, entry([2, 2, 2], 0, Meaning(EDGE, ("begin",)))]))
    seen = Counter(composer.compose(window, np.random.default_rng(0)).message[:, 1].tolist())
    assert [seen[k] / 12_000 for k in range(3)] == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=0.02)
    parts = [entry([1], 0, Meaning(None, (3,)), count=400), entry([2], 1, Meaning(-1, ()), count=100)]
    composer = Composer(lexicon_of(config, [*parts, entry([3], 1, Meaning(-1, ()), count=300)]))
    seen = Counter(composer.compose(window, np.random.default_rng(0)).message[:, 1].tolist())
    assert seen[3] / (seen[2] + seen[3]) == pytest.approx(3 / 4, abs=0.02)


# --- Reading ------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.one_of(lexicons(), descriptions()), st.integers(0, 2**32 - 1))
def test_scores_add_up_what_all_rules_say(lexicon, seed):
    config, rng = lexicon.config, np.random.default_rng(seed)
    episodes = draw_episodes(config, 8, rng)
    messages = rng.integers(0, config.vocab_size, (8, config.message_length))
    decoder = Decoder(lexicon)
    decoded = decoder.decode(messages, episodes.sequence, episodes.candidates)
    for row, message in enumerate(messages.tolist()):
        for i, candidate in enumerate(episodes.candidates[row].tolist()):
            sequence = episodes.sequence[row : row + 1]
            position = np.flatnonzero(sequence[0] == candidate)
            [window], _ = window_around(config, sequence, position)
            bits = evidence(lexicon.rules, config, message, window.tolist())
            assert decoded.score[row, i] == pytest.approx(bits, abs=1e-6)


def test_candidates_fit_equally_well_within_four_bits():
    found = Decoded(np.array([[2.0, 6.0, -1.0], [6.0, 1.9, 1.0], [-1.0, -1.0, -2.0]]))
    assert found.choice.tolist() == [1, 0, -1]
    assert found.ambiguous.tolist() == [True, False, False]
    assert found.unique.tolist() == [False, True, False]


def test_a_name_alone_narrows_the_candidates_and_a_place_outranks_it():
    config = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=5)
    lexicon = lexicon_of(
        config, [entry([1, 2], 0, Meaning(None, (3,)), npmi=0.9), entry([4], 2, Meaning(1, ()), npmi=0.1)]
    )
    sequence = np.array([[5, 3, 1, 0, 2, 4, 6, 7]])
    candidates = np.array([[1, 5, 7]])
    decoder = Decoder(lexicon)
    name = decoder.decode(np.array([[1, 2, 0]]), sequence, candidates)
    # 3 is beside both, and in the window of neither end
    assert (name.score > 0).tolist() == [[True, True, False]]
    assert name.ambiguous[0]
    place = decoder.decode(np.array([[1, 2, 4]]), sequence, candidates)
    assert place.choice[0] == 1  # 3 is right of 5
    assert not place.ambiguous[0]
    nothing = decoder.decode(np.array([[0, 0, 0]]), sequence, candidates)
    assert (nothing.choice[0], nothing.decided[0]) == (-1, False)
    assert decoder.choose(np.array([[0, 0, 0]]), sequence, candidates).tolist() == [0]


# --- Both ---------------------------------------------------------------------------------------------------


def test_a_smaller_game_is_spoken_and_read_without_what_it_lacks():
    config = GameConfig(10, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    small = GameConfig(8, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    lacking = [entry([1, 1], 0, Meaning(None, (9,))), entry([2, 2], 0, Meaning(-1, (9,)))]
    lexicon = lexicon_of(config, [entry([0, 1], 0, Meaning(-1, (3, 9))), *lacking])
    sequence, candidates = np.array([[3, 0, 7, 1, 5, 2, 4, 6]]), np.array([[0, 1, 4]])
    decoder, composer = Decoder(lexicon, small), Composer(lexicon, small)
    assert decoder.decode(np.array([[0, 1]]), sequence, candidates).choice[0] == 0
    for message in ([1, 1], [2, 2]):
        assert not decoder.decode(np.array([message]), sequence, candidates).decided[0]
    said = composer.compose(np.array([[1, 3, -1, 5, 2], [1, 4, -1, 5, 2]]))
    assert said.message.tolist() == [[0, 1], [-1, -1]]
    with pytest.raises(ValueError, match="config must suit the lexicon: vocab_size must be 4"):
        Composer(lexicon, GameConfig(10, vocab_size=5))


def test_an_empty_lexicon_says_nothing():
    composer, window = Composer(lexicon_of(GameConfig(), [])), np.array([[1, 2, -1, 3, 4]])
    for rng in (None, np.random.default_rng(0)):
        assert composer.compose(window, rng).coverage == 0
    assert composer.compose(window[:0]).coverage == 0


# --- Held-out episodes --------------------------------------------------------------------------------------


def test_right_is_a_share_of_what_is_read():
    config = GameConfig(20)
    episodes = draw_episodes(config, 5_000, np.random.default_rng(0))
    recording = record(OracleSender(config), None, episodes, config)
    lexicon = dictionary_of(count(recording))
    half = dataclasses.replace(lexicon, entries=lexicon.entries[::2])
    held = episodes[np.arange(9, 5_000, 10)]
    found = Decoder(half).decode(recording.message[9::10], held.sequence, held.candidates)
    right = found.choice == held.target_index
    read = read_held_out(half, [recording])
    assert (read.episodes, read.unique) == (500, found.unique.mean())
    assert 0.1 < read.unique < 0.5
    assert read.right == right[found.unique].mean() > 0.9
    assert read_held_out(lexicon, [recording] * 3, most=600).episodes == 1_000
