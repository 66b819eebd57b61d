"""Speaking, against slow twins that go through all messages, and with lexicons that are known."""

import dataclasses
import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import descriptions, entry, lexicon_of
from slow_rules import evidence

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.forms import OPEN
from spatial_game.language.counting.places import EDGE
from spatial_game.language.meaning import Meaning
from spatial_game.language.players.compose import Composer, Pieces
from spatial_game.language.players.decode import Decoder


@settings(max_examples=40, deadline=None)
@given(descriptions(), st.booleans())
def test_what_is_said_speaks_for_the_window(lexicon, random):
    config = lexicon.config
    window = draw_episodes(config, 20, np.random.default_rng(0)).window
    said = Composer(lexicon).compose(window, "random" if random else "strongest", np.random.default_rng(1))
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


def test_a_random_choice_says_every_true_message_as_often_as_it_was_sent():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    whole = [entry([1, k, 3], 0, Meaning(-1, (3,)), count=100 * (k + 1)) for k in range(3)]
    window = np.tile([[3, -1, 5]], (12_000, 1))
    composer = Composer(lexicon_of(config, [*whole, entry([2, 2, 2], 0, Meaning(EDGE, ("begin",)))]))
    seen = Counter(composer.compose(window, "random", np.random.default_rng(0)).message[:, 1].tolist())
    assert [seen[k] / 12_000 for k in range(3)] == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=0.02)


def test_faults_are_counted():
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=5)
    lexicon = lexicon_of(
        config,
        [
            entry([1, 2, 3], 1, Meaning(EDGE, ("begin",))),  # too long for its slot
            entry([1, 9], None, Meaning(None, (3,))),  # no such symbol
            entry([1, 4], None, Meaning(None, (5,))),  # there is no word for an offset beside it
            entry([0, 0, 0], 0, Meaning(EDGE, ("begin",))),
            entry([3, 3, 3], 0, Meaning(EDGE, ("end",)), listed=False),
        ],
    )
    assert dataclasses.asdict(Composer(lexicon).faults) == {
        "entries": 4, "misfits": 2, "outside": 0, "alone": 1,
    }  # fmt: skip


def test_an_empty_lexicon_says_nothing():
    config = GameConfig()
    window = draw_episodes(config, 100, np.random.default_rng(0)).window
    for choice in ("strongest", "random"):
        composed = Composer(lexicon_of(config, [])).compose(window, choice, np.random.default_rng(0))
        assert composed.coverage == 0
    assert len(Composer(lexicon_of(config, [])).compose(window[:0])) == 0


def test_what_a_game_lacks_is_no_piece():
    config = GameConfig(10, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    entries = [
        entry([0, 1], 0, Meaning(-1, (3, 9))),
        entry([1, 1], 0, Meaning(-1, (9,))),
        entry([2, 2], 1, Meaning(EDGE, ("begin",))),
        entry([3, 3], 0, Meaning(EDGE, ("begin",))),
        entry([3, 1], 0, (Meaning(-1, (8, 9)), Meaning(1, (9,)))),
        entry([3, 2], 0, (Meaning(-1, (9,)), Meaning(1, (2,)))),
    ]
    small = GameConfig(8, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    composer = Composer(lexicon_of(config, entries), small)
    assert (composer.faults.misfits, composer.faults.outside) == (1, 2)
    assert composer.rules.plain[0].meaning.values == (3,)


def test_what_cannot_be_is_refused():
    lexicon = lexicon_of(GameConfig(), [])
    with pytest.raises(ValueError, match="config must suit the lexicon: vocab_size must be 26"):
        Composer(lexicon, GameConfig(vocab_size=5))
    with pytest.raises(ValueError, match=r"shape must be \(60,\), as it was made for; got \(6, 10\)"):
        Composer(lexicon, GameConfig(shape=(6, 10)))
    with pytest.raises(ValueError, match="choice must be strongest or random; got 'best'"):
        Composer(lexicon).compose(np.zeros((1, 5), int), "best")
    with pytest.raises(ValueError, match="choice random needs a generator"):
        Composer(lexicon).compose(np.zeros((1, 5), int), "random")
